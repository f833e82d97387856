// In: CHESS_WEB, the program; READER and KEEPER, how it reads games and keeps sessions; RESTART_SERVER, a command that
// restarts PostgreSQL at once; the variables of libpq. Out: an error unless filters, notebooks and boards are there again
// after kill -9 of chess-web and a crash of the server, and the page goes on by itself.
import { execFileSync, spawn } from 'node:child_process';
import { drag, equal, newPage, number, one, report, settled, test, until, yes } from './browser.mjs';

let program;
/** Starts chess-web, on a free port or a given one, and waits for its address. */
const start = (port = 0) =>
  new Promise((done, failed) => {
    program = spawn(process.env.CHESS_WEB, ['--database', process.env.READER, '--sessions', process.env.KEEPER, '--listen', `127.0.0.1:${port}`], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    program.stdout.on('data', data => {
      said += data;
      const found = /http:\/\/127\.0\.0\.1:(\d+)/.exec(said);
      if (found) done(Number(found[1]));
    });
    program.on('exit', code => code && failed(new Error(`chess-web ends with ${code}`)));
    program.on('error', failed);
  });
const killed = () =>
  new Promise(done => {
    program.removeAllListeners('exit');
    program.once('exit', done);
    program.kill('SIGKILL');
  });
const restart = () => execFileSync('bash', ['-c', process.env.RESTART_SERVER], { stdio: ['ignore', 'inherit', 'inherit'] });

let port, base, page, context;
test.beforeAll(async () => {
  port = await start();
  base = `http://127.0.0.1:${port}`;
  page = await newPage();
  context = page.context();
  page.on('pageerror', error => report(String(error)));
});

let book, board;
test('a filter, a notebook and a board are made', async () => {
  await page.goto(`${base}/?player=Fischer%2C+Robert+James&since=1960`);
  await page.waitForSelector('.explorer-moves');
  await page.locator('.filters .chip.add').click();
  await page.locator('dialog #view-name').fill('Bobby');
  await page.locator('dialog .saved button[type=submit]').click();
  await until(page, 'the filter is saved', () => [...document.querySelectorAll('dialog .saved li')].some(li => li.textContent === 'Bobby'));
  await page.keyboard.press('Escape');

  await page.goto(`${base}/notebooks`);
  await page.locator('#notebook-name').fill('My <i>Najdorf</i>');
  await page.locator('#notebook-color').selectOption('black');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/\/n\//);
  await until(page, 'the board of the notebook, from Black’s side', () => document.querySelector('.orientation-black') && document.querySelector('#note'));
  await drag(page, 'e2', 'e4', true);
  await until(page, 'a node', () => /1\. e4/.test(document.querySelector('.node-side label').textContent));
  await drag(page, 'c7', 'c5', true);
  await until(page, 'a second node', () => /c5/.test(document.querySelector('.node-side label').textContent));
  await page.locator('#note').fill('Always, & <b>without</b> fear.');
  await until(page, 'the note is saved', () => document.querySelector('.saving').textContent === 'saved');
  book = page.url();
  await page.locator('#note').fill('Always, & <b>without</b> fear!');
  // the last change is still on its way when the page is left
  for (let n = 0; n < 100; n++) {
    await page.reload();
    await page.waitForSelector('#note');
    if ((await page.locator('#note').inputValue()).endsWith('!')) break;
  }
  equal('what was typed last is kept when the page goes away', await page.locator('#note').inputValue(), 'Always, & <b>without</b> fear!');

  await page.goto(`${base}/analysis`);
  await page.waitForSelector('#board-name');
  await page.locator('#board-name').fill('Gambits');
  await drag(page, 'e2', 'e4');
  await drag(page, 'e7', 'e5');
  await page.keyboard.press('Escape');
  await page.locator('h1').click();
  await page.keyboard.press('ArrowLeft');
  await drag(page, 'c7', 'c5');
  await until(page, 'a variation', () => /c5/.test(document.querySelector('.node-side label').textContent));
  await page.locator('#comment').fill('Sharper.');
  equal('the comment is typed', await page.locator('#comment').inputValue(), 'Sharper.');
  await page.waitForURL(/\/analysis\/.+/);
  await until(page, 'the board is saved', () => document.querySelector('.saving').textContent === 'saved');
  board = page.url();
  await page.locator('#comment').fill('Sharper. ');
  await page.locator('.moves button').first().click();
  await until(page, 'the click that ends the typing counts', () => /e4/.test(document.querySelector('.node-side label').textContent));
});

const isThere = async (what, shown) => {
  await shown.goto(book);
  await shown.waitForSelector('#note');
  equal(`${what}: the note`, await shown.locator('#note').inputValue(), 'Always, & <b>without</b> fear!');
  equal(`${what}: its name`, await shown.locator('h1').textContent(), 'My <i>Najdorf</i>');
  equal(`${what}: its moves`, await shown.locator('.moves .move').allTextContents(), ['e4', 'c5']);
  await shown.goto(board);
  await shown.waitForSelector('.moves .variation');
  equal(`${what}: the board's name`, await shown.locator('#board-name').inputValue(), 'Gambits');
  equal(`${what}: its moves`, await shown.locator('.moves .move').allTextContents(), ['e4', 'e5', 'c5']);
  yes(`${what}: its comment`, /Sharper\./.test(await shown.locator('.moves').textContent()));
  await shown.goto(`${base}/?player=Fischer%2C+Robert+James`);
  await shown.waitForSelector('.filters .chip.add');
  await shown.locator('.filters .chip.add').click();
  await shown.waitForSelector('dialog .saved li');
  equal(`${what}: the filter`, await shown.locator('dialog .saved li').allTextContents(), ['Bobby']);
};

test('they are there after kill -9 and a crash of the server', async () => {
  const cookies = await context.cookies();
  await killed();
  restart();
  yes('the server is another one', number('SELECT count(*) FROM chess.games') > 0);
  equal('on the same port', await start(port), port);
  await isThere('after both', page);
  equal('the same visitor', (await context.cookies()).map(c => c.value), cookies.map(c => c.value));
});

test('they are there after a crash of the server alone', async () => {
  restart();
  await isThere('after a crash', page);
});

test('the page waits for a server that is away, and goes on by itself', async () => {
  await page.goto(`${base}/`);
  await page.waitForSelector('.explorer-moves');
  await killed();
  await page.locator('tr[data-uci=e2e4]').click();
  await page.waitForSelector('.failure');
  yes('it says so', /does not answer/.test(await page.locator('.failure').textContent()));
  await start(port);
  await until(page, 'the answer after all', () => document.querySelector('tr[data-uci=c7c5]'));
});

test('behind a proxy, too, whose words are not shown', async () => {
  await page.goto(`${base}/`);
  await page.waitForSelector('.explorer-moves');
  const html = '<html><head><title>502 Bad Gateway</title></head></html>';
  await page.route('**/api/**', route => route.fulfill({ status: 502, contentType: 'text/html', body: html }));
  await page.locator('tr[data-uci=d2d4]').click();
  await page.waitForSelector('.failure');
  equal('it says so', await page.locator('.failure p').first().textContent(), 'The server does not answer.');
  await page.unroute('**/api/**');
  await until(page, 'the answer after all', () => document.querySelector('tr[data-uci=g8f6]'));
});

test('others do not see them, and the database has no cookie', async () => {
  const other = await newPage();
  await other.goto(`${base}/notebooks`);
  await other.waitForSelector('form.inline');
  await settled(other);
  equal('no notebook of others', await other.locator('.cards li').count(), 0);
  await other.goto(book);
  await until(other, 'none by its address', () => /cannot open this notebook/.test(document.querySelector('main').textContent));
  const secret = (await context.cookies()).map(c => c.value);
  yes('a cookie', secret.length === 1 && secret[0].length >= 32);
  equal('kept as a hash alone', one(`SELECT count(*) FROM chess_web.devices d WHERE d::text LIKE '%${secret[0].slice(0, 16).replace(/[^\w-]/g, '_')}%'`), '0');
});

test('all of it can be taken away', async () => {
  page.on('dialog', dialog => dialog.accept().catch(() => {}));
  await page.goto(`${base}/notebooks`);
  await page.getByRole('button', { name: 'Delete My <i>Najdorf</i>' }).click();
  await until(page, 'no notebook', () => document.querySelector('.notebooks .note'));
  await page.goto(`${base}/analysis`);
  await page.getByRole('button', { name: 'Delete Gambits' }).click();
  await until(page, 'no board', () => !document.querySelector('.cards li'));
});

test.afterAll(killed);
