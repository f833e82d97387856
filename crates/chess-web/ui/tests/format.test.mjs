import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  asName,
  clock,
  count,
  date,
  meanRating,
  moveNumber,
  NAGS,
  percentages,
  result,
  score,
  share,
  thought,
  year,
} from '../format.ts';

test('a proposed name is as long as the server takes it, in whole characters', () => {
  const limits = ['boards', 'views'].map(name => readFileSync(`${process.env.UI}/../src/saved/${name}.rs`, 'utf8'));
  for (const source of limits) assert.match(source, /text\("name", .*, 200, /);
  assert.equal(asName('♞'.repeat(200)), '♞'.repeat(200));
  assert.equal(asName('😀'.repeat(201)), '😀'.repeat(200));
  assert.equal(asName(`${'x'.repeat(199)} y`), 'x'.repeat(199));
});

test('numbers are grouped by narrow spaces', () => {
  assert.deepEqual([0, 999, 1000, 75642, 1234567].map(count), ['0', '999', '1\u202f000', '75\u202f642', '1\u202f234\u202f567']);
});

test('percentages are whole and add up to 100', () => {
  assert.deepEqual(percentages([1, 1, 1]), [34, 33, 33]);
  assert.deepEqual(percentages([0, 0, 0]), [0, 0, 0]);
  assert.deepEqual(percentages([999, 1, 0]), [100, 0, 0]);
  for (let white = 0; white < 30; white++) {
    for (let draws = 0; draws < 30; draws++) {
      const parts = [white, draws, 7];
      const whole = percentages(parts);
      assert.equal(
        whole.reduce((a, b) => a + b),
        100,
        String(parts),
      );
      const sum = white + draws + 7;
      assert.ok(
        whole.every((percent, i) => Math.abs(percent - (100 * parts[i]) / sum) < 1),
        String(parts),
      );
    }
  }
});

test('a share is never rounded to nothing', () => {
  assert.deepEqual(
    [share(0, 10), share(1, 1000), share(5, 1000), share(1, 3), share(3, 3), share(0, 0)],
    ['0', '<1', '1', '33', '100', ''],
  );
});

test('results and dates', () => {
  assert.deepEqual(['1-0', '0-1', '1/2-1/2', '*'].map(result), ['1–0', '0–1', '½–½', '∗']);
  assert.deepEqual(['1924.03.??', '1924-03-23', '????.??.??', null, undefined].map(date), ['1924-03', '1924-03-23', '', '', '']);
  assert.deepEqual(['1924.??.??', '????.05.12', '', null].map(year), ['1924', '', '', '']);
});

test('the mean rating of a game is that of the filter', () => {
  const means = [
    [2660, 2661],
    [2661, 2661],
    [2660, null],
    [2660, undefined],
    [0, 2000],
    [-5, 2000],
  ].map(of => meanRating(...of));
  assert.deepEqual(means, [2660, 2661, null, null, null, null]);
});

test('move numbers', () => {
  assert.deepEqual([1, 2, 3, 80].map(moveNumber), ['1.', '1…', '2.', '40…']);
});

test('clocks', () => {
  assert.deepEqual([0, 59.9, 60, 3599, 3600, 36061].map(clock), ['0:00', '0:59', '1:00', '59:59', '1:00:00', '10:01:01']);
});

test('scores from White’s side', () => {
  const scores = [{ cp: 35 }, { cp: -120 }, { cp: 0 }, {}, { mate: 3 }, { mate: -2 }];
  assert.deepEqual(scores.map(score), ['+0.35', '−1.20', '+0.00', '+0.00', '#3', '#−2']);
});

test('every glyph has a sign and words', () => {
  for (const [number, [sign, words]] of Object.entries(NAGS)) assert.ok(Number(number) > 0 && sign && words, number);
});

test('the time for a move', () => {
  assert.deepEqual([0, 0.4, 59.4, 59.6, 65, 3700].map(thought), ['0s', '0s', '59s', '0:59', '1:05', '1:01:40']);
});
