// In: rows of reports. Out: an error unless they are read as the server means them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beyond, known, outcomes, range } from '../rows.ts';

test('ranges in words', () => {
  const words = {
    '[1200,1300)': '1200 to 1299',
    '[-100,0)': '−100 to −1',
    '(,900)': '899 or less',
    '[2800,)': '2800 or more',
    unknown: 'unknown',
  };
  for (const [item, text] of Object.entries(words)) assert.equal(range(item), text);
});

test('won, drawn and lost games of a player, who had either colour', () => {
  assert.deepEqual(outcomes({ white: 3, draws: 2, black: 1, score: 4 / 6 }), [3, 2, 1]);
  // as Black
  assert.deepEqual(outcomes({ white: 3, draws: 2, black: 1, score: 2 / 6 }), [1, 2, 3]);
  assert.deepEqual(outcomes({ white: 0, draws: 0, black: 0, score: null }), [0, 0, 0]);
  assert.deepEqual(outcomes({ white: 10_000, draws: 3333, black: 7001, score: 11_666.5 / 20_334 }), [10_000, 3333, 7001]);
});

test('points beyond what the ratings promise, over the games that have them', () => {
  assert.equal(beyond({ expected: 0.5, detail: { rated_score: 0.62 } }), '+12');
  assert.equal(beyond({ expected: 0.5, detail: { rated_score: 0.5 } }), '0');
  assert.equal(beyond({ expected: 0.75, detail: { rated_score: 0.5 } }), '−25');
  assert.equal(beyond({ expected: null, detail: {} }), '');
});

test('a table of what is unknown alone tells nothing', () => {
  assert.deepEqual(known([{ item: 'unknown' }]), []);
  assert.equal(known([{ item: 'unknown' }, { item: 'blitz' }]).length, 2);
});
