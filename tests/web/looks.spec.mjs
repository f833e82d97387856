// In: chess-web over demo/famous.pgn and games.pgn; SHOTS, a directory for pictures. Out: pictures, and an error unless axe
// finds nothing in any view, in light and dark and on small screens, where nothing is cut off or too small for a finger; a
// view stands where it will be from the start; the keyboard alone is enough; the page is small.
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { createRequire } from 'node:module';
import { api, base, equal, open, settled, sql, table, test, until, yes } from './browser.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const shots = process.env.SHOTS;
const shoot = async (page, name) => shots && (await page.screenshot({ path: `${shots}/${name}.png` }));
const NAJDORF = 'e2e4,c7c5,g1f3,d7d6';
const hostile = (await api('/api/games?event=' + encodeURIComponent('Test <b>bold</b>'))).body.games[0].id;
const VIEWS = [
  ['explorer', `/?play=${NAJDORF}`, '.explorer-moves, .note'],
  ['filtered', '/?player=Fischer%2C+Robert+James&since=1950&result=1-0', '.explorer-moves'],
  ['games', '/games', 'table.games tbody tr'],
  ['game', `/game/${hostile}#9`, '.moves [aria-current]'],
  ['plain-game', `/game/00000002#12`, '.moves [aria-current]'],
  ['games-of-a-position', '/games?play=e2e4,c7c5', 'table.games tbody tr'],
  ['search', '/search?pattern=Nd5', 'table.games tbody tr'],
  ['position', '/search?by=position', '.palette'],
  ['pieces', '/search?by=pieces', '.palette'],
  ['material', '/search?material=KRPvKR', 'table.games tbody tr'],
  ['analysis', `/analysis?game=${hostile}#9`, '.moves [aria-current]'],
  ['notebooks', '/notebooks', 'form.inline'],
  ['devices', '/devices', '.devices .note, .devices .cards'],
  ['join', '/join', '#join-key'],
  ['puzzles', '/puzzles', '.puzzles .prompt, .puzzles .note'],
  ['openings', '/openings', '.openings summary'],
  ['endings', '/endings', '.endings summary'],
  ['ending', '/endings?ending=KRP*vKRP*', '.report section:nth-last-of-type(2) table'],
  ['play', '/play?fen=8/8/8/8/8/1k6/1p6/1K1R4_w_-_-&against=games', '.play .prompt'],
  ['player', '/player/Fischer%2C%20Robert%20James', '.report section:last-of-type:not([hidden]), .report section:nth-last-of-type(2) table'],
  ['compare', '/player/Fischer%2C%20Robert%20James?with=Spassky%2C+Boris+V', '.report section:nth-last-of-type(2) table'],
  ['report', '/opening?play=e2e4,e7e5', '.report section:nth-last-of-type(2) table'],
  ['tournament', '/tournament/US%20Championship', '.crosstable'],
  ['add', '/add', '.add .cards li'],
  ['no-such-page', '/nowhere', 'main h1'],
];
const LOOKS = [
  ['light', {}],
  ['dark', { viewport: { width: 768, height: 1024 }, colorScheme: 'dark' }],
  ['phone', { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }],
  ['phone-dark', { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true, colorScheme: 'dark' }],
];
/** Rules that axe does not apply by itself. */
const RULES = Object.fromEntries(['label-content-name-mismatch', 'link-in-text-block'].map(rule => [rule, { enabled: true }]));

async function examine(page, what) {
  // a script tag would be against the page's policy; evaluating is not
  await page.evaluate(axe);
  const found = await page.evaluate(async rules => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'], rules });
    return violations.map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => `${n.target.join(' ')} ${n.any[0]?.message ?? ''}`).join(' | ')}`);
  }, RULES);
  equal(`${what}: what axe finds`, found, []);
}

/** What reaches beyond the screen and cannot be scrolled to. */
const cutOff = page =>
  page.evaluate(() => {
    const scrolls = element => element && (/auto|scroll|hidden/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    const beyond = [...document.querySelectorAll('header *, main *, .board-side *')].filter(
      element => element.getBoundingClientRect().width && element.getBoundingClientRect().right > innerWidth + 1 && !scrolls(element.parentElement),
    );
    return beyond.slice(0, 3).map(element => `${element.tagName} ${element.className} ${element.textContent.slice(0, 30)}`);
  });

/** What a finger cannot hit: smaller than the 24 pixels of WCAG 2.2, unless it is a word in a text. */
const tooSmall = page =>
  page.evaluate(() => {
    const targets = [...document.querySelectorAll('a, button, summary, select, input:not([type=radio], [type=checkbox])')].filter(element => {
      const { position, pointerEvents } = getComputedStyle(element);
      const { width, height } = element.getBoundingClientRect();
      const isText = element.closest('p, .note, .moves, .line, .facts, .live-moves');
      return width && position !== 'absolute' && pointerEvents !== 'none' && !isText && (width < 24 || height < 24);
    });
    return targets.slice(0, 3).map(element => `${element.tagName} ${element.className} ${element.textContent.slice(0, 30)}`);
  });

for (const [look, options] of LOOKS) {
  test(`views, ${look}`, async () => {
    // the browser tells of the page that is not there
    const page = await open('', options, [/status of 404/]);
    for (const [name, path, ready] of VIEWS) {
      await page.goto(base + path);
      await page.waitForSelector(ready);
      await settled(page);
      await examine(page, `${name}, ${look}`);
      equal(`${name}, ${look}: its words`, await page.locator('nav a:visible').last().innerText(), /phone/.test(look) ? 'Notebooks' : 'Add games');
      equal(`${name}, ${look}: all of the navigation is there`, await page.locator('nav').evaluate(nav => nav.scrollWidth - nav.clientWidth), 0);
      equal(`${name}, ${look}: nothing sticks out`, await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
      equal(`${name}, ${look}: nothing is cut off`, await cutOff(page), []);
      if (options.isMobile) equal(`${name}, ${look}: all can be hit`, await tooSmall(page), []);
      await shoot(page, `${name}-${look}`);
    }
    await page.goto(`${base}/`);
    await page.waitForSelector('.explorer-moves');
    await page.locator('.filters .chip.add').click();
    await page.waitForSelector('dialog[open]');
    await settled(page);
    await examine(page, `filters, ${look}`);
    await shoot(page, `filters-${look}`);
    await page.keyboard.press('Escape');
    for (const [name, open] of [['sql', page.locator('.sql-link').first()], ['fen', page.getByRole('button', { name: 'FEN' })]]) {
      await open.click();
      await page.waitForSelector('dialog[open]');
      await examine(page, `${name}, ${look}`);
      await page.keyboard.press('Escape');
      await page.waitForSelector('dialog', { state: 'detached' });
    }
    // a saved notebook with a note, and a variation that is folded
    await page.goto(`${base}/notebooks`);
    await page.locator('form.inline input').fill('Repertoire');
    await page.locator('form.inline button[type=submit], form.inline button').last().click();
    await page.waitForURL(/\/n\/\w+/);
    await settled(page);
    await examine(page, `a notebook, ${look}`);
    await shoot(page, `notebook-${look}`);
    await page.getByRole('button', { name: 'Paste PGN' }).click();
    await page.locator('dialog textarea').fill('1. e4 {Best by test.} e5 (1... c5 $6 {The Sicilian.} 2. Nf3) 2. Nf3 Nc6 3. Bb5 *');
    await page.locator('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await page.locator('.node-side .note').waitFor();
    await page.getByText('Compare with the games').click();
    for (const [name, ready] of [['Check the games', 'Left by opponents'], ['Find gaps', 'Gaps']]) {
      await page.getByRole('button', { name }).click();
      await page.locator('.compared caption', { hasText: ready }).waitFor();
      await settled(page);
      await examine(page, `${name}, ${look}`);
      equal(`${name}, ${look}: nothing sticks out`, await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
      await page.locator('.compared').scrollIntoViewIfNeeded();
      await shoot(page, `${name.replaceAll(' ', '-').toLowerCase()}-${look}`);
    }
    await page.getByRole('button', { name: 'Share' }).click();
    const link = await page.locator('#shared-link').inputValue();
    await examine(page, `share, ${look}`);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Train' }).click();
    await page.getByRole('button', { name: 'Show the answer' }).waitFor();
    await examine(page, `training, ${look}`);
    await shoot(page, `training-${look}`);
    await page.getByRole('button', { name: 'Show the answer' }).click();
    await page.waitForSelector('.training table');
    await settled(page);
    await examine(page, `an answer, ${look}`);
    await shoot(page, `answer-${look}`);
    await page.goto(link);
    await page.getByRole('button', { name: 'Keep a copy' }).waitFor();
    await examine(page, `shared, ${look}`);
    await shoot(page, `shared-${look}`);
    sql("SELECT chess.import_puzzle('looks', 'r5k1/6pp/7N/8/8/1Q6/8/6K1 b - - 0 1', 'g8h8 b3g8 a8g8 h6f7', 1500, 80, 90, 1000, '{smotheredMate}', 'https://lichess.org/x', '{}')");
    await page.goto(`${base}/puzzles/${sql("SELECT id FROM chess.puzzles WHERE name = 'looks'")[0][0]}`);
    await page.waitForSelector('.puzzles .prompt');
    await page.getByText('Theme, player, difficulty').click();
    await examine(page, `a puzzle, ${look}`);
    await shoot(page, `puzzle-${look}`);
    await page.getByRole('button', { name: 'Show the answer' }).click();
    await page.getByRole('button', { name: 'Next puzzle' }).waitFor();
    await examine(page, `solved, ${look}`);
    await shoot(page, `solved-${look}`);
    sql("DELETE FROM chess.puzzles WHERE name = 'looks'");
    await page.goto(`${base}/game/${hostile}`);
    await page.getByRole('button', { name: 'Fold variations' }).click();
    await examine(page, `folded, ${look}`);
    await shoot(page, `folded-${look}`);
    await page.context().close();
  });
}

const LANGUAGES = readdirSync(new URL('../../crates/chess-web/ui/languages', import.meta.url)).flatMap(name => /^(\w\w)\.json$/.exec(name)?.[1] ?? []);
/** Those with the longest words. */
const WORDY = ['explorer', 'filtered', 'games', 'game', 'position', 'analysis', 'notebooks', 'devices', 'ending', 'player', 'tournament', 'add'];
const SIZES = [
  [320, { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true }],
  [1200, { viewport: { width: 1200, height: 800 } }],
];

for (const language of LANGUAGES) {
  test(`there is room for the words of ${language}`, async () => {
    for (const [width, options] of SIZES) {
      const page = await open('', { ...options, locale: language });
      for (const [name, path, ready] of VIEWS.filter(([name]) => WORDY.includes(name))) {
        await page.goto(base + path);
        await page.waitForSelector(ready);
        await settled(page);
        equal(`${name}, ${width}: the language`, await page.locator('html').getAttribute('lang'), language);
        equal(`${name}, ${width}: nothing sticks out`, await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
        equal(`${name}, ${width}: nothing is cut off`, await cutOff(page), []);
        equal(`${name}, ${width}: all of the navigation is there`, await page.locator('nav').evaluate(nav => nav.scrollWidth - nav.clientWidth), 0);
        await shoot(page, `${name}-${language}-${width}`);
      }
      await page.context().close();
    }
  });
}

test('a view stands where it will be before its file comes', async () => {
  const page = await open('');
  let goOn;
  const waits = new Promise(done => (goOn = done));
  await page.route(/\/(add|reports|notebooks)\.js/, route => waits.then(() => route.continue()));
  const left = () => page.locator('main').evaluate(main => Math.round(main.getBoundingClientRect().left));
  const before = {};
  for (const path of ['/add', '/player/Fischer%2C%20Robert%20James', '/notebooks', '/openings']) {
    // the file has not come, so the page is never loaded
    await page.goto(base + path, { waitUntil: 'commit' });
    await page.waitForSelector('main', { state: 'attached' });
    before[path] = await left();
  }
  goOn();
  for (const path of Object.keys(before)) {
    await page.goto(base + path);
    await page.waitForSelector('main h1');
    equal(`${path} from the left`, before[path], await left());
  }
  yes('not all in one place', new Set(Object.values(before)).size > 1);
  // the board draws its arrows, although it was not there before
  await page.goto(`${base}/add`);
  await page.waitForSelector('main h1');
  await page.getByRole('link', { name: 'Explorer' }).click();
  await until(page, 'an arrow', () => document.querySelector('.cg-shapes line'));
  await page.context().close();
});

const PLACES = { Explorer: '/', Games: '/games', Search: '/search', Analysis: '/analysis', Notebooks: '/notebooks', Puzzles: '/puzzles', 'Add games': '/add', Openings: '/openings', Endings: '/endings', Devices: '/devices' };

test('every place is reached on a phone', async () => {
  for (const width of [320, 390]) {
    const page = await open('/', { viewport: { width, height: 740 }, isMobile: true, hasTouch: true });
    await page.waitForSelector('.explorer-moves');
    equal(`${width}: nothing sticks out`, await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    equal(`${width}: the bar is in view`, await page.locator('header nav').evaluate(nav => nav.scrollWidth - nav.clientWidth), 0);
    for (const [name, path] of Object.entries(PLACES)) {
      await page.getByRole('button', { name: 'Menu' }).tap();
      const menu = page.getByRole('dialog', { name: 'Menu' });
      equal(`${width}: the menu`, await menu.getByRole('link').allInnerTexts(), Object.keys(PLACES));
      if (name === 'Puzzles') {
        await settled(page);
        await examine(page, `the menu, ${width}`);
        await shoot(page, `menu-${width}`);
      }
      await menu.getByRole('link', { name, exact: true }).tap();
      await page.waitForURL(url => url.pathname === path);
      await until(page, 'the menu is closed', () => !document.querySelector('dialog'));
    }
    // the way back leads to the page before, and closes what lies over this one
    await page.getByRole('button', { name: 'Menu' }).tap();
    await page.goBack();
    await page.waitForURL(url => url.pathname === Object.values(PLACES).at(-2));
    await until(page, 'nothing lies over it', () => !document.querySelector('dialog'));
    const back = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await back();
    await page.getByRole('button', { name: 'Menu' }).tap();
    await page.getByRole('button', { name: 'Dark or light' }).tap();
    yes(`${width}: dark`, light !== (await back()));
    await page.context().close();
  }
});

test('by keyboard alone', async () => {
  const page = await open('/');
  await page.waitForSelector('.explorer-moves');
  await settled(page);
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Skip to the content' }).and(page.locator(':focus')).press('Enter');
  await page.keyboard.press('Tab');
  yes('past the board and the bar', await page.evaluate(() => !!document.activeElement.closest('main')));
  const focused = () => page.evaluate(() => document.activeElement.closest('tr')?.dataset.uci ?? document.activeElement.id ?? '');
  await page.keyboard.press('ArrowDown');
  equal('the first row', await focused(), (await table(page))[0].uci);
  await page.keyboard.press('ArrowDown');
  equal('the second row', await focused(), (await table(page))[1].uci);
  await until(page, 'its arrow', () => document.querySelector('.cg-shapes line[stroke="#c2571a"]'));
  yes('the focus can be seen', await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle !== 'none'));
  await page.keyboard.press('ArrowUp');
  const first = (await table(page))[0];
  await page.keyboard.press('Enter');
  await page.waitForURL(url => url.search === `?play=${first.uci}`);
  await until(page, 'the answer', uci => !document.querySelector(`tr[data-uci=${uci}]`) && document.querySelector('.explorer-moves tbody tr'), first.uci);
  yes('the focus goes on in the table', await page.evaluate(() => !!document.activeElement.closest('.explorer-moves')));
  await page.keyboard.press('/');
  await page.keyboard.type('c5');
  await page.keyboard.press('Enter');
  await page.waitForURL(/c7c5$/);
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowLeft');
  await page.waitForURL(url => url.search === `?play=${first.uci}`);
  yes('the position in words', /White: king e1/.test(await page.locator('.words').textContent()) && /Black to move/.test(await page.locator('.words').textContent()));
  await page.keyboard.press('?');
  yes('the list of keys', await page.locator('dialog[open] .keys').count());
  await page.keyboard.press('Escape');
  // every control is reached with the tabulator
  await settled(page);
  const names = new Set();
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press('Tab');
    names.add(await page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent));
  }
  for (const name of ['Explorer', 'Games', 'Search', 'Analysis', 'Dark or light', 'Flip the board (f)', 'FEN', 'Play a move', 'SQL', 'All games', 'Played', 'Score', 'Last', 'Reached']) yes(`Tab reaches ${name}`, names.has(name));
  await page.getByRole('button', { name: 'Score' }).focus();
  await page.keyboard.press('Enter');
  equal('sorted', await page.locator('.explorer-moves th.score').getAttribute('aria-sort'), 'descending');
  await page.keyboard.press('Enter');
  equal('the focus stays on the heading, which turns the order', await page.locator('.explorer-moves th.score').getAttribute('aria-sort'), 'ascending');
  await page.keyboard.press('g');
  await page.waitForURL(/\/games/);
  await page.waitForSelector('table.games tbody tr');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/game\/\w{8}/);
  await page.waitForSelector('.moves button');
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/#1$/);
  await page.context().close();
});

test('a position set up by keyboard', async () => {
  const page = await open('/search?by=position');
  await page.waitForSelector('.palette');
  await page.getByRole('button', { name: 'Kings only' }).press('Enter');
  const at = () => page.evaluate(() => document.activeElement.getAttribute('aria-label'));
  const names = [];
  for (let i = 0; i < 40 && !/^e4/.test(names.at(-1)); i++) {
    await page.keyboard.press('Tab');
    names.push(await at());
  }
  equal('Tab reaches the board', names.at(-1), 'e4, empty');
  yes('the focus can be seen', await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle !== 'none'));
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('N');
  equal('a white knight', await at(), 'f5, white knight');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('p');
  equal('a black pawn', await at(), 'f4, black pawn');
  equal('in the FEN', await page.locator('#fen').inputValue(), '4k3/8/8/5N2/5p2/8/8/4K3 w - - 0 1');
  await page.keyboard.press('Delete');
  equal('nothing', await at(), 'f4, empty');
  await page.getByRole('button', { name: 'white rook' }).press('Enter');
  await page.locator('[data-square=f4]').focus();
  await page.keyboard.press('Enter');
  equal('a piece of the palette', await at(), 'f4, white rook');
  await page.keyboard.press('f');
  await page.waitForSelector('.orientation-black');
  await page.keyboard.press('ArrowUp');
  equal('up is down the board from the other side', await at(), 'f3, empty');
  const middle = async name => {
    const { x, y, width } = await page.locator(name).boundingBox();
    return [Math.round(x + width / 2), Math.round(y + width / 2)];
  };
  equal('the square is where the piece is', await middle('[data-square=f4]'), await middle('.board piece.white.rook:not(.ghost)'));
  for (const key of ['Home', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key);
  equal('the edge', await at(), 'h3, empty');
  await page.context().close();
});

test('dark and light by choice', async () => {
  const page = await open('/', { colorScheme: 'light' });
  const back = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await back();
  await page.getByRole('button', { name: 'Dark or light' }).click();
  const dark = await back();
  yes('another colour', light !== dark);
  await page.reload();
  equal('remembered', await back(), dark);
  await page.context().close();
});

test('small and quick', async () => {
  let bytes = 0;
  const sentBy = page => page.evaluate(() => performance.getEntriesByType('resource').map(e => new URL(e.name).pathname));
  for (const path of ['/', '/app.js', '/app.css']) {
    const response = await fetch(base + path, { headers: { 'Accept-Encoding': 'gzip' } });
    bytes += gzipSync(Buffer.from(await response.arrayBuffer()), { level: 9 }).length;
    if (path !== '/') equal(`${path} comes packed`, response.headers.get('content-encoding'), 'gzip');
  }
  console.log(`    the page has ${bytes} bytes over the wire`);
  yes('under 100 kB', bytes < 100_000);
  const page = await open('/');
  await page.waitForSelector('.explorer-moves');
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
  console.log(`    first paint after ${Math.round(paint)} ms`);
  equal('nothing from elsewhere, nothing else', (await sentBy(page)).filter(path => !/^\/(app\.(js|css)|api\/(explorer|status))$/.test(path)), []);
  // a view that comes later is one more file, kept by its hash
  await page.getByRole('link', { name: 'Openings' }).click();
  await page.waitForSelector('.openings summary');
  equal('one more file', (await sentBy(page)).filter(path => /\.js$/.test(path)), ['/app.js', '/reports.js']);
  await page.context().close();
});

test('the picture for the README', async () => {
  // of the famous games alone
  const page = await open('/?play=e2e4&until=2013', { viewport: { width: 1280, height: 720 } });
  await page.waitForSelector('.explorer-moves');
  await settled(page);
  await shoot(page, 'explorer');
  yes('a table', (await table(page)).length > 1);
  await page.context().close();
});
