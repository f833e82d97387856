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
/** What the first view needs; the empty name is that of the page. */
const SHELL = { '': FILES['index.html'], 'app.css': FILES['app.css'], 'app.js': FILES['app.js'] };
const CACHE = `${BASE} ${Object.values(FILES).join(' ')}`;

/** A file of this version from the server. */
async function load(name, hash) {
  const response = await fetch(BASE + name, { cache: 'no-cache' });
  if (!response.ok || !response.headers.get('ETag')?.includes(hash)) throw new Error(`"${name}" is of another version`);
  return response;
}

async function install() {
  const loaded = await Promise.all(Object.entries(SHELL).map(async ([name, hash]) => [name, await load(name, hash)]));
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

/** From the server; without the network what is kept. */
async function fromServer(request, name) {
  try {
    const response = await fetch(request);
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
    if (!path.startsWith('api/')) event.respondWith(fromServer(request, ''));
  } else if (path && Object.hasOwn(SHELL, name)) event.respondWith(fromServer(request, name));
  else if (hash && Object.hasOwn(FILES, path) && FILES[path] === hash) event.respondWith(ofThisVersion(request, name));
});
