// In: chess-web over demo/famous.pgn and games.pgn. Out: an error unless a tournament is shown as docs/tournaments.md says, by each
// kind, every sign and every game leads to a game of the two players, and an event that was held several times has a choice.
import { api, base, equal, number, open, quoted, settled, sql, test, until, yes } from './browser.mjs';

const GAMES = { w: '1. e4 e5 2. Nf3 1-0', b: '1. f3 e5 2. g4 0-1', d: '1. d4 d5 2. c4 1/2-1/2' };
/** [White, Black, result, round] */
const EVENTS = {
  'Quad of Nowhere': [['1', '2', 'w', 1], ['3', '4', 'd', 1], ['1', '3', 'd', 2], ['4', '2', 'w', 2], ['4', '1', 'b', 3], ['2', '3', 'b', 3]],
  'Swiss of Nowhere': [['1', '2', 'w', 1], ['3', '4', 'w', 1], ['5', '6', 'd', 1], ['7', '8', 'b', 1], ['1', '3', 'w', 2], ['8', '5', 'd', 2], ['6', '2', 'b', 2], ['4', '7', 'w', 2]],
  'Cup of Nowhere': [['1', '2', 'w', 1], ['2', '1', 'd', 1], ['3', '4', 'b', 1], ['4', '3', 'd', 1], ['1', '4', 'd', 2], ['4', '1', 'b', 2]],
};
const name = n => `Zebra${n}, <b>Zoe</b>`;
const remove = "DELETE FROM chess.games WHERE event_id IN (SELECT id FROM chess.events WHERE name LIKE '% of Nowhere'); DELETE FROM chess.events WHERE name LIKE '% of Nowhere'; DELETE FROM chess.players WHERE name LIKE 'Zebra%'";

let page;
test.beforeAll(async () => {
  const rows = Object.entries(EVENTS).flatMap(([event, games]) => games.map(([white, black, result, round]) => `(${[event, 'Nowhere', `2001.02.0${round}`, String(round), name(white), name(black)].map(quoted)}, ${quoted(GAMES[result])})`));
  // another year of the first one
  rows.push(`('Quad of Nowhere', 'Nowhere', '2011.02.01', '1', ${quoted(name(1))}, ${quoted(name(2))}, ${quoted(GAMES.w)})`);
  sql(`INSERT INTO chess.pgn_view (event, site, date, round, white, black, game) VALUES ${rows}`);
  page = await open('');
});
test.afterAll(() => void sql(remove));

const at = event => `${base}/tournament/${encodeURIComponent(event)}`;
const ready = () => until(page, 'the table', () => document.querySelector('.crosstable'));

test('the API gives the rows of SQL', async () => {
  for (const [event, kind] of [['Cup of Nowhere', ''], ['Swiss of Nowhere', 'swiss'], ['Swiss of Nowhere', 'all-play-all']]) {
    const { status, body } = await api(`/api/crosstable?${new URLSearchParams({ event, kind })}`);
    const rows = sql(`SELECT rank, player, points, array_to_string(results, ' | ') FROM chess.crosstable(${quoted(event)}${kind && `, kind => '${kind}'`})`);
    equal(`${event} ${kind}`, [status, body.players.map(line => [String(line.rank), line.name, String(line.points), line.results.join(' | ')])], [200, rows]);
    equal('its SQL', sql(body.sql).length, rows.length);
  }
  const { body } = await api('/api/tournaments?event=Quad+of+Nowhere');
  equal('two years, the newest first', body.tournaments.map(t => [t.first, t.games, t.players]), [['2011-02-01', 1, 2], ['2001-02-01', 6, 4]]);
  equal('one by its game', (await api(`/api/tournaments?event=Quad+of+Nowhere&game=${body.tournaments[1].game}`)).body.tournaments, [body.tournaments[1]]);
  equal('one by its year', (await api('/api/crosstable?event=Quad+of+Nowhere&since=2001&until=2001')).body.tournament, body.tournaments[1]);
  for (const [query, status] of [['event=Quad+of+Nowhere', 400], ['event=No+such+event', 404], ['', 400], ['event=Cup+of+Nowhere&kind=chess', 400], ['event=Cup+of+Nowhere&game=x', 400], ['event=Cup+of+Nowhere&unknown=1', 400]]) equal(`crosstable?${query}`, (await api(`/api/crosstable?${query}`)).status, status);
});

test('an event that was held twice', async () => {
  await page.goto(at('Quad of Nowhere'));
  await until(page, 'a choice', () => document.querySelectorAll('.names tbody tr').length === 2);
  await page.locator('.names tbody tr', { hasText: '2001' }).locator('a').click();
  await ready();
  const table = await page.locator('.crosstable tbody tr').evaluateAll(rows => rows.map(row => [...row.cells].map(cell => cell.textContent)));
  const wanted = sql("SELECT player, results FROM chess.crosstable('Quad of Nowhere', dates => '[2001-01-01,2002-01-01)')");
  equal('names and signs', table.map(row => [row[1], `{${row.slice(4, 8).map((sign, i) => sign || (wanted[table.indexOf(row)][1].slice(1, -1).split(',')[i] === 'x' ? 'x' : '')).join(',')}}`]), wanted);
  equal('games below', await page.locator('.names tbody tr').count(), 6);
  await page.locator('a', { hasText: 'Other times' }).click();
  await until(page, 'the choice again', () => document.querySelectorAll('.names tbody tr').length === 2);
});

test('only the games of a file', async () => {
  // each round from another file
  sql("UPDATE chess.games SET source_id = CASE round WHEN '1' THEN 1 ELSE 2 END, source_offset = id WHERE event_id IN (SELECT id FROM chess.events WHERE name = 'Swiss of Nowhere')");
  await page.goto(`${at('Swiss of Nowhere')}?source=1&player=Nobody`);
  await ready();
  equal('games', await page.locator('section[aria-label=Games] tbody tr').count(), 4);
  equal('its table', await page.locator('.crosstable tbody tr').count(), number("SELECT count(*) FROM chess.crosstable('Swiss of Nowhere', sources => '{1}')"));
  equal('what does not hold', await page.locator('.filters .idle').textContent(), 'Does not hold here: with Nobody remove');
  yes('the list beside it', (await page.locator('.actions a', { hasText: 'As a list' }).getAttribute('href')).includes('source=1'));
  await page.getByRole('link', { name: 'Remove: with Nobody' }).click();
  await page.waitForURL(url => !url.searchParams.has('player') && url.searchParams.get('source') === '1');
  await page.locator('.filters .chip .remove').click();
  await until(page, 'all games', () => document.querySelectorAll('section[aria-label=Games] tbody tr').length === 8);
  sql("UPDATE chess.games SET source_id = NULL, source_offset = NULL WHERE event_id IN (SELECT id FROM chess.events WHERE name = 'Swiss of Nowhere')");
});

for (const [event, kind] of [['Cup of Nowhere', 'knockout'], ['Swiss of Nowhere', 'swiss'], ['Swiss of Nowhere', 'all-play-all']])
  test(`${event} as ${kind}: each sign leads to its game`, async () => {
    await page.goto(at(event));
    await ready();
    if (kind === 'all-play-all') {
      await page.getByLabel('Kind of tournament').selectOption(kind);
      await page.waitForURL(/kind=all-play-all/);
      await until(page, 'a square', () => document.querySelector('.crosstable.square'));
    }
    yes('its kind', (await page.locator('.facts').textContent()).endsWith(kind));
    const links = await page.locator('.crosstable tbody tr').evaluateAll(rows => rows.flatMap(row => [...row.querySelectorAll('.cell a')].map(a => [row.querySelector('th').textContent, a.getAttribute('href').slice(6), a.textContent])));
    equal('two for each game', links.length, 2 * EVENTS[event].length);
    equal('all of them', new Set(links.map(link => link[1])).size, EVENTS[event].length);
    for (const [player, id, sign] of links) {
      const tags = Object.fromEntries((await api(`/api/games/${id}`)).body.tags);
      const points = { '1-0': ['1', '0'], '0-1': ['0', '1'], '1/2-1/2': ['½', '½'] }[tags.Result];
      equal(`${player} ${sign}`, sign, tags.White === player ? points[0] : tags.Black === player ? points[1] : 'not his game');
    }
    await page.locator('.crosstable th a').first().click();
    await page.waitForURL(/\/player\//);
  });

test('games that belong to no tournament, and no event', async () => {
  const page = await open('', {}, []);
  await page.goto(`${base}/tournament`);
  await page.locator('#tournament').fill('Cup of Nowhere');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/tournament\/Cup/);
  await page.waitForSelector('.crosstable');
  await page.goto(at('No such event'));
  await until(page, 'none', () => /belong to a tournament/.test(document.querySelector('main').textContent));
  await settled(page);
  await page.context().close();
  equal('nothing is left behind', number("SELECT count(*) FROM chess.pgn_view WHERE event = 'No such event'"), 0);
});
