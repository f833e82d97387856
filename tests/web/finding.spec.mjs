// In: chess-web over demo/famous.pgn and games.pgn. Out: an error unless players are found by any spelling, several at once, and
// offered where a name finds nothing; unless one field finds them, openings, tournaments and places; unless openings are found by name and code, with the counts of SQL; unless the filters that
// reports have not find the games that SQL finds, in lists and in the explorer.
import { api, base, equal, number, open, quoted, settled, sql, test, toNumber, until, yes } from './browser.mjs';

let page;
test.beforeAll(async () => {
  page = await open('');
});
const FISCHER = 'Fischer, Robert James';
const count = async query => (await api(`/api/games/count?${new URLSearchParams(query)}`)).body.games;

test('filters of lists', async () => {
  const najdorf = "hasBoard(game, (SELECT board FROM chess_openings WHERE name = 'Sicilian Defense: Najdorf Variation' ORDER BY plyCount(game) LIMIT 1))";
  for (const [query, condition] of [
    [{ whiteRating: '2500-' }, 'white_elo >= 2500'],
    [{ blackRating: '-2500' }, 'black_elo <= 2500'],
    [{ difference: '50-' }, 'abs(white_elo - black_elo) >= 50'],
    [{ length: '-20' }, 'ply_count <= 40'],
    [{ length: '30-40' }, 'ply_count BETWEEN 59 AND 80'],
    [{ eco: 'B' }, "coalesce(eco, (opening(game)).eco) LIKE 'B%'"],
    [{ eco: 'c5' }, "coalesce(eco, (opening(game)).eco) LIKE 'C5%'"],
    [{ opening: 'Sicilian Defense: Najdorf Variation' }, najdorf],
    [{ opening: 'king’s gambit'.replace('’', "'") }, "hasBoard(game, finalboard('1. e4 e5 2. f4'))"],
    [{ site: 'London ENG' }, "site = 'London ENG'"],
    [{ material: 'KRPvKR', player: FISCHER }, `hasMaterial(game, 'KRPvKR') AND ${quoted(FISCHER)} IN (white, black)`],
    [{ pattern: 'Nd5', play: 'e2e4' }, "game @@ 'Nd5' AND hasBoard(game, finalboard('1. e4'))"],
    [{ player: `${FISCHER}|Morphy, Paul`, result: '1-0' }, `ARRAY[white, black] && ARRAY[${quoted(FISCHER)}, 'Morphy, Paul'] AND result = '1-0'`],
    [{ white: `Morphy, Paul | ${FISCHER}` }, `white IN (${quoted(FISCHER)}, 'Morphy, Paul')`],
  ]) {
    const wanted = number(`SELECT count(*) FROM chess.pgn_view WHERE ${condition}`);
    equal(JSON.stringify(query), await count(query), wanted);
    const { body } = await api(`/api/games?limit=200&${new URLSearchParams(query)}`);
    equal(`${JSON.stringify(query)}: the list`, [body.games.length, sql(body.sql).length], [wanted, wanted]);
    const explored = (await api(`/api/explorer?${new URLSearchParams(query)}`)).body;
    const through = number(`SELECT count(*) FROM chess.pgn_view WHERE (${condition}) AND hasBoard(game, finalboard('${query.play ? '1. e4' : ''}'))`);
    equal(`${JSON.stringify(query)}: the explorer`, [explored.games, explored.moves.reduce((sum, move) => sum + move.games, explored.ended)], [through, through]);
    equal(`${JSON.stringify(query)}: its SQL`, [sql(explored.sql).length, sql(explored.topSql).length], [explored.moves.length + (explored.ended > 0), explored.top.length]);
  }
  // games are counted and sorted as the explorer's functions do it
  for (const place of ['', 'play=e2e4', 'play=e2e4,c7c5,g1f3']) {
    const known = ({ body: { moves, ended, top, recent } }) => ({ moves: moves.map(({ reached: _, ...move }) => move), ended, top, recent });
    equal(`all games, one by one: ${place}`, known(await api(`/api/explorer?length=0-&${place}`)), known(await api(`/api/explorer?${place}`)));
  }
  for (const wrong of ['eco=F', 'opening=Nonsense', 'length=long', 'difference=9-1']) equal(wrong, (await api(`/api/games?${wrong}`)).status, 400);
  equal('not in reports', (await api(`/api/reports/player?player=${encodeURIComponent(FISCHER)}&length=-20`)).status, 400);
  equal('several players in the explorer', (await api(`/api/explorer?player=${encodeURIComponent(`${FISCHER}|Morphy, Paul`)}`)).body.games, number(`SELECT count(*) FROM chess.pgn_view WHERE ARRAY[white, black] && ARRAY[${quoted(FISCHER)}, 'Morphy, Paul'] AND hasBoard(game, startboard('1. e4'))`));
});

test('ratings beyond all measure', async () => {
  const before = sql('SELECT id, white_elo, black_elo FROM chess.games ORDER BY id LIMIT 1')[0];
  try {
    sql(`UPDATE chess.games SET white_elo = 2147483647, black_elo = 2147483647 WHERE id = ${before[0]}`);
    const { body } = await api('/api/games?sort=rating&limit=5');
    equal('the SQL of a list', sql(body.sql).length, body.games.length);
    yes('the explorer', (await api('/api/explorer?length=0-')).body.games);
  } finally {
    sql(`UPDATE chess.games SET white_elo = ${before[1] || 'NULL'}, black_elo = ${before[2] || 'NULL'} WHERE id = ${before[0]}`);
  }
});

test('players by any spelling, those with the most games first', async () => {
  for (const text of ['fischer', 'Robert Fischer', 'FISCHER R', 'Fisher, Robert']) {
    const { body } = await api(`/api/players?prefix=${encodeURIComponent(text)}`);
    const at = body.players.indexOf(FISCHER);
    equal(text, body.games[at], number(`SELECT count(*) FROM chess.pgn_view WHERE ${quoted(FISCHER)} IN (white, black)`));
  }
  await page.goto(`${base}/games`);
  await page.waitForSelector('table.games tbody tr');
  await page.locator('.chip.add').click();
  await page.locator('#player').pressSequentially('Morphy, Paul|robert fischer');
  await until(page, 'a suggestion for the second', name => [...document.querySelectorAll('#player-names [role=option]')].some(option => option.firstChild.textContent === name && /^\d+ games?$/.test(option.lastChild.textContent)), FISCHER);
  const chosen = page.locator('dialog .field', { has: page.locator('#player') }).locator('.chip');
  equal('the first is a chip', await chosen.allTextContents(), ['Morphy, Paul']);
  await page.locator('#player').fill(FISCHER);
  await page.getByRole('button', { name: 'Or another player' }).first().click();
  await page.locator('#player').fill('Tal, Mikhail');
  await chosen.first().getByRole('button').click();
  equal('it can be removed', await chosen.allTextContents(), [FISCHER]);
  await page.getByRole('button', { name: 'Show games' }).click();
  await page.waitForURL(url => url.searchParams.get('player') === `${FISCHER}|Tal, Mikhail`);
  const chips = page.locator('.panel-head .filters .chip:not(.add)');
  await until(page, 'a chip for each', () => document.querySelectorAll('.panel-head .filters .chip:not(.add)').length === 2);
  equal('in words', await chips.allTextContents(), [`with ${FISCHER}`, 'or Tal, Mikhail']);
  await chips.first().getByRole('button', { name: 'Remove' }).click();
  await page.waitForURL(url => url.searchParams.get('player') === 'Tal, Mikhail');
  await settled(page);
  equal('one is left', toNumber(await page.locator('.list-head .total').textContent()), number("SELECT count(*) FROM chess.pgn_view WHERE 'Tal, Mikhail' IN (white, black)"));
});

test('a name is chosen from the list that the field shows', async () => {
  await page.goto(`${base}/games`);
  await page.waitForSelector('table.games tbody tr');
  await page.locator('.chip.add').click();
  const field = page.locator('#player');
  const list = page.locator('#player-names');
  const marked = () => list.locator('[aria-selected=true] .name').textContent();
  // a browser's own list would hide a name that does not contain what was typed
  await field.pressSequentially('robert fischr');
  await list.getByRole('option', { name: FISCHER }).waitFor();
  equal('the best one is marked', [await marked(), await field.getAttribute('aria-expanded')], [FISCHER, 'true']);
  equal('and told', await field.getAttribute('aria-activedescendant'), await list.locator('[aria-selected=true]').getAttribute('id'));
  await field.evaluate(input => input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true })));
  equal('Enter that ends a composition takes nothing', [await field.inputValue(), await list.isVisible()], ['robert fischr', true]);
  await field.press('Enter');
  equal('Enter takes it', [await field.inputValue(), await list.isVisible()], [FISCHER, false]);
  await field.fill('an');
  await list.getByRole('option').nth(1).waitFor();
  const names = await list.locator('.name').allTextContents();
  await field.press('ArrowDown');
  equal('the next', await marked(), names[1]);
  await field.press('ArrowUp');
  await field.press('ArrowUp');
  equal('the last', await marked(), names.at(-1));
  await field.press('Escape');
  equal('Escape closes the list alone', [await list.isVisible(), await page.locator('dialog[open]').count(), await field.inputValue()], [false, 1, 'an']);
  await field.fill('anand v');
  await list.getByRole('option', { name: 'Anand, Viswanathan' }).click();
  await page.getByRole('button', { name: 'Show games' }).click();
  await page.waitForURL(url => url.searchParams.get('player') === 'Anand, Viswanathan');
  await page.goto(`${base}/player/${encodeURIComponent(FISCHER)}`);
  await page.getByRole('combobox', { name: 'Compare with' }).fill('spasky');
  await page.getByRole('option', { name: 'Spassky, Boris V' }).waitFor();
  await page.getByRole('combobox', { name: 'Compare with' }).press('Enter');
  await page.waitForURL(url => url.searchParams.get('with') === 'Spassky, Boris V');
});

test('the SQL of a list finds the same by another spelling', async () => {
  sql(`INSERT INTO chess.players (name, same_as, canonical) SELECT 'Fischer, Bobby', id, name FROM chess.players WHERE name = ${quoted(FISCHER)}; INSERT INTO chess.events (name, same_as, canonical) SELECT 'Zurich 1953', id, name FROM chess.events WHERE name = 'Candidates Tournament'; INSERT INTO chess.sites (name, same_as, canonical) SELECT 'Saint Petersburg', id, name FROM chess.sites WHERE name = 'St. Petersburg RUS'`);
  try {
    for (const query of [{ player: 'Fischer, Bobby' }, { white: 'Fischer, Bobby|Tal, Mikhail' }, { black: 'Fischer, Bobby', result: '0-1' }, { event: 'Zurich 1953' }, { site: 'Saint Petersburg' }, { player: "O'Nobody" }]) {
      const { body } = await api(`/api/games?limit=200&${new URLSearchParams(query)}`);
      yes(`${JSON.stringify(query)}: games`, body.games.length || query.player === "O'Nobody");
      equal(JSON.stringify(query), sql(body.sql).length, body.games.length);
      const counted = (await api(`/api/games/count?${new URLSearchParams(query)}`)).body;
      equal(`${JSON.stringify(query)}: counted`, [counted.games, number(counted.sql)], [body.games.length, body.games.length]);
    }
  } finally {
    sql("DELETE FROM chess.players WHERE name = 'Fischer, Bobby'; DELETE FROM chess.events WHERE name = 'Zurich 1953'; DELETE FROM chess.sites WHERE name = 'Saint Petersburg'");
  }
});

test('a name that nobody has is told in every view, with those that may be meant', async () => {
  const wins = number(`SELECT count(*) FROM chess.pgn_view WHERE ${quoted(FISCHER)} IN (white, black) AND result = '1-0'`);
  for (const [path, done] of [
    ['/games?player=Fisher%2C+Robert&result=1-0', async () => equal('its games, with the other filter', toNumber(await page.locator('.list-head .total').textContent()), wins)],
    ['/?player=Fisher%2C+Robert&result=1-0', async () => yes('the moves', await page.locator('.explorer-moves tbody tr').count())],
    ['/opening?play=e2e4&player=Fisher%2C+Robert', async () => yes('the report', /Games/.test(await page.locator('.summary').first().textContent()))],
    ['/search?player=Fisher%2C+Robert', async () => undefined],
    ['/puzzles?player=Fisher%2C+Robert', async () => yes('other advice', /Choose another|No puzzles yet/.test(await page.locator('main').textContent()))],
  ]) {
    if (path.startsWith('/puzzles')) sql("INSERT INTO chess.puzzles (board, solution, themes, rating, kind) VALUES ('r6k/6pp/7N/8/8/1Q6/8/6K1 w - - 1 2', '{b3g8,a8g8,h6f7}', '{mateIn2}', 1500, 'import')");
    await page.goto(base + path);
    const meant = page.locator('.meant');
    await meant.getByText('No player is called “Fisher, Robert”.').waitFor();
    await meant.getByRole('button', { name: FISCHER }).click();
    await page.waitForURL(url => url.searchParams.get('player') === FISCHER);
    await settled(page);
    equal(`${path}: known now`, await page.getByText('No player is called').count(), 0);
    await done();
  }
  sql('DELETE FROM chess.puzzles');
  // one of several names; an event and a place
  await page.goto(`${base}/games?player=${encodeURIComponent('Tal, Mikhail|Fisher, Robert')}`);
  await page.locator('.meant').getByRole('button', { name: FISCHER }).click();
  await page.waitForURL(url => url.searchParams.get('player') === `Tal, Mikhail|${FISCHER}`);
  await page.goto(`${base}/games?event=Candidates+Tornament`);
  await page.getByText('No event is called “Candidates Tornament”.').waitFor();
  await page.locator('.meant').getByRole('button', { name: 'Candidates Tournament' }).click();
  await page.waitForURL(url => url.searchParams.get('event') === 'Candidates Tournament');
  await page.goto(`${base}/games?site=Xyzzy`);
  await page.getByText('No place is called “Xyzzy”.').waitFor();
  equal('nothing to offer', await page.locator('.meant button').count(), 0);
});

test('gaps and checks of a notebook ask who is meant', async () => {
  const page = await open('/notebooks');
  await page.locator('#notebook-name').fill('Ruy Lopez');
  await page.locator('#notebook-color').selectOption('white');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/\/n\/\d+/);
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  await page.locator('dialog textarea').fill('1. e4 e5 2. Nf3 *');
  await page.locator('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await page.locator('.node-side .note').waitFor();
  await page.getByText('Compare with the games').click();
  await page.locator('#opponent').fill('Spasky, Boris');
  await page.getByRole('button', { name: 'Find gaps' }).click();
  await page.getByText('No player is called “Spasky, Boris”.').waitFor();
  equal('no gaps of nobody', await page.locator('.comparison table').count(), 0);
  await page.locator('.comparison').getByRole('button', { name: 'Spassky, Boris V' }).click();
  await page.locator('.comparison table').first().waitFor();
  equal('the name is in its field', await page.locator('#opponent').inputValue(), 'Spassky, Boris V');
  await page.locator('#opponent').fill('');
  await page.locator('#player').fill('Fisher, Robert');
  await page.getByRole('button', { name: 'Check the games' }).click();
  await page.locator('.comparison .meant').getByRole('button', { name: FISCHER }).click();
  await page.getByText(/games with White: \d+ followed/).waitFor();
  await page.context().close();
});

test('another form of a known name is offered beside it', async () => {
  const ANAND = 'Anand, Viswanathan';
  sql("WITH short AS (INSERT INTO chess.players (name) VALUES ('Anand,Vi') RETURNING id) INSERT INTO chess.games (game, result, white_id) SELECT '1. e4 e5', '1-0', id FROM short");
  try {
    const page = await open(`/games?player=${encodeURIComponent(ANAND)}`);
    const beside = page.locator('.meant', { hasText: `${ANAND} may also be written` });
    await beside.getByRole('button', { name: 'Anand,Vi', exact: true }).click();
    await page.waitForURL(url => url.searchParams.get('player') === `${ANAND}|Anand,Vi`);
    await settled(page);
    equal('both', toNumber(await page.locator('.list-head .total').textContent()), number(`SELECT count(*) FROM chess.pgn_view WHERE ARRAY[white, black] && ARRAY[${quoted(ANAND)}, 'Anand,Vi']`));
    await page.context().close();
  } finally {
    sql("DELETE FROM chess.games g USING chess.players p WHERE p.name = 'Anand,Vi' AND g.white_id = p.id; DELETE FROM chess.players WHERE name = 'Anand,Vi'");
  }
});

test('names of events and places by any spelling', async () => {
  const of = async (path, prefix) => (await api(`/api/${path}?prefix=${encodeURIComponent(prefix)}`)).body;
  for (const [path, prefix, name, known] of [
    ['events', 'Candidates Tournament', 'Candidates Tournament', true],
    ['events', 'tournament candidates', 'Candidates Tournament', false],
    ['events', 'Candidatse Tournament', 'Candidates Tournament', false],
    ['sites', 'london eng', 'London ENG', false],
    ['sites', 'Lonndon', 'London ENG', false],
  ]) {
    const body = await of(path, prefix);
    equal(`${path} ${prefix}`, [body[path].includes(name), body.known], [true, known]);
    yes(`${path} ${prefix}: its SQL`, sql(body.sql).some(([found]) => found === name));
  }
  equal('nothing', [(await of('events', '.*')).events, (await of('events', '%')).events], [[], []]);
  equal('players', [(await of('players', FISCHER)).known, (await of('players', 'fischer')).known, (await of('players', 'Fi')).known], [true, false, false]);
});

test('one field finds players, openings, tournaments and places', async () => {
  const page = await open('/games');
  await page.waitForSelector('table.games tbody tr');
  const field = page.getByRole('combobox', { name: 'Find a player' });
  const to = async (text, path) => {
    await page.locator('main').click({ position: { x: 5, y: 5 } });
    await page.keyboard.press('.');
    equal(`${text}: the key leads to it`, await field.evaluate(input => input === document.activeElement), true);
    // Enter at once: the first one is taken when the list comes
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await page.waitForURL(path);
    // the address may be that of the text before
    await page.waitForFunction(input => input.value === '' && input !== document.activeElement, await field.elementHandle());
    await settled(page);
  };
  await to('robert fischr', url => decodeURIComponent(url.pathname) === `/player/${FISCHER}`);
  await to('najdorf variation', /\/\?play=e2e4,c7c5/);
  await to('B90', /\/\?play=e2e4,c7c5/);
  await to('candidates', /\/tournament\/Candidates/);
  await to('st. petersburg rus', /\/games\?site=St\./);
  await field.fill('fischer');
  await page.locator('#find-names [role=option]').first().waitFor();
  const kinds = await page.locator('#find-names [role=option]').evaluateAll(options => options.map(option => option.lastChild.textContent));
  yes('a player and openings', /game/.test(kinds[0]) && kinds.some(kind => /^[A-E]\d\d$/.test(kind)));
  await field.press('Escape');
  equal('closed', await page.locator('#find-names').isVisible(), false);
  await field.fill('qqqqq');
  await field.press('Enter');
  await page.locator('.said', { hasText: 'Nothing is called “qqqqq”' }).waitFor();
  await page.context().close();
});

test('and on a phone', async () => {
  const page = await open('/games', { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
  await page.waitForSelector('table.games tbody tr');
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Find' }).click();
  await page.getByRole('combobox', { name: 'Find a player' }).pressSequentially('morphy');
  await page.getByRole('option', { name: 'Morphy, Paul' }).click();
  await page.waitForURL(/\/player\/Morphy/);
  equal('the window is closed', await page.locator('dialog[open]').count(), 0);
  await page.context().close();
});

test('openings by name, by code, and as a tree', async () => {
  await page.goto(`${base}/`);
  await page.locator('.opening a', { hasText: 'Openings' }).click();
  await page.waitForURL(/\/openings$/);
  const family = page.locator('.openings details', { has: page.locator('summary .eco', { hasText: /^B$/ }) }).first();
  await family.locator('> summary .total').waitFor();
  const of = prefix => number(`SELECT count(*) FROM chess.games WHERE coalesce(eco, (opening(game)).eco) LIKE '${prefix}%'`);
  equal('games of B', toNumber(await family.locator('> summary .total').textContent()), of('B'));
  await family.locator('> summary .eco').click();
  const [[code]] = sql("SELECT coalesce(eco, (opening(game)).eco) FROM chess.games WHERE coalesce(eco, (opening(game)).eco) LIKE 'B%' ORDER BY 1 LIMIT 1");
  const first = family.locator('details').first();
  await first.waitFor();
  equal('the first code, and its games', [await first.locator('> summary .eco').textContent(), toNumber(await first.locator('> summary .total').textContent())], [code, of(code)]);
  await first.locator('> summary .eco').click();
  await first.locator('li a').first().waitFor();
  await page.locator('#opening-name').fill('najdorf');
  const found = page.locator('.panel-head + .cards li');
  await found.first().waitFor();
  equal('the variation', await found.first().locator('a').first().textContent(), 'Sicilian Defense: Najdorf Variation');
  await found.first().locator('a').first().click();
  await until(page, 'the explorer there', () => /Najdorf/.test(document.querySelector('h1')?.textContent));
  await page.goBack();
  await page.locator('#opening-name').fill('C60');
  await page.locator('.panel-head + .cards a', { hasText: 'games' }).first().click();
  await page.waitForURL(/opening=Ruy\+Lopez/);
  await settled(page);
  equal('its games', toNumber(await page.locator('.list-head .total').textContent()), await count({ opening: 'Ruy Lopez' }));
  yes('said in words', /in the Ruy Lopez/.test(await page.locator('.filters').textContent()));
});

test('the form has them all', async () => {
  await page.goto(`${base}/games`);
  await page.waitForSelector('table.games tbody tr');
  await page.locator('.chip.add').click();
  await page.locator('dialog summary').click();
  for (const [field, value] of [['length-to', '40'], ['eco', 'b'], ['whiteRating-from', '1000'], ['pattern', 'any']]) await page.locator(`#${field}`).fill(value);
  await page.getByRole('button', { name: 'Show games' }).click();
  await page.waitForURL(/whiteRating=1000-/);
  await settled(page);
  const text = await page.locator('.filters').textContent();
  yes('as a sentence', /40 or less moves/.test(text) && /ECO b/i.test(text) && /White rated 1000 or more/.test(text) && /with any/.test(text));
  equal('its games', toNumber((await page.locator('.list-head .total, .note h2').first().textContent()).replace(/^No.*/, '0')), number("SELECT count(*) FROM chess.games WHERE white_elo >= 1000 AND ply_count <= 80 AND coalesce(eco, (opening(game)).eco) LIKE 'B%'"));
  await page.locator('.chip', { hasText: 'White rated' }).locator('button').first().click();
  equal('a click on a part leads to its field', await page.evaluate(() => document.activeElement.id), 'whiteRating-from');
  await page.keyboard.press('Escape');
  await page.locator('nav a', { hasText: 'Explorer' }).click();
  await page.waitForSelector('.explorer-moves, .note');
  equal('the explorer has them too', new URL(page.url()).search, '?whiteRating=1000-&length=-40&eco=b&pattern=any');
  await settled(page);
  const first = "getFirstMoves(game, 1)::text <> '' AND white_elo >= 1000 AND ply_count <= 80 AND coalesce(eco, (opening(game)).eco) LIKE 'B%' AND hasBoard(game, startboard())";
  equal('a line for each move', await page.locator('.explorer-moves tbody tr[data-uci]').count(), number(`SELECT count(DISTINCT getFirstMoves(game, 1)) FROM chess.games WHERE ${first}`));
  await page.locator('.chip', { hasText: 'of ECO' }).locator('button').first().click();
  equal('its form has the field', await page.evaluate(() => document.activeElement.id), 'eco');
  equal('and one for patterns', await page.locator('#pattern').inputValue(), 'any');
  await page.keyboard.press('Escape');
});
