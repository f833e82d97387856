// In: CHESS_WEB, the program; LOADER, chess-pgn; PSQL; the variables of libpq; DIR, the server's directory. Out: an error unless
// visitors can add games, by file, by drop and by paste, and see what became of each; unless files that are hostile, torn or too
// large are refused and leave nothing behind; unless a load that is cancelled can go on; unless sources can be removed.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { becomes, drag, equal, open, openFirst, settled, test, until, yes } from './browser.mjs';

const psql = (...sql) => execFileSync(process.env.PSQL, ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-d', 'desk', ...sql.flatMap(text => ['-c', text])], { encoding: 'utf8' }).trim();
const games = () => Number(psql('SELECT count(*) FROM chess.games'));
const temporary = mkdtempSync(join(tmpdir(), 'chess-web-test-'));
const left = () => readdirSync(temporary);
const FAMOUS = readFileSync('demo/famous.pgn');
const SERVER = `host=${process.env.DIR} dbname=desk`;

const started = [];
/** A chess-web on the database desk; its address. */
function serve(words, shell = 'exec "$@"') {
  const program = spawn('sh', ['-c', shell, 'sh', process.env.CHESS_WEB, '-l', '127.0.0.1:0', ...words], { env: { ...process.env, TMPDIR: temporary }, stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(program);
  return new Promise(done => program.stdout.on('data', data => done(String(data).trim().replace(/\/$/, ''))));
}
test.afterAll(() => started.forEach(program => program.kill()));

/** Sends a file as a program does; the status and what the server says. */
const post = (base, name, bytes, headers = {}) =>
  fetch(`${base}/api/uploads?name=${encodeURIComponent(name)}`, { method: 'POST', headers: { 'Content-Type': 'application/octet-stream', ...headers }, body: bytes })
    .then(async answer => ({ status: answer.status, body: await answer.json() }));
const jobs = async base => (await (await fetch(`${base}/api/uploads`)).json()).uploads;
/** The job of a number at its end. */
async function ended(base, id) {
  let job;
  await becomes(async () => {
    job = (await jobs(base)).find(job => job.id === id);
    return ['done', 'failed', 'cancelled'].includes(job.stage);
  });
  return job;
}
const load = async (base, name, bytes) => ended(base, (await post(base, name, bytes)).body.id);
const member = (name, text) => execFileSync('python3', ['-c', 'import io, sys, zipfile\nb = io.BytesIO()\nz = zipfile.ZipFile(b, "w", zipfile.ZIP_DEFLATED)\nz.writestr(sys.argv[1], sys.stdin.read())\nz.close()\nsys.stdout.buffer.write(b.getvalue())', name], { input: text });

let base, page;
test.beforeAll(async () => {
  execFileSync(process.env.PSQL, ['-X', '-q', '-c', 'DROP DATABASE IF EXISTS desk', '-c', 'CREATE DATABASE desk']);
  psql('CREATE EXTENSION chess', 'REVOKE TEMPORARY ON DATABASE desk FROM PUBLIC', 'GRANT CREATE, TEMPORARY ON DATABASE desk TO chess_web',
    'ALTER DEFAULT PRIVILEGES FOR ROLE chess_web GRANT USAGE ON SCHEMAS TO chess_web_read', 'ALTER DEFAULT PRIVILEGES FOR ROLE chess_web GRANT SELECT ON TABLES TO chess_web_read');
  base = await serve(['-d', `${SERVER} user=chess_web_read`, `--sessions=${SERVER} user=chess_web`, '--upload', '--upload-limit', '2']);
  // The explorer may ask before it knows that there are no tables yet, and one test is too late with a change, and one has a proxy.
  page = await open('', {}, [/status of 502/, /status of 503/, /status of 409/]);
});

test('the first games, into an empty database', async () => {
  await page.goto(base);
  await page.locator('main .note a', { hasText: 'add games' }).click();
  await page.waitForURL(/\/add$/);
  await page.setInputFiles('#files', 'demo/famous.pgn');
  await until(page, 'the outcome', () => /^\d+ games added$/.test(document.querySelector('.job > span')?.textContent ?? ''));
  equal('all games of the file', await page.locator('.job > span').textContent(), `${games()} games added`);
  equal('indexes come with them', Number(psql("SELECT count(*) FROM pg_indexes WHERE schemaname = 'chess' AND tablename = 'games'")) > 8, true);
  equal('the file in the list', await page.locator('.cards .file').textContent(), 'famous.pgn');
  for (const link of ['.job > span a', '.cards a']) {
    await page.goto(`${base}/add`);
    await page.locator(link).click();
    await page.waitForURL(/\/games\?source=\d+&sort=loaded/);
    await page.locator('.chip', { hasText: 'from famous.pgn' }).waitFor();
    await until(page, `${link}: its games`, n => document.querySelector('.list-head .total')?.textContent === `${n} games`, games());
  }
  const [last] = await page.locator('table.games tbody tr').first().evaluateAll(rows => rows.map(row => row.dataset.id));
  equal('the last one first', last, (await (await fetch(`${base}/api/games?sort=id&limit=200`)).json()).games.at(-1).id);
  await page.locator('nav a', { hasText: 'Explorer' }).click();
  await page.waitForSelector('table.explorer-moves');
  equal('nothing is left of the file', left(), []);
});

test('games that are known, incomplete or rejected are named', async () => {
  await page.goto(`${base}/add`);
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  const [known] = FAMOUS.toString().split(/\n\n(?=\[Event )/);
  await page.locator('dialog textarea').fill(`${known}\n\n[White "One"]\n[Black "<b>Two</b>"]\n\n1. e4 e5 2. Ke3 Ke7 1-0\n\n[White "Three"]\n\n1. d4 d5 1-0\n`);
  const before = games();
  await page.getByRole('button', { name: 'Add to the database' }).click();
  await until(page, 'the outcome', () => document.querySelector('.job > span')?.textContent === '2 games added, 1 of them incomplete, 1 known already');
  equal('several games pasted are several games', games(), before + 2);
  await page.getByRole('button', { name: /Rejected games of pasted/ }).click();
  await page.waitForSelector('dialog details');
  yes('why', /Game 2, line \d+: .*Ke3/.test(await page.locator('dialog summary').textContent()));
  await page.locator('dialog summary').click();
  yes('its text, as text', /<b>Two<\/b>/.test(await page.locator('dialog pre').textContent()) && (await page.locator('dialog b').count()) === 0);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/rejected.png` });
  await page.getByRole('button', { name: 'Correct it and add it again' }).click();
  const corrected = (await page.locator('dialog textarea').inputValue()).replace('Ke3', 'Ke2');
  await page.locator('dialog textarea').fill(corrected);
  await page.getByRole('button', { name: 'Add to the database' }).click();
  await until(page, 'it is whole', () => document.querySelector('.job > span')?.textContent === '1 game added');
  await page.getByRole('button', { name: /Rejected games of pasted/ }).click();
  await page.locator('dialog summary').click();
  await page.locator('dialog a', { hasText: 'What could be read' }).click();
  await page.waitForURL(/\/game\//);
});

/** Drops a file; true if the page has taken it, and the browser does not open it. */
const drop = (name, bytes, on = 'main') => page.evaluate(([name, bytes, on]) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(bytes)], name));
  const event = type => new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data });
  return ['dragover', 'drop'].every(type => !document.querySelector(on).dispatchEvent(event(type)));
}, [name, [...bytes], on]);

test('a file that is dropped, and the same file again', async () => {
  const text = '[White "Dropped"]\n[Black "By the mouse"]\n\n1. c4 e5 2. g3 *\n';
  await page.goto(`${base}/games`);
  await page.waitForSelector('table.games tbody tr');
  await drop('my games.zip', member('../../inside.pgn', text));
  await until(page, 'the outcome', () => document.querySelector('.job[aria-label="my games.zip"] > span')?.textContent === '1 game added');
  equal('the name of the source', psql("SELECT name FROM chess.sources WHERE name LIKE 'my games%'"), 'my games.zip: ../../inside.pgn');
  await drop('renamed.zip', member('../../inside.pgn', text));
  await until(page, 'known', () => document.querySelector('.job[aria-label="renamed.zip"] > span')?.textContent === '0 games added, 1 known already');
  await page.goto(`${base}/games?player=Dropped`);
  await page.waitForSelector('table.games tbody tr');
});

test('a file that is dropped on a dialog is for that dialog', async () => {
  const before = psql('SELECT count(*) FROM chess.sources');
  const text = '[White "For the dialog"]\n\n1. Na3 *\n';
  await page.goto(`${base}/analysis/new`);
  await page.waitForURL(/\/analysis$/);
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  yes('it is taken', await drop('for-the-dialog.pgn', Buffer.from(text), 'dialog h2'));
  await until(page, 'the text', text => document.querySelector('dialog .pgn').value === text, text);
  equal('the page stays', new URL(page.url()).pathname, '/analysis');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Keys (?)' }).click();
  yes('a dialog without a field takes none, and the browser opens none', await drop('for-nobody.pgn', Buffer.from(text), 'dialog h2'));
  await settled(page);
  equal('the page still stays', new URL(page.url()).pathname, '/analysis');
  // what leads elsewhere closes the dialog
  await page.evaluate(() => document.querySelector('nav a[href$="/games"]').click());
  await page.waitForURL(/\/games$/);
  equal('no dialog', await page.locator('dialog').count(), 0);
  equal('nothing is added', psql('SELECT count(*) FROM chess.sources'), before);
});

test('several at once: each game once', async () => {
  const file = n => Array.from({ length: 40 }, (_, at) => `[White "Side by side ${at + 20 * n}"]\n\n1. e4 e5 2. Nf3 *\n`).join('\n');
  const done = await Promise.all([0, 1, 2].map(n => load(base, `side${n}.pgn`, file(n))));
  equal('all are done', done.map(job => job.stage), ['done', 'done', 'done']);
  equal('of 120 games 80 are different', [done.reduce((sum, job) => sum + job.stored, 0), done.reduce((sum, job) => sum + job.known, 0), Number(psql("SELECT count(*) FROM chess.pgn_view WHERE white LIKE 'Side by side%'"))], [80, 40, 80]);
});

test('what is refused', async () => {
  const before = games();
  const says = async (what, status, part, answer) => {
    const { status: found, body } = await answer;
    equal(what, [found, body.error.includes(part) || body.error], [status, true]);
  };
  await says('another site', 403, 'other sites', post(base, 'a.pgn', '1. e4 *\n', { 'Sec-Fetch-Site': 'cross-site' }));
  await says('another origin', 403, 'other sites', post(base, 'a.pgn', '1. e4 *\n', { Origin: 'http://evil.example' }));
  await says('a form', 415, 'Content-Type', post(base, 'a.pgn', '1. e4 *\n', { 'Content-Type': 'text/plain' }));
  await says('nothing', 400, 'empty', post(base, 'a.pgn', ''));
  await says('a database', 400, 'SQLite', post(base, 'a.pgn', 'SQLite format 3\0and more'));
  await says('too long, and it says so', 413, 'more than', post(base, 'a.pgn', Buffer.alloc(2 ** 21 + 1, ' ')));
  const late = await new Promise(done => {
    let status;
    const headers = { 'Content-Type': 'application/octet-stream', 'Content-Length': 2 ** 23 };
    const sent = request(`${base}/api/uploads`, { method: 'POST', headers }, answer => {
      status = answer.statusCode;
      answer.resume();
      sent.end(Buffer.alloc(2 ** 23, ' '));
    });
    sent.on('error', error => done(error.code));
    sent.on('finish', () => done(status));
    sent.flushHeaders();
  });
  equal('too long, and it is sent to its end all the same', late, 413);
  const torn = await new Promise(done => {
    const sent = request(`${base}/api/uploads`, { method: 'POST', headers: { 'Content-Type': 'application/octet-stream', 'Transfer-Encoding': 'chunked' } }, answer => done(answer.statusCode));
    sent.on('error', () => done(413));
    for (let n = 0; n < 40; n++) sent.write(Buffer.alloc(2 ** 16, ' '));
    sent.end();
  });
  equal('too long, and it does not say so', torn, 413);
  const bomb = await load(base, 'bomb.pgn.gz', gzipSync(Buffer.concat([Buffer.from('[White "Bomb"]\n\n1. e4 *\n'), Buffer.alloc(50 * 2 ** 20, ' ')])));
  yes('a bomb', /more than 1 MiB when it is unpacked/.test(bomb.errors.join()));
  const nothing = await load(base, '--schema=x', 'no game at all\n');
  equal('a file without games', [nothing.name, nothing.stage, nothing.errors], ['schema=x', 'done', ['schema=x: no game in it that can be read; 1 rejected']]);
  equal('a name that leads elsewhere', (await load(base, '../../etc/passwd', '1. e4 *\n')).name, 'passwd');
  yes('hardly a game more', games() - before <= 2);
  await becomes(() => !left().length);
  equal('nothing is left behind', left(), []);
});

test('an answer of a proxy ends an upload, and the next one begins', async () => {
  const proxies = /\/api\/uploads\?name=first/;
  await page.route(proxies, route => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }));
  await page.goto(`${base}/add`);
  await page.setInputFiles('#files', ['first.pgn', 'second.pgn'].map(name => ({ name, mimeType: 'text/plain', buffer: FAMOUS })));
  await until(page, 'what became of them', () => {
    const said = name => document.querySelector(`.job[aria-label="${name}"]`)?.textContent ?? '';
    return said('first.pgn').includes('The server reports error 502.') && /known already/.test(said('second.pgn'));
  });
  await page.unroute(proxies);
  await page.route(proxies, route => route.fulfill({ contentType: 'text/html', body: '<h1>Sign in</h1>' }));
  await page.setInputFiles('#files', { name: 'first-again.pgn', mimeType: 'text/plain', buffer: FAMOUS });
  await until(page, 'a page to sign in is no success', () => /The connection was lost/.test(document.querySelector('.job[aria-label="first-again.pgn"]')?.textContent));
  await page.unroute(proxies);
});

test('a browser that goes away in the middle', async () => {
  const before = games();
  const sent = request(`${base}/api/uploads?name=torn.pgn`, { method: 'POST', headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': 1000 } });
  sent.on('error', () => {});
  sent.write('1. e4 e5 *\n');
  await becomes(async () => (await jobs(base))[0].bytes === 11);
  equal('it arrives', (await jobs(base))[0].stage, 'receiving');
  sent.destroy();
  const { id } = (await jobs(base))[0];
  const job = await ended(base, id);
  equal('it has failed', [job.stage, /did not arrive/.test(job.error)], ['failed', true]);
  await becomes(() => !left().length);
  equal('nothing is left, nothing is stored', [left(), games()], [[], before]);
});

test('a load that is cancelled, and goes on when the file comes again', async () => {
  const before = games();
  const text = Array.from({ length: 50 }, (_, at) => `[White "Cancelled ${at}"]\n\n1. d4 d5 2. c4 *\n`).join('\n');
  const holder = spawn(process.env.PSQL, ['-X', '-q', '-A', '-t', '-d', 'desk'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const held = new Promise(done => holder.stdout.on('data', done));
  holder.stdin.write("BEGIN; LOCK TABLE chess.pieces; SELECT 'held';\n");
  await held;
  await page.goto(`${base}/add`);
  await page.setInputFiles('#files', { name: 'cancelled.pgn', mimeType: 'application/octet-stream', buffer: Buffer.from(text) });
  const loading = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'chess-pgn' AND wait_event_type = 'Lock'";
  await becomes(() => psql(loading) !== '0');
  await until(page, 'a bar', () => document.querySelector('.job progress'));
  await page.getByRole('button', { name: 'Cancel cancelled.pgn' }).click();
  await until(page, 'it is cancelled', () => /cancelled;/.test(document.querySelector('.job > span')?.textContent));
  holder.stdin.end('ROLLBACK;\n');
  await becomes(() => psql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'chess-pgn'") === '0');
  equal('nothing of it is stored', games(), before);
  await page.setInputFiles('#files', { name: 'cancelled.pgn', mimeType: 'application/octet-stream', buffer: Buffer.from(text) });
  await until(page, 'the outcome', () => document.querySelector('.job > span')?.textContent === '50 games added');
  equal('again', games(), before + 50);
});

test('a source is removed with its games', async () => {
  const before = games();
  await page.goto(`${base}/add`);
  await page.locator('.cards li', { hasText: 'cancelled.pgn' }).waitFor();
  await page.getByRole('button', { name: 'Remove cancelled.pgn' }).click();
  await until(page, 'it is gone', () => ![...document.querySelectorAll('.cards li')].some(item => /cancelled\.pgn/.test(item.textContent)));
  equal('and its games', games(), before - 50);
  await settled(page);
  equal('those of others are not offered', await page.locator('.cards li', { hasText: 'side0.pgn' }).getByRole('button', { name: /^Remove/ }).count(), 0);
  const others = psql("SELECT id FROM chess.sources WHERE name = 'side0.pgn'");
  const refused = await fetch(`${base}/api/sources/${others}`, { method: 'DELETE' });
  equal('nor removed', [refused.status, /upload-manage/.test((await refused.json()).hint), psql(`SELECT count(*) FROM chess.sources WHERE id = ${others}`)], [403, true, '1']);
  const own = (await jobs(base)).find(job => job.name === 'cancelled.pgn' && job.stage === 'done');
  equal('nor are their uploads cancelled', [own.removable, (await fetch(`${base}/api/uploads/${own.id}`, { method: 'DELETE' })).status], [false, 403]);
  const manager = await serve(['-d', `${SERVER} user=chess_web_read`, `--sessions=${SERVER} user=chess_web`, '--upload', '--upload-manage']);
  equal('unless it is allowed', (await fetch(`${manager}/api/sources/${others}`, { method: 'DELETE' })).status, 202);
  await becomes(() => psql(`SELECT count(*) FROM chess.sources WHERE id = ${others}`) === '0');
  equal('one that is not there', (await fetch(`${base}/api/sources/999`, { method: 'DELETE' })).status, 404);
});

test('a game is saved, corrected, and brought back', async () => {
  const field = name => page.locator(`dialog #tag-${name}`);
  await page.goto(`${base}/analysis/new`);
  await page.waitForSelector('cg-board');
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  await page.locator('dialog textarea').fill('1. e4 e5 2. Nf3 {entered by hand} Nc6 *');
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await page.getByRole('button', { name: 'Save to the database' }).click();
  await field('White').fill('Entered, Eva');
  await field('Black').fill('Entered, Emil');
  await field('Date').fill('yesterday');
  await page.locator('dialog button[type=submit]').click();
  yes('what a date is', /^The date is a year/.test(await page.locator('dialog .error').textContent()));
  await field('Date').fill('2024-05-17');
  await page.locator('dialog #tag-Result').selectOption('1-0');
  await settled(page);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/store.png` });
  await page.locator('dialog button[type=submit]').click();
  await page.waitForURL(/\/add$/);
  await until(page, 'it is added', () => document.querySelector('.job > span')?.textContent === '1 game added');
  const row = () => psql("SELECT white, black, date, result, annotated IS NOT NULL, ply_count FROM chess.pgn_view WHERE white LIKE 'Entered%'");
  equal('as it was entered', row(), 'Entered, Eva|Entered, Emil|2024.05.17|1-0|t|4');

  await page.locator('.job > span a').first().click();
  await page.waitForSelector('table.games tbody tr');
  await openFirst(page, 'table.games');
  await page.waitForSelector('.players');
  await page.getByRole('button', { name: 'Correct' }).click();
  equal('what is there', [await field('White').inputValue(), await field('Date').inputValue(), await page.locator('#in-place').isChecked()], ['Entered, Eva', '2024.05.17', true]);
  await field('White').fill('Entered, Ewa');
  await page.locator('dialog #tag-Result').selectOption('0-1');
  await settled(page);
  await page.locator('dialog button[type=submit]').click();
  await until(page, 'the new name', () => /Ewa.*0–1/.test(document.querySelector('h1.players')?.textContent ?? ''));
  equal('in the database', row(), 'Entered, Ewa|Entered, Emil|2024.05.17|0-1|t|4');
  await page.locator('.facts', { hasText: /Changed on \d{4}-\d\d-\d\d/ }).waitFor();
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/changed.png` });

  // moves are corrected on a board, which stays with its game when it is saved and opened again
  await page.getByRole('button', { name: 'Analyze', exact: true }).click();
  await page.waitForURL(/\/analysis\?/);
  await page.waitForSelector('#comment');
  await page.keyboard.press('End');
  await drag(page, 'f1', 'b5');
  await page.waitForURL(/\/analysis\/\d+/);
  await page.reload();
  await page.getByRole('button', { name: 'Save to the database' }).click();
  await page.locator('#in-place').waitFor();
  yes('a new game, unless one chooses otherwise', await page.locator('#as-new').isChecked());
  equal('its place', await page.locator('label', { has: page.locator('#in-place') }).textContent(), 'in the place of Entered, Ewa – Entered, Emil, 2024-05-17');
  await page.locator('#in-place').check();
  // somebody else is quicker
  const id = psql("SELECT id FROM chess.pgn_view WHERE white LIKE 'Entered%'");
  psql(`UPDATE chess.games SET round = '7' WHERE id = ${id}`);
  await page.locator('dialog button[type=submit]').click();
  await until(page, 'it is told', () => /changed this game meanwhile: look at it again/.test(document.querySelector('dialog .error')?.textContent ?? ''));
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Save to the database' }).click();
  await page.locator('#in-place').check();
  await page.locator('dialog button[type=submit]').click();
  await page.waitForURL(/\/game\/\w{8}$/);
  await until(page, 'the move', () => /Bb5/.test(document.querySelector('.moves')?.textContent ?? ''));
  equal('in the database', row(), 'Entered, Ewa|Entered, Emil|2024.05.17|0-1|t|5');

  // somebody without the cookie may look, and nothing else
  const game = new URL(page.url()).pathname.split('/').at(-1);
  const state = await (await fetch(`${base}/api/corrections/${game}`)).json();
  equal('a stranger', [state.allowed, /^\d+$/.test(state.version)], [false, true]);
  const tried = await Promise.all([
    // a game may have long comments
    ...['1. d4 *', `1. d4 {${'word '.repeat(20_000)}} *`].map(pgn =>
      fetch(`${base}/api/corrections/${game}`, { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ pgn, version: state.version }) }),
    ),
    fetch(`${base}/api/corrections/${game}?version=${state.version}`, { method: 'DELETE' }),
    fetch(`${base}/api/corrections/${game}`, { method: 'DELETE' }),
  ]);
  equal('refused', tried.map(answer => answer.status), [403, 403, 403, 400]);
  // it is waited for until its answer is read
  const late = path => fetch(path, { method: 'DELETE' }).then(answer => answer.text().then(() => answer.status));
  equal('nobody undoes a change that he has not seen', await page.evaluate(late, `${base}/api/corrections/${game}?version=1`), 409);

  // corrections that somebody else makes while the page remembers the game, and while it shows it
  const correct = round => psql(`BEGIN; SELECT chess.keep_game(${id}); UPDATE chess.games SET round = '${round}' WHERE id = ${id}; COMMIT`);
  const round = () => psql(`SELECT round FROM chess.games WHERE id = ${id}`);
  const shows = round => until(page, `round ${round}`, round => document.querySelector('.panel-head')?.textContent.includes(`round ${round}`), round);
  const before = round();
  await page.getByRole('button', { name: 'Find this position' }).click();
  await page.waitForSelector('table.explorer-moves');
  correct('8');
  await page.goBack();
  await shows('8');
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await settled(page);
  correct('9');
  await page.getByRole('button', { name: 'Undo' }).click();
  await shows('9');
  equal('nothing is undone that was not shown', round(), '9');
  await page.getByRole('button', { name: 'Undo' }).click();
  await shows('8');
  await settled(page);
  await page.getByRole('button', { name: 'Undo' }).click();
  await until(page, 'without both', () => !/round 8/.test(document.querySelector('.panel-head')?.textContent ?? 'round 8'));
  await settled(page);
  equal('both are undone', round(), before);

  for (const [moves, white] of [['4', 'Ewa'], ['4', 'Eva']]) {
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(page, `back to ${white}`, white => document.querySelector('h1.players')?.textContent.includes(white), white);
    await until(page, 'without the move', () => !/Bb5/.test(document.querySelector('.moves')?.textContent ?? ''));
    equal('in the database', [psql(`SELECT ply_count FROM chess.games WHERE id = ${id}`), row().includes(white)], [moves, true]);
  }
  await settled(page);
  equal('nothing more to undo', await page.getByRole('button', { name: 'Undo' }).count(), 0);
});

test('a disk that is full', async () => {
  // files of at most 64 blocks, as on a disk with that much room
  const full = await serve(['-d', SERVER, '--no-sessions', '--upload'], "trap '' XFSZ; ulimit -f 64; exec \"$@\"");
  const { status, body } = await post(full, 'a.pgn', Buffer.alloc(2 ** 18, ' '));
  equal('it says so', [status, /no room/.test(body.error)], [507, true]);
  await becomes(() => !left().length);
  equal('nothing is left behind', left(), []);
});

test('only where it is allowed', async () => {
  const closed = await serve(['-d', SERVER, '--no-sessions']);
  equal('not by itself', [(await post(closed, 'a.pgn', '1. e4 *\n')).status, (await fetch(`${closed}/api/sources`)).status], [404, 404]);
  // it may not have reached the database yet
  const other = await open('', {}, [/status of 503/]);
  await other.goto(closed);
  await settled(other);
  equal('nor offered', await other.locator('nav a', { hasText: 'Add games' }).count(), 0);
  await other.context().close();
  const says = (...words) => {
    try {
      execFileSync(process.env.CHESS_WEB, words, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
    } catch (error) {
      return error.stderr;
    }
  };
  yes('not for everybody', /--upload.*cannot be used with.*--public/.test(says('--upload', '--public')));
  yes('not without a loader', /--upload needs chess-pgn .*false/.test(says('-l', '127.0.0.1:0', '--upload', '--loader', 'false')));
  const reader = await serve(['-d', `${SERVER} user=chess_web_read`, '--no-sessions', '--upload']);
  const before = games();
  equal('a role that may not write', [(await load(reader, 'a.pgn', '[White "Nobody"]\n\n1. e4 *\n')).stage, games()], ['failed', before]);
});
