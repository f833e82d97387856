// In: chess-web with sessions over demo/famous.pgn and games.pgn. Out: an error unless a second browser uses the notebooks of the
// first by a link, after a question and no other way, leaves again, and everything that is saved goes out and in as one file.
import { readFileSync } from 'node:fs';
import { base, equal, one, open, sql, test, until, yes } from './browser.mjs';

const save = (page, name, moves) =>
  page.evaluate(
    async ([name, moves]) => {
      const send = async (path, body) =>
        (await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })).json();
      const { id } = await send('api/notebooks', { name, color: 'white' });
      const { nodes } = await (await fetch(`api/notebooks/${id}`)).json();
      await send(`api/notebooks/${id}/moves`, { at: nodes[0].id, note: 'the start', moves });
      await send('api/boards', { name: `board of ${name}`, pgn: '1. d4 (1. c4) d5 *' });
      await send('api/views', { name: `filter of ${name}`, url: '/games?since=2000' });
    },
    [name, moves],
  );
const MOVES = [
  { parent: null, uci: 'e2e4', note: 'best {by} test\n[%cal Ge2e4]', glyphs: [1, 14] },
  { parent: 0, uci: 'c7c5', note: '', glyphs: [] },
  { parent: 0, uci: 'e7e5', note: '', glyphs: [] },
];
const cards = page => page.locator('.cards li').evaluateAll(lines => lines.map(line => [line.querySelector('input').value, line.querySelector('.quiet').textContent]));
const listed = async page => {
  await page.goto(`${base}/notebooks`);
  await page.waitForSelector('form.inline');
  return (await page.locator('.cards a').allTextContents()).sort();
};
async function link(page) {
  await page.goto(`${base}/devices`);
  await page.getByRole('button', { name: 'Add a device' }).click();
  await page.locator('#join-link').waitFor();
  return page.locator('#join-link').inputValue();
}

test('a second browser joins after a question, and leaves', async () => {
  const [mine, phone] = [await open('/notebooks'), await open('/notebooks', {}, [/status of 404/])];
  await save(mine, 'Mine', MOVES);
  await save(phone, 'Phone', MOVES.slice(0, 1));
  const asked = [];
  phone.on('request', request => asked.push(request.url(), request.headers().referer ?? ''));
  const url = await link(mine);
  yes(`a link to this page: ${url}`, url.startsWith(`${base}/join#`));
  const key = url.split('#')[1];
  await phone.goto(url);
  await phone.getByRole('button', { name: 'Use them here' }).waitFor();
  equal('the key is gone from the address', await phone.evaluate(() => location.href), `${base}/join`);
  yes('whose they are', /“(Chrome|Browser).*” ?, which has 1 notebook, 1 board and 1 filter/.test(await phone.locator('main').textContent()));
  yes('what it has itself', /This browser has 1 notebook, 1 board and 1 filter itself/.test(await phone.locator('main').textContent()));
  equal('nothing has happened yet', await listed(phone), ['Phone']);
  await phone.goto(url);
  await phone.locator('#device-name').fill('My phone');
  await phone.getByRole('button', { name: 'Use them here' }).click();
  await phone.waitForURL(/\/devices$/);
  await until(phone, 'both devices', () => document.querySelectorAll('.cards li').length === 2);
  equal('the names', (await cards(phone)).map(([name, what]) => [name === 'My phone', what === 'this browser']), [[false, false], [true, true]]);
  yes('no request and no referrer has the key', asked.length && !asked.some(text => text.includes(key)));
  equal('the notebooks of the other', await listed(phone), ['Mine']);
  // the link is worth nothing now
  await phone.goto(url);
  await phone.getByRole('alert').waitFor();
  yes('used up', /leads to nothing/.test(await phone.locator('main').textContent()));
  // a link can be pasted, which an installed page needs
  const other = await open('/join');
  await other.locator('#join-key').fill(await link(mine));
  await other.getByRole('button', { name: 'Continue' }).click();
  await other.getByRole('button', { name: 'Use them here' }).waitFor();
  await other.getByRole('link', { name: 'Cancel' }).click();
  await other.waitForURL(/\/notebooks$/);
  equal('nothing has joined', one("SELECT count(*) FROM chess_web.devices d WHERE d.session_id = (SELECT session_id FROM chess_web.devices WHERE name = 'My phone')"), '2');
  await other.context().close();
  // renamed by one, seen by the other
  await mine.goto(`${base}/devices`);
  await mine.getByLabel('Name of My phone').fill('Telephone');
  await mine.keyboard.press('Enter');
  await until(mine, 'the new name', () => document.querySelector('[aria-label="Remove Telephone"]'));
  // removed: it has its own again
  await mine.getByRole('button', { name: 'Remove Telephone' }).click();
  await until(mine, 'one device', () => document.querySelectorAll('.cards li').length === 1);
  equal('its own', await listed(phone), ['Phone']);
  equal('the others are where they were', await listed(mine), ['Mine']);
  for (const page of [mine, phone]) await page.context().close();
});

test('everything goes out and in as one file', async () => {
  const page = await open('/notebooks', {}, [/status of 429/]);
  await save(page, 'Whole', MOVES);
  const answer = uci =>
    page.evaluate(async uci => {
      const { id } = (await (await fetch('api/notebooks')).json()).notebooks[0];
      const [{ id: node }] = (await (await fetch(`api/notebooks/${id}`)).json()).nodes;
      const body = JSON.stringify({ node, uci });
      await fetch(`api/notebooks/${id}/training`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    }, uci);
  await answer('e2e4');
  await page.goto(`${base}/devices`);
  await page.waitForSelector('.cards li');
  const all = async () => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download all' }).click()]);
    return readFileSync(await file.path(), 'utf8');
  };
  const bring = async (page, text) => {
    await page.goto(`${base}/devices`);
    await page.getByRole('button', { name: 'Bring back' }).waitFor();
    await page.setInputFiles('.devices input[type=file]', { name: 'x.json', mimeType: 'application/json', buffer: Buffer.from(text) });
    await until(page, 'the end', () => /brought back/.test(document.querySelector('.devices').textContent));
    return page.locator('.devices > p[role=status]').textContent();
  };
  const text = await all();
  const saved = JSON.parse(text);
  equal('what it has', saved.notebooks[0].moves, MOVES);
  equal('its training', saved.notebooks[0].training.map(({ position, days }) => [position, days]), [['rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -', 2]]);
  equal('the rest', [saved.notebooks.length, saved.boards[0].name, saved.filters[0].url], [1, 'board of Whole', '/games?since=2000']);
  equal('nothing is there twice', await bring(page, text), '0 brought back, 3 are there already.');
  equal('still the same', await all(), text);
  // too many requests: soon again, or another day
  let [refusals, wait] = [1, '1'];
  await page.route(/\/api\/boards$/, route =>
    refusals-- > 0
      ? route.fulfill({ status: 429, headers: { 'Retry-After': wait }, json: { error: 'slower, please' } })
      : route.continue(),
  );
  equal('after a second', [await all(), refusals], [text, -1]);
  [refusals, wait] = [1, '86400'];
  await page.getByRole('button', { name: 'Download all' }).click();
  await until(page, 'the refusal', () => document.body.textContent.includes('slower, please'));
  await page.unroute(/\/api\/boards$/);
  const other = await open('/devices', {}, [/status of 400/]);
  equal('into another browser', await bring(other, text), '3 brought back.');
  equal('its notebook', await listed(other), ['Whole']);
  const dues = () => sql("SELECT date_trunc('second', t.answered), t.due - t.answered, t.stability, t.difficulty FROM chess_web.training t JOIN chess_web.notebooks n ON n.id = t.notebook_id WHERE n.name = 'Whole' ORDER BY n.id");
  equal('with its training', [dues().length, dues()[1]], [2, dues()[0]]);
  // training has gone on: the notebook is the same, and the later answer stays
  sql("UPDATE chess_web.training SET answered = answered - interval '1 day', due = due - interval '1 day'");
  const older = await all();
  await answer('d2d4');
  const later = dues();
  equal('there already', await bring(page, older), '0 brought back, 3 are there already.');
  equal('the later answer', dues(), later);
  equal('the newer file', await bring(other, text), '0 brought back, 3 are there already.');
  equal('brings its answers', dues()[1][0] > JSON.parse(JSON.stringify(later[1][0])), true);
  // files of earlier versions
  const { training: _, ...untrained } = saved.notebooks[0];
  equal('without training', await bring(other, JSON.stringify({ ...saved, notebooks: [untrained] })), '0 brought back, 3 are there already.');
  // what the server refuses is named, and the rest is there
  const wrong = { ...saved, notebooks: [{ ...saved.notebooks[0], name: 'Bad', moves: [{ ...MOVES[0], uci: 'e2e5' }] }, { ...saved.notebooks[0], name: 'Good' }] };
  const said = await bring(other, JSON.stringify(wrong));
  yes(`what is wrong: ${said}`, said.startsWith('1 brought back, 2 are there already. Not brought back: “Bad”: move 1: "e2e5" is not legal'));
  equal('no half notebook', await listed(other), ['Good', 'Whole']);
  equal('another file', await bring(other, '[Event "?"]'), 'Nothing is brought back: the file is not JSON');
  for (const each of [page, other]) await each.context().close();
});
