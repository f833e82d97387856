import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retagged } from '../store.ts';

const tags = [
  ['Event', 'Club'],
  ['Round', '-'],
  ['White', 'A "quoted" \\ name'],
  ['Black', 'B'],
  ['Result', '1-0'],
  ['Annotator', 'One'],
  ['Annotator', 'Two'],
];
const written = (all, result) =>
  `${all.map(([name, text]) => `[${name} "${text.replace(/["\\]/g, '\\$&')}"]\n`).join('')}\n1. e4 {[%emt 0:00:03] 1-0?} e5 (1... c5 *) ${result}\n\n`;
const stored = { pgn: written(tags, '1-0'), game: { tags } };
const sorted = pgn => pgn.split('\n').sort();

test('only what was changed is another one', () => {
  assert.deepEqual(sorted(retagged(stored, new Map())), sorted(stored.pgn));
  const changed = retagged(
    stored,
    new Map([
      ['Black', 'C'],
      ['Result', '0-1'],
      ['Event', ''],
      ['Site', 'Here'],
    ]),
  );
  const expected = [['Site', 'Here'], ...tags.filter(([name]) => name !== 'Event')].map(([name, text]) => [
    name,
    { Black: 'C', Result: '0-1' }[name] ?? text,
  ]);
  assert.deepEqual(sorted(changed), sorted(written(expected, '0-1')));
});

test('a result in words stays, unless it is changed', () => {
  const forfeit = { pgn: '[Result "0-0"]\n\n1. e4 *\n\n', game: { tags: [['Result', '0-0']] } };
  assert.equal(retagged(forfeit, new Map([['White', 'A']])), '[White "A"]\n[Result "0-0"]\n\n1. e4 *\n\n');
  assert.equal(retagged(forfeit, new Map([['Result', '1/2-1/2']])), '[Result "1/2-1/2"]\n\n1. e4 1/2-1/2\n\n');
});
