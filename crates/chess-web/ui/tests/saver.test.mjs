import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mock, test } from 'node:test';

const kept = new Map();
const listeners = {};
globalThis.addEventListener = (name, listener) => (listeners[name] = listener);
globalThis.navigator ??= {};
globalThis.location = new URL('http://localhost/');
globalThis.document = { documentElement: { classList: { add() {}, remove() {} } }, baseURI: 'http://localhost/' };
Object.defineProperty(globalThis, 'localStorage', {
  value: { getItem: name => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) },
});
const { ApiError, away, fresh, reach, send, unknown } = await import('../api.ts');
const { change, saveBoard, Saver, showSaving } = await import('../saver.ts');
const { addComment, NOTE } = await import('../nodes.ts');
const { textOf } = await import('../field.ts');
const { boards, keepAnswer, notebooks, storeAnswers } = await import('../sessions.ts');
const { ownName } = await import('../address.ts');
/** The key of the stored answers of this site, whose path it contains. */
const ANSWERS = ownName('answers');

const idle = () => new Promise(setImmediate);
mock.timers.enable({ apis: ['setTimeout'] });
const after = async seconds => {
  mock.timers.tick(seconds * 1000);
  await idle();
};

/** A saver with what it says, and a server that stores what it gets unless it has an error. */
function saving() {
  const server = { stored: [], errors: [], isAway: false };
  const said = [];
  const saver = new Saver((state, problem) => said.push(problem ? `${state}: ${problem}` : state));
  const write = text => async () => {
    const error = server.isAway ? new ApiError(0, 'away') : server.errors.shift();
    if (error) throw error;
    server.stored.push(text);
  };
  return { saver, said, server, write };
}

test('what failed is written again, also when something else was changed meanwhile', async () => {
  const { saver, said, server, write } = saving();
  server.isAway = true;
  saver.later('A', 'Name', write('a'));
  await after(0.5);
  saver.later('B', 'Name', write('b'));
  await after(0.5);
  assert.deepEqual(server.stored, []);
  assert.equal(said.at(-1), 'failed: away');
  server.isAway = false;
  await after(60);
  assert.deepEqual(server.stored, ['a', 'b']);
  assert.equal(said.at(-1), 'saved');
  assert.ok(saver.done);
});

test('only all together is saved', async () => {
  const { saver, said, server, write } = saving();
  server.errors = [new ApiError(0, 'away'), new ApiError(503, 'busy')];
  saver.later('A', 'Name', write('a'));
  saver.later('B', 'Name', write('b'));
  await after(0.5);
  assert.deepEqual([server.stored, said.at(-1), said.includes('saved')], [['b'], 'failed: busy', false]);
  await after(60);
  assert.deepEqual([server.stored, said.at(-1)], [['b', 'a'], 'saved']);
});

test('the last change wins', async () => {
  const { saver, server, write } = saving();
  let answer;
  saver.later('A', 'Name', () => new Promise(done => (answer = done)));
  const first = saver.now();
  await idle();
  saver.later('A', 'Name', write('later'));
  answer();
  await first;
  assert.ok(!saver.done);
  await after(0.5);
  assert.deepEqual([server.stored, saver.done], [['later'], true]);
});

test('what the server refuses is not sent again, and not forgotten', async () => {
  const { saver, said, server, write } = saving();
  let sent = 0;
  const refused = () => {
    sent++;
    return Promise.reject(new ApiError(400, 'too long'));
  };
  saver.later('A', 'Name', refused);
  await after(0.5);
  await after(100_000);
  assert.equal(sent, 1);
  saver.later('B', 'Name', write('b'));
  await after(0.5);
  assert.deepEqual([server.stored, sent, said.at(-1)], [['b'], 1, 'failed: too long']);
  saver.later('A', 'Name', write('a'));
  await after(0.5);
  assert.deepEqual([server.stored, said.at(-1)], [['b', 'a'], 'saved']);
});

test('a busy server is asked when it says', async () => {
  const { saver, server, write } = saving();
  server.errors = [new ApiError(429, 'busy', undefined, undefined, 100)];
  saver.later('A', 'Name', write('a'));
  await after(0.5);
  await after(99);
  assert.deepEqual(server.stored, []);
  await after(1);
  assert.deepEqual(server.stored, ['a']);
});

/** Answers each request with the next of these: a status and a body, or a function that returns both. */
function answering(...answers) {
  const asked = [];
  globalThis.fetch = async (path, { method, body }) => {
    asked.push([method, path.replace(/^.*\/api/, '/api'), body && JSON.parse(body)]);
    const answer = answers.shift();
    if (!answer) throw new TypeError('away');
    const [status, json] = await (typeof answer === 'function' ? answer() : answer);
    return json instanceof Response ? json : status === 204 ? new Response(null, { status }) : Response.json(json, { status });
  };
  return asked;
}

test('a board that was changed elsewhere becomes another one', async () => {
  for (const status of [404, 409]) {
    const board = { id: '5', name: 'A', origin: '', version: '1', key: 'k' };
    let parted = 0;
    const asked = answering([status, { error: 'no' }], undefined, [201, { id: 6, version: '2' }]);
    await assert.rejects(saveBoard(board, '1. e4 *', () => parted++));
    assert.equal(parted, 0, 'it is none yet');
    await saveBoard(board, '1. e4 *', () => parted++);
    assert.deepEqual([board.id, board.version, parted], ['6', '2', 1]);
    assert.deepEqual(
      asked.map(([method, path]) => `${method} ${path}`),
      ['PUT /api/boards/5', 'POST /api/boards', 'POST /api/boards'],
    );
    assert.equal(asked[1][2].key, asked[2][2].key, 'sent again it is the same board');
    assert.notEqual(asked[1][2].key, 'k');
  }
});

test('what was stored is the version that is replaced next', async () => {
  const board = { id: '', name: '', origin: '', version: '', key: 'k' };
  const asked = answering([201, { id: 5, version: '1' }], [200, { id: 5, version: '2' }], [200, { id: 5, version: '3' }]);
  for (let i = 0; i < 3; i++) await saveBoard(board, '*', assert.fail);
  assert.deepEqual([asked[1][2].version, asked[2][2].version, board.version], ['1', '2', '3']);
});

test('new objects are saved one after the other', async () => {
  let answer;
  const asked = answering(new Promise(done => (answer = done)), [201, { id: 2 }], [201, { id: 3 }]);
  const all = [boards.create('A', '*'), notebooks.create('B', null), boards.create('C', '*')];
  await idle();
  assert.equal(asked.length, 1);
  answer([503, { error: 'busy' }]);
  await assert.rejects(all[0]);
  await Promise.all(all.slice(1));
  assert.equal(asked.length, 3);
});

test('an answer in training is dropped only if it is refused for ever', async () => {
  const answers = () => JSON.parse(kept.get(ANSWERS)).length;
  for (const status of [401, 403, 409, 429, 500, 503]) {
    kept.clear();
    keepAnswer({ path: '/api/x', node: 1, uci: null, at: 0, key: 'k' });
    answering([status, { error: 'no' }]);
    assert.deepEqual([await storeAnswers(), answers()], [false, 1], String(status));
  }
});

test('an answer in training stays until it is sent, also when another window sends the others', async () => {
  const named = key => ({ path: '/api/x', node: 1, uci: null, at: 0, key });
  kept.clear();
  keepAnswer(named('a'));
  keepAnswer(named('b'));
  const asked = [];
  globalThis.fetch = async (_, { body }) => {
    asked.push(JSON.parse(body).key);
    // meanwhile the other window has sent all that it knew, and keeps a new one
    if (asked.length === 1) kept.set(ANSWERS, JSON.stringify([named('c')]));
    return Response.json({});
  };
  assert.equal(await storeAnswers(), true);
  assert.deepEqual(asked, ['a', 'c']);
});

const html =
  (status, headers = {}) =>
  () => [
    status,
    new Response('<html><head><title>502 Bad Gateway', { status, headers: { 'Content-Type': 'text/html', ...headers } }),
  ];
const redirected = () => [200, Object.defineProperty(Response.json({ id: 1 }), 'redirected', { value: true })];
const cut = () => [200, new Response('{"id":', { headers: { 'Content-Type': 'application/json' } })];

test('what a proxy says in place of the server is no answer', async () => {
  for (const answer of [...[200, 404, 500, 502, 503, 521].map(status => html(status)), redirected, cut]) {
    answering(answer, answer);
    const error = await fresh('/api/x').catch(error => error);
    assert.ok(error instanceof ApiError && away(error) && !unknown(error), error.message);
    assert.ok(!error.message.includes('<'), error.message);
    await assert.rejects(reach('/api/engine', 'text/event-stream'), away);
  }
  for (const status of [504, 524]) {
    answering(html(status));
    const late = await fresh('/api/x').catch(error => error);
    assert.deepEqual([late.status, late.message, away(late), unknown(late)], [504, 'This takes too long.', false, false]);
  }
  answering(html(503, { 'Retry-After': '120' }));
  await assert.rejects(send('POST', '/api/x', {}), { status: 0, wait: 120 });
  answering(html(413), [403, new Response('not from there', { status: 403, headers: { 'Content-Type': 'text/plain' } })]);
  await assert.rejects(fresh('/api/x'), { status: 413, message: 'The server reports error 413.' });
  await assert.rejects(fresh('/api/x'), { status: 403, message: 'not from there' });
});

test('errors of the server are told in its words', async () => {
  answering([504, { error: 'too slow', hint: 'ask less' }], [503, { error: 'lost' }], [204]);
  const slow = await fresh('/api/x').catch(error => error);
  assert.deepEqual([slow.status, slow.message, slow.hint, away(slow)], [504, 'too slow', 'ask less', false]);
  assert.equal(unknown(await fresh('/api/x').catch(error => error)), true);
  assert.equal(await send('DELETE', '/api/x'), null);
});

test('nothing counts as saved because something else answers', async () => {
  kept.clear();
  keepAnswer({ path: '/api/x', node: 1, uci: null, at: 0, key: 'k' });
  for (const answer of [html(200), html(404), redirected]) {
    answering(answer, answer);
    assert.equal(await storeAnswers(), false);
    assert.equal(JSON.parse(kept.get(ANSWERS)).length, 1);
    const board = { id: '', name: 'A', origin: '', version: '', key: 'k' };
    await assert.rejects(saveBoard(board, '*', assert.fail), away);
    assert.equal(board.id, '');
  }
});

/** Does a window that is closed ask first? */
function asks() {
  let asked = false;
  listeners.beforeunload({ preventDefault: () => (asked = true) });
  return asked;
}

test('a window that is closed before all is saved asks first, and saves meanwhile', async () => {
  const { saver, server, write } = saving();
  assert.equal(asks(), false);
  server.errors = [new ApiError(400, 'too long')];
  saver.later('A', 'Name', write('a'));
  assert.equal(asks(), true);
  await idle();
  assert.equal(asks(), true, 'it was refused');
  saver.later('A', 'Name', write('shorter'));
  await after(0.5);
  assert.deepEqual(server.stored, ['shorter']);
  assert.equal(asks(), false);
});

test('what is refused is forgotten with the view that could change it', async () => {
  for (const refusedBefore of [true, false]) {
    const { saver, said, server, write } = saving();
    server.errors = [new ApiError(413, 'too long')];
    saver.later('A', 'Name', write('a'));
    if (refusedBefore) await after(0.5);
    saver.leave();
    await idle();
    assert.deepEqual([said.at(-1), saver.done, asks()], ['failed: too long', true, false]);
  }
});

test('what a view that was left could not write does not replace what is written later', async () => {
  const { saver, server, write } = saving();
  server.isAway = true;
  saver.later('note 1', 'Name', write('older'));
  saver.leave();
  await idle();
  server.isAway = false;
  const next = saving();
  next.saver.later('note 1', 'Name', next.write('later'));
  await after(0.5);
  await after(60);
  assert.deepEqual([server.stored, next.server.stored, asks()], [[], ['later'], false]);
});

test('a failure is told once when its view was left, with the name', () => {
  const told = [];
  const line = { classList: { add() {}, remove() {} }, setAttribute() {}, append() {} };
  Object.defineProperty(line, 'textContent', { set: text => told.push(text) });
  document.createElement = () => line;
  document.body = { append() {} };
  document.querySelectorAll = () => [];
  const place = { isConnected: true };
  const show = showSaving(place);
  show('failed', 'away', 'Najdorf');
  assert.deepEqual([place.textContent, told], ['not saved: away', []]);
  place.isConnected = false;
  for (let i = 0; i < 3; i++) show('failed', 'away', 'Najdorf');
  assert.deepEqual(told, ['Najdorf: not saved: away']);
  show('saved');
  show('failed', 'too long', 'Najdorf');
  assert.deepEqual(told.slice(1), ['Najdorf: not saved: too long']);
});

test('a window asks while a change is sent, whose failure is told if its view was left', async () => {
  let fail;
  const sent = change('Najdorf', () => false, new Promise((_, no) => (fail = no)));
  assert.equal(asks(), true);
  fail(new ApiError(400, 'no'));
  await assert.rejects(sent, /no/);
  assert.equal(asks(), false);
});

test('only a server that says when is asked again', () => {
  assert.equal(unknown(new ApiError(503, 'lost')), true);
  assert.equal(unknown(new ApiError(503, 'busy', undefined, undefined, 2)), false);
  assert.equal(unknown(new ApiError(0, 'away')), false);
});

test('a note gets each comment once, and as many as it has room for', () => {
  const source = readFileSync(`${process.env.UI}/../src/saved/notebooks.rs`, 'utf8');
  assert.equal(NOTE, Number(/const NOTE: usize = (\d+)/.exec(source)[1]));
  const comments = [];
  const add = (comment, note = 'Stored plan.') => addComment(note, comments, comment);
  for (const comment of ['', 'First plan.', 'First', 'plan.', 'First', 'Stored plan.']) assert.ok(add(comment));
  assert.deepEqual(comments, ['First plan.', 'First', 'plan.']);
  const room = NOTE - 'Stored plan.\nFirst plan.\nFirst\nplan.\n'.length;
  assert.equal(add('x'.repeat(room + 1)), false);
  assert.equal(add('x'.repeat(room)), true);
  assert.equal(comments.length, 4, 'the former ones stay');
  assert.equal(addComment('', [], 'x'.repeat(NOTE + 1)), false, 'the first one too');
});

test('no field cuts off what is pasted into it', () => {
  const ui = process.env.UI;
  const sources = readdirSync(ui).filter(name => name.endsWith('.ts'));
  assert.deepEqual(
    sources.filter(name => /maxlength/i.test(readFileSync(`${ui}/${name}`, 'utf8'))),
    [],
  );
});

test('files of games are read in the encodings that they have', () => {
  const bytes = (...all) => new Uint8Array(all).buffer;
  assert.equal(textOf(new TextEncoder().encode('\ufeffJürgen').buffer), 'Jürgen');
  assert.equal(textOf(bytes(0x4a, 0xfc, 0x72, 0x67, 0x65, 0x6e)), 'Jürgen');
  assert.equal(textOf(bytes(0xff, 0xfe, 0x4a, 0, 0xfc, 0)), 'Jü');
  assert.equal(textOf(bytes(0xfe, 0xff, 0, 0x4a, 0, 0xfc)), 'Jü');
});
