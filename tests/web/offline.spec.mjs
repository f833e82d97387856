// In: chess-web with sessions over demo/famous.pgn and games.pgn, behind a proxy of this file that can change the version of the
// page and go away. Out: an error unless the page can be installed, opens without the network as the last version that was there
// as a whole, and shows a new version with the first load when the server answers.
import { createServer, request } from 'node:http';
import { base, becomes, equal, open, settled, test, yes } from './browser.mjs';

/** What the proxy changes: `--version` in the style, and the hash of the style. */
let version = '1';
/** Files that it does not answer. */
let missing = [];
const hashes = {};
for (const name of ['app.css', 'index.html']) hashes[name] = (await fetch(`${base}/${name}`)).headers.get('etag').replaceAll('"', '');
const hashed = () => `${hashes['app.css'].slice(0, -1)}${version}`;
function changed(path, text) {
  if (path === '/app.css') return `${text}\n:root { --version: ${version}; }`;
  return path === '/sw.js' ? text.replace(hashes['app.css'], hashed()) : text;
}
const { hostname, port } = new URL(base);
const server = createServer((asked, answer) => {
  const path = asked.url.split('?')[0];
  if (missing.includes(path)) return void asked.socket.destroy();
  const headers = { ...asked.headers, host: `${hostname}:${port}`, 'accept-encoding': 'identity' };
  delete headers['if-none-match'];
  delete headers.origin;
  const onward = request({ hostname, port, path: asked.url, method: asked.method, headers }, async answered => {
    const chunks = [];
    for await (const chunk of answered) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const told = { ...answered.headers };
    if (path === '/app.css') told.etag = `"${hashed()}"`;
    delete told['content-length'];
    answer.writeHead(answered.statusCode, told);
    answer.end(['/app.css', '/sw.js'].includes(path) ? changed(path, body.toString()) : body);
  });
  asked.pipe(onward);
});
const listen = port => new Promise(done => server.listen(port, '127.0.0.1', done));
await listen(0);
const at = server.address().port;
const site = `http://127.0.0.1:${at}`;
async function away() {
  const closed = new Promise(done => server.close(done));
  server.closeAllConnections();
  await closed;
}
const allowed = [/ERR_CONNECTION_REFUSED|ERR_FAILED|ERR_EMPTY_RESPONSE|ERR_INTERNET_DISCONNECTED|Failed to fetch|status of 404/];
const shown = page => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--version').trim());
/** Waits until the worker of a version has all of its files, and answers. */
async function kept(page, of) {
  const hash = `${hashes['app.css'].slice(0, -1)}${of}`;
  const has = () =>
    page.evaluate(async hash => {
      const names = await caches.keys();
      const { installing, waiting, active } = (await navigator.serviceWorker.getRegistration()) ?? {};
      return names.length === 1 && names[0].includes(hash) && !installing && !waiting && active?.state === 'activated';
    }, hash);
  await becomes(has);
  yes(`version ${of} is kept`, await has());
}

test.afterAll(() => server.listening && away());

test('the page can be installed', async () => {
  const page = await open('', { serviceWorkers: 'allow' }, allowed);
  await page.goto(`${site}/`);
  const session = await page.context().newCDPSession(page);
  const { errors, data, url } = await session.send('Page.getAppManifest');
  equal('the manifest', [url, errors], [`${site}/manifest.webmanifest`, []]);
  equal('what it says', [JSON.parse(data).display, JSON.parse(data).start_url], ['standalone', '.']);
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  // pages of a test have no profile that keeps anything
  equal('nothing speaks against it', installabilityErrors.map(({ errorId }) => errorId).filter(id => id !== 'in-incognito'), []);
  await page.context().close();
});

test('without the network, and with a new version', async () => {
  const page = await open('', { serviceWorkers: 'allow' }, allowed);
  version = '1';
  await page.goto(`${site}/`);
  await page.waitForSelector('.explorer-moves');
  await kept(page, '1');
  // a view that is loaded now is there later
  await page.goto(`${site}/notebooks`);
  await page.waitForSelector('form.inline');
  await away();
  await page.goto(`${site}/notebooks`);
  await page.locator('main [role=alert]').waitFor();
  equal('its words', [await page.locator('main h1').textContent(), /The server does not answer/.test(await page.locator('main').textContent())], ['Notebooks', true]);
  equal('as it was', await shown(page), '1');
  yes('a board', await page.locator('cg-board piece').count());
  await page.goto(`${site}/puzzles`);
  await page.getByRole('button', { name: 'Load again' }).waitFor();
  // it goes on by itself
  await page.goto(`${site}/notebooks`);
  await page.locator('main [role=alert]').waitFor();
  await listen(at);
  await page.waitForSelector('form.inline');
  // a new version is there with the first load
  version = '2';
  await page.reload();
  await page.waitForSelector('form.inline');
  equal('the new one at once', await shown(page), '2');
  await kept(page, '2');
  // one that is not there as a whole is shown, and not kept
  version = '3';
  missing = ['/app.js'];
  equal('an update', await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    await registration.update();
    const { installing } = registration;
    await new Promise(done => installing.addEventListener('statechange', done));
    return installing.state;
  }), 'redundant');
  await away();
  await page.reload();
  await page.locator('main [role=alert]').waitFor();
  equal('the last whole version', await shown(page), '2');
  missing = [];
  await listen(at);
  await page.reload();
  await page.waitForSelector('form.inline');
  equal('the newest', await shown(page), '3');
  await kept(page, '3');
  await page.context().close();
});

test('without the network the page is in the language in which it was loaded last', async () => {
  const page = await open('', { serviceWorkers: 'allow', locale: 'de-DE' }, allowed);
  version = '1';
  const word = async text => {
    await page.goto(`${site}/notebooks`);
    await page.locator('main h1', { hasText: text }).waitFor();
  };
  await page.goto(`${site}/`);
  await page.waitForSelector('.explorer-moves');
  await kept(page, '1');
  // views are kept once they are opened
  await word('Notizbücher');
  await away();
  await word('Notizbücher');
  equal('what the page says', await page.locator('main [role=alert] p').first().innerText(), 'Der Server antwortet nicht.');
  await listen(at);
  await word('Notizbücher');
  await page.locator('header select').selectOption('en');
  await page.locator('main h1', { hasText: 'Notebooks' }).waitFor();
  await settled(page);
  await away();
  await word('Notebooks');
  equal('its language', await page.locator('html').getAttribute('lang'), 'en');
  await listen(at);
  await page.context().close();
});

test('answers of the API are not kept, and errors are shown', async () => {
  const page = await open('', { serviceWorkers: 'allow' }, [...allowed, /status of 401/]);
  version = '1';
  await page.goto(`${site}/`);
  await kept(page, '1');
  await page.goto(`${site}/games`);
  await page.waitForSelector('table.games tbody tr');
  const names = await page.evaluate(async () => (await Promise.all((await caches.keys()).map(async name => (await caches.open(name)).keys()))).flat().map(({ url }) => url));
  yes(`no questions: ${names}`, names.length >= 3 && !names.some(name => name.includes('/api/')));
  equal('a path that the page does not have', (await page.goto(`${site}/nowhere`)).status(), 404);
  await page.context().close();
});
