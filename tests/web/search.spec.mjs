// In: chess-web over demo/famous.pgn and games.pgn. Out: an error unless what is set up on the board, or typed, finds the
// games that SQL finds, wrong patterns are marked where they are wrong, and a result opens where it matched.
import { address, api, base, drag, equal, heard, number, one, open, openFirst, quoted, settled, square, test, toNumber, until, yes } from './browser.mjs';

let page;
test.beforeAll(async () => {
  page = await open('/search', {}, [/status of 400/]);
});
const total = async () => {
  await page.waitForSelector('.game-list .list-head, .game-list .note');
  await settled(page);
  const text = page.locator('.list-head .total');
  return (await text.count()) ? toNumber(await text.textContent()) : 0;
};
const find = async () => {
  await page.getByRole('button', { name: 'Find games' }).click();
  await settled(page);
};
const tab = name => page.locator('.tabs').getByRole('button', { name, exact: true }).click();

test('this position', async () => {
  await page.waitForSelector('.palette');
  await drag(page, 'e2', 'e4');
  await drag(page, 'e7', 'e5');
  await drag(page, 'g1', 'f3');
  await page.locator('label', { hasText: 'Black to move' }).click();
  await find();
  const fen = (await address(page)).searchParams.get('fen');
  equal('the address', fen, 'rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 1');
  const wanted = number(`SELECT count(*) FROM chess.games WHERE hasBoard(game, ${quoted(fen)})`);
  yes('there are some', wanted > 0);
  equal('games', await total(), wanted);
  await page.reload();
  equal('by its address', await total(), wanted);
});

test('a position that is none', async () => {
  await page.goto(`${base}/search?by=position`);
  await page.waitForSelector('.palette');
  await page.locator('#fen').fill('8/8/8/8/8/8/8/K7 w - - 0 1');
  await page.locator('#fen').press('Enter');
  yes('says why', /king/.test(await page.locator('.field .error').textContent()));
  equal('and does not search', (await address(page)).searchParams.get('fen'), null);
});

test('a click that ends the typing', async () => {
  await page.goto(`${base}/search?by=position`);
  await page.waitForSelector('.palette');
  await page.locator('#fen').fill('8/8');
  await page.getByRole('button', { name: 'Find games' }).click();
  yes('finds no position that is none', /wrong/.test(await page.locator('.field .error').textContent()));
  await page.locator('#fen').fill('rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq -');
  await page.getByRole('button', { name: 'Find games' }).click();
  await page.waitForURL(/fen=rnbqkbnr/);
  yes('finds one that is', await total());
});

test('en passant counts', async () => {
  const fen = 'rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3';
  await page.goto(`${base}/search?by=position`);
  await page.waitForSelector('.palette');
  await page.locator('#fen').fill(fen);
  await page.locator('#fen').press('Enter');
  await page.waitForURL(/fen=/);
  equal('in the address', (await address(page)).searchParams.get('fen').split(' ')[3], 'e3');
  equal('games', await total(), number(`SELECT count(*) FROM chess.games WHERE hasBoard(game, ${quoted(fen)})`));
});

test('these pieces', async () => {
  await tab('These pieces');
  await page.getByRole('button', { name: 'Clear' }).click();
  // chosen with a click, set with a click
  await page.locator('.palette [aria-label="white knight"]').click();
  const d5 = await square(page, 'd5');
  await page.mouse.click(d5.x, d5.y);
  await heard(page);
  await page.locator('.palette [aria-label="white knight"]').click();
  await page.locator('.palette [aria-label="black pawn"]').click();
  const a7 = await square(page, 'a7');
  await page.mouse.click(a7.x, a7.y);
  await until(page, 'the placement', () => document.querySelector('#fen').value === '8/p7/8/3N4/8/8/8/8');
  await page.locator('.palette [aria-label="black pawn"]').click();
  await find();
  equal('games with them', await total(), number("SELECT count(*) FROM chess.games WHERE game @@ 'Nd5 pa7'"));
  await page.locator('#fen').fill('rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R');
  await page.locator('#fen').press('Tab');
  await page.locator('label', { hasText: 'other squares are empty' }).click();
  await find();
  equal('exactly', (await address(page)).searchParams.get('exact'), '1');
  equal('games with exactly these', await total(), number("SELECT count(*) FROM chess.games WHERE hasPieces(game, 'rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -')"));
});

test('pieces taken from beside the board, and away', async () => {
  await page.goto(`${base}/search?by=pieces`);
  await page.waitForSelector('.palette');
  await page.getByRole('button', { name: 'Kings only' }).click();
  const from = await page.locator('.palette [aria-label="white queen"]').boundingBox();
  const to = await square(page, 'd1');
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y - 60, { steps: 4 });
  await page.mouse.move(to.x, to.y, { steps: 2 });
  await page.mouse.up();
  await until(page, 'dragged in', () => document.querySelector('#fen').value === '4k3/8/8/8/8/8/8/3QK3');
  await page.locator('.palette [aria-label=remove]').click();
  await page.mouse.click(to.x, to.y);
  await until(page, 'taken away', () => document.querySelector('#fen').value === '4k3/8/8/8/8/8/8/4K3');
});

test('by touch', async () => {
  const phone = await open('/search?by=pieces', { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
  await phone.waitForSelector('.palette');
  await phone.getByRole('button', { name: 'Clear' }).tap();
  await phone.locator('.palette [aria-label="white knight"]').tap();
  equal('chosen', await phone.locator('.palette [aria-label="white knight"]').getAttribute('aria-pressed'), 'true');
  const d5 = await square(phone, 'd5');
  await phone.touchscreen.tap(d5.x, d5.y);
  await until(phone, 'set', () => document.querySelector('#fen').value === '8/8/8/3N4/8/8/8/8');
  await phone.context().close();
});

test('material', async () => {
  await page.goto(`${base}/search`);
  await tab('Material');
  await page.locator('#material').fill('KRPvKR');
  await find();
  const wanted = number("SELECT count(*) FROM chess.games WHERE hasMaterial(game, 'KRPvKR')");
  yes('there are some', wanted > 0);
  equal('games', await total(), wanted);
  await page.locator('#material').fill('RPvR');
  await find();
  await page.waitForSelector('.game-list .failure');
  yes('wrong material is told', (await page.locator('.game-list .failure').textContent()).length > 15);
});

test('a pattern', async () => {
  await page.goto(`${base}/search?by=pattern`);
  await page.locator('#pattern').fill('Nd5 and nott [bn] attacks d5');
  await page.waitForSelector('.pattern-said .error');
  const { body } = await api(`/api/pattern?pattern=${encodeURIComponent('Nd5 and nott [bn] attacks d5')}`);
  yes('the API says where', Number.isInteger(body.at));
  equal('the place is marked', await page.locator('.place mark').textContent(), 'Nd5 and nott [bn] attacks d5'[body.at] ?? '\u2423');
  yes('and the reason', (await page.locator('.pattern-said').textContent()).includes(body.error));
  await page.locator('#pattern').fill('Nd5 and not [bn] attacks d5');
  await page.waitForSelector('.pattern-said .reads');
  await find();
  const wanted = number("SELECT count(*) FROM chess.games WHERE game @@ 'Nd5 and not [bn] attacks d5'");
  yes('there are some', wanted > 0);
  equal('games', await total(), wanted);
});

test('a result opens where it matched', async () => {
  const row = page.locator('table.games tbody tr').first();
  const id = await row.getAttribute('data-id');
  const { body } = await api(`/api/games/${id}?pattern=${encodeURIComponent('Nd5 and not [bn] attacks d5')}`);
  await openFirst(page, 'table.games');
  await page.waitForURL(/\/game\/\w{8}\?pattern=.*#\d+$/);
  equal('the half-move', Number(new URL(page.url()).hash.slice(1)), body.matches[0]);
  await page.waitForSelector('.moves [aria-current]');
  equal('all matches are marked', await page.locator('.moves .match').count(), body.matches.filter(ply => ply > 0).length);
  yes('a knight stands on d5', /knights?[^,]* d5/.test(await page.locator('.words').textContent()));
});

test('the squares of a pattern are marked', async () => {
  await page.goto(`${base}/search?pattern=${encodeURIComponent('Pe2')}`);
  await until(page, 'e2 is marked', () => document.querySelectorAll('square.matched').length === 1);
});

test('a pattern is inert, whatever is in it', async () => {
  await page.goto(`${base}/search?by=pattern`);
  await page.locator('#pattern').fill('<img src=x onerror=alert(5)>');
  await page.waitForSelector('.pattern-said .error');
  equal('no markup', await page.locator('main img').count(), 0);
});

test('it begins with the position that one looks at', async () => {
  const page = await open('/?play=e2e4,c7c5');
  await page.waitForSelector('.explorer-moves');
  const search = () => page.locator('nav a', { hasText: 'Search' }).click();
  await search();
  await page.waitForSelector('#fen');
  const sicilian = 'rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR';
  yes('the position', (await page.locator('#fen').inputValue()).startsWith(`${sicilian} w KQkq`));
  await page.getByRole('button', { name: 'These pieces' }).click();
  equal('its pieces', await page.locator('#fen').inputValue(), sicilian);
  await page.getByRole('button', { name: 'Pawns only' }).click();
  equal('its pawns', await page.locator('#fen').inputValue(), '8/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/8');
  await page.getByRole('button', { name: 'Find games' }).click();
  await page.waitForURL(/pieces=8/);
  await settled(page);
  equal('games with them', toNumber(await page.locator('.list-head .total').textContent()), (await api('/api/games/count?pieces=8/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/8')).body.games);
  // a game, at the half-move that is shown when the key is pressed
  await page.goto(`${base}/games`);
  await page.waitForSelector('table.games tbody tr');
  await openFirst(page, 'table.games');
  await page.waitForSelector('.moves button.move');
  await page.keyboard.press('End');
  await settled(page);
  await page.keyboard.press('s');
  await page.waitForSelector('#fen');
  const fen = one('SELECT split_part(finalBoard(game)::text, chr(32), 1) FROM chess.pgn_view ORDER BY lower(dates) DESC NULLS LAST, id DESC LIMIT 1');
  yes('its position', (await page.locator('#fen').inputValue()).startsWith(`${fen} `));
  await page.getByRole('button', { name: 'Material' }).click();
  const letters = side => [...fen].filter(letter => side.includes(letter)).map(letter => letter.toUpperCase()).sort().join('');
  const [white, black] = (await page.locator('#material').inputValue()).split('v');
  equal('its material', [white, black].map(side => [...side].sort().join('')), [letters('KQRBNP'), letters('kqrbnp')]);
  await page.context().close();
});

test('the language is told where one writes it', async () => {
  const page = await open('/search?by=pattern', {}, [/status of 400/]);
  const reads = pattern => until(page, `${pattern} is read`, wanted => document.querySelector('#pattern').value === wanted && document.querySelector('.pattern-said .reads'), pattern);
  for (const chip of await page.locator('.examples .chip').all()) {
    await page.evaluate(() => document.querySelector('.pattern-said').replaceChildren());
    await chip.click();
    await reads(await chip.getAttribute('title'));
  }
  await page.getByText('Words and examples').click();
  await page.locator('.language').waitFor();
  const forms = await page.locator('.language dl').first().locator('button').allTextContents();
  yes('words of the reference', ['O-O-O', 'castle(KQkq)', 'set | set', 'directly'].every(form => forms.includes(form)));
  const examples = page.locator('.language dl').last().locator('button');
  equal('all wishes of the document', await examples.count(), 25);
  for (const example of await examples.all()) {
    await page.evaluate(() => document.querySelector('.pattern-said').replaceChildren());
    await example.click();
    await reads(await example.textContent());
  }
  // a form goes where one writes
  await page.locator('#pattern').fill('Nd5 and ');
  await page.locator('.language button', { hasText: /^wtm$/ }).click();
  equal('at the cursor', await page.locator('#pattern').inputValue(), 'Nd5 and wtm');
  await page.context().close();
});
