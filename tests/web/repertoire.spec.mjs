// In: chess-web with sessions over demo/famous.pgn and games.pgn. Out: an error unless a notebook takes and gives PGN, changes
// can be undone after a reload, links lead to copies, the games are compared with it, and its positions can be trained by mouse,
// keyboard and touch.
import { readFileSync } from 'node:fs';
import { base, becomes, drag, equal, heard, one, open, plain, settled, square, sql, test, until, yes } from './browser.mjs';

const PGN = '1. e4 $1 $14 { Best by test [%cal Ge2e4] } 1... e5 ( 1... c5 { The Sicilian } 2. Nf3 ) 2. Nf3 Nc6 3. Bb5 *';
/** Makes a notebook on a page, with moves if there are some. */
async function make(page, name, color, pgn) {
  await page.goto(`${base}/notebooks`);
  await page.locator('#notebook-name').fill(name);
  await page.locator('#notebook-color').selectOption(color);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/\/n\/\d+/);
  await page.waitForSelector('#note');
  if (pgn) await paste(page, pgn);
}
async function paste(page, pgn) {
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  await page.locator('dialog textarea').fill(pgn);
  // what was said before
  await page.evaluate(() => document.querySelector('.node-side .note')?.remove());
  await page.locator('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await page.locator('.node-side .note').waitFor();
}
const said = page => page.locator('.node-side .note').textContent();
const shown = async page => plain(await page.locator('.moves').textContent());
async function downloaded(page) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()]);
  return plain(readFileSync(await download.path(), 'utf8'));
}

test('PGN in and out, and undone after a reload', async () => {
  const page = await open('');
  await make(page, 'Spanish', 'white', PGN);
  equal('what came', await said(page), '7 moves added.');
  const all = await shown(page);
  yes('comments and glyphs', all.includes('Best by test') && all.includes('The Sicilian') && all.includes('!'));
  const out = await downloaded(page);
  yes('the same goes out', out.includes('1. e4 $1 $14 { Best by test [%cal Ge2e4] } 1... e5 ( 1... c5 { The Sicilian } 2. Nf3 ) 2. Nf3 Nc6 3. Bb5 *'));
  await page.locator('.moves button.move').first().click();
  await until(page, 'an arrow', () => document.querySelector('.cg-shapes line[stroke="#15781b"]'));
  await paste(page, out);
  equal('the same again adds nothing', [await said(page), await downloaded(page)], ['0 moves added.', out]);
  await paste(page, '1. e4 e6 2. Kd4 d5 *');
  yes('an illegal move', /One move added\..*Kd4.*illegal move/.test(await said(page)));
  await paste(page, '[FEN "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"]\n\n2. Nc3 *\n\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n1. e4 *');
  yes('a game that begins within, and one that does not', /One move added\. Game 2 begins in a position that the notebook does not have/.test(await said(page)));
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  await page.locator('dialog textarea').fill('nothing at all');
  await page.locator('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await until(page, 'no moves', () => document.querySelector('.said.shown')?.textContent === 'There are no moves in this text.');
  equal('the text stays', await page.locator('dialog textarea').inputValue(), 'nothing at all');
  await page.keyboard.press('Escape');
  yes('Nc3', (await shown(page)).includes('Nc3'));
  // name and colour
  await page.locator('#notebook-name').fill('Ruy López');
  await until(page, 'the name is saved', () => document.querySelector('.saving').textContent === 'saved');
  await page.locator('#notebook-color').selectOption('black');
  await until(page, 'the colour is saved', () => document.querySelector('.saving').textContent === 'saved');
  await page.reload();
  await page.waitForSelector('.orientation-black');
  equal('the new name', await page.locator('#notebook-name').inputValue(), 'Ruy López');
  const undo = page.getByRole('button', { name: 'Undo' });
  const until_ = (what, test) => until(page, what, test);
  await undo.click();
  await until_('the colour before', () => document.querySelector('#notebook-color').value === 'white');
  await undo.click();
  await until_('the name before', () => document.querySelector('#notebook-name').value === 'Spanish');
  await undo.click();
  await until_('without the game from within', () => !/Nc3/.test(document.querySelector('.moves').textContent));
  await undo.click();
  await until_('without the French', () => !/e6/.test(document.querySelector('.moves').textContent));
  await undo.click();
  await until_('empty', () => /No moves yet/.test(document.querySelector('.moves').textContent));
  yes('nothing more to undo', await undo.isDisabled());
  await page.context().close();
});

test('the glyph that judges a move leaves the others', async () => {
  const page = await open('');
  await make(page, 'Glyphs', 'white', '1. e4 $14 $9 e5 *');
  const shown = () => page.locator('.moves button.move', { hasText: 'e4' }).locator('.glyph').allTextContents();
  for (const [chosen, glyphs] of [['1', ['!', '⩲', '$9']], ['2', ['?', '⩲', '$9']], ['0', ['⩲', '$9']]]) {
    await page.locator('.moves button.move', { hasText: 'e4' }).click();
    await settled(page);
    const stored = page.waitForResponse(answer => answer.request().method() === 'PATCH');
    await page.getByLabel('Glyph').selectOption(chosen);
    await stored;
    equal('shown', await shown(), glyphs);
    await page.reload();
    await page.locator('.moves button.move', { hasText: 'e4' }).waitFor();
    equal('after a reload', await shown(), glyphs);
  }
  await page.context().close();
});

test('two windows', async () => {
  const page = await open('', {}, [/status of (404|409)/]);
  await make(page, 'Twice', 'white', '1. e4 e5 (1... c5 2. Nf3) 2. Nf3 *');
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.waitForSelector('#note');
  await other.locator('.moves button.move', { hasText: 'c5' }).click();
  await page.locator('.moves button.move', { hasText: 'c5' }).click();
  await page.waitForURL(/\/n\/\d+\/\d+/);
  await page.getByRole('button', { name: 'Delete from here' }).click();
  await until(page, 'the branch is gone', () => !/c5/.test(document.querySelector('.moves').textContent));
  await other.locator('#move').fill('Nc3');
  await other.keyboard.press('Enter');
  await until(other, 'the other window has what is there', () => !/c5/.test(document.querySelector('.moves').textContent));
  // deleted in one, then in the other, which hears of it
  for (const window of [page, other]) {
    await window.goto(`${base}/notebooks`);
    await window.locator('.cards li', { hasText: 'Twice' }).waitFor();
  }
  other.on('dialog', dialog => dialog.accept());
  await page.getByRole('button', { name: 'Delete Twice' }).click();
  await until(page, 'it is gone', () => !/Twice/.test(document.querySelector('main').textContent));
  await other.getByRole('button', { name: 'Delete Twice' }).click();
  await until(other, 'it is gone there, too', () => document.querySelector('.said.shown') && !/Twice/.test(document.querySelector('main').textContent));
  await page.context().close();
});

test('a link leads to a copy', async () => {
  const page = await open('');
  await make(page, 'To share', 'black', PGN);
  await page.getByRole('button', { name: 'Share' }).click();
  const link = await page.locator('#shared-link').inputValue();
  yes('a link to this server', link.startsWith(`${base}/shared/`));
  const other = await open('', {}, [/status of 404/]);
  await other.goto(link);
  await other.getByRole('heading', { name: 'To share' }).waitFor();
  await other.waitForSelector('.orientation-black');
  yes('its moves', (await shown(other)).includes('The Sicilian'));
  await other.keyboard.press('ArrowRight');
  await until(other, 'a step', () => document.querySelector('.comment-under').textContent === 'Best by test');
  await other.getByRole('button', { name: 'Keep a copy' }).click();
  await other.waitForURL(url => /^\/n\/\d+$/.test(url.pathname) && url.pathname !== new URL(page.url()).pathname);
  await other.waitForSelector('#note');
  yes('with its notes', (await downloaded(other)).includes('{ The Sicilian }'));
  await page.getByRole('button', { name: 'Take it back' }).click();
  await until(page, 'it says so', () => /leads to nothing now/.test(document.querySelector('.said')?.textContent));
  await other.goto(link);
  await until(other, 'nothing there', () => /taken it back/.test(document.querySelector('main').textContent));
  // a board, and somebody who has nothing saved yet
  await page.goto(`${base}/analysis`);
  await page.getByRole('button', { name: 'Paste PGN' }).click();
  await page.locator('dialog textarea').fill('1. d4 d5 (1... f5) *');
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await page.waitForURL(/\/analysis\/\d+/);
  await page.getByRole('button', { name: 'Share' }).click();
  const board = await page.locator('#shared-link').inputValue();
  const third = await open('');
  await third.goto(board);
  await third.getByRole('button', { name: 'Keep a copy' }).click();
  await third.waitForURL(url => /^\/analysis\/\d+$/.test(url.pathname) && url.href !== page.url());
  await until(third, 'its moves', () => /f5/.test(document.querySelector('.moves')?.textContent));
  for (const one of [page, other, third]) await one.context().close();
});

test('compared with the games', async () => {
  const page = await open('');
  await make(page, 'Compared', 'white', '1. e4 e5 (1... c5 2. Nf3 d6 3. d4) 2. Nf3 Nc6 (2... d6 3. d4) 3. Bb5 a6 4. Ba4 *');
  await page.getByText('Compare with the games').click();
  await page.getByRole('button', { name: 'Check the games' }).click();
  await until(page, 'the totals', () => /followed the notebook/.test(document.querySelector('.compared').textContent));
  const totals = Object.fromEntries(sql("SELECT status, count(*) FROM chess.repertoire_check(chess.repertoire('1. e4 e5 (1... c5 2. Nf3 d6 3. d4) 2. Nf3 Nc6 (2... d6 3. d4) 3. Bb5 a6 4. Ba4 *'), NULL, 'w') GROUP BY 1"));
  const words = plain(await page.locator('.compared [role=status]').textContent());
  yes(`the totals: ${words}`, words.includes(`${totals.followed} followed the notebook, ${totals.left} left it by the player’s own move, ${totals['opponent left']} by the opponent’s, ${totals['not reached'] ?? 0} never reached it`));
  await page.locator('.compared th button', { hasText: 'e4' }).first().click();
  await page.waitForURL(/\/n\/\d+\/\d+/);
  await page.locator('#player').fill('Nobody at all');
  await page.getByRole('button', { name: 'Check the games' }).click();
  await page.locator('.comparison .meant', { hasText: 'No player is called “Nobody at all”.' }).waitFor();
  yes('the filters stay in the address', new URL(await page.evaluate(() => location.href)).searchParams.get('player') === 'Nobody at all');
  await page.locator('#player').fill('');
  await page.getByRole('button', { name: 'Find gaps' }).click();
  await page.locator('.compared caption', { hasText: 'Gaps' }).waitFor();
  const add = page.locator('.compared td button').first();
  const move = await add.textContent();
  const line = await page.locator('.compared tbody th').first().textContent();
  await add.click();
  await until(page, 'the missing move is added', san => document.querySelector('.moves [aria-current]')?.textContent.startsWith(san), move);
  // the gap is filled: the same question has another answer
  await page.getByRole('button', { name: 'Find gaps' }).click();
  await until(page, 'the answer', () => !document.querySelector('.comparison progress') && document.querySelector('.compared tbody'));
  const rows = await page.locator('.compared tbody tr').evaluateAll(rows => rows.map(row => [...row.cells].slice(0, 3).map(cell => cell.textContent)));
  yes('it is no gap any more', !rows.some(row => row[0] === line && row[1] === move));
  await page.locator('.compared tr', { hasText: 'your move is missing' }).getByRole('button').first().click();
  yes('but leads to a position without a move', (await page.locator('.moves [aria-current]').textContent()).startsWith(move));
  // a long question is cancelled
  await page.route(/\/gaps/, () => undefined);
  await page.locator('#since').fill('1900');
  await page.getByRole('button', { name: 'Find gaps' }).click();
  const [gone] = await Promise.all([page.waitForEvent('requestfailed'), page.getByRole('button', { name: 'Cancel' }).click()]);
  yes('the question is taken back', /gaps\?since=1900/.test(gone.url()));
  await page.unroute(/\/gaps/);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.locator('.compared caption', { hasText: 'Gaps' }).waitFor();
  await make(page, 'Of both', '', '1. e4 *');
  await page.getByText('Compare with the games').click();
  await until(page, 'a colour is needed', () => /choose the colour/.test(document.querySelector('.comparison').textContent));
  await page.context().close();
});

test('compared in parts', async () => {
  const page = await open('', {}, [/status of 504/]);
  await make(page, 'In parts', 'white', '1. e4 e5 (1... c5 2. Nf3 d6 3. d4) 2. Nf3 Nc6 (2... d6 3. d4) 3. Bb5 a6 4. Ba4 *');
  await page.getByText('Compare with the games').click();
  const status = () => page.locator('.compared [role=status]').textContent().then(plain);
  const tables = () => page.locator('.compared tbody').allTextContents();
  await page.getByRole('button', { name: 'Check the games' }).click();
  await until(page, 'the totals', () => /followed the notebook/.test(document.querySelector('.compared').textContent));
  const [whole, rows] = [await status(), await tables()];
  // the server takes few games at a time
  const asked = [];
  const too = { status: 504, contentType: 'application/json', body: '{"error": "the search takes too long"}' };
  await page.route(/\/check\?/, route => {
    const limit = Number(new URL(route.request().url()).searchParams.get('limit'));
    asked.push(limit);
    return limit > 20 ? route.fulfill(too) : route.continue();
  });
  await page.getByRole('button', { name: 'Check the games' }).click();
  await until(page, 'the end', () => !document.querySelector('.comparison progress'));
  yes(`smaller parts after those that take too long: ${asked}`, asked[0] > 20 && asked.filter(limit => limit <= 20).length > 3);
  equal('together they say what the whole does', [await status(), (await tables()).map(text => text.length)], [whole, rows.map(text => text.length)]);
  // none can be answered
  await page.unroute(/\/check\?/);
  await page.route(/\/check\?/, route => route.fulfill(too));
  await page.getByRole('button', { name: 'Check the games' }).click();
  await until(page, 'what to do', () => /takes too long.*Name a player/.test(document.querySelector('.comparison').textContent));
  // of the gaps the likely ones
  await page.route(/\/gaps\?/, route => {
    const url = route.request().url();
    return url.includes('downTo=0.05') ? route.continue({ url: url.replace('downTo=0.05', 'downTo=0.5') }) : route.fulfill(too);
  });
  await page.getByRole('button', { name: 'Find gaps' }).click();
  await until(page, 'what was not looked at', () => /Not looked at.*\d+ positions that less than 5 % of the games reach/.test(document.querySelector('.comparison').textContent));
  yes('what was found until then stays', (await tables())[0]);
  await page.context().close();
});

test('training, by mouse and keyboard', async () => {
  const page = await open('', {}, [/status of 400/]);
  await make(page, 'Trained', 'white', '1. e4 { First } e5 2. Nf3 Nc6 *');
  await page.getByRole('link', { name: 'Train' }).click();
  const status = text => until(page, text, text => document.querySelector('.training [role=status]')?.textContent.includes(text), text);
  await status('What does your notebook play');
  await settled(page);
  await drag(page, 'd2', 'd4');
  await status('Not d4: the notebook plays e4. It is asked again at the end.');
  await until(page, 'an arrow', () => document.querySelector('.cg-shapes line[stroke="#15781b"]'));
  yes('its note', (await page.locator('.training').textContent()).includes('e4: First'));
  await until(page, 'what people play', () => /What was played here/.test(document.querySelector('.training').textContent));
  // the wrong one comes again, before new ones
  await page.keyboard.press('Enter');
  await status('What does your notebook play');
  await page.keyboard.press('/');
  await page.keyboard.type('e4');
  await page.keyboard.press('Enter');
  await status('Right: e4. It is asked again');
  await page.getByRole('button', { name: 'Next' }).press('Enter');
  await status('What does your notebook play');
  equal('the line', await page.locator('.trained-line').textContent(), '1. e4 e5');
  await page.getByRole('button', { name: 'Show the answer' }).click();
  await status('The notebook plays Nf3');
  await page.getByRole('button', { name: 'Next' }).click();
  await drag(page, 'g1', 'f3');
  await status('Right: Nf3');
  await page.getByRole('button', { name: 'Next' }).click();
  await status('Nothing is due');
  await page.reload();
  await status('Nothing is due');
  yes('when the next one is', /due on/.test(await page.locator('.training').textContent()));
  await make(page, 'Neither', '', '1. e4 *');
  await page.getByRole('link', { name: 'Train' }).click();
  await until(page, 'a colour is needed', () => /one side/.test(document.querySelector('main').textContent));
  await page.context().close();
});

/** Waits for what training says, and types a move for an answer. */
function training(page) {
  const status = text => until(page, text, text => document.querySelector('.training [role=status]')?.textContent.includes(text), text);
  const type = async move => {
    await status('What does your notebook play');
    await page.keyboard.press('/');
    await page.keyboard.type(move);
    await page.keyboard.press('Enter');
  };
  return { status, type };
}
/** Types a move where none is asked for. */
async function typeIdly(page, move) {
  await page.locator('#move').fill(move);
  await page.keyboard.press('Enter');
}
const storedOf = name => Number(sql(`SELECT count(*) FROM chess_web.training t JOIN chess_web.notebooks n ON n.id = t.notebook_id WHERE n.name = '${name}'`)[0][0]);

test('training goes on without the network, and is stored later', async () => {
  const page = await open('', {}, [/ERR_INTERNET_DISCONNECTED/]);
  await make(page, 'Train', 'white', '1. e4 e5 (1... c5 2. Nc3) 2. Nf3 Nc6 3. Bb5 *');
  await page.getByRole('link', { name: 'Train' }).click();
  const { status, type } = training(page);
  const next = () => page.getByRole('button', { name: 'Next' }).click();
  await status('What does your notebook play');
  await settled(page);
  await page.context().setOffline(true);
  await type('e4');
  await status('Right: e4. It is stored when the server answers again.');
  await next();
  await type('d4');
  await status('the notebook plays');
  for (const move of ['Nc3', 'Bb5', 'Nf3']) {
    await next();
    // in whatever order the positions come, the wrong one last
    await status('What does your notebook play');
    const line = await page.locator('.trained-line').textContent();
    await type(line.endsWith('c5') ? 'Nc3' : line.endsWith('Nc6') ? 'Bb5' : 'Nf3');
    await status('Right: ');
    yes(`a position after ${move}`, line);
  }
  await next();
  await status('No more positions are loaded');
  const stored = () => storedOf('Train');
  equal('nothing is stored yet', [stored(), await page.evaluate(() => JSON.parse(localStorage.getItem('answers')).length)], [0, 5]);
  await page.context().setOffline(false);
  await until(page, 'all is sent', () => JSON.parse(localStorage.getItem('answers')).length === 0);
  await settled(page);
  equal('four positions', stored(), 4);
  await page.getByRole('button', { name: 'Try again' }).click();
  await status('Nothing is due');
  await page.context().close();
});

test('an answer that is under way when the browser ends is stored later', async () => {
  const page = await open('', {}, [/ERR_INTERNET_DISCONNECTED/]);
  await make(page, 'Left', 'white', '1. e4 e5 *');
  await page.getByRole('link', { name: 'Train' }).click();
  const { status, type } = training(page);
  await status('What does your notebook play');
  await settled(page);
  await page.context().setOffline(true);
  await type('e4');
  await status('It is stored when the server answers again.');
  let sent = 0;
  await page.route(/\/training$/, route => (route.request().method() === 'POST' ? void sent++ : route.continue()));
  await page.context().setOffline(false);
  await becomes(() => sent === 1);
  equal('nothing is stored yet', [sent, storedOf('Left')], [1, 0]);
  // nothing of the page runs any more
  await page.goto('chrome://crash').catch(() => {});
  const later = await page.context().newPage();
  await later.goto(base);
  await becomes(() => storedOf('Left') === 1);
  equal('it is stored', storedOf('Left'), 1);
  await until(later, 'nothing is kept', () => JSON.parse(localStorage.getItem('answers')).length === 0);
  await page.context().close();
});

test('an answer whose reply is lost is stored once', async () => {
  const page = await open('', {}, [/ERR_FAILED/]);
  await make(page, 'Lost', 'white', '1. e4 e5 *');
  await page.getByRole('link', { name: 'Train' }).click();
  const { status, type } = training(page);
  await status('What does your notebook play');
  await settled(page);
  const keys = [];
  await page.route(/\/training$/, async route => {
    if (route.request().method() !== 'POST') return route.continue();
    keys.push(route.request().postDataJSON().key);
    if (keys.length > 1) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await type('e4');
  await status('It is stored when the server answers again.');
  const stored = () => one("SELECT row(t.answered, t.stability) FROM chess_web.training t JOIN chess_web.notebooks n ON n.id = t.notebook_id WHERE n.name = 'Lost'");
  const first = stored();
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await until(page, 'nothing is kept', () => JSON.parse(localStorage.getItem('answers')).length === 0);
  equal('sent twice, stored once', [keys.length, keys[0] === keys[1], stored()], [2, true, first]);
  await page.context().close();
});

test('a question is answered once', async () => {
  const page = await open('', {}, [/status of 500/]);
  await make(page, 'Once', 'white', '1. e4 e5 *');
  await page.getByRole('link', { name: 'Train' }).click();
  const { status, type } = training(page);
  const keys = [];
  let answer;
  await page.route(/\/training$/, async route => {
    if (route.request().method() !== 'POST') return route.continue();
    keys.push(route.request().postDataJSON().key);
    await new Promise(done => (answer = done));
    return keys.length > 1 ? route.continue() : route.fulfill({ status: 500, json: { error: 'out of order' } });
  });
  await type('e4');
  await becomes(() => answer);
  equal('it cannot be answered again', await page.getByRole('button', { name: 'Show the answer' }).isDisabled(), true);
  await typeIdly(page, 'd4');
  answer();
  answer = undefined;
  await until(page, 'the failure', () => /out of order/.test(document.querySelector('.training').textContent));
  await typeIdly(page, 'd4');
  await page.getByRole('button', { name: 'Try again' }).click();
  await becomes(() => answer);
  answer();
  await status('Right: e4');
  equal('the same answer', [keys.length, new Set(keys).size], [2, 1]);
  await page.context().close();
});

/** Answers in a new notebook while the server refuses answers; once it takes them again, the answer is stored there. */
async function answeredLate(page, name) {
  await make(page, name, 'white', '1. e4 e5 *');
  await page.getByRole('link', { name: 'Train' }).click();
  const { status, type } = training(page);
  await page.route(/\/training$/, route => (route.request().method() === 'POST' ? route.abort() : route.continue()));
  await type('e4');
  await status('It is stored when the server answers again.');
  await page.unroute(/\/training$/);
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await becomes(() => storedOf(name) === 1);
  equal('stored', storedOf(name), 1);
}

test('a browser that blocks data of sites shows the page, and keeps what it is told until the window is closed', async () => {
  const page = await open('', {}, [/ERR_FAILED/]);
  await page.addInitScript(() => {
    const blocked = () => {
      throw new DOMException('blocked', 'SecurityError');
    };
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: blocked });
    LockManager.prototype.request = async () => blocked();
  });
  await page.goto(base);
  await page.waitForSelector('.explorer-moves tbody tr');
  await page.getByRole('button', { name: 'Dark or light' }).click();
  yes('a choice holds', await page.evaluate(() => document.documentElement.dataset.theme));
  await page.locator('nav a[href$="/games"]').click();
  await page.locator('table.games tbody tr a.open').first().press('Enter');
  await page.waitForSelector('.neighbours');
  await page.locator('.played-here summary').click();
  await page.getByRole('button', { name: 'Analyze', exact: true }).click();
  await page.waitForSelector('.analysis .moves .move');
  await answeredLate(page, 'Blocked');
  await page.context().close();
});

test('an answer for which the browser has no room is stored later', async () => {
  const page = await open('', {}, [/ERR_FAILED/]);
  await page.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  await answeredLate(page, 'Full');
  await page.context().close();
});

test('training, by touch on a phone, for Black', async () => {
  const page = await open('', { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
  await make(page, 'Small', 'black', '1. e4 c5 *');
  await page.getByRole('link', { name: 'Train' }).tap();
  await page.waitForSelector('.orientation-black');
  await until(page, 'the question', () => /What does your notebook play/.test(document.querySelector('.training')?.textContent));
  await settled(page);
  for (const name of ['c7', 'c5']) {
    const at = await square(page, name, true);
    await page.touchscreen.tap(at.x, at.y);
    await heard(page);
  }
  await until(page, 'right', () => /Right: c5/.test(document.querySelector('.training').textContent));
  await page.context().close();
});
