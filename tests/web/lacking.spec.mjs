// In: CHESS_WEB, the program; LOADER, chess-pgn; PSQL; the variables of libpq. Out: an error unless the page describes
// each deficiency of the database and continues by itself after the repair.
import { execFileSync, spawn } from 'node:child_process';
import { equal, newPage, one, sql, test, until } from './browser.mjs';

const run = (...command) => execFileSync(command[0], command.slice(1), { stdio: ['ignore', 'ignore', 'inherit'] });
let program, base, page;
test.beforeAll(async () => {
  sql('DROP DATABASE IF EXISTS lacking');
  sql('CREATE DATABASE lacking');
  const options = { stdio: ['ignore', 'pipe', 'inherit'] };
  program = spawn(process.env.CHESS_WEB, ['--no-sessions', '-d', 'lacking', '-l', '127.0.0.1:0'], options);
  base = await new Promise(done => program.stdout.on('data', data => done(String(data).trim())));
  page = await newPage();
});
const says = (heading, hint) => until(page, heading, ([heading, hint]) => document.querySelector('.note h2')?.textContent === heading && document.querySelector('.note p').textContent.includes(hint), [heading, hint]);
const shot = name => process.env.SHOTS && page.screenshot({ path: `${process.env.SHOTS}/lacking-${name}.png` });

test('what the database lacks, one after the other, without a reload', async () => {
  const list = await newPage();
  await list.goto(`${base}/games`);
  await until(list, 'the list says it as well', () => document.querySelector('.note h2')?.textContent === 'The database has no extension chess');
  await page.goto(base);
  await says('The database has no extension chess', 'chess-pgn load');
  await shot('extension');
  run(process.env.PSQL, '-X', '-q', '-d', 'lacking', '-c', 'CREATE EXTENSION chess');
  await says('Schema chess holds no tables of chess-pgn', 'chess-pgn load');
  run(process.env.LOADER, 'schema', '-d', 'lacking');
  await says('No games yet', 'chess-pgn load');
  await shot('games');
  const reports = [await newPage(), await newPage(), await newPage()];
  for (const [at, report] of reports.entries()) {
    await report.goto(base + ['/opening', '/player/Morphy%2C%20Paul', '/tournament/London'][at]);
    await until(report, 'a report says it as well', () => document.querySelector('.note h2')?.textContent === 'No games yet');
  }
  run(process.env.LOADER, 'load', '--index', '-d', 'lacking', 'demo/famous.pgn');
  await until(page, 'the moves', () => document.querySelector('table.explorer-moves'));
  await until(list, 'the list of games', () => document.querySelector('table.games tbody tr'));
  for (const report of reports) await until(report, 'the report', () => document.querySelector('main table'));
  equal('no note any more', await page.locator('.note').count(), 0);
});

test('tables of an earlier version', async () => {
  run(process.env.PSQL, '-X', '-q', '-d', 'lacking', '-v', 'ON_ERROR_STOP=1', '-f', 'crates/chess-db/tests/schema-0.3.0.sql');
  const old = spawn(process.env.CHESS_WEB, ['--no-sessions', '-d', 'lacking', '--schema', 'old', '-l', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    let told = '';
    old.stderr.on('data', data => (told += data));
    await page.goto(await new Promise(done => old.stdout.on('data', data => done(String(data).trim()))));
    await says('Schema old is of an earlier version of chess-pgn', 'chess-pgn migrate');
    equal('the terminal says it as well', /schema old is of an earlier version of chess-pgn; chess-pgn migrate/.test(told), true);
    await shot('earlier');
    run(process.env.LOADER, 'migrate', '-d', 'lacking', '--schema', 'old');
    await says('No games yet', 'chess-pgn load');
  } finally {
    old.kill();
  }
});

test('games on several servers: what is missing is not shown, and its address says why', async () => {
  test.skip(one("SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'") === '0', 'this server has no extension postgres_fdw');
  for (const name of ['lacking_all', 'lacking_one']) {
    sql(`DROP DATABASE IF EXISTS ${name}`);
    sql(`CREATE DATABASE ${name}`);
  }
  run(process.env.LOADER, 'load', '--index', '--shard', '1', '-d', 'lacking_one', 'demo/famous.pgn');
  run(process.env.PSQL, '-X', '-q', '-d', 'lacking_all', '-v', 'ON_ERROR_STOP=1', '-c', 'CREATE EXTENSION chess', '-c', 'CREATE EXTENSION postgres_fdw', '-c',
    `CREATE SERVER one FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '${process.env.PGHOST}', port '${process.env.PGPORT}', dbname 'lacking_one', extensions 'chess')`,
    '-c', `CREATE USER MAPPING FOR PUBLIC SERVER one OPTIONS (user '${process.env.PGUSER}', password_required 'false')`);
  run(process.env.LOADER, 'schema', '--servers', 'one', '-d', 'lacking_all');
  const all = spawn(process.env.CHESS_WEB, ['--upload', '-d', 'lacking_all', '-l', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise(done => all.stdout.on('data', data => done(String(data).trim())));
  const several = await newPage();
  try {
    await several.goto(address);
    await until(several, 'the moves', () => document.querySelector('table.explorer-moves'));
    await until(several, 'no place without answers', () => !document.querySelector('nav a[href^="/puzzles"], nav a[href^="/add"]'));
    equal('places', await several.locator('header nav a').allTextContents(), ['Explorer', 'Games', 'Search', 'Analysis', 'Notebooks']);
    await until(several, 'no link to a report', () => !document.querySelector('main a[href^="/opening?"], main a[href="/opening"], main a[href="/endings"]'));
    if (process.env.SHOTS) await several.screenshot({ path: `${process.env.SHOTS}/lacking-several.png` });
    await several.goto(`${address}games`);
    await until(several, 'the games', () => document.querySelector('table.games tbody tr'));
    await until(several, 'names without links', () => !document.querySelector('a[href^="/player/"], a[href^="/tournament/"]'));
    for (const [path, reason] of [['player/Morphy', 'no reports on players'], ['tournament/London', 'no crosstables'], ['opening', 'no reports on openings'], ['endings', 'no reports on endings'], ['puzzles', 'no puzzles']]) {
      await several.goto(address + path);
      await until(several, path, reason => document.querySelector('.failure')?.textContent.includes(`over several servers there are ${reason}`), reason);
      equal(`${path} says what to do`, await several.locator('.failure .quiet').textContent().then(text => text.includes('each server has those of its own games')), true);
    }
    if (process.env.SHOTS) await several.screenshot({ path: `${process.env.SHOTS}/lacking-puzzles.png` });
  } finally {
    all.kill();
    for (const name of ['lacking_all', 'lacking_one']) sql(`DROP DATABASE ${name} WITH (FORCE)`);
  }
});

test('a database that is dropped', async () => {
  sql('DROP DATABASE lacking WITH (FORCE)');
  await page.goto(base);
  await until(page, 'the page says so', () => /the database does not exist.*createdb/i.test(document.querySelector('.failure')?.textContent));
  await shot('database');
});

test.afterAll(() => {
  program.kill();
});
