// In: chess-web over demo/famous.pgn and games.pgn. Out: an error unless pages are printed as a browser does by default, without
// backgrounds: a game with its head, its moves and the diagrams that its PGN asks for, an opening with its board and its table.
import { inflateSync } from 'node:zlib';
import { api, base, equal, open, plain, settled, test, yes } from './browser.mjs';

const id = (await api('/api/games?event=' + encodeURIComponent('Test <b>bold</b>'))).body.games[0].id;

/** The page as it is on paper. */
async function onPaper(path, ready, options = {}) {
  const page = await open(path, options);
  await page.waitForSelector(ready);
  await settled(page);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  return page;
}
const squares = diagram => diagram.locator('piece').evaluateAll(all => Object.fromEntries(all.map(p => [p.dataset.square, p.className])));
/** What a PDF draws: its streams, unpacked. */
function drawn(pdf) {
  const text = pdf.toString('latin1');
  return [...text.matchAll(/stream\r?\n/g)]
    .map(found => {
      try {
        return inflateSync(pdf.subarray(found.index + found[0].length, text.indexOf('endstream', found.index))).toString('latin1');
      } catch {
        return '';
      }
    })
    .join('\n');
}
test('a game, as a page of a booklet', async () => {
  const page = await onPaper(`/game/${id}#5`, '.moves [aria-current]');
  const text = plain(await page.evaluate(() => document.body.innerText));
  for (const part of ['1–0', '2701', 'Test <b>bold</b>', '1. e4 c5 The Sicilian, of course.', 'the gambit', '7. f4']) yes(`${part}, in: ${text}`, text.includes(part));
  for (const part of ['Analyze', 'Explorer', '1:28:00', 'Fold', 'White to move', '[%']) yes(`no ${part}`, !text.includes(part));
  const inner = page.locator('.variation .variation');
  equal('a variation within a variation stands in brackets', await inner.evaluate(e => ['::before', '::after'].map(part => getComputedStyle(e, part).content.trim())), ['"("', '") "']);
  const diagrams = page.locator('.moves .diagram:visible');
  equal('a diagram for the command and one for the glyph', await diagrams.count(), 2);
  const [first, second] = [await squares(diagrams.nth(0)), await squares(diagrams.nth(1))];
  equal('after 4. Nxd4', [first.d4, first.c3, first.e4, Object.keys(first).length], ['white knight', undefined, 'white pawn', 30]);
  equal('after 6. Bg5', [second.g5, second.a6, second.c1], ['white bishop', 'black pawn', undefined]);
  yes('the board on the screen is not printed', !(await page.locator('.board-side').isVisible()));
  await page.context().close();
});

test('folded variations are printed, a game without diagrams has the board', async () => {
  const page = await onPaper(`/game/${id}`, '.moves .variation');
  await page.emulateMedia({ media: 'screen' });
  await page.getByRole('button', { name: 'Fold variations' }).click();
  await page.emulateMedia({ media: 'print' });
  yes('the gambit', (await page.evaluate(() => document.body.innerText)).includes('the gambit'));
  await page.context().close();
  const other = await onPaper('/game/00000002#3', '.moves [aria-current]');
  equal('one board', await other.locator('.diagram:visible').count(), 1);
  const pieces = await other.locator('.board piece:not(.ghost)').count();
  equal('that on the screen', await other.locator('.paper piece').count(), pieces);
  await other.context().close();
});

test('an opening, as a report', async () => {
  const page = await onPaper('/?play=e2e4,c7c5&orient=b', '.explorer-moves');
  const board = await squares(page.locator('.paper .diagram'));
  equal('the position', [board.e4, board.c5, board.e2], ['white pawn', 'black pawn', undefined]);
  yes('from Black’s side', (await page.locator('.paper piece[data-square=e8]').boundingBox()).y > (await page.locator('.paper piece[data-square=e1]').boundingBox()).y);
  const text = await page.evaluate(() => document.body.innerText);
  for (const part of ['Sicilian', 'Nf3', 'Top games', 'Black']) yes(part, text.includes(part));
  yes('no buttons', !/Filter games|All games$|SQL/m.test(text.replace('All games\n', '')));
  await page.context().close();
});

test('a report with all its figures, a tournament across the page', async () => {
  const page = await onPaper(`/player/${encodeURIComponent('Fischer, Robert James')}`, '.years');
  await page.waitForFunction(() => !document.querySelector('.progress').textContent);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  const text = await page.evaluate(() => document.body.innerText);
  for (const part of ['Fischer, Robert James', 'Results', 'By year', '1963', 'Met most often', 'Spassky, Boris V', 'Ended by']) yes(part, text.includes(part));
  for (const part of ['Compare with', 'Markdown', 'SQL', 'Explorer', 'Filter games']) yes(`no ${part}`, !text.includes(part));
  equal('the columns of the years', await page.locator('.years b').first().evaluate(e => getComputedStyle(e).printColorAdjust), 'exact');
  await page.context().close();
  const table = await onPaper('/tournament/US%20Championship', '.crosstable');
  yes('its names', (await table.evaluate(() => document.body.innerText)).includes('Benko, Pal C'));
  const sizes = (await table.pdf({ preferCSSPageSize: true, printBackground: false })).toString('latin1').match(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/);
  yes(`landscape: ${sizes.slice(1)}`, Number(sizes[1]) > Number(sizes[2]));
  await table.context().close();
});

test('the parts of a report that are chosen', async () => {
  const page = await open('', {});
  await page.addInitScript(() => {
    window.print = () => {
      window.printed = [...document.querySelectorAll('main section[aria-label]')].filter(part => !part.hidden && !part.classList.contains('unprinted')).map(part => part.getAttribute('aria-label'));
    };
  });
  const printed = async () => {
    const parts = await page.evaluate(() => window.printed);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    return parts;
  };
  const choose = async () => {
    await page.getByRole('button', { name: 'Print', exact: true }).click();
    return page.locator('dialog[open]');
  };
  await page.goto(`${base}/player/${encodeURIComponent('Fischer, Robert James')}`);
  await page.locator('.years').waitFor();
  await page.waitForFunction(() => !document.querySelector('.progress').textContent);
  const first = await choose();
  const all = (await first.locator('label').allInnerTexts()).map(plain);
  yes(`several parts: ${all}`, all.length > 3);
  // a box that can be seen
  await first.getByRole('checkbox', { name: all[1], exact: true }).click();
  await first.getByRole('button', { name: 'Print these parts' }).click();
  await page.emulateMedia({ media: 'print' });
  yes('on paper it is gone', !(await page.locator(`section[aria-label="${all[1]}"]`).isVisible()) && (await page.locator(`section[aria-label="${all[2]}"]`).isVisible()));
  await page.emulateMedia({ media: 'screen' });
  equal('all others', await printed(), all.filter(part => part !== all[1]));
  yes('then it is there again', await page.locator(`section[aria-label="${all[1]}"]`).isVisible());
  const second = await choose();
  equal('remembered', await second.getByLabel(all[1], { exact: true }).isChecked(), false);
  await second.getByLabel(all[1], { exact: true }).check();
  await second.getByRole('button', { name: 'Print these parts' }).click();
  equal('and taken back', await printed(), all);
  await page.goto(`${base}/tournament/US%20Championship`);
  await page.waitForSelector('.crosstable');
  equal('of a tournament', (await (await choose()).locator('label').allInnerTexts()).map(plain), ['Table', 'Games']);
  await page.context().close();
});

test('heads stay with their tables', async () => {
  const page = await onPaper(`/player/${encodeURIComponent('Fischer, Robert James')}`, '.years');
  await page.waitForFunction(() => !document.querySelector('.progress').textContent);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  // columns break where pages do, and can be measured: the report in columns of many heights
  const torn = await page.evaluate(() => {
    const report = document.querySelector('.report');
    const box = document.createElement('div');
    report.replaceWith(box);
    box.append(report);
    const found = [];
    let breaks = 0;
    for (let height = 240; height < 900; height += 13) {
      box.style.cssText = `columns: auto 1; column-fill: auto; column-gap: 40px; width: 640px; height: ${height}px`;
      const column = node => Math.floor((node.getClientRects()[0].left - box.getBoundingClientRect().left) / 680);
      for (const table of report.querySelectorAll('table')) {
        const row = table.tBodies[0].rows[0];
        const heads = [table.caption, table.tHead?.rows[0]];
        const last = table.tBodies[0].rows[table.tBodies[0].rows.length - 1];
        breaks += column(row) !== column(last);
        for (const head of heads) if (head?.getClientRects().length && column(head) !== column(row)) found.push(`${height}: ${head.textContent}`);
      }
    }
    return { found, breaks };
  });
  yes(`tables are broken: ${torn.breaks}`, torn.breaks > 20);
  equal('no head without its first line', torn.found, []);
  await page.context().close();
});

test('without backgrounds: bars and pieces are drawn', async () => {
  for (const options of [{}, { colorScheme: 'dark' }]) {
    const page = await open('/?play=e2e4', options);
    await page.waitForSelector('.explorer-moves');
    await settled(page);
    const pdf = async () => await page.pdf({ format: 'A4', printBackground: false });
    const pictures = pdf => pdf.toString('latin1').split('/Subtype /Image').length - 1;
    const opening = await pdf();
    // #3a4043, the dark part of a bar in light colours, which paper always has
    yes('bars', /0?\.22\d* 0?\.25\d* 0?\.26\d* rg/.test(drawn(opening)));
    yes(`pieces: ${pictures(opening)}`, pictures(opening) >= 12);
    await page.goto(`${base}/game/${id}`);
    await page.waitForSelector('.moves .variation');
    await settled(page);
    const game = await pdf();
    yes(`pieces of two diagrams: ${pictures(game)}`, pictures(game) >= 12);
    await page.context().close();
  }
});
