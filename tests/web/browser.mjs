// In: CHESS_WEB_URL, the address of a running chess-web; the variables of libpq, which lead to its database; SLOW=n for a
// browser that is n times slower, in which answers and the board's own timers come late.
// Out: for the tests beside this file Playwright's `test`, pages that fail a test at an error on their console or a report of
// the content security policy, and SQL.
import { execFileSync } from 'node:child_process';
import { test as playwright, expect } from '@playwright/test';
import { PATIENCE } from './playwright.config.mjs';

export const base = (process.env.CHESS_WEB_URL ?? '').replace(/\/$/, '');
if (!base) throw new Error('CHESS_WEB_URL is not set: run scripts/test-web.sh');

let browser;
const reports = [];
/** Fails the test that runs, or the next one. */
export const report = text => void reports.push(text);

export const test = playwright.extend({
  // pages are opened before all tests of a file as well, where only fixtures of the worker exist
  launched: [
    async ({ browser: launched }, use) => {
      browser = launched;
      await use();
    },
    { scope: 'worker', auto: true },
  ],
  reported: [
    async ({}, use) => {
      await use();
      expect(reports.splice(0), 'reports of the pages').toEqual([]);
    },
    { auto: true },
  ],
});

/** Compares two values; the test goes on after a difference. */
export const equal = (what, found, expected) => expect.soft(found, what).toStrictEqual(expected);
export const yes = (what, found) => expect.soft(!!found, what).toBe(true);

/** Rows of a query, as arrays of text. */
export function sql(query) {
  const out = execFileSync(process.env.PSQL ?? 'psql', ['-X', '-q', '-A', '-t', '-F', '\x1f', '-R', '\x1e', '-v', 'ON_ERROR_STOP=1', '-c', query], { encoding: 'utf8', maxBuffer: 1 << 26 });
  const text = out.replace(/\n$/, '');
  return text ? text.split('\x1e').map(row => row.split('\x1f')) : [];
}
export const one = query => sql(query)[0]?.[0];
export const number = query => Number(one(query));
/** Text as a literal of SQL. */
export const quoted = text => `'${text.replace(/'/g, "''")}'`;

/** Asks the API. */
export async function api(path) {
  const response = await fetch(base + path);
  return { status: response.status, body: await response.json() };
}

const slow = Number(process.env.SLOW) || 0;

/** Counts the requests that are under way in a page. In a slow page, answers and events of the board come late. */
function observe(slow) {
  window.waitsFor = 0;
  const begin = window.setTimeout.bind(window);
  const late = () => slow && new Promise(done => begin(done, Math.random() * 300));
  const ask = window.fetch.bind(window);
  window.fetch = async (...question) => {
    window.waitsFor++;
    const answered = () => begin(() => window.waitsFor--);
    try {
      const answer = await ask(...question);
      // the stream of an engine stays open
      if (/event-stream/.test(answer.headers.get('content-type'))) answered();
      for (const read of ['text', 'json']) {
        const whole = answer[read].bind(answer);
        answer[read] = () => whole().finally(late).finally(answered);
      }
      return answer;
    } catch (error) {
      answered();
      throw error;
    }
  };
  if (slow) window.setTimeout = (work, ms, ...rest) => begin(work, ms === 1 ? Math.random() * 30 : ms, ...rest);
}

/** A page of its own, with its own cookies; without its service worker, which would answer the requests that tests hold, unless `options` allow one. */
export async function newPage(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.addInitScript(observe, slow);
  if (!options.serviceWorkers) await page.addInitScript(() => delete Navigator.prototype.serviceWorker);
  if (slow) await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: slow });
  return page;
}

/** The same. A report on its console fails the test unless it is `allowed`. */
export async function open(path, options = {}, allowed = []) {
  const page = await newPage(options);
  const said = text => {
    if (!allowed.some(pattern => pattern.test(text))) report(`${page.url()}: ${text}`);
  };
  page.on('console', message => ['error', 'warning'].includes(message.type()) && said(message.text()));
  page.on('pageerror', error => said(String(error)));
  page.on('dialog', dialog => {
    if (dialog.type() === 'alert') report(`${page.url()} runs a game's tag as a script`);
    void dialog.accept();
  });
  await page.addInitScript(() => addEventListener('securitypolicyviolation', event => console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`)));
  if (path) await page.goto(base + path);
  return page;
}

/** Waits until no request is under way and the last answer is drawn. */
export async function settled(page) {
  await page.waitForFunction(() => window.waitsFor === 0);
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Waits until a function of the test returns true; gives up after minutes. */
export async function becomes(test) {
  for (const end = Date.now() + PATIENCE; !(await test()) && Date.now() < end; ) await new Promise(done => setTimeout(done, 100));
}

/** The address according to the page, which knows it before the browser reports it. */
export const address = async page => new URL(await page.evaluate(() => location.href));

/** Waits until a function in the page gives true. */
export const until = (page, what, test, argument) =>
  page.waitForFunction(test, argument).catch(error => {
    throw new Error(`${what}, at ${page.url()}: ${error.message}`);
  });

/** The middle of a square on the board. */
export async function square(page, name, black = false) {
  const box = await page.locator('cg-board').boundingBox();
  const file = name.charCodeAt(0) - 97;
  const rank = Number(name[1]) - 1;
  const [x, y] = black ? [7 - file, rank] : [file, 7 - rank];
  return { x: box.x + ((x + 0.5) * box.width) / 8, y: box.y + ((y + 0.5) * box.height) / 8 };
}
/** Waits until the board has reported its last event to the page, which takes a moment. */
export const heard = page => page.evaluate(() => new Promise(done => setTimeout(done, 30)));
/** Opens the first game of a list. The link of a row covers it, but for the names, and has no box of its own. */
export async function openFirst(page, list) {
  const cell = await page.locator(`${list} td.result`).first().boundingBox();
  await page.mouse.click(cell.x + cell.width / 2, cell.y + cell.height / 2);
}
/** Plays a move on the board. */
export async function drag(page, from, to, black = false) {
  const [a, b] = [await square(page, from, black), await square(page, to, black)];
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2, { steps: 3 });
  await page.mouse.move(b.x, b.y, { steps: 3 });
  // only a piece that has begun to move is moved
  await page.waitForSelector('piece.dragging');
  await page.mouse.up();
  await heard(page);
}

/** The text with ordinary spaces: numbers of the page have narrow ones. */
export const plain = text => text.replace(/[\u202f\u2009\s]+/g, ' ').trim();
export const toNumber = text => Number(text.replace(/[^\d-]/g, ''));

/** The table of moves as the page shows it. */
export const table = page =>
  page.evaluate(() =>
    [...document.querySelectorAll('table.explorer-moves tbody tr')].map(row => {
      const text = name => (row.querySelector(`.${name}`)?.textContent ?? '').replace(/[^\d.,<–%a-zA-Z+#=O-]/g, '');
      return {
        uci: row.dataset.uci,
        san: row.querySelector('.san').textContent,
        games: text('games'),
        share: text('share'),
        bar: row.querySelector('.bar [role=img]')?.getAttribute('aria-label') ?? '',
        ofPosition: row.querySelector('.bar .of-position')?.getAttribute('aria-label') ?? '',
        score: text('score'),
        average: text('averageRating'),
        performance: text('performance'),
        last: text('lastPlayed'),
        reached: text('reached'),
      };
    }),
  );
