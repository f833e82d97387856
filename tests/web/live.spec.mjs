// In: chess-web with one stockfish over demo/famous.pgn; WEB_PID, its process; PLAIN_URL, one without an engine; SHOTS, a
// directory for pictures. Out: an error unless the page's engine follows the board, stops when the page is hidden, says why it
// cannot run, writes its lines in SAN, and answers a wrong move in a puzzle. The test itself sends the faulty streams.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { api, base, becomes, drag, equal, open, settled, sql, test, until, yes } from './browser.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const shots = process.env.SHOTS;
const shoot = async (page, name) => shots && (await page.screenshot({ path: `${shots}/${name}.png` }));
const ENGINE = /\/api\/engine\?/;
// a game with comments, evaluations and clocks; 14 half-moves
const game = (await api('/api/games?event=' + encodeURIComponent('Test <b>bold</b>'))).body.games[0].id;
const toggle = page => page.getByRole('switch', { name: 'Engine' });
const lines = page => page.locator('.live-lines li').allTextContents();
/** The engine's arrows, which are drawn with the next frame. */
const arrows = (page, what, wanted) => until(page, what, n => document.querySelectorAll('.cg-shapes line[stroke="#2f62a8"]').length === n, wanted);
const seesLines = (page, what, pattern = '.') =>
  until(page, what, source => /depth \d/.test(document.querySelector('.live-depth').textContent) && new RegExp(source).test(document.querySelector('.live-lines .live-moves')?.textContent ?? ''), pattern);
const message = (page, what, pattern) => until(page, what, source => new RegExp(source).test(document.querySelector('.live-message').textContent), pattern);

/** Clock ticks that the engines of the server have used. */
function ticks() {
  const stat = pid => readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(pid => {
      try {
        return [stat(pid)];
      } catch {
        return [];
      }
    })
    .filter(fields => fields[1] === process.env.WEB_PID)
    .reduce((sum, fields) => sum + Number(fields[11]) + Number(fields[12]), 0);
}
/** Waits until the engines of the server are idle and another client gets one at once. */
async function rests(what) {
  let still = 0;
  let before;
  await becomes(() => {
    const now = ticks();
    still = now === before ? still + 1 : 0;
    before = now;
    return still >= 3;
  });
  yes(`${what}: the engine rests`, still >= 3);
  let answer;
  await becomes(async () => {
    answer = await fetch(`${base}/api/engine?fen=7k/8/8/8/8/8/R7/1R4K1_w_-_-_0_1`);
    return answer.status !== 503;
  });
  equal(`${what}: the engine is free`, [answer.status, /event: end/.test(await answer.text())], [200, true]);
}
/** Replaces the engine's answer by events of the test. */
const played = (page, events, status = 200) =>
  page.route(ENGINE, route =>
    route.fulfill(status === 200 ? { contentType: 'text/event-stream', body: events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('') } : { status, contentType: 'application/json', body: JSON.stringify(events) }),
  );

test('no engine, no switch', async () => {
  const page = await open('');
  await page.goto(`${process.env.PLAIN_URL}/`);
  await page.waitForSelector('.explorer-moves');
  await settled(page);
  yes('no switch', await toggle(page).isHidden());
  await page.keyboard.press('e');
  yes('the key does nothing', await page.locator('.live').isHidden());
  await page.keyboard.press('?');
  yes('the key is not listed', !(await page.locator('.keys').textContent()).includes('engine'));
  await page.context().close();
});

test('it follows the board', async () => {
  const page = await open('/');
  await page.waitForSelector('.explorer-moves');
  await toggle(page).waitFor();
  equal('off at first', [await toggle(page).getAttribute('aria-checked'), await page.locator('.live').isHidden()], ['false', true]);
  await page.keyboard.press('?');
  yes('its key is listed', (await page.locator('.keys').textContent()).includes('the engine, on or off'));
  await page.keyboard.press('Escape');
  const before = ticks();
  await toggle(page).click();
  await seesLines(page, 'depth and lines', '^1\\.\\s[a-hN]');
  await until(page, 'three lines', () => document.querySelectorAll('.live-lines li').length === 3);
  yes('scores', (await page.locator('.live-score').allTextContents()).every(text => /^[+−]\d+\.\d\d$/.test(text)));
  await arrows(page, 'one arrow', 1);
  await until(page, 'the view keeps its own', () => document.querySelector('.cg-shapes line[stroke="#1f6b57"]'));
  await becomes(() => ticks() > before);
  yes('the engine works', ticks() > before);
  await drag(page, 'e2', 'e4');
  await page.waitForURL(/play=e2e4/);
  await seesLines(page, 'lines of the next position', '^1…\\s\\S+ 2\\.\\s');
  await arrows(page, 'one arrow again', 1);
  await page.keyboard.press('ArrowLeft');
  await seesLines(page, 'and back', '^1\\.\\s');
  await until(page, 'it is read out', () => /best move \S+, depth \d+/.test(document.querySelector('.live [aria-live]').textContent));
  // with a game the board has a strip below it
  await page.goto(`${base}/game/${game}#14`);
  await page.waitForSelector('.moves [aria-current]');
  await toggle(page).waitFor();
  await page.keyboard.press('e');
  await seesLines(page, 'in a game', '^8\\.\\s');
  yes('all of it is on the screen', await page.evaluate(() => document.querySelector('.tools').getBoundingClientRect().bottom <= innerHeight));
  await page.keyboard.press('a');
  await page.waitForURL(/analysis/);
  await seesLines(page, 'on a board of one’s own', '^1\\.\\s');
  await page.keyboard.press('s');
  await page.waitForURL(/search/);
  yes('not where positions are set up', (await toggle(page).isHidden()) && (await page.locator('.live').isHidden()));
  await rests('search');
  await page.keyboard.press('o');
  await page.waitForURL(url => url.pathname === '/');
  await seesLines(page, 'still on in the explorer', '^1\\.\\s');
  // the visitor switches to another tab
  const hide = hidden =>
    page.evaluate(value => {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  await hide(true);
  await rests('hidden');
  await hide(false);
  await seesLines(page, 'visible again', '^1\\.\\s');
  await toggle(page).click();
  equal('off', [await toggle(page).getAttribute('aria-checked'), await page.locator('.live').isHidden()], ['false', true]);
  await arrows(page, 'no arrow', 0);
  await rests('off');
  await page.keyboard.press('e');
  await seesLines(page, 'on by its key', '^1\\.\\s');
  await page.context().close();
  await rests('the page is closed');
});

test('its lines are played by a click, and the board stays as it is', async () => {
  const page = await open('/');
  await page.waitForSelector('.explorer-moves');
  const size = () => page.evaluate(() => JSON.stringify(document.querySelector('cg-board').getBoundingClientRect()));
  const before = await size();
  await page.keyboard.press('e');
  await seesLines(page, 'lines', '^1\\.\\s');
  equal('the board is where it was', await size(), before);
  await until(page, 'White is a little better', () => /^White’s winning chances: 5\d %$/.test(document.querySelector('.balance').getAttribute('aria-label')));
  await page.locator('.live-choices select').first().selectOption('5');
  await until(page, 'five lines', () => document.querySelectorAll('.live-lines li').length === 5);
  await page.locator('.live-choices select').last().selectOption('15');
  await until(page, 'to that depth', () => document.querySelector('.live-depth').textContent === 'depth 15 · done');
  const [first, second] = await page.locator('.live-lines li').first().locator('button').evaluateAll(moves => moves.slice(0, 2).map(move => move.textContent.replace(/^.*\s/, '')));
  await page.locator('.live-lines li').first().locator('button').nth(1).click();
  await until(page, 'two half-moves', wanted => [...document.querySelectorAll('.line .move')].map(move => move.textContent).join(' ') === wanted, `${first} ${second}`);
  await seesLines(page, 'the next position', '^2\\.\\s');
  await page.locator('.live-lines button').first().focus();
  await page.keyboard.press('Enter');
  await until(page, 'by keyboard', () => document.querySelectorAll('.line .move').length === 3);
  await page.context().close();
});

test('what it finds is stored', async () => {
  const words = ['--no-sessions', '--upload', '--engine', 'stockfish', '-l', '127.0.0.1:0'];
  const program = spawn(process.env.CHESS_WEB, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise(done => program.stdout.on('data', data => done(String(data).trim().replace(/\/$/, ''))));
  const stored = () => sql("SELECT multipv, limit_kind, limit_value, status, depth, cardinality(evals), e.options->>'Hash' FROM chess.analysis JOIN chess.engines e ON e.id = engine_id WHERE samePosition(board, '7k/8/8/8/8/8/R6P/6K1 b - - 0 1')");
  try {
    const ask = async depth => (await fetch(`${url}/api/engine?fen=7k/8/8/8/8/8/R6P/6K1_b_-_-_5_40&multipv=2&depth=${depth}`)).text();
    equal('nothing yet', stored(), []);
    await ask(11);
    // the first engine may start too slowly
    await becomes(async () => /event: end/.test(await ask(13)) && stored().length);
    equal('the one that is worth it', stored(), [['2', 'depth', '13', 'done', '13', '2', '64']]);
    // what the server knows of the tables is some seconds old
    await becomes(async () => /^event: stored\ndata: \{"depth":13/.test(await ask(11)));
    yes('the next visitor sees it at once', /^event: stored\ndata: \{"depth":13/.test(await ask(11)));
    await ask(13);
    equal('once', stored().length, 1);
  } finally {
    program.kill();
    sql("DELETE FROM chess.analysis WHERE samePosition(board, '7k/8/8/8/8/8/R6P/6K1 b - - 0 1')");
  }
});

test('what it says', async () => {
  const page = await open('/?fen=7k/8/8/8/8/8/R7/1R4K1_b_-_-_0_1', {}, [/503|400|502|404/]);
  await toggle(page).click();
  await until(page, 'mate, from White’s side', () => /^#\d/.test(document.querySelector('.live-score')?.textContent ?? ''));
  await page.goto(`${base}/?fen=7k/6Q1/6K1/8/8/8/8/8_b_-_-_0_1`);
  await toggle(page).click();
  await message(page, 'over', '^White has won: there is nothing');
  // more queens than pawns can become
  await page.goto(`${base}/?fen=QQQQ1k2/8/8/QQQQQQ2/8/8/PPPPPPPP/4K3_b_-_-_0_1`);
  await toggle(page).click();
  await message(page, 'a position that cannot be', '^The engine cannot look at this position: .+\\.$');
  // another reader has the only engine
  await page.goto(`${base}/`);
  const other = new AbortController();
  const taken = await fetch(`${base}/api/engine`, { signal: other.signal });
  equal('the other reader', taken.status, 200);
  await toggle(page).click();
  await message(page, 'busy', '^All engines are busy');
  await shoot(page, 'live-busy');
  other.abort();
  await seesLines(page, 'free again', '^1\\.\\s');
  await page.context().close();
});

test('faults of the stream', async () => {
  const page = await open('/?fen=r3k2r/8/8/8/8/8/8/R3K2R_w_KQkq_-_0_1', {}, [/503|400|502/]);
  const begin = async (events, status) => {
    await page.unroute(ENGINE);
    await played(page, events, status);
    for (const _ of (await toggle(page).getAttribute('aria-checked')) === 'true' ? [1, 2] : [1]) await toggle(page).click();
  };
  const pv = (moves, cp = 0) => ({ cp, moves });
  await begin([['end', { depth: 30, pvs: [pv(['e1h1', 'e8a8', 'g1g2', 'a1a9']), pv(['e1c1', 'e8g8'], -35), pv(['e1e3', 'e8e7'], -40)] }]]);
  await until(page, 'done', () => document.querySelector('.live-depth').textContent === 'depth 30 · done');
  equal('castling either way; a line ends at what is no move', await lines(page), ['+0.001.\u00a0O-O O-O-O 2.\u00a0Kg2', '−0.351.\u00a0O-O-O O-O', '−0.40']);
  await arrows(page, 'the king’s arrow', 1);
  await begin([
    ['analysis', { depth: 4, pvs: [pv(['h1h8'], 90), pv(['a1a8'], 80), pv(['e1e2'], 10)] }],
    ['end', { depth: 5, pvs: [pv(['a1a8'], 95), pv(['a1a8'], 80), pv(['e1e2'], 10)] }],
  ]);
  await until(page, 'done', () => document.querySelector('.live-depth').textContent === 'depth 5 · done');
  equal('no two lines begin alike', await lines(page), ['+0.951.\u00a0Rxa8+', '+0.901.\u00a0Rxh8+', '+0.101.\u00a0Ke2']);
  await begin([['stored', { depth: 20, pvs: [pv(['a1a8'], 900)] }], ['analysis', { depth: 3, pvs: [pv(['h1h8'])] }], ['end', { depth: 19, pvs: [pv(['h1h8'])] }]]);
  await until(page, 'what is stored deeper stays', () => document.querySelector('.live-depth').textContent === 'stored · depth 20 · done');
  await begin([['failure', { error: 'the engine <b>died</b>' }]]);
  await message(page, 'a failure', '^The engine <b>died</b>\\. Try again$');
  await begin([['analysis', { depth: 3, pvs: [pv(['h1h8'])] }]]);
  await message(page, 'an end without a word', '^The connection to the engine has ended\\.');
  await begin({ error: 'each side needs one king' }, 400);
  await message(page, 'refused', '^The engine cannot look at this position: each side needs one king\\.$');
  await page.unroute(ENGINE);
  await page.route(ENGINE, route => route.fulfill({ contentType: 'text/event-stream', body: 'event: analysis\ndata: {"depth"\n\n' }));
  for (const _ of [1, 2]) await toggle(page).click();
  await message(page, 'not JSON', 'cannot be read\\. Try again$');
  await page.unroute(ENGINE);
  await page.locator('.live-message button').click();
  await seesLines(page, 'tried again', '^1\\.\\s');
  await page.context().close();
});

for (const [look, options] of [
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }],
]) {
  test(`looks, ${look}`, async () => {
    const page = await open('/?play=e2e4,c7c5,g1f3', options);
    await page.waitForSelector('.explorer-moves, .note');
    await toggle(page).click();
    await seesLines(page, 'lines', '^2…\\s');
    await until(page, 'three lines', () => document.querySelectorAll('.live-lines li').length === 3);
    await page.evaluate(axe);
    equal('what axe finds', await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ['violations'] })).violations.map(v => `${v.id}: ${v.nodes[0].target}`)), []);
    equal('nothing sticks out', await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    await shoot(page, `live-${look}`);
    await page.goto(`${base}/game/${game}#14`);
    await page.waitForSelector('.moves [aria-current]');
    await toggle(page).click();
    await seesLines(page, 'lines in a game', '^8\\.\\s');
    await shoot(page, `live-game-${look}`);
    await page.context().close();
  });
}

test('an ending is played on against the engine, which gives hints', async () => {
  const page = await open('', {}, [/status of 503/]);
  const busy = { status: 503, headers: { 'Retry-After': '2' }, contentType: 'application/json', body: '{"error": "all engines are busy"}' };
  let refused = 0;
  await page.route(ENGINE, route => (refused++ ? route.continue() : route.fulfill(busy)));
  await page.goto(`${base}/play?fen=6k1/8/5K2/8/8/8/8/7Q_b_-_-&level=8&side=white`);
  await until(page, 'its only move, after a refusal', () => /^1…\sKf8$/.test(document.querySelector('.played')?.textContent));
  await page.getByRole('button', { name: 'Hint' }).click();
  await until(page, 'a mate', () => /^Hint of the engine: Q[ah]8#/.test(document.querySelector('.prompt').textContent));
  await page.context().close();
});

test('a wrong move in a puzzle is answered by the engine', async () => {
  sql("SELECT chess.import_puzzle('engine', 'r5k1/6pp/7N/8/8/1Q6/8/6K1 b - - 0 1', 'g8h8 b3g8 a8g8 h6f7', 1500, 80, 90, 1000, '{}', 'https://lichess.org/x', '{}')");
  const page = await open(`/puzzles/${sql("SELECT id FROM chess.puzzles WHERE name = 'engine'")[0][0]}`, {}, [/status of 404/]);
  await until(page, 'the puzzle', () => /White to move/.test(document.querySelector('.prompt')?.textContent));
  await settled(page);
  await drag(page, 'b3', 'b8');
  await until(page, 'its reply', () => /The reply: 2…\s*Rxb8/.test(document.querySelector('.puzzles').textContent));
  await page.getByRole('button', { name: 'Try again' }).click();
  await until(page, 'the same again', () => /White to move/.test(document.querySelector('.prompt').textContent));
  sql("DELETE FROM chess.puzzles WHERE name = 'engine'");
  await page.context().close();
});
