// In: chess-web over demo/famous.pgn and games.pgn. Out: an error unless page, API and SQL count the same games for each of
// many sets of filters; filters can be edited, taken away and saved.
import { api, base, equal, number, open, quoted, table, test, toNumber, until, yes } from './browser.mjs';

const MEAN = 'CASE WHEN white_elo IS NULL OR black_elo IS NULL THEN coalesce(white_elo, black_elo) ELSE (white_elo + black_elo) / 2 END';
const name = text => quoted(text);
const ANN = 'Archer, Ann';
const HOSTILE = '<img src=x onerror=alert(1)>';
const ONEIL = 'O\'Neil, "Tip" & Söhne';
const within = range => `dates <@ ${quoted(range)}::daterange`;
/** filters as parameters, and as a condition on chess.pgn_view */
const SETS = [
  [{}, 'true'],
  [{ player: ANN }, `${name(ANN)} IN (white, black)`],
  [{ player: ANN, color: 'white' }, `white = ${name(ANN)}`],
  [{ player: ANN, color: 'black' }, `black = ${name(ANN)}`],
  [{ player: 'Fischer, Robert James' }, "'Fischer, Robert James' IN (white, black)"],
  [{ player: 'Fischer, Robert James', color: 'black' }, "black = 'Fischer, Robert James'"],
  [{ player: HOSTILE }, `${name(HOSTILE)} IN (white, black)`],
  [{ player: ONEIL, color: 'black' }, `black = ${name(ONEIL)}`],
  [{ player: 'Nobody, Ever' }, 'false'],
  [{ white: 'Kasparov, Garry' }, "white = 'Kasparov, Garry'"],
  [{ black: 'Morphy, Paul' }, "black = 'Morphy, Paul'"],
  [{ white: ANN, black: 'Baker, Bob' }, `white = ${name(ANN)} AND black = 'Baker, Bob'`],
  [{ rating: '2200-' }, `${MEAN} >= 2200`],
  [{ rating: '-2200' }, `${MEAN} <= 2200`],
  [{ rating: '2200-2300' }, `${MEAN} BETWEEN 2200 AND 2300`],
  [{ rating: '2650-' }, `${MEAN} >= 2650`],
  [{ rating: '1900-2000' }, `${MEAN} BETWEEN 1900 AND 2000`],
  [{ since: '1950' }, within('[1950-01-01,)')],
  [{ until: '1900' }, within('(,1901-01-01)')],
  [{ since: '1900', until: '1950' }, within('[1900-01-01,1951-01-01)')],
  [{ since: '2024', until: '2024' }, within('[2024-01-01,2025-01-01)')],
  [{ since: '2024-06' }, within('[2024-06-01,)')],
  [{ since: '2024-06-01', until: '2024-06-01' }, within('[2024-06-01,2024-06-02)')],
  [{ until: '1972-07-31' }, within('(,1972-08-01)')],
  [{ result: '1-0' }, "result = '1-0'"],
  [{ result: '0-1' }, "result = '0-1'"],
  [{ result: '1/2-1/2' }, "result = '1/2-1/2'"],
  [{ result: '*' }, "result = '*'"],
  [{ event: 'Blitz of the village' }, "event = 'Blitz of the village'"],
  [{ event: 'Test <b>bold</b>' }, "event = 'Test <b>bold</b>'"],
  [{ tc: 'blitz' }, "time_control = '180+2'"],
  [{ tc: 'rapid' }, "time_control = '900+10'"],
  [{ tc: 'blitz,rapid' }, "time_control IN ('180+2', '900+10')"],
  [{ tc: 'classical' }, "time_control = '5400+30'"],
  [{ tc: 'correspondence' }, "time_control IN ('1/86400', '-')"],
  [{ evals: '1' }, 'evals IS NOT NULL'],
  [{ player: ANN, result: '1-0' }, `${name(ANN)} IN (white, black) AND result = '1-0'`],
  [{ player: ANN, color: 'white', tc: 'rapid' }, `white = ${name(ANN)} AND time_control = '900+10'`],
  [{ since: '1900', result: '1-0' }, `${within('[1900-01-01,)')} AND result = '1-0'`],
  [{ rating: '2000-', since: '2024', tc: 'blitz' }, `${MEAN} >= 2000 AND ${within('[2024-01-01,)')} AND time_control = '180+2'`],
  [{ event: 'Rapid of the town', result: '*' }, "event = 'Rapid of the town' AND result = '*'"],
  [{ until: '1900', result: '0-1' }, `${within('(,1901-01-01)')} AND result = '0-1'`],
];
const START = quoted('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1');
let page;
test.beforeAll(async () => {
  page = await open('/');
});

test(`${SETS.length} sets of filters`, async () => {
  for (const [filters, condition] of SETS) {
    const query = new URLSearchParams(filters).toString();
    const what = decodeURIComponent(query) || 'no filter';
    const wanted = number(`SELECT count(*) FROM chess.pgn_view WHERE hasBoard(game, ${START}) AND (${condition})`);
    const { status, body } = await api(`/api/explorer?${query}`);
    equal(`${what}: status of the explorer`, status, 200);
    equal(`${what}: the explorer's games`, body.games, wanted);
    equal(`${what}: the sum of the moves`, (body.moves ?? []).reduce((sum, m) => sum + m.games, 0) + body.ended, wanted);
    const counted = await api(`/api/games/count?${query}`);
    equal(`${what}: the list's games`, counted.body.games, number(`SELECT count(*) FROM chess.pgn_view WHERE ${condition}`));
    await page.goto(`${base}/?${query}`);
    await page.waitForSelector('.opening .total');
    equal(`${what}: the page's games`, toNumber(await page.locator('.opening .total').textContent()), wanted);
    equal(`${what}: the page's moves`, (await table(page)).map(m => [m.uci, Number(m.games)]), (body.moves ?? []).map(m => [m.uci, m.games]));
  }
});

test('the sum over the parts is the whole', async () => {
  const all = (await api('/api/explorer')).body;
  let sum = 0;
  for (const result of ['1-0', '0-1', '1/2-1/2', '*']) sum += (await api(`/api/explorer?result=${encodeURIComponent(result)}`)).body.games;
  equal('results', sum, all.games);
});

test('comments', async () => {
  const wanted = number('SELECT count(*) FROM chess.games WHERE annotated IS NOT NULL');
  equal('games with comments', (await api('/api/games/count?annotated=1')).body.games, wanted);
});

test('the sheet', async () => {
  await page.goto(`${base}/`);
  await page.waitForSelector('table.explorer-moves');
  await page.getByRole('button', { name: 'Filter games' }).click();
  const player = page.locator('dialog #player');
  await player.fill('Arch');
  await until(page, 'names are completed', () => [...document.querySelectorAll('#player-names [role=option] .name')].some(o => o.textContent === 'Archer, Ann'));
  await player.fill(ANN);
  // the sheet grows once more when they arrive
  await page.waitForSelector('dialog .saved h3');
  await page.locator('dialog #color').selectOption('white');
  await page.locator('dialog #rating-from').fill('1900');
  await page.locator('dialog [name=tc][value=rapid]').check({ force: true });
  await page.getByRole('button', { name: 'Show games' }).click();
  await page.waitForURL(/player=Archer/);
  const url = new URL(page.url());
  equal('the address', Object.fromEntries(url.searchParams), { player: ANN, color: 'white', rating: '1900-', tc: 'rapid' });
  equal('the sentence', await page.locator('.filters .chip:not(.add)').evaluateAll(chips => chips.map(c => c.textContent)), [`with ${ANN} as White`, 'rated 1900 or more', 'rapid']);
  await page.getByRole('button', { name: 'Remove: rated 1900 or more' }).click();
  await page.waitForURL(url => !url.search.includes('rating'));
  await page.getByRole('link', { name: 'Games', exact: true }).click();
  await page.waitForURL(/\/games\?player=/);
  await until(page, 'the filters go along', () => document.querySelectorAll('table.games tbody tr').length === 1);
});

test('material and patterns filter the explorer', async () => {
  const page = await open('');
  const asked = [];
  page.on('request', request => /api\/explorer/.test(request.url()) && asked.push(request.url()));
  await page.goto(`${base}/?play=e2e4`);
  await page.waitForSelector('table.explorer-moves');
  await page.locator('.filters .chip.add').click();
  await page.getByText('More: each side').click();
  await page.locator('dialog #pattern').fill('K[b1,c1]');
  await page.getByRole('button', { name: 'Show games' }).click();
  await page.waitForURL(url => url.searchParams.get('pattern') === 'K[b1,c1]');
  const board = quoted('rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1');
  const wanted = number(`SELECT count(*) FROM chess.games WHERE hasBoard(game, ${board}) AND game @@ 'K[b1,c1]'::chesspattern`);
  yes('some games', wanted > 0);
  await until(page, 'its games', wanted => Number(document.querySelector('.opening .total')?.textContent.replace(/\D/g, '')) === wanted, wanted);
  equal('the sentence', await page.locator('.filters .chip:not(.add)').allTextContents(), ['with K[b1,c1]']);
  equal('nobody counts what is reached', [await page.locator('.explorer-moves th.reached').count(), asked.filter(url => /pattern=.*reached=1/.test(url)).length], [0, 0]);
  // the chip leads to its field; the filter goes to the list and back
  await page.getByRole('button', { name: 'with K[b1,c1]', exact: true }).click();
  equal('its field', await page.evaluate(() => document.activeElement.id), 'pattern');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Games', exact: true }).click();
  await page.waitForURL(url => url.pathname === '/games' && url.searchParams.get('pattern') === 'K[b1,c1]');
  await page.waitForSelector('table.games tbody tr');
  equal('once', await page.locator('.filters .chip:not(.add)').allTextContents(), ['with K[b1,c1]']);
  await page.getByRole('link', { name: 'Explorer', exact: true }).click();
  await page.waitForURL(url => url.pathname === '/' && url.searchParams.get('pattern') === 'K[b1,c1]');
  await page.getByRole('button', { name: 'Remove: with K[b1,c1]' }).click();
  await page.waitForURL(url => !url.search.includes('pattern'));
  // no game: what to do
  await page.goto(`${base}/?material=KRPPPPvKRPPP&site=Nowhere`);
  await page.getByRole('button', { name: 'Remove filters' }).click();
  await page.waitForURL(url => !url.search);
  // reports take them, and say what they do not take
  await page.goto(`${base}/?play=e2e4&pattern=Nd5&site=Nowhere&since=1900`);
  await page.waitForSelector('.opening a');
  const report = new URL(await page.getByRole('link', { name: 'Report' }).getAttribute('href'), base);
  equal('all goes to the report', Object.fromEntries(report.searchParams), { play: 'e2e4', since: '1900', site: 'Nowhere', pattern: 'Nd5' });
  await page.goto(`${base}/opening?play=e2e4&site=Nowhere&pattern=Nd5&since=1900`);
  await page.waitForSelector('.report dl.summary');
  equal('the filters that hold', await page.locator('.filters .chip:not(.add)').allTextContents(), ['since 1900', 'with Nd5']);
  equal('the one that does not', await page.locator('.filters .idle').textContent(), 'Does not hold here: played in Nowhere remove');
  await page.getByRole('link', { name: 'Remove: played in Nowhere' }).click();
  await page.waitForURL(url => !url.searchParams.has('site') && url.searchParams.get('pattern') === 'Nd5');
  await until(page, 'the sentence is gone', () => document.querySelector('.filters') && !document.querySelector('.filters .idle'));
  // in the search they are what is searched for
  await page.goto(`${base}/search?pattern=Nd5&since=1900`);
  await page.waitForSelector('table.games tbody tr');
  equal('the search', await page.locator('.filters .chip:not(.add)').allTextContents(), ['since 1900']);
  await page.context().close();
  const wrong = await open('/?pattern=Nd5+and+Xe4', {}, [/400/]);
  await wrong.waitForSelector('.failure');
  yes('a wrong pattern is explained', (await wrong.locator('.failure').textContent()).length > 20);
  await wrong.context().close();
});

test('only these, in every view', async () => {
  const page = await open('/games?since=1900&annotated=1', {}, [/404/]);
  const shown = () => page.locator('.filters .chip:not(.add)').allTextContents();
  const at = async (pathname, expected) => {
    await page.waitForURL(url => url.pathname === pathname);
    const { searchParams } = new URL(page.url());
    const filters = Object.fromEntries([...searchParams].filter(([name]) => ['since', 'annotated', 'player', 'pattern', 'rating'].includes(name)));
    equal(`the filters of ${page.url()}`, filters, expected);
  };
  const place = name => page.locator('header nav').getByRole('link', { name, exact: true }).click();
  const both = { since: '1900', annotated: '1' };
  await page.waitForSelector('table.games tbody tr');
  const wanted = number(`SELECT count(*) FROM chess.games WHERE ${within('[1900-01-01,)')} AND annotated IS NOT NULL`);
  // from the list to a game, and on
  await page.locator('table.games tbody tr').first().click();
  await page.waitForURL(/\/game\//);
  await at(new URL(page.url()).pathname, both);
  await page.waitForSelector('.moves .move');
  await page.getByRole('button', { name: 'Find this position' }).click();
  await at('/', both);
  await until(page, 'the games', wanted => Number(document.querySelector('.opening .total')?.textContent.replace(/\D/g, '')) === wanted, wanted);
  await page.locator('.opening').getByRole('link', { name: 'Openings' }).click();
  await at('/openings', both);
  const sum = () => [...document.querySelectorAll('.openings > div > details > summary .total')].reduce((all, total) => all + Number(total.textContent.replace(/\D/g, '')), 0);
  const coded = number(`SELECT count(*) FROM chess.games WHERE ${within('[1900-01-01,)')} AND annotated IS NOT NULL AND coalesce(eco, (opening(game)).eco) IS NOT NULL`);
  await until(page, 'the tree of these games', () => document.querySelector('.openings details'));
  equal('the games of the tree', await page.evaluate(sum), coded);
  equal('its filters', await shown(), ['since 1900', 'with comments']);
  await page.getByRole('button', { name: 'Remove: with comments' }).click();
  await page.waitForURL(url => !url.search.includes('annotated'));
  await until(page, 'the tree of more games', coded => [...document.querySelectorAll('.openings > div > details > summary .total')].reduce((all, total) => all + Number(total.textContent.replace(/\D/g, '')), 0) > coded, coded);
  // views that do not have a filter say so, and keep it
  await page.goto(`${base}/?since=1900&annotated=1`);
  await page.waitForSelector('.opening a');
  await page.locator('.opening').getByRole('link', { name: 'Endings' }).click();
  await at('/endings', both);
  equal('of the endings', await shown(), ['since 1900']);
  equal('they say', await page.locator('.filters .idle').textContent(), 'Does not hold here: with comments remove');
  for (const [name, pathname] of [['Notebooks', '/notebooks'], ['Analysis', '/analysis'], ['Games', '/games'], ['Search', '/search']]) {
    await place(name);
    await at(pathname, both);
  }
  // what is searched for is a filter elsewhere, but a filter is no search
  await page.goto(`${base}/search?pattern=K[b1,c1]&since=1900`);
  await page.waitForSelector('table.games tbody tr');
  await page.getByRole('link', { name: 'Explore', exact: true }).click();
  await at('/', { pattern: 'K[b1,c1]', since: '1900' });
  await place('Search');
  await at('/search', { since: '1900' });
  // names that mean something else there
  await page.goto(`${base}/games?player=Archer,+Ann&rating=1000-`);
  await page.waitForSelector('table.games tbody tr');
  await place('Puzzles');
  await page.waitForURL(url => url.pathname.startsWith('/puzzles'));
  await at(new URL(page.url()).pathname, { player: 'Archer, Ann' });
  await page.context().close();
});

test('saved filters', async () => {
  await page.locator('.filters .chip.add').click();
  await page.locator('dialog #view-name').fill('Ann <b>rapid</b>');
  await page.locator('dialog .saved button[type=submit]').click();
  await until(page, 'it is in the list', () => [...document.querySelectorAll('dialog .saved li')].some(li => li.textContent === 'Ann <b>rapid</b>'));
  await page.goto(`${base}/?play=e2e4`);
  await page.waitForSelector('.filters .chip.add');
  await page.locator('.filters .chip.add').click();
  await page.getByRole('button', { name: 'Ann <b>rapid</b>', exact: true }).click();
  await page.waitForURL(/tc=rapid/);
  yes('the moves stay', page.url().includes('play=e2e4'));
  await page.locator('.filters .chip.add').click();
  await page.getByRole('button', { name: 'Delete Ann <b>rapid</b>' }).click();
  await until(page, 'it is gone', () => document.querySelector('dialog .saved .quiet'));
});

test('fields that take a date or a rating take nothing else', async () => {
  await page.goto(`${base}/`);
  await page.getByRole('button', { name: 'Filter games' }).click();
  const takes = (name, text) => page.locator(`dialog #${name}`).evaluate((field, text) => ((field.value = text), field.checkValidity()), text);
  for (const name of ['since', 'until']) {
    for (const text of ['', '2015', '2015-03', '2015-3', '2015/03', '2015.03.31']) yes(`${name}: ${text}`, await takes(name, text));
    for (const text of ['15', 'May 2015', '2015-', '2015_03', '2015-03-31-1']) yes(`${name}: not ${text}`, !(await takes(name, text)));
  }
  for (const name of ['rating-from', 'rating-to']) {
    for (const text of ['', '2200', '800']) yes(`${name}: ${text}`, await takes(name, text));
    for (const text of ['high', '22000', '-1']) yes(`${name}: not ${text}`, !(await takes(name, text)));
  }
  equal('all that is to match can be read', await page.locator('[pattern]').evaluateAll(fields => fields.map(field => new RegExp(field.pattern, 'v')).length), 13);
  await page.keyboard.press('Escape');
});

test('filters that make no sense', async () => {
  for (const query of ['since=2015-13', 'rating=high', 'result=2-0', 'tc=slow', 'since=2020&until=2010', 'unknown=1', 'color=red&player=x']) {
    const { status, body } = await api(`/api/explorer?${query}`);
    equal(`${query}: status`, status, 400);
    yes(`${query}: a reason`, body.error);
  }
  const other = await open('/?since=2015-13', {}, [/400/]);
  await other.waitForSelector('.failure');
  yes('the page says it', (await other.locator('.failure').textContent()).length > 10);
  await other.context().close();
});

test('the sheet keeps games without a time control', async () => {
  await page.goto(`${base}/?tc=unknown`);
  await page.waitForSelector('.filters .chip.add');
  await page.locator('.filters .chip.add').click();
  await page.locator('dialog [name=tc][value=rapid]').check({ force: true });
  await page.getByRole('button', { name: 'Show games' }).click();
  await page.waitForURL(/rapid/);
  equal('the address', new URL(page.url()).searchParams.get('tc'), 'rapid,unknown');
});

test('a long name is proposed as the server takes it', async () => {
  await page.goto(`${base}/?player=${encodeURIComponent('😀'.repeat(300))}`);
  await page.waitForSelector('.filters .chip.add');
  await page.locator('.filters .chip.add').click();
  await page.locator('dialog .saved button[type=submit]').click();
  await until(page, 'it is saved', () => [...document.querySelectorAll('dialog .saved li')].some(li => [...li.textContent].length === 200));
  await page.locator('dialog .saved li button').last().click();
  await until(page, 'it is gone', () => document.querySelector('dialog .saved .quiet'));
});
