// In: chess-web over demo/famous.pgn and games.pgn. Out: an error unless the explorer takes symmetric positions for one where
// it is told to, the address and the lists of games keep that, and the board of a game shows the image that it has.
import { address, equal, number, one, open, openFirst, quoted, settled, sql, table, test, until, yes } from './browser.mjs';

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
  yes('a list says so', /the same but for a symmetry/.test(await page.locator('.filters').textContent()));
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
