// In: chess-web over demo/famous.pgn and games.pgn. Out: an error unless the reports on players and openings show the rows of
// SQL, players are found by any spelling, compared, cancelled and copied as Markdown, and every name leads to its page; unless
// filters stay in the address.
import { api, base, becomes, equal, heard, number, one, open, openFirst, plain, quoted, settled, sql, test, toNumber, until, yes } from './browser.mjs';

const FISCHER = 'Fischer, Robert James';
const SPASSKY = 'Spassky, Boris V';
const at = (kind, name, query = '') => `${base}/${kind}/${encodeURIComponent(name)}${query}`;
const done = page => until(page, 'the whole report', () => document.querySelector('.report > section:not([hidden])') && !document.querySelector('.progress')?.textContent);
/** A table of the page as rows of texts, those of bars in words. */
const figures = (page, caption, nth = 0) =>
  page
    .locator('table.figures', { has: page.locator('caption', { hasText: caption }) })
    .nth(nth)
    .evaluate(table => [...table.tBodies[0].rows].map(row => [...row.cells].map(cell => cell.querySelector('[role=img]')?.getAttribute('aria-label') ?? cell.textContent.trim())));

let page;
test.beforeAll(async () => {
  page = await open('', { permissions: ['clipboard-read', 'clipboard-write'] });
});

test('the API gives the rows of SQL', async () => {
  for (const [path, query, call] of [
    ['player', { player: FISCHER }, `player_report(${quoted(FISCHER)})`],
    ['player', { player: FISCHER, until: '1960', color: 'white', sections: 'summary,year,white_line', plies: 4, atLeast: 1 }, `player_report(${quoted(FISCHER)}, color => 'w', dates => '[,1961-01-01)', sections => '{summary,year,white_line}', plies => 4, at_least => 1)`],
    ['opening', { play: 'e2e4,c7c5' }, "opening_report(finalboard('1. e4 c5'))"],
    ['opening', { play: 'e2e4', player: FISCHER, sections: 'summary,move,best_rated', count: 3 }, `opening_report(finalboard('1. e4'), player => ${quoted(FISCHER)}, sections => '{summary,move,best_rated}', count => 3)`],
  ]) {
    const { status, body } = await api(`/api/reports/${path}?${new URLSearchParams(query)}`);
    const what = `${path} ${JSON.stringify(query)}`;
    const rows = sql(`SELECT section, item, games, white, draws, black, score FROM chess.${call}`);
    equal(what, [status, body.rows.map(row => [row.section, row.item, ...[row.games, row.white, row.draws, row.black, row.score].map(n => (n === null ? '' : String(n)))])], [200, rows]);
    equal(`${what}: its SQL`, sql(body.sql).length, rows.length);
    for (const row of body.rows.filter(row => row.detail?.game_id)) yes('games by their names', /^\w{8}$/.test(row.detail.game_id));
  }
  for (const [wrong, status] of [['player', 400], ['player?player=A&sections=nonsense', 400], ['player?player=A&length=-20', 400], ['opening?fen=nonsense', 400], ['opening?count=-1', 400], ['opening?sections=', 200]]) equal(wrong, (await api(`/api/reports/${wrong}`)).status, status);
  equal('nobody', (await api('/api/reports/player?player=Nobody&sections=summary')).body.rows.map(row => [row.games, row.detail.players]), [[0, null]]);
});

test('a player', async () => {
  await page.goto(at('player', FISCHER));
  await done(page);
  equal('the name', await page.locator('h1').textContent(), FISCHER);
  equal('games', toNumber(await page.locator('.summary dd').first().textContent()), number(`SELECT games FROM chess.player_report(${quoted(FISCHER)}, sections => '{summary}')`));
  const share = (part, of) => Math.round((100 * part) / of);
  const colors = sql(`SELECT CASE item WHEN 'w' THEN 'White' ELSE 'Black' END, games, round(score * 100) FROM chess.player_report(${quoted(FISCHER)}, sections => '{color}')`);
  equal('by colour', (await figures(page, 'By colour')).map(row => [row[0], row[1], row[3]]), colors);
  const [won] = sql(`SELECT sum(white) FILTER (WHERE item = 'w') + sum(black) FILTER (WHERE item = 'b'), sum(games) FROM chess.player_report(${quoted(FISCHER)}, sections => '{color}')`);
  yes('his own wins, with either colour', (await figures(page, 'By colour')).every(row => row[2] === `won ${share(...won.map(Number))} %, drawn 0 %, lost 0 %`));
  const opponents = sql(`SELECT item, games FROM chess.player_report(${quoted(FISCHER)}, sections => '{opponent}', count => 12)`);
  equal('opponents', (await figures(page, 'Met most often')).map(row => row.slice(0, 2)), opponents);
  const lines = number(`SELECT count(*) FROM chess.player_report(${quoted(FISCHER)}, sections => '{white_line}') WHERE (detail ->> 'ply')::integer <= 4`);
  equal('lines with White', (await figures(page, 'With White', 1)).length, lines);
  // the best lines lead there, too, with all moves, seen from his side
  const best = await page.locator('table.figures caption', { hasText: /^(Best|Worst) lines$/ }).locator('..').locator('tbody th').evaluateAll(heads => heads.map(head => [head.textContent, new URL(head.querySelector('a').href).searchParams]).map(([text, params]) => [text, params.get('play'), params.get('orient'), params.get('color')]));
  const listed = sql(`SELECT item, detail ->> 'color' FROM chess.player_report(${quoted(FISCHER)}, sections => '{best_line}', count => 8) UNION ALL SELECT item, detail ->> 'color' FROM chess.player_report(${quoted(FISCHER)}, sections => '{worst_line}', count => 8)`);
  equal('best and worst lines', best.length, listed.length);
  for (const [at, [item, color]] of listed.entries()) {
    const [text, play, orient, side] = best[at];
    equal(`${item}: with numbers`, text.replace(/\d+(\.|…) /g, ''), `${color === 'w' ? 'White' : 'Black'}: ${item}`);
    equal(`${item}: its moves`, [play.split(',').length, orient, side], [item.split(' ').length, color === 'w' ? null : 'b', color === 'w' ? 'white' : 'black']);
  }
  // a line of the tree leads to the explorer, with the player
  await page.locator('table.figures caption', { hasText: 'With White' }).nth(1).locator('..').locator('tbody a').first().click();
  await until(page, 'his games in the explorer', () => location.pathname === '/' && document.querySelector('.explorer-moves, .note'));
  equal('as White', [...new URL(page.url()).searchParams].filter(([name]) => name !== 'play'), [['player', FISCHER], ['color', 'white']]);
});

test('by any spelling', async () => {
  await page.goto(at('player', 'robert james fisher'));
  await page.waitForURL(url => decodeURIComponent(url.pathname) === `/player/${FISCHER}`);
  await done(page);
  await page.goto(at('player', 'Archer'));
  await page.waitForURL(url => decodeURIComponent(url.pathname) === '/player/Archer, Ann');
  await page.goto(at('player', 'Random'));
  await until(page, 'two to choose from', () => document.querySelectorAll('.note li a').length === 2);
  await page.locator('.note a', { hasText: 'Rita' }).click();
  await done(page);
  await page.goto(at('player', 'Nobody at all'));
  await until(page, 'nobody', () => /No player is called Nobody at all/.test(document.querySelector('main').textContent));
  await page.goto(at('player', FISCHER, '?since=2020'));
  await until(page, 'no games', () => /No games of .* pass the filters/.test(document.querySelector('main').textContent));
  await page.locator('.chip .remove').click();
  await done(page);
  equal('without the filter', new URL(page.url()).search, '');
});

test('a name that is found late leads nobody away from where he has gone', async () => {
  for (const [kind, name, list] of [['player', 'robert fischer', 'players'], ['opening', 'C33', 'openings']]) {
    const path = new RegExp(`/api/${list}\\?prefix=`);
    let release;
    const held = new Promise(done => (release = done));
    await page.route(path, async route => {
      await held;
      await route.continue().catch(() => {});
    });
    const asked = page.waitForRequest(path);
    await page.goto(at(kind, name));
    await asked;
    const ended = Promise.race(['requestfinished', 'requestfailed'].map(event => page.waitForEvent(event, request => path.test(request.url()))));
    await page.locator('nav a[href^="/games"]').first().click();
    await page.waitForSelector('table.games tbody tr');
    release();
    await ended;
    await heard(page);
    equal(`${kind}: still the list`, new URL(page.url()).pathname, '/games');
    await page.unroute(path);
  }
});

test('odd names, one game, without dates and ratings', async () => {
  for (const name of sql('SELECT DISTINCT p.shown FROM chess.players p JOIN chess.games g ON p.id IN (g.white_id, g.black_id) WHERE p.name !~ \'^[A-Za-z, .-]+$\'').flat()) {
    await page.goto(at('player', name));
    await done(page);
    equal(name, plain(await page.locator('h1').textContent()), plain(name));
  }
  const response = await fetch(at('player', 'Dr. No. 7'));
  equal('a dot is no file', [response.status, response.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  // names of the greatest length stay within the page
  for (const kind of ['player', 'tournament', 'opening']) {
    await page.goto(at(kind, 'x'.repeat(2000)));
    await until(page, `${kind}: there is none`, () => /No (player|games|opening)/.test(document.querySelector('main .note')?.textContent));
    equal(`${kind}: nothing sticks out`, await page.evaluate(() => document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth), 0);
  }
  equal('a name that is too long', (await api(`/api/reports/player?player=${'x'.repeat(3000)}`)).status, 400);
});

test('names that a browser takes for steps in a path', async () => {
  sql(`INSERT INTO chess.pgn_view (white, black, event, result, game) VALUES ('..', 'Dots, Dora', '.', '1-0', '1. e4 e5 1-0')`);
  try {
    for (const [name, kind] of [['..', 'player'], ['.', 'tournament']]) {
      await page.goto(`${base}/games?player=Dots,+Dora`);
      await page.locator('table.games tbody tr a.beside').filter({ hasText: new RegExp(`^${name.replaceAll('.', '\\.')}$`) }).click();
      await page.waitForURL(url => url.pathname === `/${kind}/` && url.searchParams.get('name') === name);
      await until(page, name, name => document.querySelector('h1')?.textContent.trim() === name, name);
      await page.reload();
      await until(page, `${name} again`, name => document.querySelector('h1')?.textContent.trim() === name, name);
    }
  } finally {
    sql(`DELETE FROM chess.games WHERE black_id = (SELECT id FROM chess.players WHERE name = 'Dots, Dora')`);
  }
});

test('filters stay in the address', async () => {
  await page.goto(at('player', FISCHER));
  await done(page);
  await page.locator('.chip.add').click();
  equal('a filter for the player would be of no use', await page.locator('dialog #player').count(), 0);
  await page.locator('#until').fill('1960');
  await page.getByRole('button', { name: 'Show games' }).click();
  await page.waitForURL(/until=1960/);
  await done(page);
  const wanted = number(`SELECT games FROM chess.player_report(${quoted(FISCHER)}, dates => '[,1961-01-01)', sections => '{summary}')`);
  equal('fewer games', toNumber(await page.locator('.summary dd').first().textContent()), wanted);
  await page.reload();
  await done(page);
  equal('also after a reload', toNumber(await page.locator('.summary dd').first().textContent()), wanted);
  await page.locator('.actions a', { hasText: 'Games' }).click();
  await page.waitForSelector('table.games tbody tr');
  await settled(page);
  equal('the list has them', await page.locator('table.games tbody tr').count(), wanted);
});

test('only the games of a file, or those with a pattern', async () => {
  const chips = () => page.locator('.filters .chip:not(.add)').allTextContents();
  const idle = () => page.locator('.filters .idle').allTextContents();
  const games = async () => (await page.locator('.summary dd').first().textContent()).split(',')[0];
  for (const source of [1, 2]) {
    const [[player, wanted]] = sql(`SELECT p.name, (SELECT games FROM chess.player_report(p.name, sections => '{summary}', sources => '{${source}}')) FROM chess.players p JOIN chess.games g ON g.white_id = p.id WHERE g.source_id = ${source} ORDER BY 2 DESC, 1 LIMIT 1`);
    await page.goto(at('player', player, `?source=${source}`));
    await done(page);
    equal(`${player}, of file ${source}`, await games(), wanted);
    equal('no filter is left out', [(await chips()).length, await idle()], [1, []]);
    await page.goto(`${base}/opening?play=e2e4&source=${source}`);
    await done(page);
    equal(`1. e4, of file ${source}`, await games(), one(`SELECT count(*) FROM chess.games WHERE source_id = ${source} AND hasboard(game, finalboard('1. e4'))`));
  }
  await page.goto(at('player', FISCHER, '?pattern=Nd5&source=1&annotated=1&color=white'));
  await done(page);
  equal('with a pattern', await games(), one(`SELECT count(*) FROM chess.pgn_view WHERE ${quoted(FISCHER)} IN (white, black) AND game @@ 'Nd5'`));
  equal('what does not hold', await idle(), ['Does not hold here: with comments remove']);
  // what the report leads to has the same games
  const opening = new URL(await page.locator('table.figures', { hasText: 'With White' }).first().locator('tbody a').first().getAttribute('href'), base).searchParams;
  equal('an opening', ['pattern', 'source', 'player', 'color'].map(name => opening.get(name)), ['Nd5', '1', FISCHER, 'white']);
  await page.locator('.actions a', { hasText: 'Games' }).click();
  await page.waitForSelector('table.games tbody tr');
  equal('his list', Object.fromEntries(new URL(page.url()).searchParams), { player: FISCHER, source: '1', pattern: 'Nd5' });
  // the form has them, too
  await page.goto(`${base}/opening?play=e2e4&symmetries=1&source=1`);
  await done(page);
  equal('symmetries', await idle(), ['Does not hold here: symmetric positions remove']);
  await page.locator('.chip.add').click();
  await page.locator('dialog summary').click();
  await page.locator('dialog #pattern').fill('Nd5');
  await page.getByRole('button', { name: 'Show games' }).click();
  await page.waitForURL(/pattern=Nd5/);
  await done(page);
  equal('the file stays', [new URL(page.url()).searchParams.get('source'), await games()], ['1', one("SELECT count(*) FROM chess.games WHERE source_id = 1 AND hasboard(game, finalboard('1. e4')) AND game @@ 'Nd5'")]);
});

test('a position that is searched for goes along to a player and to endings', async () => {
  const chips = () => page.locator('.filters .chip:not(.add)').allTextContents();
  const idle = () => page.locator('.filters .idle').allTextContents();
  const games = async () => toNumber((await page.locator('.summary dd').first().textContent()).split(',')[0]);
  const fen = one("SELECT finalboard('1. e4')::text");
  const reach = `${quoted(FISCHER)} IN (white, black) AND hasboard(game, finalboard('1. e4'))`;
  const wanted = number(`SELECT count(*) FROM chess.pgn_view WHERE ${reach}`);
  yes('some of his games', wanted > 0 && wanted < number(`SELECT count(*) FROM chess.pgn_view WHERE ${quoted(FISCHER)} IN (white, black)`));
  await page.goto(`${base}/search?fen=${encodeURIComponent(fen)}&player=${encodeURIComponent(FISCHER)}&symmetries=1`);
  await page.waitForSelector('table.games tbody tr');
  await openFirst(page, 'table.games');
  await page.waitForURL(/\/game\//);
  equal('the report on the opening is on all games', await page.locator('.facts a[href^="/opening"]').getAttribute('title'), 'On all games, not only on those that you search for');
  yes('and its address has no other position', !new URL(await page.locator('.facts a[href^="/opening"]').getAttribute('href'), base).searchParams.has('fen'));
  await page.locator('.players a', { hasText: 'Fischer' }).click();
  await page.waitForURL(/\/player\//);
  await done(page);
  equal('the position', new URL(page.url()).searchParams.get('fen'), fen);
  equal('only these games', [await games(), await chips(), await idle()], [wanted, ['that reach this position'], ['Does not hold here: symmetric positions remove']]);
  await page.locator('.actions a', { hasText: 'Games' }).click();
  await page.waitForSelector('table.games tbody tr');
  await settled(page);
  equal('the list has them', [await page.locator('table.games tbody tr').count(), await chips()], [wanted, ['that reach this position', `with ${FISCHER}`]]);
  await page.goto(at('player', FISCHER, `?pieces=${encodeURIComponent('8/8/8/3N4/8/8/8/8')}`));
  await done(page);
  equal('pieces', [await games(), await chips()], [number(`SELECT count(*) FROM chess.pgn_view WHERE ${quoted(FISCHER)} IN (white, black) AND game @@ 'board(8/8/8/3N4/8/8/8/8)'`), ['with these pieces on the board']]);
  await page.getByRole('button', { name: 'Remove: with these pieces on the board' }).click();
  await page.waitForURL(url => !url.search);
  await page.goto(at('player', FISCHER, `?fen=${encodeURIComponent(fen)}&with=${encodeURIComponent(SPASSKY)}`));
  await page.getByRole('button', { name: 'that reach this position', exact: true }).click();
  await page.waitForURL(/\/search/);
  equal('what is searched for, of this player', Object.fromEntries(new URL(page.url()).searchParams), { fen, player: FISCHER });
  await page.goto(`${base}/endings?fen=${encodeURIComponent(fen)}&player=${encodeURIComponent(FISCHER)}`);
  await page.waitForSelector('.endings details');
  equal('endings', [(await chips())[0], await idle()], ['that reach this position', []]);
  equal('what was thrown away in them', (await api(`/api/endings/thrown?player=${encodeURIComponent(FISCHER)}&fen=${encodeURIComponent(fen)}`)).status, 200);
  await page.goto(`${base}/tournament/x?fen=${encodeURIComponent(fen)}&source=1`);
  await page.waitForSelector('.filters');
  equal('a tournament', await idle(), ['Does not hold here: that reach this position remove']);
});

test('two side by side', async () => {
  await page.goto(at('player', FISCHER));
  await done(page);
  await page.locator('#compare').fill('spasski');
  await page.keyboard.press('Enter');
  await page.waitForURL(url => url.searchParams.get('with') === SPASSKY);
  await done(page);
  equal('both names', await page.locator('.report > section').first().locator('h3').allTextContents(), [FISCHER, SPASSKY]);
  const games = await page.locator('.summary dd:first-of-type').evaluateAll(all => all.filter(dd => dd.previousSibling.textContent === 'Games').map(dd => dd.textContent));
  equal('games', games, [FISCHER, SPASSKY].map(name => one(`SELECT games FROM chess.player_report(${quoted(name)}, sections => '{summary}')`)));
  const met = number(`SELECT count(*) FROM chess.pgn_view WHERE ARRAY[white, black] @> ARRAY[${quoted(FISCHER)}, ${quoted(SPASSKY)}]`);
  const rows = await figures(page, 'Results of');
  equal('against each other', rows.reduce((sum, row) => sum + Number(row[1]), 0), met);
  // those who have not met
  await page.goto(at('player', FISCHER, '?with=Archer,+Ann'));
  await done(page);
  await until(page, 'they have not', () => /They have not met/.test(document.querySelector('main').textContent));
});

test('each year leads to the games that it counts', async () => {
  let found = 0;
  for (const place of [at('player', FISCHER, '?since=1958-06&until=1970-04'), `${base}/opening?play=e2e4&since=1958-06&until=1970-04`]) {
    await page.goto(place);
    await done(page);
    const links = page.locator('table.figures', { has: page.locator('caption', { hasText: 'By year' }) }).locator('a[href*=since]');
    const years = await links.evaluateAll(all => all.map(a => [a.search, a.closest('tr').cells[1].textContent]));
    found += years.length;
    for (const [query, games] of years) equal(`${place}: ${query}`, (await api(`/api/games/count${query}`)).body.games, toNumber(games));
  }
  yes('years', found > 2);
});

test('what two have played against each other is asked again', async () => {
  const other = await open('', {}, [/status of 504/]);
  const away = /player\?.*(white|black)=Spassky/;
  await other.route(away, route => route.fulfill({ status: 504, json: { error: 'too long' } }));
  await other.goto(at('player', FISCHER, `?with=${encodeURIComponent(SPASSKY)}`));
  const part = other.locator('div', { has: other.getByRole('heading', { name: 'Against each other' }) }).last();
  await part.getByText('too long').waitFor();
  await other.unroute(away);
  await part.getByRole('button', { name: 'Try again' }).click();
  await until(other, 'the results', () => [...document.querySelectorAll('caption')].some(caption => /Results of/.test(caption.textContent)));
  await other.context().close();
});

test('the parts come one after the other, and can be cancelled', async () => {
  const other = await open('');
  let hold = true;
  await other.route(/sections=white_opening/, route => (hold ? undefined : route.continue()));
  await other.goto(at('player', FISCHER));
  await until(other, 'the first figures, before the others', () => document.querySelector('.summary') && /Part 3 of 6/.test(document.querySelector('.progress').textContent));
  equal('progress', await other.locator('.progress progress').evaluate(bar => [bar.value, bar.max]), [2, 6]);
  const [gone] = await Promise.all([other.waitForEvent('requestfailed'), other.getByRole('button', { name: 'Cancel' }).click()]);
  yes('the question is taken back', /white_opening/.test(gone.url()));
  hold = false;
  await other.getByRole('button', { name: 'Go on' }).click();
  await done(other);
  yes('the rest', (await figures(other, 'Ended by')).length);
  await other.context().close();
});

test('a part that takes too long does not keep the others away', async () => {
  const other = await open('', {}, [/status of 504/]);
  let late = true;
  await other.route(/sections=white_opening/, route => (late ? route.fulfill({ status: 504, json: { error: 'the search takes too long' } }) : route.continue()));
  await other.goto(at('player', FISCHER));
  await done(other);
  yes('the rest', (await figures(other, 'Ended by')).length);
  const part = other.locator('section', { has: other.locator('h2', { hasText: 'Openings' }) });
  yes('it says why', /the search takes too long/.test(await part.textContent()));
  late = false;
  await part.getByRole('button', { name: 'Try again' }).click();
  await part.locator('table').first().waitFor();
  equal('one link to the SQL', await part.locator('.sql-link').count(), 1);
  await other.context().close();
});

test('as Markdown', async () => {
  await page.goto(at('player', FISCHER));
  await done(page);
  await page.getByRole('button', { name: 'Markdown' }).click();
  await until(page, 'copied', () => document.querySelector('.said')?.textContent === 'Markdown copied');
  const text = await page.evaluate(() => navigator.clipboard.readText());
  const games = one(`SELECT games FROM chess.player_report(${quoted(FISCHER)}, sections => '{summary}')`);
  for (const part of [`# ${FISCHER}`, '## Results', `- Games: ${games}`, '**By colour**', '| Colour | Games |', '| --- | --- |', '| White | 3 | won 100 %, drawn 0 %, lost 0 %']) yes(`${part}, in: ${text.slice(0, 900)}`, text.includes(part));
  await page.goto(at('player', '<img src=x onerror=alert(1)>'));
  await done(page);
  await page.getByRole('button', { name: 'Markdown' }).click();
  await becomes(() => page.evaluate(async () => (await navigator.clipboard.readText()).startsWith('# \\<img')));
  yes('no markup comes from a name', (await page.evaluate(() => navigator.clipboard.readText())).startsWith('# \\<img src=x onerror=alert(1)>'));
});

test('an opening: by position, by name, by code', async () => {
  await page.goto(`${base}/?play=e2e4,e7e5`);
  await page.locator('.opening a', { hasText: 'Report' }).click();
  await page.waitForURL(url => url.pathname === '/opening' && url.searchParams.get('play') === 'e2e4,e7e5');
  await done(page);
  const call = more => `chess.opening_report(finalboard('1. e4 e5'), ${more})`;
  equal('games', (await page.locator('.summary dd').first().textContent()).split(',')[0], one(`SELECT games FROM ${call("sections => '{summary}'")}`));
  equal('continuations', (await figures(page, 'Lines')).filter(row => /^2\. /.test(row[0])).map(row => [row[0].slice(3), row[1]]), sql(`SELECT detail ->> 'move', games FROM ${call("sections => '{line}'")} WHERE (detail ->> 'ply')::integer = 1 ORDER BY games DESC, item`));
  equal('players', (await figures(page, 'With White')).map(row => row.slice(0, 2)), sql(`SELECT item, games FROM ${call("sections => '{white_player}', count => 12")}`));
  equal('model games', await page.locator('.its-games').first().locator('tbody tr').count(), Math.min(5, number(`SELECT count(*) FROM ${call("sections => '{best_rated}', count => 5")}`)) || Math.min(5, number(`SELECT count(*) FROM ${call("sections => '{newest}', count => 5")}`)));
  await page.locator('table.figures a', { hasText: '2. Nf3' }).click();
  await page.waitForURL(url => url.searchParams.get('play') === 'e2e4,e7e5,g1f3');
  await done(page);
  yes('the board has moved on', await page.locator('.words').textContent().then(text => /f3/.test(text)));
  await page.locator('.actions a', { hasText: 'Explorer' }).click();
  await page.waitForURL(url => url.pathname === '/' && url.searchParams.get('play') === 'e2e4,e7e5,g1f3');
  await page.goto(`${base}/opening`);
  await done(page);
  const lines = most => number(`SELECT count(*) FROM chess.opening_report(startboard(), sections => '{line}') WHERE (detail ->> 'ply')::integer <= ${most}`);
  equal('lines', (await figures(page, 'Lines')).length, lines(4));
  await page.getByRole('button', { name: 'Longer lines' }).click();
  equal('longer ones', (await figures(page, 'Lines')).length, lines(8));
  for (const [name, heading, play] of [['B20', /^B20 Sicilian Defense$/, 'e2e4,c7c5'], ['sicilian defense: najdorf variation', /Najdorf/, /a7a6$/], ['King\'s Gambit', /King's Gambit/, 'e2e4,e7e5,f2f4']]) {
    await page.goto(at('opening', name));
    await page.waitForURL(url => url.pathname === '/opening');
    const { searchParams } = new URL(page.url());
    yes(`${name}: ${searchParams}`, play instanceof RegExp ? play.test(searchParams.get('play')) : searchParams.get('play') === play);
    await page.waitForSelector('.note, .summary');
    await until(page, `${name}: its heading`, pattern => new RegExp(pattern).test(document.querySelector('h1').textContent), heading.source);
  }
  await page.goto(at('opening', 'Nonsense opening'));
  await until(page, 'none', () => /No opening has this name/.test(document.querySelector('main').textContent));
  await page.goto(`${base}/opening?fen=8/8/8/8/8/5k2/5p2/5K2+w+-+-+0+1`);
  await until(page, 'no games', () => /No games here/.test(document.querySelector('main').textContent));
  await page.goto(`${base}/opening?fen=nonsense`);
  await until(page, 'no position', () => /Invalid position/.test(document.querySelector('main').textContent));
});

test('every name leads to its page', async () => {
  await page.goto(`${base}/games?player=${encodeURIComponent(FISCHER)}`);
  await page.waitForSelector('table.games tbody tr');
  const row = page.locator('table.games tbody tr').first();
  await row.locator('a.beside', { hasText: 'Fischer' }).click();
  await page.waitForURL(url => decodeURIComponent(url.pathname) === `/player/${FISCHER}`);
  await page.goBack();
  await row.locator('.event a.beside').click();
  await page.waitForURL(/\/tournament\//);
  await page.goBack();
  // beside the names the row leads to the game
  await row.click({ position: { x: 1150, y: 10 } });
  await page.waitForURL(/\/game\//);
  await page.waitForSelector('.moves button');
  for (const [link, target] of [['.player a', /^\/player\//], ['.facts a >> nth=0', /^\/tournament\//], ['.facts + .facts a', /^\/opening/]]) {
    await page.locator(link).first().click();
    await page.waitForURL(url => target.test(url.pathname));
    await page.goBack();
    await page.waitForSelector('.moves button');
  }
});
