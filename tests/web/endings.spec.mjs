// In: chess-web over demo/famous.pgn and games.pgn; TABLES if its server has endgame tables. Out: an error unless the explorer
// takes symmetric positions for one where it is told to, the address and the lists of games keep that, and the board of a game
// shows the image that it has; unless it shows what the tables say, as SQL has it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { address, base, equal, number, one, open, openFirst, plain, quoted, settled, sql, table, test, until, yes } from './browser.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
// a rook ending of Capablanca's as Black has it, in a mirror
const CAPABLANCA = "white = 'Capablanca, Jose Raul' AND black = 'Tartakower, Savielly'";
const IMAGE = one(`SELECT mirror(flip(getBoard(game, 68))) FROM chess.pgn_view WHERE ${CAPABLANCA}`);
const SWITCH = '.filters .symmetries';
const pressed = page => page.locator(SWITCH).getAttribute('aria-pressed');

let page;
test.beforeAll(async () => {
  page = await open(`/?fen=${encodeURIComponent(IMAGE)}`);
});

test('symmetric positions are one if the visitor wants', async () => {
  await until(page, 'no games', () => document.querySelector('.note h2')?.textContent === 'No games here');
  equal('not by itself', await pressed(page), 'false');
  await page.locator(SWITCH).focus();
  await page.keyboard.press('Space');
  await page.waitForSelector('table.explorer-moves');
  equal('the address', (await address(page)).searchParams.get('symmetries'), '1');
  yes('the focus stays', await page.locator(SWITCH).evaluate(node => node === document.activeElement && node.ariaPressed === 'true'));
  const expected = sql(`SELECT uci, san, games FROM chess.explorer(${quoted(IMAGE)}, symmetries => true)`);
  equal('moves as on this board', (await table(page)).map(row => [row.uci, row.san, row.games]), expected);
});

test('moves, lists and the way back keep it', async () => {
  await page.locator('.explorer-moves tbody button').first().click();
  await page.waitForURL(/play=/);
  await page.waitForSelector('table.explorer-moves');
  equal('after a move', [await pressed(page), (await address(page)).searchParams.get('symmetries')], ['true', '1']);
  await page.goBack();
  await page.goBack();
  await until(page, 'no games', () => document.querySelector('.note h2')?.textContent === 'No games here');
  equal('before it', await pressed(page), 'false');
  await page.goForward();
  await page.waitForSelector('table.explorer-moves');
  await page.locator('.its-games .all').click();
  await page.waitForSelector('table.games');
  yes('a list says so', /differs only by a symmetry/.test(await page.locator('.filters').textContent()));
  equal('its games', await page.locator('table.games tbody tr').count(), number(`SELECT count(*) FROM chess.games WHERE game && symmetricBoards(${quoted(IMAGE)})`));
  await openFirst(page, 'table.games');
  await page.waitForURL(/\/game\/\w+\?.*#68$/);
  await page.waitForSelector('.moves .match');
  await settled(page);
  yes('the half-move is marked', (await page.locator('.moves .match').count()) > 0);
});

test('not where castling tells the sides apart', async () => {
  const other = await open('/?symmetries=1');
  await other.waitForSelector('table.explorer-moves');
  equal('no switch', await other.locator(SWITCH).count(), 0);
  equal('counted as without it', (await table(other)).map(row => row.games), sql(`SELECT games FROM chess.explorer('startpos')`).flat());
  await other.context().close();
});

// a pawn that wins if White keeps the opposition
const PAWN = '4k3/8/4K3/4P3/8/8/8/8 w - - 0 1';
const at = fen => `/?fen=${encodeURIComponent(fen)}`;
const textOf = async (page, selector) => plain(await page.locator(selector).textContent());
const groups = page =>
  page.locator('.tables-moves').evaluate(list => [...list.querySelectorAll('dt')].map(dt => [dt.textContent, [...dt.nextElementSibling.querySelectorAll('button')].map(move => move.firstChild.textContent)]));
const MEANING = { 2: 'white-wins', 0: 'drawn', '-2': 'black-wins' };
/** The squares of the map on the board and their classes, by their places. */
const coloured = page =>
  page.evaluate(() => {
    const size = document.querySelector('cg-board').getBoundingClientRect().width / 8;
    // the board keeps squares for later
    return [...document.querySelectorAll('cg-board square.map')].filter(node => node.style.display !== 'none').map(node => {
      const [x, y] = node.style.transform.match(/[\d.]+(?=px)/g).map(Number);
      return `${'abcdefgh'[Math.round(x / size)]}${8 - Math.round(y / size)} ${[...node.classList].find(name => /wins|drawn|cursed/.test(name))}`;
    }).sort();
  });

test.describe('endgame tables', () => {
  test.skip(!process.env.TABLES, 'no endgame tables');

  test('the value of a position and of its moves', async () => {
    await page.goto(base + at(PAWN));
    await until(page, 'the moves', () => document.querySelector('.tables-moves dd'));
    const dtz = number(`SELECT dtz FROM tablebase(${quoted(PAWN)})`);
    yes('the value', (await textOf(page, '.tables-head')).startsWith(`White wins, ${dtz} half-moves to a capture, a pawn move or mate`));
    const names = { 2: 'Wins', 0: 'Draws' };
    const expected = [2, 0].map(wdl => [names[wdl], sql(`SELECT san FROM tablebase_moves(${quoted(PAWN)}) WHERE wdl = ${wdl}`).flat()]);
    equal('moves by their values, the best first', await groups(page), expected);
    await page.locator('.tables-moves button', { hasText: 'Kd6' }).click();
    await page.waitForURL(/play=e6d6/);
    await until(page, 'the next position', () => document.querySelector('.tables-moves dt')?.textContent === 'Loses');
    await page.goBack();
    await until(page, 'the position before', () => document.querySelector('.tables-moves dt')?.textContent === 'Wins');
  });

  test('the map of a piece', async () => {
    await page.goto(base + at(PAWN));
    const piece = page.locator('.pieces-choice button', { hasText: 'Black king e8' });
    await piece.focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('cg-board square.map');
    await settled(page);
    // where the king may stand, each position written out and asked for by itself
    const free = [...Array(64).keys()].map(i => 'abcdefgh'[i % 8] + (1 + (i >> 3))).filter(square => !['e6', 'e5'].includes(square));
    const expected = [];
    for (const square of free) {
      const rows = Array.from({ length: 8 }, (_, i) => Array.from({ length: 8 }, (_, j) => ({ e6: 'K', e5: 'P', [square]: 'k' })['abcdefgh'[j] + (8 - i)] ?? '1').join(''));
      // White, whose move it is, gives no check yet, and the kings do not touch
      const touches = Math.abs(square.charCodeAt(0) - 101) <= 1 && Math.abs(square[1] - 6) <= 1;
      if (!touches) expected.push([square, `${rows.join('/')} w - - 0 1`]);
    }
    const values = sql(`SELECT s, wdl FROM unnest(ARRAY[${expected.map(([square]) => quoted(square))}], ARRAY[${expected.map(([, fen]) => quoted(fen))}]) AS e (s, fen), tablebase(fen::chessboard)`);
    equal('squares', await coloured(page), values.map(([square, wdl]) => `${square} ${MEANING[wdl]}`).sort());
    yes('the focus stays', await piece.evaluate(node => node === document.activeElement && node.ariaPressed === 'true'));
    const wins = values.filter(([, wdl]) => wdl === '2').map(([square]) => square).sort();
    yes('in words', (await textOf(page, '.tables-map')).startsWith(`White wins: ${wins.length}${wins.join(' ')}`));
    await page.evaluate(axe);
    equal('what axe finds', await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ['violations'] })).violations.map(v => `${v.id}: ${v.nodes[0].target}`)), []);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/tables.png` });
    await page.keyboard.press('Enter');
    await until(page, 'no map', () => [...document.querySelectorAll('cg-board square.map')].every(node => node.style.display === 'none'));
  });

  test('what the fifty-move rule decides, and tables that are missing or damaged', async () => {
    const other = await open('', { viewport: { width: 360, height: 740 } }, [/status of 500/]);
    let answer = { status: 200, json: { wdl: 1, dtz: 105, moves: [{ uci: 'e6d6', san: 'Kd6', wdl: 1, dtz: 104 }, { uci: 'e6f6', san: 'Kf6', wdl: -1, dtz: -104 }, { uci: 'e6d5', san: 'Kd5', wdl: null, dtz: null }], reason: 'the table KPvK is missing', sql: 'SELECT' } };
    await other.route(/\/api\/tablebase\?/, route => route.fulfill(answer));
    await other.goto(base + at(PAWN));
    await until(other, 'the moves', () => document.querySelector('.tables-moves dd'));
    equal('the value', await textOf(other, '.tables-head'), 'Drawn by the fifty-move rule: White’s win is cursed, 105 half-moves to a capture, a pawn move or mate The table KPvK is missing.SQL');
    equal('moves', (await groups(other)).map(([name]) => name.split(':')[0]), ['Cursed win', 'Blessed loss', 'Not known']);
    await other.locator('.pieces-choice button').first().click();
    await other.waitForSelector('cg-board square.map');
    equal('no line is wider than a phone', await other.evaluate(() => document.documentElement.scrollWidth), 360);
    if (process.env.SHOTS) await other.screenshot({ path: `${process.env.SHOTS}/tables-phone.png`, fullPage: true });
    answer = { status: 500, json: { error: 'endgame table KPvK is damaged' } };
    await other.goto(`${base}${at(PAWN)}&play=e6d6`);
    await until(other, 'the sentence', () => document.querySelector('.tables-head')?.textContent === 'Endgame table KPvK is damaged.');
    await other.goto(base);
    await other.waitForSelector('table.explorer-moves');
    equal('nothing of many men', await other.locator('.tables').isVisible(), false);
    await other.context().close();
  });
});
