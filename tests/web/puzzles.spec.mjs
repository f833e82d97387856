// In: chess-web over demo/famous.pgn and games.pgn, without an engine; the variables of libpq. Out: an error unless puzzles are
// found by theme, player and difficulty and solved by mouse, keyboard and touch; a wrong move gets the stored reply; and without
// puzzles, or without their table, the page says what to do.
import { api, base, becomes, drag, equal, heard, number, one, open, plain, settled, square, sql, test, until, yes } from './browser.mjs';

const clear = () => sql("DELETE FROM chess.puzzles; DELETE FROM chess.analysis WHERE limit_value = 4711; DELETE FROM chess.engines WHERE name = 'of puzzles'");
test.beforeAll(clear);
test.afterAll(clear);
const prompt = (page, text) => until(page, text, text => document.querySelector('.puzzles .prompt')?.textContent.includes(text), text);

test('no puzzles, and no table of puzzles', async () => {
  const page = await open('/puzzles', {}, [/status of (404|503)/]);
  await until(page, 'what makes puzzles', () => /No puzzles yet/.test(document.querySelector('main').textContent) && /chess-pgn puzzles/.test(document.querySelector('main').textContent));
  await page.goto(`${base}/puzzles/4711`);
  await until(page, 'no such puzzle', () => /there is no such puzzle/.test(document.querySelector('main').textContent));
  sql('ALTER TABLE chess.puzzles RENAME TO puzzles_');
  await page.goto(`${base}/puzzles`);
  await until(page, 'tables of another version', () => /chess-pgn migrate/.test(document.querySelector('main').textContent));
  sql('ALTER TABLE chess.puzzles_ RENAME TO puzzles');
  await until(page, 'it goes on by itself', () => /No puzzles yet/.test(document.querySelector('main').textContent));
  await page.context().close();
});

let smothered, opera, game;
test('the API', async () => {
  sql("SELECT chess.import_puzzle('abcde', 'r5k1/6pp/7N/8/8/1Q6/8/6K1 b - - 0 1', 'g8h8 b3g8 a8g8 h6f7', 1500, 80, 90, 1000, '{smotheredMate,mateIn2}', 'https://lichess.org/x', '{}')");
  smothered = number('SELECT max(id) FROM chess.puzzles');
  game = number("SELECT id FROM chess.pgn_view WHERE white = 'Morphy, Paul' AND ply_count = 33 ORDER BY id LIMIT 1");
  sql(`INSERT INTO chess.puzzles (board, solution, themes, game_id, ply, loss, rating, kind) SELECT getBoard(game, 32), ARRAY[(ucis(game))[33]], '{mateIn1}', id, 32, 40, 800, 'missed' FROM chess.games WHERE id = ${game}`);
  opera = number('SELECT max(id) FROM chess.puzzles');
  const found = async query => (await api(`/api/puzzles?${query}`)).body.puzzle?.id ?? null;
  for (const [query, id] of [['', smothered], [`after=${smothered}`, opera], [`after=${opera}`, smothered], ['theme=mateIn1', opera], [`theme=mateIn1&after=${opera}`, opera], ['theme=none', null], ['rating=1000-', smothered], ['rating=-1000', opera], ['player=Morphy,+Paul', opera], ['player=Nobody', null], ['kind=import', smothered], ['game=00000001', null]])
    equal(query, await found(query), id);
  for (const query of ['kind=x', 'rating=x', 'after=x', 'game=x', 'theme=%00', 'nonsense=1']) equal(query, (await api(`/api/puzzles?${query}`)).status, 400);
  const { body } = await api(`/api/puzzles/${smothered}`);
  equal('a puzzle', [body.puzzle.fen, body.puzzle.before, body.puzzle.lead, body.puzzle.solution, body.puzzle.game], [one(`SELECT board::text FROM chess.puzzles WHERE id = ${smothered}`), 'r5k1/6pp/7N/8/8/1Q6/8/6K1 b - - 0 1', 'g8h8', ['b3g8', 'a8g8', 'h6f7'], null]);
  equal('its SQL', Number(sql(body.sql)[0][0]), smothered);
  equal('themes', (await api('/api/puzzles/themes')).body.themes.map(theme => [theme.name, !!theme.description]), [['mateIn1', true], ['mateIn2', true], ['smotheredMate', true]]);
});

test('solved by mouse and keyboard', async () => {
  const page = await open(`/puzzles/${smothered}`);
  await prompt(page, 'White to move');
  await settled(page);
  await page.keyboard.press('/');
  await page.keyboard.type('Qg8+');
  await page.keyboard.press('Enter');
  await prompt(page, 'Qg8+ is right. The reply is Rxg8');
  await drag(page, 'h6', 'f7');
  await prompt(page, 'Nf7#. Solved.');
  yes('the line', plain(await page.locator('.puzzles').textContent()).includes('2. Qg8+ Rxg8 3. Nf7#'));
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/puzzles/${opera}`));
  await prompt(page, 'White to move');
  yes('the board of its game', await page.getByRole('button', { name: 'Show the answer' }).count());
  await page.getByRole('button', { name: 'Show the answer' }).click();
  await prompt(page, 'That is the answer');
  yes('its game', (await page.locator('.puzzles a', { hasText: 'Morphy, Paul' }).getAttribute('href')).endsWith('#32'));
  await page.goBack();
  await page.waitForURL(new RegExp(`/puzzles/${smothered}`));
  await prompt(page, 'White to move');
  await page.context().close();
});

test('a wrong move, and its stored reply', async () => {
  const page = await open('', {}, [/status of 404/]);
  await page.goto(`${base}/puzzles?theme=smotheredMate`);
  await page.waitForURL(new RegExp(`/puzzles/${smothered}`));
  await prompt(page, 'White to move');
  await settled(page);
  await drag(page, 'b3', 'b8');
  await prompt(page, 'Qb8+ is not the answer');
  await settled(page);
  equal('nobody knows a reply', await page.locator('.puzzles [role=status]').nth(1).textContent(), '');
  sql("INSERT INTO chess.engines (name) VALUES ('of puzzles')");
  sql("INSERT INTO chess.analysis (key, halfmove_clock, engine_id, multipv, limit_kind, limit_value, status, board, best, evals, pvs, depth, nodes) SELECT zobrist(b), 0, (SELECT id FROM chess.engines WHERE name = 'of puzzles'), 1, 'nodes', 4711, 'done', b, 'a8b8', ARRAY[-900], ARRAY['a8b8 h6f7 h8g8'], 9, 4711 FROM (SELECT play(board, 'b3b8') FROM chess.puzzles WHERE name = 'abcde') p (b)");
  // the server looks every few seconds whether there are analyses
  const fen = encodeURIComponent(one("SELECT play(board, 'b3b8')::text FROM chess.puzzles WHERE name = 'abcde'"));
  await becomes(async () => (await api(`/api/cloud-eval?fen=${fen}`)).status === 200);
  await page.getByRole('button', { name: 'Try again' }).press('Enter');
  await prompt(page, 'White to move');
  await page.reload();
  await prompt(page, 'White to move');
  await settled(page);
  await drag(page, 'b3', 'b8');
  await until(page, 'the reply', () => /The reply: 2…\s*Rxb8 3\.\s*Nf7\+ Kg8/.test(document.querySelector('.puzzles').textContent));
  await until(page, 'its arrow', () => document.querySelector('.cg-shapes line[stroke="#882020"]'));
  await page.getByRole('button', { name: 'Show the answer' }).click();
  await prompt(page, 'That is the answer');
  await page.context().close();
});

test('chosen by theme, player and difficulty', async () => {
  const page = await open('/puzzles');
  await page.waitForURL(/\/puzzles\/\d+/);
  await page.getByText('Theme, player, difficulty').click();
  await page.locator('#theme').selectOption('mateIn1');
  await page.getByRole('button', { name: 'Show puzzles' }).click();
  await page.waitForURL(new RegExp(`/puzzles/${opera}\\?theme=mateIn1`));
  await page.locator('#theme').selectOption('');
  await page.locator('#player').fill('Nobody at all');
  await page.getByRole('button', { name: 'Show puzzles' }).click();
  await until(page, 'none', () => /No such puzzles/.test(document.querySelector('main').textContent));
  await page.locator('#player').fill('');
  await page.locator('#rating').fill('1400-');
  await page.getByRole('button', { name: 'Show puzzles' }).click();
  await page.waitForURL(new RegExp(`/puzzles/${smothered}\\?rating=1400-`));
  await page.context().close();
});

test('by touch on a phone, for Black', async () => {
  sql("SELECT chess.import_puzzle('fghij', '6k1/8/1q6/8/8/7n/6PP/R5K1 w - - 0 1', 'g1h1 b6g1 a1g1 h3f2', 1500, 80, 90, 1000, '{smotheredMate}', 'https://lichess.org/y', '{}')");
  const page = await open(`/puzzles/${number('SELECT max(id) FROM chess.puzzles')}`, { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
  await prompt(page, 'Black to move');
  await settled(page);
  for (const move of [['b6', 'g1'], ['h3', 'f2']]) {
    for (const name of move) {
      const at = await square(page, name, true);
      await page.touchscreen.tap(at.x, at.y);
      await heard(page);
    }
    await prompt(page, move[0] === 'b6' ? 'And now?' : 'Solved');
  }
  await page.context().close();
});
