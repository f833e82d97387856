import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { keyOf, LANGUAGES } from '../words.ts';

const ui = process.env.UI;
// it is no part of the bundle, because it reads the sources beside it
const { allTexts, languagesIn, tableOf, textsIn, wrongIn } = await import(resolve(ui, 'texts.mjs'));
const { keys, bare } = allTexts(ui);

test('every text that is shown is looked up in the table of the language', () => assert.deepEqual(bare, []));

test('texts that are not looked up are found', () => {
  const { bare, keys } = textsIn(`
    const COLUMNS = [['white', 'The player of White']];
    h('p', { class: 'a b', title: 'Close' }, open ? 'done' : t\`ready\`, \`\${n} moves\`);
    note.textContent = of ?? 'nobody';
    button('Go', () => querySelector('div p'), { class: 'primary' });
    h('label', null, name[0].toUpperCase() + name.slice(1), \`\${name.toUpperCase()} \`, capital(of.toUpperCase()));
    say(kind === 'Swiss' ? plural(n, '1 file', '{0} files', name || 'another') : rich\`by \${link}\`);
  `);
  assert.deepEqual(bare, ['The player of White', 'Close', 'done', '{0} moves', 'nobody', 'Go', 'toUpperCase()', 'toUpperCase()']);
  assert.deepEqual(keys, [
    { key: 'ready', plural: false },
    { key: '{0} files', plural: true },
    { key: 'by {0}', plural: false },
  ]);
});

test('each language has a table, and each table is complete', context => {
  assert.deepEqual(languagesIn(ui).sort(), LANGUAGES.slice(1).sort());
  for (const language of languagesIn(ui)) {
    const wrong = wrongIn(language, tableOf(ui, language), keys);
    context.diagnostic(`${language}: ${wrong.missing.length} of ${keys.size} texts are missing`);
    assert.deepEqual(wrong, { missing: [], unknown: [], values: [], forms: [] }, language);
  }
});

test('what a table lacks is found', () => {
  const asked = { a: false, '{0} b': true, '{0} c': false, '{0} d': true, f: false, g: false };
  const table = {
    a: '',
    '{0} b': { one: '{0} B', other: 'B' },
    '{0} c': '{1} C',
    '{0} d': '{0} D',
    e: 'E',
    f: { other: 'F' },
    g: 'G',
  };
  const wrong = { missing: ['a'], unknown: ['e'], values: ['{0} b', '{0} c'], forms: ['{0} d', 'f'] };
  assert.deepEqual(wrongIn('de', table, new Map(Object.entries(asked))), wrong);
  const polish = { few: '{0}', many: '{0}', other: '{0}' };
  const formsOf = table => wrongIn('pl', { '{0} b': table }, new Map([['{0} b', true]])).forms;
  assert.deepEqual([formsOf(polish), formsOf({ ...polish, one: '{0}' })], [['{0} b'], []]);
});

test('no two texts have the same key', () => {
  assert.equal(new Set([...keys.keys()].map(keyOf)).size, keys.size);
});

test('the server’s words are among those that the table of the page has', () => {
  // they are written in English only there
  const sql = ['reports', 'opening-report', 'ending-report']
    .map(name => readFileSync(resolve(ui, `../../chess-db/src/${name}.sql`), 'utf8'))
    .join();
  for (const word of ['resignation', 'agreement', 'castled on the same side', 'rook against minor piece'])
    assert.ok(keys.has(word) && sql.includes(`'${word}'`), word);
});
