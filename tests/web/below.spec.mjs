// In: chess-web with --base-path, at CHESS_WEB_URL with that path; KEEPER as in scripts/test-web.sh. Out: an error unless the page
// works below a path of its site: every link, file and question is below it, addresses can be reloaded, and what visitors save
// and add does not know the path.
import { base, equal, number, one, open, openFirst, settled, test, until, yes } from './browser.mjs';

const BASE = new URL(base).pathname;
const path = page => page.evaluate(() => location.pathname);
let page;
const asked = [];
test.beforeAll(async () => {
  page = await open('');
  page.on('request', request => asked.push(new URL(request.url())));
});
test.afterAll(() => {
  const outside = asked.filter(url => url.protocol === 'http:' && url.pathname !== BASE && !url.pathname.startsWith(`${BASE}/`));
  equal('what is asked outside', outside.map(String), []);
});

test('from view to view', async () => {
  yes('the tests run below a path', BASE.length > 1);
  await page.goto(`${base}/`);
  await until(page, 'the moves', () => document.querySelector('table.explorer-moves'));
  await page.locator('#move').fill('e4');
  await page.keyboard.press('Enter');
  await page.waitForURL(url => url.pathname === `${BASE}/` && url.search === '?play=e2e4');
  for (const name of ['Games', 'Search', 'Notebooks', 'Puzzles', 'Add games']) {
    await page.locator('header nav').getByRole('link', { name, exact: true }).click();
    await settled(page);
    yes(`${name} is marked`, (await page.locator('header nav [aria-current]').textContent()) === name);
    yes(`${name} is below`, (await path(page)).startsWith(`${BASE}/`));
  }
  const links = await page.evaluate(() => [...document.querySelectorAll('a[href^="/"]')].map(link => link.getAttribute('href')));
  equal('links that lead out', links.filter(link => !link.startsWith(`${BASE}/`)), []);
});

test('the page in another language', async () => {
  const other = await open('', { locale: 'de-DE' });
  // the address of the site has no slash at its end
  await other.goto(base);
  await other.locator('header nav a', { hasText: 'Suche' }).waitFor();
  await other.locator('header select').selectOption('en');
  await other.locator('header nav a', { hasText: 'Search' }).waitFor();
  await other.goto(`${base}/notebooks`);
  await other.locator('main h1', { hasText: 'Notebooks' }).waitFor();
  const [{ path }] = (await other.context().cookies()).filter(({ name }) => name === 'language');
  equal('whose cookie it is', path, BASE);
  await other.context().close();
});

test('a game out of a list, its neighbour, and back', async () => {
  await page.goto(`${base}/games?sort=rating`);
  await page.waitForSelector('table.games tbody tr');
  await settled(page);
  await openFirst(page, 'table.games');
  await page.waitForURL(url => url.pathname.startsWith(`${BASE}/game/`));
  const first = await path(page);
  await page.getByRole('button', { name: 'Next game' }).click();
  await page.waitForURL(url => url.pathname.startsWith(`${BASE}/game/`) && url.pathname !== first);
  await until(page, 'the moves of the neighbour', () => document.querySelector('.moves'));
  await settled(page);
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/#1$/);
  await page.reload();
  await until(page, 'the game', () => document.querySelector('.moves [aria-current]'));
  await page.goBack();
  await page.goto(`${base}/player/${encodeURIComponent('Kasparov, Garry')}`);
  await until(page, 'a report, whose code comes later', () => document.querySelector('main table'));
});

test('what visitors keep', async () => {
  await page.goto(`${base}/analysis`);
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  await page.locator('dialog textarea').fill('1. e4 e5 2. Nf3 *');
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await page.waitForURL(url => new RegExp(`^${BASE}/analysis/\\d+$`).test(url.pathname));
  await page.getByRole('button', { name: 'Share' }).click();
  const link = await page.locator('#shared-link').inputValue();
  yes(`a link to this page: ${link}`, link.startsWith(`${base}/shared/`));
  const other = await open('');
  await other.goto(link);
  await until(other, 'the board that is shared', () => /Nf3/.test(document.querySelector('main').textContent));
  await other.context().close();
});

test('added games', async () => {
  const before = number('SELECT count(*) FROM chess.games');
  await page.goto(`${base}/add`);
  await page.setInputFiles('#files', { name: 'below.pgn', mimeType: 'application/octet-stream', buffer: Buffer.from('[White "Below"]\n[Black "Path"]\n\n1. Nh3 Nh6 2. Ng5 Ng4 1/2-1/2\n') });
  await until(page, 'the end', () => /1 game added/.test(document.querySelector('main').textContent));
  equal('games', number('SELECT count(*) FROM chess.games'), before + 1);
  one("DELETE FROM chess.games WHERE id = (SELECT max(id) FROM chess.games)");
});
