// In: chess-web over demo/famous.pgn and games.pgn. Out: an error unless lists, boards and notebooks can be saved as PGN that
// reads back as the same games; unless FEN, PGN and links can be copied; unless the SQL that is shown runs in psql as it is and
// finds the games of the page; unless several games that are pasted are several boards.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { api, base, equal, number, open, plain, quoted, settled, sql, test, until, yes } from './browser.mjs';

let page;
test.beforeAll(async () => {
  page = await open('', { permissions: ['clipboard-read', 'clipboard-write'] });
});
const text = async path => (await fetch(base + path)).text();
/** The games of a PGN, each with its moves and players. */
const read = pgn => sql(`SELECT game::text, tags->>'White', tags->>'Date' FROM pgngames(${quoted(pgn)}) ORDER BY 1, 2, 3`);
const stored = condition => sql(`SELECT game::text, pgn_white, coalesce(date, '????.??.??') FROM chess.pgn_view WHERE ${condition} ORDER BY 1, 2, 3`).map(([game, white, date]) => [game, white || '?', date]);

test('a list as PGN reads back as its games', async () => {
  for (const [query, condition] of [
    ['', 'true'],
    ['player=Fischer%2C+Robert+James&color=white', "white = 'Fischer, Robert James'"],
    ['material=KRPvKR&sort=rating', "hasMaterial(game, 'KRPvKR')"],
    ['play=e2e4,c7c5', "hasBoard(game, '1. e4 c5'::chessgame::chessboard)".replace("'1. e4 c5'::chessgame::chessboard", "finalboard('1. e4 c5'::chessgame)")],
  ]) {
    const pgn = await text(`/api/games/pgn?${query}`);
    equal(`${query}: the same games`, read(pgn).map(([game]) => game), stored(condition).map(([game]) => game));
  }
  const annotated = await text('/api/games/pgn?annotated=1');
  yes('with comments and clocks', /The Sicilian, of course\./.test(annotated.replace(/\s+/g, ' ')) && /\[%clk /.test(annotated));
  const bare = await text('/api/games/pgn?annotated=1&bare=1');
  equal('without', [/\{/.test(bare.replace(/^\[.*$/gm, '')), read(bare).length], [false, read(annotated).length]);
  const none = await fetch(`${base}/api/games/pgn?player=Nobody+at+all`);
  equal('no games', [none.status, await none.text()], [200, '']);
  equal('a parameter that is none', (await fetch(`${base}/api/games/pgn?nonsense=1`)).status, 400);
  equal('not for other sites', (await fetch(`${base}/api/games/pgn`, { headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' } })).status, 403);
});

test('the order of the list is that of the file', async () => {
  const list = (await api('/api/games?sort=plies&limit=20')).body.games.map(game => game.white.name);
  const file = [...(await text('/api/games/pgn?sort=plies')).matchAll(/^\[White "(.*)"\]$/gm)].slice(0, 20).map(found => found[1].replace(/\\(.)/g, '$1'));
  equal('the first twenty', file, list);
});

test('from the page', async () => {
  await page.goto(`${base}/games?result=1-0`);
  await page.waitForSelector('table.games tbody tr');
  await page.getByRole('button', { name: 'Export' }).click();
  for (const [label, comments] of [['With comments, clocks and evaluations', true], ['Moves only', false]]) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: label }).click()]);
    const pgn = readFileSync(await download.path(), 'utf8');
    equal(label, [download.suggestedFilename(), read(pgn).length, /\{/.test(pgn.replace(/^\[.*$/gm, ''))], ['games.pgn', number("SELECT count(*) FROM chess.games WHERE result = '1-0'"), comments]);
  }
  await page.keyboard.press('Escape');
});

test('PGN of the explorer, a board and a notebook', async () => {
  const copied = async () => {
    await page.getByRole('button', { name: 'PGN', exact: true }).click();
    await until(page, 'it says so', () => /PGN copied/.test(document.querySelector('.said')?.textContent ?? ''));
    return plain(await page.evaluate(() => navigator.clipboard.readText()));
  };
  await page.goto(`${base}/?play=e2e4,c7c5,g1f3`);
  await page.waitForSelector('.explorer-moves');
  yes('the explorer', (await copied()).endsWith('1. e4 c5 2. Nf3 *'));
  await page.goto(`${base}/notebooks`);
  await page.locator('#notebook-name').fill('Sicilian / mine');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/\/n\/\w+/);
  await settled(page);
  await page.locator('#move').fill('e4');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/n\/\w+\/\w+/);
  await page.locator('#note').fill('Best by test');
  await until(page, 'saved', () => document.querySelector('.saving').textContent === 'saved');
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()]);
  const pgn = readFileSync(await download.path(), 'utf8');
  yes('the notebook', /\[Event "Sicilian \/ mine"\]/.test(pgn) && /1\. e4 \{ Best by test \}/.test(pgn) && read(pgn).length === 1);
});

test('several games that are pasted are several boards', async () => {
  await page.goto(`${base}/analysis`);
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  await page.locator('dialog textarea').fill('[White "A"]\n[Black "B"]\n\n1. e4 *\n\n[White "C"]\n[Black "D"]\n\n1. d4 (1. c4) d5 *\n\n[White "E"]\n[Black "F"]\n\n1. f4 *\n');
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await until(page, 'it says so', () => /3 games, each a board of its own/.test(document.querySelector('.said')?.textContent ?? ''));
  await until(page, 'the others', () => ['C – D', 'E – F'].every(name => [...document.querySelectorAll('.cards a')].some(link => link.textContent === name)));
  await page.locator('.cards a', { hasText: 'C – D' }).click();
  await until(page, 'with its variation', () => /c4/.test(document.querySelector('.moves')?.textContent) && /d5/.test(document.querySelector('.moves').textContent));
});

test('the SQL that is shown runs in psql and finds the same', async () => {
  /** As it is, by a role that sees it as a person does. */
  const psql = query => execFileSync(process.env.PSQL, ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-f', '-'], { input: query, encoding: 'utf8' }).trim();
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const id = text => [...text].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
  const filters = ['player=Fischer%2C+Robert+James', 'player=Fischer%2C+Robert+James&color=black', 'white=Fischer%2C+Robert+James&result=1-0', 'rating=2600-', 'since=1950&until=1972', 'event=' + encodeURIComponent('Test <b>bold</b>'), 'evals=1', 'annotated=1', 'tc=classical', 'material=KRPvKR', 'pattern=Nd5', 'play=e2e4,c7c5', 'pieces=8/8/8/3N4/8/8/8/8', ''];
  for (const query of filters) {
    for (const sort of ['date', 'rating', 'plies', 'id']) {
      const { body } = await api(`/api/games?${query}&sort=${sort}&limit=30`);
      yes(`${query}: of pgn_view, with a semicolon`, /FROM chess\.pgn_view g\n/.test(body.sql) && body.sql.endsWith(';'));
      equal(`${query}, ${sort}: the same games`, psql(body.sql).split('\n').filter(Boolean).map(row => Number(row.split('|')[0])), body.games.map(game => id(game.id)));
    }
    const { body } = await api(`/api/games/count?${query}`);
    equal(`${query}: as many`, Number(psql(body.sql)), body.games);
  }
  const { body } = await api('/api/explorer?play=e2e4');
  for (const query of [body.sql, body.topSql, body.recentSql, (await api('/api/games/00000001')).body.sql]) yes(query, query.endsWith(';') && psql(query));
});
