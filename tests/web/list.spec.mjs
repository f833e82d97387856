// In: chess-web over demo/famous.pgn and games.pgn. Out: an error unless the list has every game once in each order, also
// while games arrive, and the viewer shows a game with all that it has, and hostile tags as plain text.
import { readFileSync } from 'node:fs';
import { api, base, equal, number, open, plain, quoted, settled, sql, test, toNumber, until, yes } from './browser.mjs';

let page;
test.beforeAll(async () => {
  page = await open('/games', { permissions: ['clipboard-read', 'clipboard-write'] });
});
const ids = () => page.locator('table.games tbody tr').evaluateAll(rows => rows.map(row => row.dataset.id));
const shown = number('SELECT count(*) FROM chess.games');

test('every game once, in each order', async () => {
  for (const [sort, key] of [['date', "lower(dates)"], ['rating', 'coalesce(white_elo, 0) + coalesce(black_elo, 0)'], ['plies', 'ply_count']]) {
    await page.goto(`${base}/games?sort=${sort}`);
    await page.waitForSelector('table.games tbody tr');
    for (let last = -1; ; ) {
      const now = (await ids()).length;
      if (now === last) break;
      last = now;
      const more = page.getByRole('button', { name: 'Show more' });
      if (!(await more.count())) break;
      await more.click();
      await page.waitForFunction(n => document.querySelectorAll('table.games tbody tr').length > n, now);
    }
    const found = await ids();
    equal(`${sort}: games`, found.length, shown);
    equal(`${sort}: each once`, new Set(found).size, shown);
    const { body } = await api(`/api/games?sort=${sort}&limit=200`);
    equal(`${sort}: the order of the API`, found, body.games.map(g => g.id));
    const values = sql(`SELECT (${key})::text FROM chess.pgn_view WHERE (${key}) IS NOT NULL ORDER BY (${key}) DESC LIMIT 1`);
    yes(`${sort}: a first value`, values.length);
    equal('the number of games', toNumber(await page.locator('.list-head .total').textContent()), shown);
  }
});

test('headings sort', async () => {
  await page.goto(`${base}/games`);
  await page.waitForSelector('table.games tbody tr');
  equal('by date', await page.locator('th[aria-sort]').allTextContents(), ['Date']);
  for (const [heading, sort] of [['Rating', 'rating'], ['Moves', 'plies'], ['Date', null]]) {
    await page.getByRole('button', { name: heading, exact: true }).press('Enter');
    await page.waitForURL(url => url.searchParams.get('sort') === sort);
    await until(page, `by ${heading}`, text => document.querySelector('th[aria-sort=descending]')?.textContent === text, heading);
    await settled(page);
    const { body } = await api(`/api/games?sort=${sort ?? 'date'}`);
    equal(`by ${heading}`, await ids(), body.games.map(g => g.id));
    equal('the focus stays', await page.evaluate(() => document.activeElement.textContent), heading);
  }
});

test('the list has the width of the page, with event and mean rating', async () => {
  await page.goto(`${base}/games?event=${encodeURIComponent('Test <b>bold</b>')}`);
  await page.waitForSelector('table.games tbody tr');
  yes('the width', await page.locator('table.games').evaluate(e => e.getBoundingClientRect().width > 0.9 * innerWidth));
  equal('the row', await page.locator('table.games tbody td:visible').allTextContents(), ['<img src=x onerror=alert(1)>2701', '1–0', 'O\'Neil, "Tip" & Söhne2688', '2694', '2024-05-06', 'B94', 'Test <b>bold</b>', '7']);
  const [heads, cells] = await Promise.all(['thead th', 'tbody td'].map(part => page.locator(`table.games ${part}:visible`).evaluateAll(all => all.map(e => Math.round(e.getBoundingClientRect().left)))));
  equal('each heading over its column', heads, cells);
  equal('no board without a position', await page.locator('.panel-head .diagram').count(), 0);
  await page.goto(`${base}/games?play=e2e4,c7c5`);
  await page.waitForSelector('table.games tbody tr');
  equal('the position', await page.locator('.panel-head .diagram [data-square=c5]').getAttribute('class'), 'black pawn');
});

test('a small board beside the row under the mouse', async () => {
  await page.goto(`${base}/games?material=KRPvKR`);
  const row = page.locator('table.games tbody tr').first();
  await row.waitFor();
  const squares = () => page.locator('.peek piece').evaluateAll(all => all.map(p => `${p.className} ${p.dataset.square}`).sort());
  await row.hover();
  await until(page, 'the board', () => document.querySelector('.peek:not([hidden]) piece'));
  equal('the position that was found', (await squares()).length, 5);
  const edge = await page.locator('.peek').boundingBox();
  yes('within the page', edge.x >= 0 && edge.y >= 0 && edge.x + edge.width <= 1280 && edge.y + edge.height <= 800);
  await page.locator('h1').hover();
  yes('gone', !(await page.locator('.peek').isVisible()));
  // without a search it is the last position
  await page.goto(`${base}/games?white=Archer%2C+Ann&black=Cook%2C+Carl`);
  await row.hover();
  await until(page, 'the board', () => document.querySelector('.peek:not([hidden]) piece'));
  yes('after 4. Qxf7#', (await squares()).includes('white queen f7'));
  await page.keyboard.press('o');
  await page.waitForURL(url => url.pathname === '/');
  yes('gone with the list', !(await page.locator('.peek').isVisible()));
});

test('pages while games arrive', async () => {
  const seen = [];
  let after = '';
  for (let n = 0; n < 100; n++) {
    const { body } = await api(`/api/games?sort=date&limit=7${after && `&after=${encodeURIComponent(after)}`}`);
    seen.push(...body.games.map(g => g.id));
    if (n === 1) sql("INSERT INTO chess.pgn_view (white, black, date, result, game) VALUES ('Late, Larry', 'Late, Lola', '2025.01.01', '1-0', '1. e4 e5 1-0'), ('Late, Larry', 'Late, Lola', '1801.01.01', '1-0', '1. e4 e5 1-0')");
    if (!(after = body.next)) break;
  }
  equal('each once', new Set(seen).size, seen.length);
  yes('all that were there at the start', seen.length >= shown);
  sql("DELETE FROM chess.games WHERE white_id = (SELECT id FROM chess.players WHERE name = 'Late, Larry')");
});

test('to a game and back', async () => {
  await page.goto(`${base}/games?player=Archer%2C+Ann`);
  await until(page, 'the table', () => document.querySelector('table.games tbody tr'));
  await page.locator('table.games tbody tr').first().click();
  await page.waitForURL(/\/game\/\w{8}/);
  await page.waitForSelector('.players');
  yes('her game', /Archer, Ann/.test(await page.locator('.players').textContent()));
  await page.goBack();
  await page.waitForURL(/\/games\?player/);
  await page.waitForSelector('table.games tbody tr');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/game\/\w{8}/);
});

const [[hostile]] = sql("SELECT id FROM chess.pgn_view WHERE event = 'Test <b>bold</b>'");
const id = (await api('/api/games?event=' + encodeURIComponent('Test <b>bold</b>'))).body.games[0].id;
// an earlier chess-pgn loads games without their comments
const annotated = number(`SELECT count(*) FROM chess.games WHERE id = ${hostile} AND annotated IS NOT NULL`) === 1;

test('a game with everything, and hostile tags', async () => {
  await page.goto(`${base}/game/${id}`);
  await page.waitForSelector('.moves button');
  const head = await page.locator('.panel-head').textContent();
  for (const text of ['<img src=x onerror=alert(1)>', 'O\'Neil, "Tip" & Söhne', 'Test <b>bold</b>', 'Somewhere <script>alert(2)</script>', '" onmouseover="alert(3)', '2701', '1–0', 'B94']) {
    yes(`${text} as text`, head.includes(text));
  }
  equal('no markup from tags', await page.locator('main img, main script, main b').count(), 0);
  equal('no handlers from tags', await page.evaluate(() => [...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length), 0);
  const moves = plain(await page.locator('.moves').textContent());
  yes('moves', /Nxd4/.test(moves) && /Qb6/.test(moves));
  yes('annotated', annotated);
  for (const text of ['A game with everything.', 'The Sicilian, of course.', 'the gambit', 'Najdorf. <script>alert(4)</script>', '!?', '?!']) yes(`${text} among the moves`, moves.includes(text));
  equal('variations', await page.locator('.moves .variation').count(), 2);
  yes('a glyph says what it means', await page.locator('.glyph[title="interesting move"]').count());
  yes('no commands of programs', !/%clk|%eval/.test(moves));
});

test('playing through it', async () => {
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/#1$/);
  equal('the current move', await page.locator('.moves [aria-current]').textContent(), 'e4');
  await page.keyboard.press('End');
  await page.waitForURL(/#14$/);
  yes('clock and evaluation under the board', /#3/.test(await page.locator('.caption').textContent()) && /Black’s clock 55:00/.test(await page.locator('.caption').textContent()));
  const box = await page.locator('.strip svg').boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForURL(/#7$/);
  equal('a click on the graph', await page.locator('.moves [aria-current]').textContent(), 'Nxd4');
  await page.locator('.moves .variation button', { hasText: 'exf4' }).click();
  await until(page, 'the gambit on the board', () => /White to move/.test(document.querySelector('.state').textContent));
  await page.reload();
  await page.waitForSelector('.moves [aria-current]');
  equal('the variation is in the address', await page.locator('.moves [aria-current]').textContent(), 'exf4');
});

test('PGN, copied and downloaded, is the game', async () => {
  await page.getByRole('button', { name: 'Copy PGN' }).click();
  await until(page, 'it says so', () => /copied/.test(document.querySelector('.said')?.textContent ?? ''));
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download' }).click()]);
  const text = readFileSync(await download.path(), 'utf8');
  yes('a name of the server’s own', /^[\w.-]+\.pgn$/.test(download.suggestedFilename()));
  for (const [what, pgn] of [['copied', copied], ['downloaded', text]]) {
    const flat = pgn.replace(/\s+/g, ' ');
    yes(`${what}: with clocks, evaluations and comments`, /\[%clk 1:29:50\]/.test(flat) && /\[%eval #3\]/.test(flat) && /The Sicilian, of course\./.test(flat) && !/\[%(?!diagram)\w+\]/.test(flat));
    equal(`${what}: the same moves and tags`, sql(`SELECT p.game = g.game AND p.error IS NULL, p.tags->>'White', p.tags->>'Black', p.tags->>'Event' FROM pgngames(${quoted(pgn)}) p, chess.games g WHERE g.id = ${hostile}`),
      [['t', '<img src=x onerror=alert(1)>', 'O\'Neil, "Tip" & Söhne', 'Test <b>bold</b>']]);
  }
});

test('from the game to others', async () => {
  await page.goto(`${base}/game/${id}#4`);
  await page.waitForSelector('.moves [aria-current]');
  await page.getByRole('button', { name: 'Find this position' }).click();
  await page.waitForURL(/\/\?play=e2e4,c7c5,g1f3,d7d6$/);
  await page.goBack();
  await page.waitForSelector('.moves [aria-current]');
  await page.locator('.player.white a').click();
  await page.waitForURL(/\/player\/%3Cimg/);
  await until(page, 'the games of that player', () => document.querySelector('.summary dd')?.textContent === '1');
  equal('still text', await page.locator('main img').count(), 0);
});

test('similar positions', async () => {
  await page.goto(`${base}/game/${id}#14`);
  await page.waitForSelector('.moves [aria-current]');
  await page.getByRole('button', { name: 'Similar positions' }).click();
  await page.waitForURL(/\/games\?near=/);
  await until(page, 'the nearest games', () => document.querySelectorAll('table.games tbody .differs .diagram').length > 1);
  const rows = await page.locator('table.games tbody tr').evaluateAll(rows => rows.map(row => ({ id: row.dataset.id, ply: row.dataset.ply, said: row.querySelector('.differs').textContent, marked: row.querySelectorAll('square.matched').length })));
  equal('the game itself first', [rows[0].id, rows[0].ply, rows[0].said, rows[0].marked], [id, '14', 'the same', 0]);
  yes('others later, with the squares that differ', rows.slice(1).every((row, at) => row.said === `${row.marked} ${row.marked === 1 ? 'square' : 'squares'}` && row.marked >= rows[at].marked));
  yes('the chip', /nearest to this position/.test(await page.locator('.panel-head').textContent()));
  await page.locator('table.games tbody tr').nth(1).locator('a.open').press('Enter');
  await page.waitForURL(new RegExp(`/game/${rows[1].id}(#${rows[1].ply})?$`));
});

test('a game of Chess960, one from a position, and one that is not there', async () => {
  const other = (await api('/api/games?event=Nine+hundred+and+sixty')).body.games[0].id;
  await page.goto(`${base}/game/${other}#6`);
  await page.waitForSelector('.moves [aria-current]');
  equal('castling of Chess960', await page.locator('.moves [aria-current]').textContent(), 'O-O');
  const ending = (await api('/api/games?event=Endings')).body.games[0].id;
  await page.goto(`${base}/game/${ending}#1`);
  await page.waitForSelector('.moves [aria-current]');
  equal('the first move', await page.locator('.moves [aria-current]').textContent(), 'Kf2');
  const none = await open('/game/zzzzzzzz', {}, [/404/]);
  await none.waitForSelector('.failure');
  yes('no such game', /no such game/i.test(await none.locator('main').textContent()));
  await none.context().close();
});

test('names that are long, and names that turn text around', async () => {
  const long = 'W'.repeat(1500);
  sql(`INSERT INTO chess.pgn_view (white, black, date, result, game) VALUES ('${long}', E'\\u202Eevil, \\u200Bname', '2025.01.01', '1-0', '1. e4 e5 1-0')`);
  try {
    const { body } = await api('/api/games?limit=1');
    for (const options of [{}, { viewport: { width: 360, height: 740 }, isMobile: true }]) {
      for (const path of ['/games', `/game/${body.games[0].id}`, '/?since=2025']) {
        const other = await open(path, options);
        await other.waitForSelector('table.games tbody tr, .moves button');
        await settled(other);
        equal(`${path.slice(0, 20)}: nothing sticks out`, await other.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
        equal(`${path.slice(0, 20)}: nor in the panel`, await other.evaluate(() => Math.max(0, document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth)), 0);
        await other.context().close();
      }
    }
  } finally {
    sql(`DELETE FROM chess.games WHERE white_id = (SELECT id FROM chess.players WHERE name = '${long}')`);
  }
});
test('the games of a list are analyzed, with an estimate of the time', async () => {
  // the server of the tests has no engine
  const page = await open('');
  await page.route('**/api/status', async route => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), engine: true } });
  });
  const job = { id: 1, name: '2 games: A – B, …', stage: 'analyzing', sources: [], errors: [], error: null, removable: true, games: 2, positions: 0, of: 0 };
  let begun;
  await page.route('**/api/uploads', async route => {
    const uploads = begun ? [{ ...job, positions: 30, of: 120 }] : [];
    await route.fulfill({ json: { uploads, analysis: { games: 2, plies: 600, seconds: 1.5 } } });
  });
  await page.route('**/api/games/analysis', async route => {
    begun = route.request().postDataJSON();
    await route.fulfill({ status: 202, json: job });
  });
  await page.goto(`${base}/games?sort=plies`);
  await page.getByRole('button', { name: 'Analyze', exact: true }).click();
  const { games } = (await api('/api/games?sort=plies')).body;
  const chosen = games.filter(game => game.plies <= 600).slice(0, 2);
  const positions = chosen.reduce((sum, game) => sum + game.plies + 1, 0);
  const said = plain(await page.locator('dialog p').textContent()).replace(/(\d) (?=\d)/g, '$1');
  yes(said, said.startsWith(`The first 2 games of those that are shown: ${positions} positions, about ${Math.round((positions * 1.5) / 60)} minutes of`));
  await page.locator('dialog').getByRole('button', { name: 'Analyze', exact: true }).click();
  await page.waitForURL(/\/add$/);
  equal('these games', begun, { games: chosen.map(game => game.id) });
  await until(page, 'how far it is', () => /30 of 120 positions/.test(document.querySelector('.jobs')?.textContent ?? ''));
  await page.context().close();
});

