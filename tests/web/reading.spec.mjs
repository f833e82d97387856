// In: chess-web over demo/famous.pgn and games.pgn. Out: an error unless a game can be read: its head with the opening stays, the
// moves have evaluation, time and clock, are those of the database whatever notation their author used, variations fold, the current move and its comment are in view, the neighbours in the
// list are a step away, and an analysis begins at the same half-move and stores nothing before it is changed.
import { api, base, becomes, equal, newPage, number, one, open, plain, quoted, settled, sql, test, until, yes } from './browser.mjs';

const everything = (await api('/api/games?event=' + encodeURIComponent('Test <b>bold</b>'))).body.games[0].id;
const long = (await api('/api/games?sort=plies&limit=1')).body.games[0];
const ready = async (page, path) => {
  await page.goto(base + path);
  await page.waitForSelector('.moves [aria-current], .moves .number');
  await settled(page);
};
const current = page => page.locator('.moves [aria-current]').textContent();
const boards = () => number('SELECT count(*) FROM chess_web.boards');

let page;
test.beforeAll(async () => {
  page = await open('/', { permissions: ['clipboard-read', 'clipboard-write'] });
});

test('the head: opening without a tag, the first event as a link, no round that is unknown', async () => {
  sql(`INSERT INTO chess.pgn_view (white, black, date, round, event, result, game) VALUES ('Dash, Dora', 'Dash, Dirk', '2021.02.03', '-', 'Dashes & more', '1-0', '1. d4 Nf6 2. c4 e6 3. Nc3 Bb4 4. e3 1-0')`);
  sql(`UPDATE chess.games SET tags = '{"Event": ["Dashes & more", "Another event"]}' WHERE white_id = (SELECT id FROM chess.players WHERE name = 'Dash, Dora')`);
  try {
    const [game] = (await api('/api/games?player=Dash,+Dora')).body.games;
    await ready(page, `/game/${game.id}`);
    const head = plain(await page.locator('.panel-head').textContent());
    const [eco, name] = sql(`SELECT (opening(game)).* FROM chess.pgn_view WHERE white = 'Dash, Dora'`)[0];
    yes(`${eco} ${name}`, head.includes(`${eco} ${name}`) && eco);
    yes('no round', !/round/.test(head));
    await page.getByRole('link', { name: 'Dashes & more' }).click();
    await page.waitForURL(/\/tournament\/Dashes/);
    await until(page, 'the games of the event', () => document.querySelectorAll('.names tbody tr').length === 1);
  } finally {
    sql(`DELETE FROM chess.games WHERE white_id = (SELECT id FROM chess.players WHERE name = 'Dash, Dora')`);
  }
});

test('the moves: bold main line, evaluation, time and clock', async () => {
  await ready(page, `/game/${everything}#4`);
  const weight = selector => page.locator(selector).first().evaluate(e => Number(getComputedStyle(e).fontWeight));
  yes('the main line is bold', (await weight('.row .move')) >= 600);
  yes('variations are not', (await weight('.variation .move')) < 600);
  const facts = plain(await page.locator('.row', { has: page.getByRole('button', { name: 'd6', exact: true }) }).textContent());
  equal('of the second moves', facts, '2. Nf3 +0.20 2:30 1:28:00 d6 +0.50 2:10 1:28:10');
  yes('a comment has a line of its own', await page.locator('.aside > .comment', { hasText: 'The Sicilian, of course.' }).count());
  yes('and the next row begins with its number', /^2\./.test(plain(await page.locator('.aside:has-text("The Sicilian") + .row').textContent())));
  const box = async text => (await page.locator('.variation .move', { hasText: text }).boundingBox()).x;
  yes('a variation within a variation is indented', (await box('exf4')) > (await box('e5')));
});

test('variations fold', async () => {
  await ready(page, `/game/${everything}`);
  const inner = page.locator('.variation .move', { hasText: 'exf4' });
  await page.getByRole('button', { name: 'Variation 1… e5' }).click();
  yes('folded', !(await inner.isVisible()));
  yes('its first move is still named', /1… e5/.test(await page.locator('.variation.folded').first().innerText()));
  await page.getByRole('button', { name: 'Variation 1… e5' }).press('Enter');
  yes('unfolded by the keyboard', await inner.isVisible());
  await page.getByRole('button', { name: 'Fold variations', exact: true }).click();
  equal('all folded', await page.locator('.variation .move:visible').count(), 0);
  await page.getByRole('button', { name: 'Unfold variations' }).click();
  yes('all unfolded', await inner.isVisible());
  await inner.click();
  await page.getByRole('button', { name: 'Fold variations', exact: true }).click();
  yes('that of the current move stays open', await inner.isVisible());
});

test('the moves are those of the database, whatever notation they have', async () => {
  const texts = {
    German: '1. e4 {the usual} e5 2. Sf3 (2. Lc4 Lc5) Sc6 3. Lb5 a6 0-1',
    figurines: '1. e4 {the usual} e5 2. \u2658f3 (2. \u2657c4 \u265dc5) \u265ec6 3. \u2657b5 a6 0-1',
    coordinates: '1. e2e4 {the usual} e7e5 2. g1f3 (2. f1-c4 f8-c5) b8c6 3. f1b5 a7a6 0-1',
    'small letters': '1. e4 {the usual} e5 2. nf3 (2. Bc4 Bc5) nc6 3. Bb5 a6 0-1',
    'an introduction': '{ A short introduction. }\n\n1. e4 {the usual} e5 2. Nf3 (2. Bc4 Bc5) Nc6 3. Bb5 a6 0-1',
    'a blank line': '1. e4 {the usual}\n\n1... e5 2. Nf3 (2. Bc4\n\nBc5) 2... Nc6\n\n3. Bb5 a6 0-1',
    'an end that cannot be read': '1. e4 {the usual} e5 2. Nf3 (2. Bc4 Bc5) Nc6 3. Bb5 a6 4. Bh8 Nf6 {not so} 0-1',
  };
  try {
    for (const [what, text] of Object.entries(texts)) {
      sql(`INSERT INTO chess.pgn_view (white, black, result, error, game, annotated)
           SELECT ${quoted(`Notation, ${what}`)}, 'x', '0-1', error, game, annotated FROM pgngames(${quoted(`[Event "x"]\n\n${text}\n`)})`);
      const sans = one(`SELECT array_to_string(sans(game), ' ') FROM chess.pgn_view WHERE white = ${quoted(`Notation, ${what}`)}`);
      const [{ id }] = (await api(`/api/games?player=${encodeURIComponent(`Notation, ${what}`)}`)).body.games;
      equal(`${what}: stored`, sans, 'e4 e5 Nf3 Nc6 Bb5 a6');
      await ready(page, `/game/${id}`);
      const shown = selector => page.locator(selector).evaluateAll(all => all.map(move => move.textContent).join(' '));
      equal(`${what}: shown`, await shown('.row .move'), sans);
      equal(`${what}: the variation`, await shown('.variation .move'), 'Bc4 Bc5');
      yes(`${what}: the comment`, await page.locator('.comment', { hasText: 'the usual' }).count());
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/notation-${what.replace(/ /g, '-')}.png` });
      await page.getByRole('button', { name: 'Copy PGN' }).click();
      await until(page, 'it says so', () => /copied/.test(document.querySelector('.said')?.textContent ?? ''));
      const pgn = await page.evaluate(() => navigator.clipboard.readText());
      const moves = pgn.split('\n\n')[1].replace(/\s+/g, ' ');
      yes(`${what}: copied in English: ${moves}`, moves.includes('1. e4 { the usual } 1... e5 2. Nf3 ( 2. Bc4 Bc5 ) 2... Nc6 3. Bb5 a6'));
    }
    yes('what cannot be read is shown as text', /4\. Bh8|Bh8 Nf6/.test(await page.locator('.moves').textContent()));
  } finally {
    sql(`DELETE FROM chess.games WHERE white_id IN (SELECT id FROM chess.players WHERE name LIKE 'Notation, %')`);
  }
});

test('a text that is pasted is read in the same way', async () => {
  await page.goto(`${base}/analysis`);
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  await page.locator('dialog textarea').fill('1. e4 e5\n\n2. Sf3! {gut} (2. \u2657c4 -- 3. d4) Sc6 3. e:d5');
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await until(page, 'its moves', () => document.querySelectorAll('.analysis .row .move').length === 4);
  const shown = await page.locator('.analysis .move').evaluateAll(all => all.map(move => move.textContent).join(' '));
  equal('moves, glyphs and a null move', shown, 'e4 e5 Nf3! Bc4 -- d4 Nc6');
  yes('what is wrong is said', await page.getByText(/Read as far as possible: half-move 5, "e:d5"/).count());
});

test('the novelty is marked once the game is shown', async () => {
  sql(`INSERT INTO chess.pgn_view (white, black, date, result, game) VALUES ('Novel, Nora', 'x', '1650.01.01', '*', '1. a4 a5 2. Ra2'),
       ('Novel, Nora', 'y', '1650.01.02', '*', '1. a4 a5 2. Ra3 Ra7')`);
  // the game does not wait for it
  let release;
  const held = new Promise(done => (release = done));
  await page.route('**/novelty', async route => {
    await held;
    await route.continue();
  });
  try {
    const { games } = (await api('/api/games?player=Novel,+Nora')).body;
    const { id } = games.find(game => game.black.name === 'y');
    await page.goto(`${base}/game/${id}`);
    await page.waitForSelector('.moves .row');
    equal('not yet', await page.locator('.novelty').count(), 0);
    release();
    await page.waitForSelector('.novelty');
    const marked = page.locator('.moves .move', { has: page.locator('.novelty') });
    equal('the move', await marked.allTextContents(), ['Ra3']);
    equal('in words', await marked.getAttribute('title'), 'Novelty: no earlier game of the database has this position');
    await page.keyboard.press('/');
    await page.keyboard.type('h4');
    await page.keyboard.press('Enter');
    await until(page, 'a variation is drawn', () => document.querySelector('.variation'));
    equal('it stays', await marked.allTextContents(), ['Ra3']);
  } finally {
    release();
    await page.unroute('**/novelty');
    sql(`DELETE FROM chess.games WHERE white_id = (SELECT id FROM chess.players WHERE name = 'Novel, Nora')`);
  }
});

test('what was played here', async () => {
  await ready(page, `/game/${everything}#1`);
  const list = page.locator('.played-here');
  await until(page, 'the moves after 1. e4', () => document.querySelectorAll('.played-here tbody tr').length > 1);
  const { moves, games } = (await api('/api/explorer?play=e2e4')).body;
  const told = moves.slice(0, 6);
  yes('the move of the game is one of them', told.some(move => move.san === 'c5'));
  equal('the moves', await list.locator('tbody a').allTextContents(), told.map(move => move.san));
  equal('how often', await list.locator('tbody td:not(.bar)').evaluateAll(all => all.map(cell => Number(cell.textContent.replace(/\D/g, '')))), told.map(move => move.games));
  equal('that of the game', await list.locator('.own a').allTextContents(), ['c5']);
  yes('all games', plain(await list.textContent()).includes(`there were ${games} games`));
  const height = () => list.evaluate(e => e.getBoundingClientRect().height);
  const before = await height();
  await page.keyboard.press('ArrowRight');
  await until(page, 'those after 1… c5', () => !/c5/.test(document.querySelector('.played-here tbody').textContent));
  equal('nothing above it moves', await height(), before);
  await list.locator('tbody a').first().click();
  await page.waitForURL(/\/\?play=e2e4,c7c5,\w+$/);
  // folded, it asks nothing, and stays so
  await page.goBack();
  await page.waitForSelector('.played-here tbody tr');
  await list.locator('summary').click();
  const asked = [];
  page.on('request', request => asked.push(request.url()));
  await ready(page, `/game/${everything}#3`);
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/#4$/);
  await settled(page);
  equal('folded', [await list.evaluate(e => e.open), asked.filter(url => /api\/explorer/.test(url))], [false, []]);
  await list.locator('summary').click();
  await until(page, 'and unfolded again', () => document.querySelector('.played-here tbody tr'));
});

test('the current move stays a third from the top, its comment in view', async () => {
  await ready(page, `/game/${long.id}#40`);
  const place = () =>
    page.evaluate(() => {
      const frame = document.querySelector('.game-body').getBoundingClientRect();
      const move = document.querySelector('.moves [aria-current]').getBoundingClientRect();
      return (move.top - frame.top) / frame.height;
    });
  for (let i = 0; i < 3; i++) {
    yes(`a third from the top: ${await place()}`, Math.abs((await place()) - 1 / 3) < 0.05);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
  }
  yes('the head is in view', await page.locator('.players').evaluate(e => e.getBoundingClientRect().top >= 0));
  const low = await open(`/game/${everything}#2`, { viewport: { width: 1280, height: 420 } });
  await low.waitForSelector('.moves [aria-current]');
  await settled(low);
  for (const text of ['The Sicilian', 'Najdorf']) {
    if (text === 'Najdorf') for (let i = 0; i < 8; i++) await low.keyboard.press('ArrowRight');
    const inside = await low.locator('.comment', { hasText: text }).evaluate(e => {
      const [frame, box] = [e.closest('.scrolls').getBoundingClientRect(), e.getBoundingClientRect()];
      return box.top >= frame.top && box.bottom <= frame.bottom + 1;
    });
    yes(`${text}: in view`, inside);
  }
  await low.context().close();
});

test('on a phone the comment stands under the board', async () => {
  const phone = await open(`/game/${everything}#1`, { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true });
  await phone.waitForSelector('.moves [aria-current]');
  yes('no comment, no line', !(await phone.locator('.comment-under').isVisible()));
  await phone.getByRole('button', { name: 'Forward' }).tap();
  await until(phone, 'the comment', () => document.querySelector('.comment-under').textContent === 'The Sicilian, of course.');
  yes('in view', await phone.locator('.comment-under').evaluate(e => e.getBoundingClientRect().bottom <= innerHeight));
  await phone.getByRole('button', { name: 'To the start' }).tap();
  await until(phone, 'that on the start', () => /with everything/.test(document.querySelector('.comment-under').textContent));
  await phone.context().close();
  yes('not beside the moves', !(await page.locator('.comment-under').isVisible()));
});

test('neighbours in the list, and back', async () => {
  await page.goto(`${base}/games?player=Archer%2C+Ann`);
  await page.waitForSelector('table.games tbody tr');
  const links = await page.locator('table.games a.open').evaluateAll(all => all.map(a => a.getAttribute('href')));
  await page.locator('table.games tbody tr').first().click();
  const at = async n => {
    await page.waitForURL(base + links[n]);
    await until(page, 'its place', text => document.querySelector('.neighbours span')?.textContent === text, `${n + 1} of ${links.length}`);
  };
  await at(0);
  yes('no game before the first', await page.getByRole('button', { name: 'Previous game' }).isDisabled());
  await page.getByRole('button', { name: 'Next game' }).click();
  await at(1);
  await page.keyboard.press(']');
  await at(2);
  await page.keyboard.press('[');
  await at(1);
  await page.reload();
  await at(1);
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await page.waitForURL(/\/games\?player=Archer/);
  await ready(page, `/game/${everything}`);
  equal('a game that is not of the list', await page.locator('.neighbours').count(), 0);
});

test('neighbours that the list had not shown yet', async () => {
  await page.goto(`${base}/games?sort=plies`);
  await page.waitForSelector('table.games tbody tr');
  const all = (await api('/api/games?sort=plies&limit=200')).body.games.map(g => g.id);
  yes('more than a page of games', all.length > 51);
  await page.locator('table.games tbody tr').nth(49).click();
  await until(page, 'the last that is shown', () => document.querySelector('.neighbours span')?.textContent === '50 of 50 or more');
  await page.keyboard.press(']');
  await page.waitForURL(new RegExp(`/game/${all[50]}$`));
  await until(page, 'its place', n => document.querySelector('.neighbours span')?.textContent === `51 of ${n}`, Math.min(100, all.length));
  await page.keyboard.press('[');
  await page.waitForURL(new RegExp(`/game/${all[49]}$`));
});

test('the mouse wheel over the board', async () => {
  await ready(page, `/game/${everything}#3`);
  await page.locator('.board').hover();
  await page.mouse.wheel(0, 120);
  await page.waitForURL(/#4$/);
  await page.mouse.wheel(0, -120);
  await page.waitForURL(/#3$/);
  // a touchpad sends small steps
  for (let i = 0; i < 3; i++) await page.mouse.wheel(0, 25);
  await page.waitForURL(/#4$/);
});

test('analysis begins at the half-move, and stores nothing before a change', async () => {
  // the first visit makes the tables
  await api('/api/boards');
  const before = one("SELECT to_regclass('chess_web.boards')") ? boards() : 0;
  for (let i = 0; i < 2; i++) {
    await ready(page, `/game/${everything}#9`);
    await page.getByRole('button', { name: 'Analyze' }).click();
    await page.waitForURL(new RegExp(`/analysis\\?game=${everything}#9$`));
    await until(page, 'the move', () => document.querySelector('.analysis .moves [aria-current]')?.textContent === 'Nc3');
    yes('heading and buttons are in view', await page.locator('.analysis h1').evaluate(e => e.getBoundingClientRect().top > 0));
  }
  await page.reload();
  await until(page, 'still there', () => document.querySelector('.analysis .moves [aria-current]')?.textContent === 'Nc3');
  await settled(page);
  equal('boards', one("SELECT to_regclass('chess_web.boards')") ? boards() : 0, before);
  // another browser knows the game and the half-move by the address
  const other = await newPage();
  await other.goto(`${base}/analysis?game=${everything}#9`);
  await until(other, 'the move', () => document.querySelector('.analysis .moves [aria-current]')?.textContent === 'Nc3');
  await other.context().close();
  await page.keyboard.press('/');
  await page.keyboard.type('h6');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/analysis\/\w+/);
  equal('one board', boards(), before + 1);
  yes('the address is that of the board', !(await page.evaluate(() => location.search)).includes('game='));
  yes('with the move', sql(`SELECT pgn FROM chess_web.boards ORDER BY updated DESC LIMIT 1`)[0][0].includes('5... h6'));
});

test('a variation of one’s own goes along into the analysis', async () => {
  await ready(page, `/game/${everything}#2`);
  await page.keyboard.press('/');
  await page.keyboard.type('Nc3');
  await page.keyboard.press('Enter');
  await until(page, 'it is shown', () => document.querySelector('.moves [aria-current]').textContent === 'Nc3');
  await page.getByRole('button', { name: 'Analyze' }).click();
  await page.waitForURL(/\/analysis\?game/);
  await until(page, 'at the same move', () => document.querySelector('.analysis .variation [aria-current]')?.textContent === 'Nc3');
});

test.afterAll(() => settled(page));

test('while another game is awaited, the one on the screen stays whole; without it, nothing of it is left', async () => {
  const own = await open('/games', { permissions: ['clipboard-read', 'clipboard-write'] }, [/status of 404/]);
  await own.locator('table.games a.open').first().press('Enter');
  await own.waitForSelector('.moves .move');
  await settled(own);
  const players = await own.locator('.players').textContent();
  await own.waitForSelector('.played-here table');
  let answer;
  await own.route(/\/api\/games\/\w{8}(\?|$)/, async route => {
    await new Promise(done => (answer = done));
    await route.fulfill({ status: 404, json: { error: 'no such game' } });
  });
  // as a German keyboard types it, with AltGr
  const typed = { key: ']', code: 'Digit9', ctrlKey: true, altKey: true, bubbles: true };
  await own.evaluate(typed => document.body.dispatchEvent(new KeyboardEvent('keydown', typed)), typed);
  await becomes(() => answer);
  const awaited = own.url();
  await own.keyboard.press('ArrowRight');
  await own.locator('.moves .move').nth(4).click();
  await own.keyboard.press('ArrowLeft');
  yes('a move of the game is on the board', await own.locator('.moves [aria-current]').count());
  await own.locator('#move').fill('Na3');
  await own.keyboard.press('Enter');
  await own.locator('#move').fill('Na6');
  await own.keyboard.press('Enter');
  yes('one that is typed is played, or refused', /Na[36]/.test((await own.locator('.moves').textContent()) + (await own.locator('#move-said').textContent())));
  equal('the game', await own.locator('.players').textContent(), players);
  equal('the address is that of the other', own.url(), awaited);
  answer();
  await until(own, 'there is none', () => /There is no such game/.test(document.querySelector('h1').textContent));
  equal('moves', await own.locator('.moves .move').count(), 0);
  equal('what was played', await own.locator('.played-here').isVisible(), false);
  equal('the strip', await own.locator('.under').isVisible(), false);
  yes('the board', /White: king e1/.test(await own.locator('.words').textContent()));
  await own.unrouteAll();
  // back to the one before
  await own.goBack();
  await own.waitForSelector('.moves .move');
  equal('the game again', await own.locator('.players').textContent(), players);
  await own.waitForSelector('.played-here table');
  await own.context().close();
});
