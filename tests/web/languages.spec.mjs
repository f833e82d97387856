// In: chess-web over demo/famous.pgn and games.pgn. Out: an error unless the page is in the language that the browser accepts, or
// in the one that is chosen on it, and shows in English what a table lacks.
import { base, equal, newPage, open, test, yes } from './browser.mjs';

const words = page => page.locator('header nav a').allInnerTexts();
const German = ['Explorer', 'Partien', 'Suche', 'Analyse', 'Notizbücher', 'Aufgaben', 'Partien laden'];
const shownIn = async page => [await page.locator('html').getAttribute('lang'), (await words(page))[1]];

test('the page is in the language of the browser', async () => {
  const page = await open('/', { locale: 'de-AT' });
  await page.waitForSelector('.explorer-moves');
  equal('the bar', await words(page), German);
  equal('the table', await page.locator('.explorer-moves th.games').innerText(), 'Gespielt');
  equal('its words', await page.locator('.words .state').textContent(), 'Weiß am Zug');
  equal('a number', /^\d+ Partien$/.test(await page.locator('.opening .total').innerText()), true);
  equal('parts of bars have their colours', await page.locator('.explorer-moves tbody .bar span.white').first().isVisible(), true);
  await page.goto(`${base}/?play=e2e4,e7e5,g1f3,b8c6,f1b5,a7a6,b5a4,g8f6,e1g1,f8e7&player=Nobody`);
  equal('a sentence', await page.locator('.chip').first().innerText(), 'von Nobody');
  equal('one that no browser asks for', await (await fetch(`${base}/`)).text(), await (await fetch(`${base}/`, { headers: { 'accept-language': 'tlh' } })).text());
  await page.context().close();
});

test('another language is chosen, and stays', async () => {
  const page = await open('/games', { locale: 'de-DE' });
  await page.waitForSelector('table.games tbody tr');
  const choice = page.locator('header select');
  equal('by their own names', (await choice.locator('option').allInnerTexts()).slice(0, 2), ['English', 'Deutsch']);
  equal('the one that is shown', await choice.inputValue(), 'de');
  await choice.selectOption('en');
  await page.locator('header nav a', { hasText: 'Games' }).first().waitFor();
  equal('at the same place', [new URL(page.url()).pathname, await page.locator('h1').innerText()], ['/games', 'Games']);
  await page.reload();
  await page.waitForSelector('table.games tbody tr');
  equal('after a reload', await shownIn(page), ['en', 'Games']);
  await page.locator('header select').selectOption('de');
  await page.locator('header nav a', { hasText: 'Partien' }).first().waitFor();
  equal('and back', await shownIn(page), ['de', 'Partien']);
  await page.context().close();
  const phone = await open('/', { locale: 'en-US', viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
  await phone.getByRole('button', { name: 'Menu' }).tap();
  await phone.getByRole('dialog').getByRole('combobox', { name: 'Language' }).selectOption('de');
  await phone.locator('header nav a', { hasText: 'Notizbücher' }).waitFor();
  await phone.context().close();
});

test('a text that the table lacks is shown in English', async () => {
  const page = await newPage({ locale: 'de-DE' });
  await page.route(/\/de\.js\?/, async route => {
    const response = await route.fetch();
    const table = await response.text();
    yes('the table is that of this version', /immutable/.test(response.headers()['cache-control']));
    await route.fulfill({ response, body: table.replace(/"[^"]*":"Partien",/, '').replace(/"[^"]*":\{"one":"\{0\} Partie","other":"\{0\} Partien"\},?/, '') });
  });
  await page.goto(`${base}/`);
  await page.waitForSelector('.explorer-moves');
  equal('beside others', (await words(page)).slice(0, 3), ['Explorer', 'Games', 'Suche']);
  equal('with a number', /^\d+ games$/.test(await page.locator('.opening .total').innerText()), true);
  await page.context().close();
});
