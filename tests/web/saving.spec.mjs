// In: chess-web over demo/famous.pgn and games.pgn. Out: an error unless every change of a board or a notebook is saved where it
// was made, also when another board is opened at once, another window changes the same, or an answer is lost.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { api, base, becomes, equal, number, open, settled, sql, test, until, yes } from './browser.mjs';

const lost = [/ERR_FAILED|status of (404|409|503)/];
let page;
test.beforeAll(async () => {
  page = await open('/', {}, lost);
});

const ask = (page, method, path, body) =>
  page.evaluate(
    async ([method, path, body]) => {
      const answer = await fetch(path, {
        method,
        headers: { 'Content-Type': 'application/json' },
        body: body && JSON.stringify(body),
      });
      return answer.json();
    },
    [method, base + path, body],
  );
const board = (name, pgn) => ask(page, 'POST', '/api/boards', { name, pgn });
/** The moves of the boards with a name, the oldest first. */
const moves = name =>
  sql(`SELECT pgn FROM chess_web.boards WHERE name = '${name}' ORDER BY id`).map(([pgn]) => pgn.replace(/^\[.*\]$/gm, '').trim());
const shows = san => until(page, san, san => document.querySelector('.analysis .moves')?.textContent.includes(san), san);
async function play(page, san) {
  await page.locator('#move').fill(san);
  await page.keyboard.press('Enter');
}
const saved = page => until(page, 'saved', () => document.querySelector('.saving')?.textContent === 'saved');

test('who pastes several games begins one session', async () => {
  // the first visit makes the tables
  await api('/api/boards');
  const before = number('SELECT count(*) FROM chess_web.sessions');
  // the first answer, and its cookie, come when the board that is shown is due
  const lock = 'BEGIN; LOCK TABLE chess_web.boards IN EXCLUSIVE MODE; SELECT pg_sleep(3); COMMIT';
  const held = promisify(execFile)(process.env.PSQL, ['-X', '-q', ...lock.split('; ').flatMap(statement => ['-c', statement])]);
  await becomes(
    () => number("SELECT count(*) FROM pg_locks WHERE relation = 'chess_web.boards'::regclass AND mode = 'ExclusiveLock'") === 1,
  );
  await page.goto(`${base}/analysis`);
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  await page.locator('dialog textarea').fill('[White "P"]\n\n1. e4 *\n\n[White "Q"]\n\n1. d4 *\n\n[White "R"]\n\n1. c4 *\n');
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await until(page, 'it says so', () =>
    /3 games, each a board of its own/.test(document.querySelector('.said')?.textContent ?? ''),
  );
  await page.waitForURL(/\/analysis\/\d+$/);
  await held;
  equal('sessions', number('SELECT count(*) FROM chess_web.sessions') - before, 1);
  equal('boards', (await ask(page, 'GET', '/api/boards')).boards.length, 3);
});

test('a change stays on its board when another one is opened at once', async () => {
  const [one] = [await board('One', '1. e4 *'), await board('Other', '1. d4 *')];
  await page.goto(`${base}/analysis/${one.id}`);
  await shows('e4');
  await play(page, 'c5');
  await page.locator('.cards a', { hasText: 'Other' }).click();
  await shows('d4');
  await settled(page);
  equal('the boards', [moves('One'), moves('Other')], [['1. e4 c5 *'], ['1. d4 *']]);
});

test('a new board does not become the one before it', async () => {
  const before = number('SELECT count(*) FROM chess_web.boards');
  let answer;
  const held = new Promise(done => (answer = done));
  await page.goto(`${base}/analysis/new?fen=${encodeURIComponent('4k3/8/8/8/8/8/4P3/4K3 w - - 0 1')}`);
  await page.locator('#board-name').fill('Held');
  await page.route(/\/api\/boards$/, async route => {
    if (route.request().method() === 'POST') await held;
    await route.continue();
  });
  await play(page, 'e4');
  await page.waitForRequest(request => request.method() === 'POST' && /\/api\/boards$/.test(request.url()));
  await page.evaluate(() => history.pushState(null, '', '/analysis/new'));
  await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
  await until(page, 'an empty board', () => !document.querySelector('#board-name')?.value);
  await page.locator('#board-name').fill('Next');
  await play(page, 'd4');
  answer();
  await page.waitForURL(/\/analysis\/\d+$/);
  await page.unroute(/\/api\/boards$/);
  await play(page, 'd5');
  await saved(page);
  equal('both boards', [moves('Held').map(pgn => pgn.split('\n').at(-1)), moves('Next')], [['1. e4 *'], ['1. d4 d5 *']]);
  equal('no others', number('SELECT count(*) FROM chess_web.boards') - before, 2);
});

test('a board that another window has changed is not overwritten', async () => {
  const { id, version } = await board('Both', '1. e4 *');
  await page.goto(`${base}/analysis/${id}`);
  await shows('e4');
  await ask(page, 'PUT', `/api/boards/${id}`, { name: 'Both', pgn: '1. e4 e6 *', version });
  await play(page, 'c5');
  await until(page, 'it says so', () => /now a board of its own/.test(document.querySelector('.said')?.textContent ?? ''));
  await page.waitForURL(url => /\/analysis\/\d+$/.test(url.pathname) && !url.pathname.endsWith(`/${id}`));
  await saved(page);
  equal('both versions', moves('Both'), ['1. e4 e6 *', '1. e4 c5 *']);
  // who comes back to a window sees what is stored
  const own = Number(new URL(page.url()).pathname.split('/').at(-1));
  const now = await ask(page, 'GET', `/api/boards/${own}`);
  await ask(page, 'PUT', `/api/boards/${own}`, { name: 'Both', pgn: '1. e4 c5 2. Nf3 *', version: now.version });
  await page.evaluate(() => document.activeElement?.blur());
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await shows('Nf3');
  await play(page, 'c4');
  await play(page, 'e6');
  await saved(page);
  equal('still two boards', moves('Both').length, 2);
});

test('a board whose answers are lost is one board', async () => {
  await page.goto(`${base}/analysis/new`);
  await page.waitForURL(/\/analysis$/);
  await page.locator('#board-name').fill('Lost');
  await saved(page);
  await page.waitForURL(/\/analysis\/\d+$/);
  let lose = 1;
  await page.route(/\/api\/boards(\/\d+)?$/, async route => {
    if (route.request().method() === 'GET' || !lose) return route.continue();
    lose--;
    await route.fetch();
    return route.abort();
  });
  await play(page, 'e4');
  await until(page, 'it says so', () => /^not saved/.test(document.querySelector('.saving').textContent));
  await play(page, 'e5');
  await saved(page);
  lose = 1;
  await page.goto(`${base}/analysis/new`);
  await page.waitForURL(/\/analysis$/);
  await play(page, 'd4');
  await until(page, 'it says so', () => /^not saved/.test(document.querySelector('.saving').textContent));
  await page.locator('#board-name').fill('Lost too');
  await saved(page);
  await page.unroute(/\/api\/boards(\/\d+)?$/);
  equal('boards', [moves('Lost'), moves('Lost too')], [['1. e4 e5 *'], ['1. d4 *']]);
  equal('no copies', sql("SELECT count(*) FROM chess_web.boards WHERE pgn LIKE '%1. d4 *%' AND name LIKE 'Untitled%'"), [['0']]);
});

test('an undo that is under way is of the changes before it', async () => {
  const { id } = await board('Undone slowly', '1. e4 *');
  await page.goto(`${base}/analysis/${id}`);
  await shows('e4');
  for (const san of ['e5', 'Nf3', 'Nc6']) {
    await play(page, san);
    await shows(san);
  }
  let answer = [];
  await page.route(/\/api\/pgn$/, async route => {
    await new Promise(done => answer.push(done));
    await route.continue();
  });
  const undo = page.getByRole('button', { name: 'Undo' });
  const goes = async () => {
    for (const go of answer) go();
    answer = [];
    await settled(page);
  };
  // pressed twice
  await undo.click();
  await undo.click();
  await becomes(() => answer.length === 2);
  await goes();
  await until(page, 'both are gone', () => !/Nf3|Nc6/.test(document.querySelector('.analysis .moves').textContent));
  yes('not the one before', /e5/.test(await page.locator('.analysis .moves').textContent()));
  // a change meanwhile
  await undo.click();
  await becomes(() => answer.length === 1);
  await play(page, 'd4');
  await shows('d4');
  await goes();
  await saved(page);
  equal('the change stays', moves('Undone slowly'), ['1. e4 e5 2. d4 *']);
  await page.unroute(/\/api\/pgn$/);
  for (const gone of ['d4', 'e5']) {
    await undo.click();
    await until(page, `without ${gone}`, gone => !document.querySelector('.analysis .moves').textContent.includes(gone), gone);
  }
  equal('nothing is left to undo', await undo.isDisabled(), true);
  await saved(page);
  equal('as it was', moves('Undone slowly'), ['1. e4 *']);
});

test('an undo whose answer is lost undoes one change', async () => {
  const book = await ask(page, 'POST', '/api/notebooks', { name: 'Undone', color: 'white' });
  await page.goto(`${base}/n/${book.id}`);
  for (const san of ['e4', 'e5', 'Nf3']) {
    await settled(page);
    await play(page, san);
    await until(page, san, san => document.querySelector('.notebook .moves')?.textContent.includes(san), san);
  }
  await page.route(/\/undo$/, async route => {
    await route.fetch();
    await route.abort();
  });
  await page.getByRole('button', { name: 'Undo' }).click();
  await until(page, 'the move is gone', () => !document.querySelector('.notebook .moves').textContent.includes('Nf3'));
  await settled(page);
  await page.unroute(/\/undo$/);
  yes('the others stay', /e5/.test(await page.locator('.notebook .moves').textContent()));
  equal('nodes', number(`SELECT count(*) FROM chess_web.notebook_nodes WHERE notebook_id = ${book.id}`), 3);
});

test('a note and a glyph from two windows are both kept', async () => {
  const book = await ask(page, 'POST', '/api/notebooks', { name: 'Shared', color: 'white' });
  const { nodes } = await ask(page, 'GET', `/api/notebooks/${book.id}`);
  const { id } = await ask(page, 'POST', `/api/notebooks/${book.id}/nodes`, { parent: nodes[0].id, uci: 'e2e4' });
  await page.goto(`${base}/n/${book.id}/${id}`);
  await page.waitForSelector('#note');
  await ask(page, 'PATCH', `/api/notebooks/${book.id}/nodes/${id}`, { note: 'of the other window' });
  await page.getByLabel('Glyph').selectOption('1');
  await saved(page);
  equal('both', sql(`SELECT note, glyph FROM chess_web.notebook_nodes WHERE id = ${id}`), [['of the other window', '1']]);
});

test('a note goes with the move that is deleted, here or in another window', async () => {
  const book = await ask(page, 'POST', '/api/notebooks', { name: 'Cut', color: 'white' });
  const { nodes } = await ask(page, 'GET', `/api/notebooks/${book.id}`);
  const add = uci => ask(page, 'POST', `/api/notebooks/${book.id}/nodes`, { parent: nodes[0].id, uci });
  const [one, other] = [await add('e2e4'), await add('d2d4')];
  await page.goto(`${base}/n/${book.id}/${one.id}`);
  await page.locator('#note').fill('typed at the last moment');
  await page.getByRole('button', { name: 'Delete from here' }).click();
  await until(page, 'it is gone', () => !document.querySelector('.notebook .moves').textContent.includes('e4'));
  await ask(page, 'POST', `/api/notebooks/${book.id}/undo`);
  equal('the note', sql(`SELECT note FROM chess_web.notebook_nodes WHERE id = ${one.id}`), [['typed at the last moment']]);

  await page.goto(`${base}/n/${book.id}/${one.id}`);
  await page.waitForSelector('#note');
  await page.evaluate(path => fetch(path, { method: 'DELETE' }), `${base}/api/notebooks/${book.id}/nodes/${one.id}`);
  await page.locator('#note').fill('of a move that is gone');
  await until(page, 'it is gone, too', () => !document.querySelector('.notebook .moves').textContent.includes('e4'));
  await page.locator('.notebook .moves a, .notebook .moves button', { hasText: 'd4' }).first().click();
  await page.locator('#note').fill('of one that is there');
  await saved(page);
  equal('the other note', sql(`SELECT note FROM chess_web.notebook_nodes WHERE id = ${other.id}`), [['of one that is there']]);
});

test('a long text is pasted whole', async () => {
  await page.goto(`${base}/analysis/new`);
  await page.waitForURL(/\/analysis$/);
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  const games = ['Long', 'Longer', 'Last'].map(name => `[White "${name}"]\n\n1. e4 {${'word '.repeat(5000)}} *\n`);
  await page.locator('dialog textarea').evaluate((area, text) => {
    area.focus();
    document.execCommand('insertText', false, text);
  }, games.join('\n'));
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await until(page, 'it says so', () =>
    /3 games, each a board of its own/.test(document.querySelector('.said')?.textContent ?? ''),
  );
  await saved(page);
  equal(
    'boards',
    number(
      "SELECT count(*) FROM chess_web.boards WHERE name IN ('Long – ?', 'Longer – ?', 'Last – ?', 'Long', 'Longer', 'Last')",
    ),
    3,
  );
});

test('what cannot be read stays in its dialog, and the board as it is', async () => {
  const { id } = await board('Kept', '1. e4 *');
  await page.goto(`${base}/analysis/${id}`);
  await shows('e4');
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  const load = page.getByRole('button', { name: 'Load', exact: true });
  const says = words => until(page, words, words => document.querySelector('.said.shown')?.textContent === words, words);
  for (const text of ['No chess at all', '']) {
    await page.evaluate(() => document.querySelector('.said')?.classList.remove('shown'));
    await page.locator('dialog textarea').fill(text);
    await load.click();
    await says('There are no moves in this text.');
    equal('it is read out', await page.locator('dialog .said').count(), 1);
    equal('the text', await page.locator('dialog textarea').inputValue(), text);
  }
  await page.locator('dialog textarea').fill('1. d4 *');
  await page.route(/\/api\/pgn$/, route => route.abort());
  await load.click();
  await says('The server does not answer.');
  await page.unroute(/\/api\/pgn$/);
  await page.keyboard.press('Escape');
  await until(page, 'what is said stays', () => document.querySelector('body > .said.shown'));
  equal('the board', (await page.locator('.analysis .moves').textContent()).includes('e4'), true);
  equal('no other', moves('Kept'), ['1. e4 *']);
});

test('a dialog that is closed, or a view that is left, takes no games that come later', async () => {
  const book = await ask(page, 'POST', '/api/notebooks', { name: 'Pasted late', color: 'white' });
  const { id } = await board('Pasted late', '1. e4 *');
  const boards = () => number('SELECT count(*) FROM chess_web.boards');
  const before = boards();
  let let_go;
  await page.route(/\/api\/pgn$/, async route => {
    await new Promise(done => (let_go = done));
    await route.continue();
  });
  const late = async (path, label, close) => {
    await page.goto(base + path);
    await page.waitForSelector('.moves .move, .moves p');
    await page.getByRole('button', { name: 'Paste PGN' }).click();
    await page.locator('dialog textarea').fill('1. d4 d5 *\n\n1. c4 *');
    const asked = page.waitForRequest(/\/api\/pgn$/);
    await page.locator('dialog').getByRole('button', { name: label, exact: true }).click();
    await asked;
    await close();
    let_go();
    await settled(page);
  };
  await late(`/analysis/${id}`, 'Load', () => page.keyboard.press('Escape'));
  await late(`/n/${book.id}`, 'Add', () => page.keyboard.press('Escape'));
  await late(`/analysis/${id}`, 'Load', () => page.evaluate(() => document.querySelector('.brand').click()));
  yes('the board of the view that follows', /White: king e1.* pawn(s)?.*d2/.test(await page.locator('.words').textContent()));
  equal('boards', boards(), before);
  equal('the board', moves('Pasted late'), ['1. e4 *']);
  equal('the notebook', number(`SELECT count(*) FROM chess_web.notebook_nodes WHERE notebook_id = ${book.id}`), 1);
  await page.unroute(/\/api\/pgn$/);
});

test('a dialog that comes late does not open over another view', async () => {
  const { games } = (await api('/api/games')).body;
  const { id } = await board('Shared late', '1. e4 *');
  for (const [path, name, asked] of [
    [`/analysis/${id}`, 'Share', /\/share$/],
    [`/analysis?game=${games[0].id}`, 'Save to the database', /\/api\/corrections\//],
  ]) {
    let answer;
    await page.goto(base + path);
    await page.waitForSelector('.analysis .moves .move');
    await settled(page);
    await page.route(asked, async route => {
      await new Promise(done => (answer = done));
      await route.continue();
    });
    await page.getByRole('button', { name, exact: true }).click();
    await becomes(() => answer);
    await page.evaluate(() => document.querySelector('nav a[href$="/games"]').click());
    answer();
    await settled(page);
    equal(name, await page.locator('dialog').count(), 0);
    await page.unroute(asked);
  }
});

test('what is pressed twice is done once', async () => {
  const twice = (selector, method = 'click') =>
    page.evaluate(
      ([selector, method]) => {
        const found = document.querySelector(selector);
        for (let i = 0; i < 2; i++) found[method]();
      },
      [selector, method],
    );
  await page.goto(`${base}/notebooks`);
  await page.locator('#notebook-name').fill('Pressed twice');
  await twice('form.inline', 'requestSubmit');
  await page.waitForURL(/\/n\/\d+$/);
  await settled(page);
  equal('notebooks', number("SELECT count(*) FROM chess_web.notebooks WHERE name = 'Pressed twice'"), 1);
  await twice('.view .actions button:nth-last-of-type(1)');
  await page.waitForSelector('#shared-link');
  await settled(page);
  equal('dialogs', await page.locator('dialog').count(), 1);
  await page.goto(await page.locator('#shared-link').inputValue());
  await page.waitForSelector('.shared .actions button');
  await twice('.shared .actions button');
  await page.waitForURL(/\/n\/\d+$/);
  await settled(page);
  equal('copies', number("SELECT count(*) FROM chess_web.notebooks WHERE name = 'Pressed twice'"), 2);
  await page.goto(`${base}/games?since=1900`);
  await page.locator('.chip.add, .add').first().click();
  await page.locator('#view-name').fill('Pressed twice');
  await twice('dialog form.inline', 'requestSubmit');
  await until(page, 'it is saved', () => /Pressed twice/.test(document.querySelector('dialog .saved')?.textContent));
  await settled(page);
  equal('filters', number("SELECT count(*) FROM chess_web.views WHERE name = 'Pressed twice'"), 1);
});

test('the name of a new notebook stays while another one is deleted', async () => {
  await ask(page, 'POST', '/api/notebooks', { name: 'To be deleted', color: 'white' });
  await page.goto(`${base}/notebooks`);
  await page.locator('#notebook-name').fill('Half typed');
  await page.getByRole('button', { name: 'Delete To be deleted' }).click();
  await until(page, 'it is gone', () => !/To be deleted/.test(document.querySelector('.cards')?.textContent));
  equal('the name', await page.locator('#notebook-name').inputValue(), 'Half typed');
});

test('what is pasted onto the board of a stored game is a board of its own', async () => {
  const { games } = (await api('/api/games')).body;
  await page.goto(`${base}/analysis?game=${games[0].id}`);
  await settled(page);
  await page.locator('#board-name').fill('Of a game');
  await saved(page);
  await page.waitForURL(/\/analysis\/\d+/);
  // its last change is stored only after the other game was pasted
  let let_go;
  const held = new Promise(done => (let_go = done));
  await page.route(/\/api\/boards\/\d+$/, async route => {
    if (route.request().method() === 'PUT') await held;
    await route.continue();
  });
  await page.locator('#board-name').fill('Of a game, too');
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  await page.locator('dialog textarea').fill('[White "Pasted"]\n\n1. b3 *');
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await shows('b3');
  let_go();
  await saved(page);
  await page.unroute(/\/api\/boards\/\d+$/);
  await becomes(() => number("SELECT count(*) FROM chess_web.boards WHERE name = 'Pasted' AND origin IS NULL") === 1);
  equal('the other', sql("SELECT pgn LIKE '%b3%' FROM chess_web.boards WHERE name = 'Of a game, too' AND origin IS NOT NULL"), [
    ['f'],
  ]);
});

test('what is not saved is told after its view was left, and before the window is closed', async () => {
  await page.goto(`${base}/analysis/new`);
  await page.waitForURL(/\/analysis$/);
  await page.route(/\/api\/boards$/, route => (route.request().method() === 'POST' ? route.abort() : route.continue()));
  await play(page, 'e4');
  await page.locator('nav a[href$="/notebooks"]').first().click();
  await until(page, 'it says so', () => /^not saved/.test(document.querySelector('.said.shown')?.textContent ?? ''));
  const asks = () => page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));
  equal('the window asks', await asks(), true);
  await page.unroute(/\/api\/boards$/);
  await becomes(async () => !(await asks()));
});

/** Holds the answers to new moves of a notebook until they are let go. */
async function holding(page, then = route => route.continue()) {
  let let_go;
  const held = new Promise(done => (let_go = done));
  await page.route(/\/nodes$/, async route => {
    await held;
    await then(route);
  });
  return let_go;
}
const line = book =>
  sql(`SELECT uci FROM chess_web.notebook_nodes WHERE notebook_id = ${book.id} ORDER BY id`)
    .map(([uci]) => uci)
    .filter(Boolean);

test('moves that are typed while the first is stored follow it', async () => {
  const book = await ask(page, 'POST', '/api/notebooks', { name: 'Quick', color: 'white' });
  await page.goto(`${base}/n/${book.id}`);
  await settled(page);
  const go = await holding(page);
  for (const san of ['e4', 'e5', 'Nf3']) await play(page, san);
  go();
  await until(page, 'all are shown', () => document.querySelector('.notebook .moves')?.textContent.includes('Nf3'));
  equal('all are stored', line(book), ['e2e4', 'e7e5', 'g1f3']);
  await page.unroute(/\/nodes$/);
});

test('a move of which nobody knows whether it was stored is looked for, not sent again', async () => {
  const book = await ask(page, 'POST', '/api/notebooks', { name: 'Unknown', color: 'white' });
  await page.goto(`${base}/n/${book.id}`);
  await settled(page);
  const go = await holding(page, async route => {
    await route.fetch();
    await route.fulfill({ status: 503, json: { error: 'it is not known whether this was stored' } });
  });
  let sent = 0;
  const count = request => (sent += /\/nodes$/.test(request.url()));
  page.on('request', count);
  for (const san of ['e4', 'e5', 'Nf3']) await play(page, san);
  go();
  await until(page, 'it says so', () => /^it is not known/.test(document.querySelector('.said.shown')?.textContent ?? ''));
  await until(page, 'it is looked for', () => document.querySelector('.notebook .moves')?.textContent.includes('e4'));
  equal('what waited', await page.locator('#move-said').textContent(), 'Not played: e5 Nf3');
  // the page tries again after three seconds what it may try again
  await page.waitForTimeout(3500);
  equal('sent', sent, 1);
  equal('stored', line(book), ['e2e4']);
  page.off('request', count);
  await page.unroute(/\/nodes$/);
});

test('moves that wait for one that is being stored are not played in another view, and hold up none there', async () => {
  const book = await ask(page, 'POST', '/api/notebooks', { name: 'Left', color: 'white' });
  await page.goto(`${base}/n/${book.id}`);
  await settled(page);
  const go = await holding(page);
  for (const san of ['e4', 'e5']) await play(page, san);
  equal('the window asks', await page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true }))), true);
  await page.locator('nav a[href$="/analysis"]').first().click();
  await until(page, 'it says so', () => document.querySelector('.said.shown')?.textContent === 'Not played: e5');
  await play(page, 'd4');
  await shows('d4');
  go();
  await becomes(() => line(book).length === 1);
  await settled(page);
  yes('where the visitor is', page.url().includes('/analysis'));
  equal('moves', (await page.locator('.analysis .moves').textContent()).includes('e5'), false);
  await page.unroute(/\/nodes$/);
});

test('a line of the engine is added to a notebook as a whole', async () => {
  const book = await ask(page, 'POST', '/api/notebooks', { name: 'Engine', color: 'white' });
  await page.route(/\/api\/status$/, async route => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), engine: true } });
  });
  const seen = { depth: 9, pvs: [{ cp: 20, moves: ['e2e4', 'e7e5', 'g1f3'], san: ['e4', 'e5', 'Nf3'] }] };
  await page.route(/\/api\/engine/, route =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: `event: analysis\ndata: ${JSON.stringify(seen)}\n\nevent: end\ndata: ${JSON.stringify(seen)}\n\n`,
    }),
  );
  await page.goto(`${base}/n/${book.id}`);
  const toggle = page.locator('[role=switch]');
  if ((await toggle.getAttribute('aria-checked')) !== 'true') await toggle.click();
  await page.locator('.live-lines button', { hasText: 'Nf3' }).click();
  await until(page, 'all are shown', () => document.querySelector('.notebook .moves')?.textContent.includes('Nf3'));
  equal('all are stored', line(book), ['e2e4', 'e7e5', 'g1f3']);
  await page.unrouteAll();
});

test('a notebook takes the comments at the start of all games, and says what it leaves out', async () => {
  const book = await ask(page, 'POST', '/api/notebooks', { name: 'Chapters', color: 'white' });
  await page.goto(`${base}/n/${book.id}`);
  await settled(page);
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  const text = '[Event "1"]\n\n{First.} 1. e4 *\n\n[Event "2"]\n\n{Zweiter, für Jürgen.} 1. d4 (1. c4 -- 2. d4) d5 *\n';
  await page
    .locator('dialog input[type=file]')
    .setInputFiles({ name: 'chapters.pgn', mimeType: 'application/x-chess-pgn', buffer: Buffer.from(text, 'latin1') });
  await until(page, 'it is read', () => document.querySelector('dialog textarea').value.includes('Zweiter'));
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await until(page, 'it says so', () => /Game 2 has null moves/.test(document.querySelector('.notebook')?.textContent ?? ''));
  const note = `SELECT replace(note, chr(10), ' ') FROM chess_web.notebook_nodes WHERE notebook_id = ${book.id} AND parent IS NULL`;
  equal('comments', sql(note), [['First. Zweiter, für Jürgen.']]);
});
