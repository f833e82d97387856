// In: chess-web over demo/famous.pgn and games.pgn. Out: an error unless long searches can be cancelled, boards and notebooks of
// others say why they cannot be opened and how to get a copy, views say why they cannot be loaded, empty lists say what to do
// next, and on a phone the comment of an analysis stands under the board.
import { base, equal, open, settled, test, until, yes } from './browser.mjs';

test('a long search can be cancelled, and asked again', async () => {
  const page = await open('');
  let ask = true;
  await page.route(/\/api\/games\?/, route => (ask ? undefined : route.continue()));
  await page.goto(`${base}/games?pattern=Nd5`);
  const cancel = page.getByRole('button', { name: 'Cancel' });
  await cancel.waitFor();
  equal('a bar without an end', await page.locator('.game-list progress:indeterminate').count(), 1);
  const [gone] = await Promise.all([page.waitForEvent('requestfailed'), cancel.click()]);
  yes('the question is taken back', /api\/games\?/.test(gone.url()));
  ask = false;
  await page.getByRole('button', { name: 'Search again' }).click();
  await page.waitForSelector('table.games tbody tr');
  await page.context().close();
});

test('a board and a notebook of somebody else', async () => {
  const owner = await open('/analysis');
  await owner.getByRole('button', { name: 'Paste PGN' }).click();
  await owner.locator('dialog textarea').fill('1. e4 e5 *');
  await owner.getByRole('button', { name: 'Load', exact: true }).click();
  await owner.waitForURL(/\/analysis\/\d+/);
  const page = await open('', {}, [/status of 404/]);
  await page.goto(owner.url());
  await until(page, 'why', () => /cannot open this board/.test(document.querySelector('main').textContent) && /browser that saved it/.test(document.querySelector('main').textContent));
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  await page.locator('dialog textarea').fill('1. d4 d5 *');
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await until(page, 'the copy', () => /d5/.test(document.querySelector('.moves')?.textContent));
  await page.waitForURL(url => /^\/analysis\/\d+$/.test(url.pathname) && url.href !== owner.url());
  await page.goto(`${base}/n/999999`);
  await until(page, 'a notebook', () => /cannot open this notebook/.test(document.querySelector('main').textContent) && /browser that saved it/.test(document.querySelector('main').textContent));
  await owner.context().close();
  await page.context().close();
});

test('a view that is loaded later says why it cannot be', async () => {
  const page = await open('', {}, [/net::ERR_FAILED|status of 404/]);
  // as of another version of the page
  await page.route(/\/reports\.js\?/, route => (gone ? route.continue({ url: `${base}/reports.js?0123456789abcdef` }) : route.continue()));
  let gone = true;
  await page.goto(`${base}/openings`);
  await page.getByRole('alert').filter({ hasText: 'cannot be loaded' }).waitFor();
  yes('the page goes on', await page.locator('nav a').count());
  // what is left meanwhile does not come back
  await page.getByRole('link', { name: 'Explorer' }).click();
  await page.waitForSelector('.explorer-moves');
  await page.goBack();
  await page.getByRole('alert').filter({ hasText: 'cannot be loaded' }).waitFor();
  gone = false;
  await page.getByRole('button', { name: 'Load again' }).click();
  await page.waitForSelector('.openings summary');
  await page.context().close();
});

test('an empty list says what to do next', async () => {
  const page = await open('/games?player=Nobody+at+all&result=1-0');
  await page.getByRole('button', { name: 'All games' }).click();
  await page.waitForSelector('table.games tbody tr');
  await settled(page);
  await page.context().close();
});

test('on a phone the comment of an analysis stands under the board', async () => {
  const page = await open('/analysis', { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  await page.locator('dialog textarea').fill('1. e4 {Best by test.} e5 {The open games.} *');
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  const comment = page.locator('.comment-under');
  await until(page, 'the last one', () => document.querySelector('.comment-under').textContent === 'The open games.');
  await page.getByRole('button', { name: 'Back (←)' }).click();
  await until(page, 'it follows', () => document.querySelector('.comment-under').textContent === 'Best by test.');
  const [board, box] = [await page.locator('cg-board').boundingBox(), await comment.boundingBox()];
  yes('under the board', box.y >= board.y + board.height && box.y + box.height <= 740);
  await page.context().close();
});
