// In: chess-web over demo/famous.pgn and games.pgn. Out: an error unless long searches can be cancelled, boards and notebooks of
// others say why they cannot be opened and how to get a copy, arrows and squares that are drawn are kept and undone, views say why they cannot be loaded, empty lists say what to do
// next, and on a phone the comment of an analysis stands under the board.
import { readFileSync } from 'node:fs';
import { base, equal, heard, open, plain, settled, square, test, until, yes } from './browser.mjs';

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
  await until(page, 'why', () => /cannot open this board/.test(document.querySelector('main').textContent) && /on its owner’s devices/.test(document.querySelector('main').textContent));
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  await page.locator('dialog textarea').fill('1. d4 d5 *');
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await until(page, 'the copy', () => /d5/.test(document.querySelector('.moves')?.textContent));
  await page.waitForURL(url => /^\/analysis\/\d+$/.test(url.pathname) && url.href !== owner.url());
  await page.goto(`${base}/n/999999`);
  await until(page, 'a notebook', () => /cannot open this notebook/.test(document.querySelector('main').textContent) && /on its owner’s devices/.test(document.querySelector('main').textContent));
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

/** Draws an arrow, or a circle on one square, with the right button. */
async function draw(page, from, to = from) {
  const [a, b] = [await square(page, from), await square(page, to)];
  await page.mouse.move(a.x, a.y);
  await page.mouse.down({ button: 'right' });
  await page.mouse.move(b.x, b.y, { steps: 3 });
  // the board draws what it has seen of the mouse
  await page.waitForFunction(() => document.querySelector('.cg-shapes g > g'));
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.mouse.up({ button: 'right' });
  await heard(page);
}
const drawn = (page, what, wanted) => until(page, what, wanted => document.querySelectorAll('.cg-shapes g > g').length === wanted, wanted);
const saved = page => until(page, 'it is saved', () => document.querySelector('.saving').textContent === 'saved');
async function download(page) {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()]);
  return plain(readFileSync(await file.path(), 'utf8'));
}

test('arrows and squares that are drawn stay with the move', async () => {
  const page = await open('/analysis');
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  await page.locator('dialog textarea').fill('1. e4 {Best by test.} e5 *');
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await page.waitForURL(/\/analysis\/\d+/);
  const to = name => page.locator('.moves button.move', { hasText: name }).click();
  await to('e4');
  await draw(page, 'g8', 'f6');
  await draw(page, 'd5');
  await saved(page);
  await to('e5');
  await drawn(page, 'not with another move', 0);
  await page.reload();
  await page.locator('.moves button.move').first().waitFor();
  await to('e4');
  await drawn(page, 'both are back', 2);
  equal('in the file', /1\. e4 \{ ?Best by test\. \[%csl Gd5\] \[%cal Gg8f6\] ?\}/.test(await download(page)), true);
  // the same arrow again takes it away, and that can be undone
  await draw(page, 'g8', 'f6');
  await drawn(page, 'one is left', 1);
  const undo = page.getByRole('button', { name: 'Undo' });
  await undo.click();
  await drawn(page, 'undone', 2);
  yes('nothing more to undo', await undo.isDisabled());
  // a comment is one change, however many letters it has
  await page.locator('#comment').pressSequentially(' Indeed.');
  await page.locator('.moves button.move', { hasText: 'e5' }).click();
  await page.getByRole('button', { name: 'Delete from here' }).click();
  await until(page, 'deleted', () => !/e5/.test(document.querySelector('.moves').textContent));
  await undo.click();
  await until(page, 'the move is back', () => /e5/.test(document.querySelector('.moves').textContent));
  yes('with the comment', /Indeed/.test(await page.locator('.moves').textContent()));
  await undo.click();
  await until(page, 'the comment before', () => !/Indeed/.test(document.querySelector('.moves').textContent));
  yes('and the arrows', (await download(page)).includes('[%cal Gg8f6]'));
  await page.context().close();
});

test('those in a notebook, and of a game that is analyzed', async () => {
  const page = await open('/notebooks');
  await page.locator('#notebook-name').fill('Drawn');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/\/n\/\d+/);
  await page.waitForSelector('#note');
  await page.locator('#note').fill('Think');
  await draw(page, 'e2', 'e4');
  await saved(page);
  await page.reload();
  await drawn(page, 'the arrow is back', 1);
  yes('in the file', (await download(page)).includes('{ Think [%cal Ge2e4] }'));
  await page.getByRole('button', { name: 'Undo' }).click();
  await drawn(page, 'undone', 0);
  await page.goto(`${base}/games`);
  await page.locator('table.games a.open').first().press('Enter');
  await page.waitForSelector('.moves button.move');
  await page.keyboard.press('ArrowRight');
  await draw(page, 'e2', 'e4');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  await drawn(page, 'it stays while the game is read', 1);
  await page.getByRole('button', { name: 'Analyze', exact: true }).click();
  await page.waitForURL(/\/analysis\?game=/);
  await drawn(page, 'and goes with it', 1);
  await draw(page, 'a1');
  await page.waitForURL(/\/analysis\/\d+$/);
  await page.reload();
  await page.locator('.moves button.move').first().click();
  await drawn(page, 'kept', 2);
  await page.context().close();
});
