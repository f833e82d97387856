// This service worker opens the page without the network. In: requests of the page, and the hashes of the files of this version,
// which the server writes below. Out: the server's answers, or without the network the files of the last version that was loaded
// completely.
//
// A new version is never hidden. Pages, app.js and app.css come from the server whenever it answers; only files that are asked for
// by their hash come from the cache first. A new version of the page changes the bytes of this script. Browsers look for that with
// each page, and install the new script only if all its files have arrived; then the old cache is deleted. Requests to the API are
// not touched.
const FILES = {};
const BASE = new URL('.', location.href).href;
/** The hashes of the page in its languages. */
const PAGES = Object.keys(FILES)
  .filter(name => name.endsWith('.html'))
  .map(name => FILES[name]);
/** What the first view needs; the empty name is that of the page. */
const SHELL = { '': PAGES, 'app.css': [FILES['app.css']], 'app.js': [FILES['app.js']] };
const CACHE = `${BASE} ${Object.values(FILES).join(' ')}`;

const is = (response, hashes) => response.ok && hashes.some(hash => response.headers.get('ETag')?.includes(hash));

/** A file of this version from the server. */
async function load(name, hashes) {
  const response = await fetch(BASE + name, { cache: 'no-cache' });
  if (!is(response, hashes)) throw new Error(`"${name}" is of another version`);
  return response;
}

async function install() {
  const loaded = await Promise.all(Object.entries(SHELL).map(async ([name, hashes]) => [name, await load(name, hashes)]));
  // the table of the language in which the page has come
  const table = `${loaded[0][1].headers.get('Content-Language')}.js`;
  const hash = FILES[table];
  if (hash) loaded.push([`${table}?${hash}`, await load(`${table}?${hash}`, [hash])]);
  const cache = await caches.open(CACHE);
  await Promise.all(loaded.map(([name, response]) => cache.put(BASE + name, response)));
  await skipWaiting();
}

async function activate() {
  const old = (await caches.keys()).filter(name => name.startsWith(`${BASE} `) && name !== CACHE);
  await Promise.all(old.map(name => caches.delete(name)));
  // The page that installed the worker is controlled at once, so that what it loads later is kept, too.
  await clients.claim();
}

const kept = name => caches.match(BASE + name, { cacheName: CACHE, ignoreVary: true });

/** Keeps the page in the language in which it was loaded last. */
const keepPage = async response => (await caches.open(CACHE)).put(BASE, response);

/** From the server; without the network what is kept. */
async function fromServer(event, name) {
  const { request } = event;
  try {
    const response = await fetch(request);
    if (!name && is(response, PAGES)) event.waitUntil(keepPage(response.clone()));
    // Browsers do not ask for a password when a worker sends the request, so the worker must go for that.
    if (response.status === 401 && request.mode === 'navigate') await registration.unregister();
    return response;
  } catch (error) {
    const found = await kept(name);
    if (found) return found;
    throw error;
  }
}

/** A file that never changes under its name. */
async function ofThisVersion(request, name) {
  const found = await kept(name);
  if (found) return found;
  const response = await fetch(request);
  if (response.ok) await (await caches.open(CACHE)).put(BASE + name, response.clone());
  return response;
}

addEventListener('install', event => event.waitUntil(install()));
addEventListener('activate', event => event.waitUntil(activate()));
addEventListener('fetch', event => {
  const { request } = event;
  if (request.method !== 'GET' || !request.url.startsWith(BASE)) return;
  const name = request.url.slice(BASE.length).split('#')[0];
  const [path, hash] = name.split('?');
  if (request.mode === 'navigate') {
    if (!path.startsWith('api/')) event.respondWith(fromServer(event, ''));
  } else if (path && Object.hasOwn(SHELL, name)) event.respondWith(fromServer(event, name));
  else if (hash && Object.hasOwn(FILES, path) && FILES[path] === hash) event.respondWith(ofThisVersion(request, name));
});
