import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds } from '../rounds.ts';

const seat = (round, place, color) => ({ game: '', date: null, score: 1, round, place, color });
const line = (results, ...games) => ({ results, games });

test('columns of a Swiss are the rounds of their games', () => {
  const table = [line(['2w1', '+'], seat('6.3', 2, 'w'), seat('9', null, 'w')), line(['1b0', ''], seat('6.3', 1, 'b'))];
  assert.deepEqual(rounds(table), [6, 9]);
  assert.equal(table[0].games.length, 2, 'the games stay');
});

test('columns without one round of their own have none', () => {
  const twice = (one, other) => [line(['2w1', '2b1'], seat(one, 2, 'w'), seat(other, 2, 'b'))];
  assert.deepEqual(rounds(twice('3', '4')), [3, 4]);
  assert.equal(rounds(twice('4', '4')), undefined);
  assert.equal(rounds(twice('4', '3')), undefined);
  assert.equal(rounds(twice(null, '3')), undefined);
  assert.equal(rounds([line(['2w1'], seat('1', 2, 'w')), line(['1b0'], seat('2', 1, 'b'))]), undefined);
  assert.equal(rounds([line(['', '2w1'], seat('1', 2, 'w'))]), undefined, 'a column without games');
});
