// In: chess-web over demo/famous.pgn and games.pgn, without an engine and without endgame tables; the variables of libpq. Out: an
// error unless the tree of endings and their reports show the rows of SQL and lead to the games, endings that were thrown away are
// played again, and a game that is played on ends by the rules, is taken back, and becomes a board of analysis.
import { api, base, equal, number, one, open, plain, quoted, settled, sql, test, until, yes } from './browser.mjs';

const ROOKS = 'KRP*vKRP* for 4';
const MATE = '/play?fen=k7/8/1K6/8/8/8/8/7R_w_-_-&against=games';
const prompt = (page, text) => until(page, text, text => document.querySelector('.play .prompt')?.textContent.includes(text), text);
async function type(page, move) {
  await page.keyboard.press('/');
  await page.keyboard.type(move);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
}

test('the API gives the rows of SQL', async () => {
  const { body } = await api('/api/endings');
  const rows = sql('SELECT kind, ending FROM chess.ending_kinds()');
  equal('kinds', body.kinds.map(k => [k.kind, k.ending]), rows);
  equal('their SQL', sql(body.sql), rows);
  for (const [query, call] of [
    [{ ending: 'KRP*vKRP* for 4' }, `'${ROOKS}'`],
    [{ ending: 'KPR*vKR', result: '1-0', sections: 'summary,length', sample: 1 }, "'KPR*vKR', result => '1-0', sections => '{summary,length}', sample => 1"],
  ]) {
    const { status, body } = await api(`/api/reports/ending?${new URLSearchParams(query)}`);
    const rows = sql(`SELECT section, item, games, white, draws, black FROM chess.ending_report(${call})`);
    equal(call, [status, body.rows.map(row => [row.section, row.item, row.games, row.white, row.draws, row.black].map(String))], [200, rows]);
    equal(`${call}: its SQL`, sql(body.sql).length, rows.length);
  }
  equal('a pattern in its usual spelling', (await api('/api/reports/ending?ending=KPRvKR&sections=summary')).body.ending, 'KRPvKR');
});

test('the tree of endings', async () => {
  const page = await open('/');
  await page.waitForSelector('.explorer-moves');
  await page.getByRole('link', { name: 'Endings' }).click();
  const kind = page.locator('.endings details', { has: page.locator('summary', { hasText: /^Rooks/ }) });
  await kind.locator('summary').click();
  const material = kind.locator('li', { hasText: 'KRPPPvKRPP' }).first();
  await material.waitFor();
  await kind.locator('.total').first().filter({ hasText: /\d/ }).waitFor();
  equal('games of the kind', Number(await kind.locator('.total').first().textContent()), number(`SELECT games FROM chess.ending_report('${ROOKS}', sections => '{summary}')`));
  const listed = sql(`SELECT item, games FROM chess.ending_report('${ROOKS}', sections => '{material}')`);
  equal('materials', await kind.locator('li:has(.total)').evaluateAll(items => items.map(item => [item.children[0].textContent, item.querySelector('.total').textContent])), listed);
  await material.getByRole('link', { name: 'report' }).click();
  await until(page, 'the report', () => document.querySelectorAll('.report section:not([hidden])').length === 3 && !document.querySelector('.progress').textContent);
  equal('its name', await page.locator('h1').textContent(), 'KRPPPvKRPP for 4');
  yes('its length', plain(await page.locator('.report').textContent()).includes('Median'));
  await page.locator('.summary dd a').first().click();
  await page.waitForURL(url => url.pathname === '/games');
  await page.waitForSelector('table.games tbody tr');
  equal('its games', await page.locator('table.games tbody tr').count(), Number(listed.find(([item]) => item === 'KRPPPvKRPP')[1]));
  // a list has one pattern, which is the ending there: as a filter it does not hold, and the page says so
  await page.goto(`${base}/endings?ending=${encodeURIComponent(ROOKS)}&source=1&pattern=O-O`);
  await page.waitForSelector('.summary dd a');
  const castled = await page.locator('.filters .idle').textContent();
  equal('the pattern', castled, 'Does not hold here: with O-O remove');
  equal('games of the file', (await page.locator('.summary dd a').first().textContent()).trim(), one(`SELECT games FROM chess.ending_report('${ROOKS}', sections => '{summary}', sources => '{1}')`));
  const link = new URL(await page.locator('.summary dd a').first().getAttribute('href'), base);
  equal('its list', Object.fromEntries(link.searchParams), { source: '1', pattern: `flip(${ROOKS})` });
  await page.getByRole('link', { name: 'Remove: with O-O' }).click();
  await page.waitForURL(url => !url.searchParams.has('pattern') && url.searchParams.has('ending'));
  await page.context().close();
});

test('an ending that was thrown away is played again', async () => {
  const game = one(`INSERT INTO chess.pgn_view (white, black, result, game) VALUES ('Thrower, Tom', 'Saver, Sue', '1/2-1/2', '[FEN "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1"] 1. Kf5 Ke7 1/2-1/2') RETURNING id`);
  sql("INSERT INTO chess.engines (name) VALUES ('tables of play')");
  sql(`INSERT INTO chess.analyzed_games VALUES (${game})`);
  sql(`INSERT INTO chess.analysis (key, halfmove_clock, engine_id, multipv, limit_kind, limit_value, status, board, best, evals, pvs, tb_wdl)
    SELECT zobrist(p.board), 0, (SELECT id FROM chess.engines WHERE name = 'tables of play'), 1, 'tables', 4712, 'done', p.board, CASE p.ply WHEN 0 THEN 'e6d6' ELSE 'e8e7' END, ARRAY[0], ARRAY[''], CASE p.ply WHEN 0 THEN 2 ELSE 0 END
    FROM chess.games g, positions(g.game) p WHERE g.id = ${game} AND p.ply < 2`);
  const page = await open('/player/Thrower%2C%20Tom');
  await page.getByRole('link', { name: 'Endings', exact: true }).last().click();
  await page.waitForURL(url => url.pathname === '/endings');
  const row = page.locator('section li', { hasText: 'Kf5' });
  yes('what was lost', plain(await row.textContent()).includes('won, then drawn; Kd6 held it'));
  await row.getByRole('link', { name: '1. Kf5' }).click();
  await prompt(page, 'White to move');
  await type(page, 'Kd6');
  await prompt(page, 'The opponent has no move.');
  yes('no table', (await page.locator('.play .note').textContent()).includes('No endgame table'));
  // everybody else's are in the list, too, but not Sue's
  await page.goto(`${base}/endings?player=${encodeURIComponent('Saver, Sue')}`);
  await until(page, 'none', () => /No endgame table has found such a move/.test(document.querySelector('main').textContent));
  sql(`DELETE FROM chess.analysis WHERE limit_value = 4712; DELETE FROM chess.games WHERE id = ${game}; DELETE FROM chess.engines WHERE name = 'tables of play'`);
  await page.context().close();
});

test('a game is played on until the rules end it', async () => {
  const page = await open(MATE);
  await prompt(page, 'White to move');
  await page.getByRole('button', { name: 'Hint' }).click();
  await prompt(page, 'Nobody knows a move here');
  await type(page, 'Rh8');
  await prompt(page, 'Checkmate, White wins.');
  await page.reload();
  await prompt(page, 'Checkmate, White wins.');
  await page.keyboard.press('g');
  await page.waitForURL(url => url.pathname === '/games');
  equal('no other view gets the moves', new URL(page.url()).searchParams.get('moves'), null);
  await page.goBack();
  await prompt(page, 'Checkmate, White wins.');
  equal('no hint at the end', await page.getByRole('button', { name: 'Hint' }).count(), 0);
  await page.getByRole('button', { name: 'Take back' }).click();
  await prompt(page, 'White to move');
  await type(page, 'Rg1');
  await prompt(page, 'The opponent has no move.');
  yes('nobody has played here', (await page.locator('.play .note').textContent()).includes('No game goes on from here'));
  await page.getByRole('button', { name: 'Take back' }).click();
  await prompt(page, 'White to move');
  await type(page, 'Rh8#');
  await prompt(page, 'Checkmate, White wins.');
  await page.getByRole('button', { name: 'Analyze' }).click();
  await page.waitForSelector('.analysis .moves [aria-current]');
  yes('what was taken back is a variation', /1\.\s*Rh8#.*Rg1/s.test(plain(await page.locator('.analysis .moves').textContent())));
  await page.context().close();
});

test('what was played here answers, with filters', async () => {
  const page = await open('/?play=e2e4&player=Fischer%2C+Robert+James');
  await page.waitForSelector('.explorer-moves');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await prompt(page, 'Black to move');
  yes('the filter comes along', (await page.locator('.play .chip').first().textContent()).includes('Fischer'));
  await page.getByRole('button', { name: 'Hint' }).click();
  const common = one(`SELECT san FROM chess.explorer(finalBoard('1. e4'), player => ${quoted('Fischer, Robert James')}) LIMIT 1`);
  await prompt(page, `Hint of what was played here: ${common}`);
  await type(page, 'e5');
  await until(page, 'the reply', () => /2\.\s\S+$/.test(document.querySelector('.played').textContent) || /has no move/.test(document.querySelector('.prompt').textContent));
  const replies = sql(`SELECT san FROM chess.explorer(finalBoard('1. e4 e5'), player => ${quoted('Fischer, Robert James')})`).flat();
  const reply = plain(await page.locator('.played').textContent()).split('2. ')[1];
  yes(`one of theirs: ${reply}`, reply ? replies.includes(reply) : !replies.length);
  await page.getByRole('button', { name: 'Other side' }).click();
  await page.waitForURL(url => url.searchParams.get('side') === 'white');
  await settled(page);
  yes('Black has moved', /^1…/.test(plain(await page.locator('.played').textContent())));
  const [question] = await Promise.all([
    page.waitForRequest(/\/api\/explorer/),
    page.goto(`${base}/play?against=games&side=black&site=London&eco=B&whiteRating=2000-&material=KRPvKR`),
  ]);
  const sent = new URL(question.url()).searchParams;
  equal('all filters hold', ['site', 'eco', 'whiteRating', 'material'].map(name => sent.get(name)), ['London', 'B', '2000-', 'KRPvKR']);
  await settled(page);
  yes('which is what is shown', !(await page.locator('.play .idle').count()) && (await page.locator('.play .chip:not(.add)').count()) === 4);
  await page.goto(`${base}/play?fen=nonsense`);
  await until(page, 'no position', () => document.querySelector('h1')?.textContent === 'Invalid position');
  await page.context().close();
});
