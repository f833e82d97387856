// In: chess-web over demo/famous.pgn and games.pgn. Out: an error unless the explorer shows what SQL says, by mouse and by
// keyboard, and its address brings it back.
import { address, api, base, drag, equal, number, open, openFirst, plain, quoted, settled, sql, table, test, toNumber, until, yes } from './browser.mjs';

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

/** The expected table after some moves, computed with functions of the extension only. */
function expected(play) {
  const board = play ? `getBoard(${quoted(play)}, ${play.split(' ').filter(word => !/^\d+\.+$/.test(word)).length})` : `${quoted(START)}::chessboard`;
  return sql(`
    WITH b AS MATERIALIZED (SELECT ${board} AS board),
    played AS (SELECT nextMove(game, board) AS san, board, result, date, CASE turn(board) WHEN 'w' THEN white_elo ELSE black_elo END AS mover
               FROM chess.pgn_view, b WHERE hasBoard(game, board))
    SELECT uci(board, san), san, count(*), count(*) FILTER (WHERE result = '1-0'), count(*) FILTER (WHERE result = '1/2-1/2'),
           count(*) FILTER (WHERE result = '0-1'), coalesce(round(avg(mover))::text, ''), coalesce(left(max(date) FILTER (WHERE date ~ '^\\d{4}'), 4), ''),
           (SELECT concat_ws(' ', count(*), count(*) FILTER (WHERE result = '1-0'), count(*) FILTER (WHERE result = '1/2-1/2'), count(*) FILTER (WHERE result = '0-1'))
            FROM chess.games g WHERE hasBoard(g.game, play(board, san)))
    FROM played WHERE san IS NOT NULL GROUP BY board, san ORDER BY count(*) DESC, 1`).map(([uci, san, games, white, draws, black, average, last, position]) => ({
    uci, san, games, results: [white, draws, black].map(Number), average, last, reached: position.split(' ')[0], ofPosition: position.split(' ').slice(1).map(Number),
  }));
}

/** Checks the whole percentages of a bar: each differs from the exact one by less than one, and they add up to 100. */
function checkBar(what, label, results) {
  const shown = [...label.matchAll(/(\d+) %/g)].map(m => Number(m[1]));
  const sum = results.reduce((a, b) => a + b, 0);
  if (!sum) return;
  equal(`${what}: percentages add up`, shown.reduce((a, b) => a + b, 0), 100);
  yes(`${what}: percentages ${label} of ${results}`, shown.every((percent, i) => Math.abs(percent - (100 * results[i]) / sum) < 1));
}

async function check(page, what, play) {
  await until(page, `${what}: reached everywhere`, () => [...document.querySelectorAll('.explorer-moves tbody .reached')].every(cell => cell.textContent));
  const shown = await table(page);
  const wanted = expected(play);
  const total = wanted.reduce((sum, m) => sum + Number(m.games), 0);
  const order = rows => [...rows].sort((a, b) => (a.uci < b.uci ? -1 : 1));
  equal(`${what}: moves`, order(shown).map(({ uci, san, games, average, last, reached }) => ({ uci, san, games, average, last, reached: String(toNumber(reached)) })),
    order(wanted).map(({ uci, san, games, average, last, reached }) => ({ uci, san, games, average, last, reached })));
  equal(`${what}: the commonest first`, shown.map(m => Number(m.games)), shown.map(m => Number(m.games)).sort((a, b) => b - a));
  for (const move of shown) {
    const { results, games, reached, ofPosition } = wanted.find(w => w.uci === move.uci) ?? { results: [0, 0, 0], games: 0 };
    checkBar(`${what}, ${move.san}`, move.bar, results);
    equal(`${what}, ${move.san}: a second bar where games come by other moves`, Boolean(move.ofPosition), reached > Number(games));
    if (move.ofPosition) checkBar(`${what}, after ${move.san}`, move.ofPosition, ofPosition);
    const percent = (100 * games) / total;
    yes(`${what}, ${move.san}: share ${move.share} of ${percent}`, percent < 0.5 ? move.share.startsWith('<1') : Math.abs(parseInt(move.share) - percent) <= 0.5);
  }
}

let page;
test.beforeAll(async () => {
  page = await open('/');
});

test('the start position', async () => {
  await page.waitForSelector('table.explorer-moves');
  await check(page, 'start', '');
  equal('games in all', toNumber(await page.locator('.opening .total').textContent()), number(`SELECT count(*) FROM chess.games WHERE hasBoard(game, ${quoted(START)})`));
  await until(page, 'arrows for the commonest moves', () => document.querySelectorAll('.cg-shapes line').length >= 3);
});

test('a drag plays 1. e4, a click 1... c5', async () => {
  await drag(page, 'e2', 'e4');
  await page.waitForURL(/play=e2e4$/);
  await until(page, 'the answer to 1. e4', () => document.querySelector('tr[data-uci=c7c5]'));
  await check(page, '1. e4', '1. e4');
  await page.click('tr[data-uci=c7c5]');
  await page.waitForURL(/play=e2e4,c7c5$/);
  await until(page, 'the answer to 1... c5', () => document.querySelector('tr[data-uci=g1f3]'));
  await check(page, '1. e4 c5', '1. e4 c5');
  equal('the line', plain(await page.locator('.line').textContent()).replace(/ /g, ''), '1.e4c5');
  yes('ECO and name', /Sicilian/.test(await page.locator('.opening').textContent()) && /B\d\d/.test(await page.locator('.opening .eco').textContent()));
});

test('arrow keys, back and forth', async () => {
  await page.locator('h1').click();
  await page.keyboard.press('ArrowLeft');
  await page.waitForURL(/play=e2e4$/);
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/play=e2e4,c7c5$/);
  await page.keyboard.press('Home');
  await page.waitForURL(url => !url.search);
  await page.keyboard.press('End');
  await page.waitForURL(/play=e2e4,c7c5$/);
});

test('a score unlike that of other orders of moves is marked', async () => {
  const other = await open('');
  const position = { games: 400, white: 100, draws: 100, black: 200, unknown: 0, score: 37.5, averageRating: null };
  await other.route(/reached=1/, async route => {
    const answer = await (await route.fetch()).json();
    answer.moves.forEach((move, i) => Object.assign(move, { reached: 400, position: { ...position, deviation: [-3.14, 2.57, 2.58][i] ?? null } }));
    await route.fulfill({ json: answer });
  });
  await other.goto(`${base}/`);
  await until(other, 'marks', () => document.querySelectorAll('.explorer-moves .transposes').length > 2);
  const marks = await other.locator('.explorer-moves .transposes').evaluateAll(all => all.map(mark => [mark.textContent, mark.title]));
  equal('where it differs by more than chance', marks.slice(0, 3).map(([sign]) => sign), ['≠', '⤨', '≠']);
  yes(`what is compared: ${marks[0][1]}`, /the position 37\.5 %; the games with the move score worse than the others, by 3\.1 standard errors/.test(marks[0][1]));
  yes(`how many: ${marks[0][1]}`, /games reach it by another order of moves/.test(marks[0][1]));
  await other.context().close();
});

test('the board turns', async () => {
  await page.keyboard.press('f');
  yes('orientation', await page.locator('.cg-wrap.orientation-black').count());
  equal('in the address', (await address(page)).searchParams.get('orient'), 'b');
  await drag(page, 'g1', 'f3', true);
  await page.waitForURL(/play=e2e4,c7c5,g1f3/);
  await page.keyboard.press('f');
  equal('back again', (await address(page)).searchParams.get('orient'), null);
});

test('typing moves', async () => {
  await page.keyboard.press('/');
  await page.keyboard.type('Ke2');
  await page.keyboard.press('Enter');
  yes('an illegal move is refused', /not a legal move/.test(await page.locator('#move-said').textContent()));
  await page.locator('#move').fill('nc6');
  await page.keyboard.press('Enter');
  await page.waitForURL(/g1f3,b8c6/);
  yes('the field is empty again', !(await page.locator('#move').inputValue()));
  await page.keyboard.press('Escape');
});

test('a row shows its arrow', async () => {
  await until(page, 'a table', () => document.querySelector('table.explorer-moves tbody tr'));
  await page.locator('table.explorer-moves tbody tr').first().hover();
  await until(page, 'an arrow of its own colour', () => document.querySelector('.cg-shapes line[stroke="#c2571a"]'));
});

test('the address brings everything back', async () => {
  const path = '/?play=d2d4,g8f6,c2c4&orient=b&color=black&player=Fischer%2C+Robert+James&later=kept';
  const other = await open(path);
  await other.waitForSelector('table.explorer-moves, .note');
  equal('the line', plain(await other.locator('.line').textContent()).replace(/ /g, ''), '1.d4Nf62.c4');
  yes('turned', await other.locator('.orientation-black').count());
  yes('the filter', /with Fischer, Robert James as Black/.test(await other.locator('.filters').textContent()));
  await drag(other, 'e7', 'e6', true);
  await other.waitForURL(/e7e6/);
  yes('unknown parameters are kept', other.url().includes('later=kept'));
  await other.goBack();
  await other.waitForURL(url => !url.search.includes('e7e6'));
  await other.context().close();
});

test('castling, promotion, and positions of one’s own', async () => {
  const other = await open('/?fen=r3k2r/1P6/8/8/8/8/8/R3K2R_w_KQkq_-_0_1');
  await other.waitForSelector('.note, table.explorer-moves');
  await drag(other, 'e1', 'g1');
  await other.waitForURL(/play=e1g1/);
  equal('O-O', plain(await other.locator('.line').textContent()).replace(/ /g, ''), '1.O-O');
  await settled(other);
  yes('no games there', /No games here/.test(await other.locator('.answer').textContent()));
  await other.keyboard.press('ArrowLeft');
  await other.waitForURL(url => !url.search.includes('play'));
  await drag(other, 'b7', 'a8');
  await other.locator('.promotion button').first().waitFor();
  // beside the choice
  await other.locator('h1').click();
  equal('no choice', await other.locator('.promotion').isVisible(), false);
  yes('the pawn is where it was', /pawn b7/.test(await other.locator('.words').textContent()) && !other.url().includes('play'));
  await drag(other, 'b7', 'a8');
  await other.locator('.promotion button[aria-label=knight]').click();
  await other.waitForURL(/play=b7a8n/);
  await other.context().close();
});

test('keys of a Cyrillic keyboard', async () => {
  const other = await open('/search?by=position');
  const press = (key, code, on = 'body') =>
    other.evaluate(([key, code, on]) => document.querySelector(on).dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true, cancelable: true })), [key, code, on]);
  await other.waitForSelector('.palette');
  await other.getByRole('button', { name: 'Kings only' }).click();
  await press('Т', 'KeyN', '[data-square=e4]');
  await press('з', 'KeyP', '[data-square=d5]');
  equal('pieces', await other.locator('#fen').inputValue(), '4k3/8/8/3p4/4N3/8/8/4K3 w - - 0 1');
  await press('а', 'KeyF');
  await other.waitForSelector('.orientation-black');
  await press('п', 'KeyG');
  await other.waitForURL(/\/games/);
  await other.context().close();
});

test('wrong addresses are told', async () => {
  // the browser tells of the page that is not there
  const other = await open('/?fen=nonsense', {}, [/status of 404/]);
  yes('FEN', /cannot be read/.test(await other.locator('.answer').textContent()));
  await other.goto(`${base}/?play=e2e5`);
  yes('moves', /Half-move 1, e2e5, is not a legal move/.test(await other.locator('.answer').textContent()));
  await other.goto(`${base}//endings`);
  await other.waitForSelector('.endings details');
  await other.goto(`${base}/nowhere`).catch(() => {});
  yes('pages', /no such page/.test(await other.locator('main').textContent()));
  await other.context().close();
});

test('the SQL behind the answer', async () => {
  await page.goto(`${base}/?play=e2e4`);
  await page.waitForSelector('table.explorer-moves');
  await settled(page);
  await page.locator('.sql-link').first().click();
  const query = await page.locator('dialog .sql').textContent();
  await page.keyboard.press('Escape');
  const rows = sql(query.replace(/;\s*$/, ''));
  const { body } = await api('/api/explorer?play=e2e4');
  yes(`it runs in psql: ${query}`, rows.length >= body.moves.length);
  yes('and names the moves', body.moves.every(m => rows.some(row => row.includes(m.san) || row.includes(m.uci))));
});

test('top and recent games', async () => {
  await page.goto(`${base}/?play=e2e4`);
  await page.waitForSelector('.its-games');
  await settled(page);
  const { body } = await api('/api/explorer?play=e2e4');
  const ids = () => page.locator('.its-games tbody tr').evaluateAll(rows => rows.map(row => row.dataset.id));
  equal('top games', await ids(), body.top.map(g => g.id));
  await page.getByRole('button', { name: 'Recent games' }).click();
  equal('recent games', await ids(), body.recent.map(g => g.id));
  await openFirst(page, '.its-games');
  await page.waitForURL(/\/game\/\w{8}/);
  await page.waitForSelector('.moves button[aria-current]');
  equal('opens after the position', await page.locator('.moves button[aria-current]').textContent(), 'e4');
});

test('an empty place', async () => {
  await page.goto(`${base}/?play=a2a4,a7a5,a1a3,a8a6,a3h3`);
  await page.waitForSelector('.note');
  yes('says so', /No games here/.test(await page.locator('.note').textContent()));
  await page.getByRole('button', { name: 'Take back one move' }).click();
  await page.waitForURL(/a8a6$/);
});

// answers that are still on their way would be reported as errors
test.afterAll(() => settled(page));
