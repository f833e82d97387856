import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawnBy, ending } from '../playing.ts';

const result = (...fens) => ending(fens)?.result;

test('the rules end a game', () => {
  assert.equal(result('4k3/8/8/8/8/8/4P3/4K3 w - - 0 1'), undefined);
  assert.equal(result('4k3/4Q3/4K3/8/8/8/8/8 b - - 0 1'), '1-0');
  assert.equal(result('8/8/8/8/8/4k3/4q3/4K3 w - - 100 90'), '0-1', 'mate counts before the fifty moves');
  assert.equal(result('4k3/4P3/4K3/8/8/8/8/8 b - - 0 1'), '1/2-1/2', 'stalemate');
  assert.equal(result('4k3/8/4K3/8/8/8/8/5N2 b - - 0 1'), '1/2-1/2', 'nobody can mate');
  assert.equal(result('4k3/8/4K3/8/8/8/8/5R2 b - - 99 90'), undefined);
  assert.equal(result('4k3/8/4K3/8/8/8/8/5R2 w - - 100 91'), '1/2-1/2', 'fifty moves');
});

test('a position that arises for the third time', () => {
  const here = n => `4k3/8/4K3/8/8/8/8/5R2 w - - ${n} ${n}`;
  const other = '3k4/8/4K3/8/8/8/8/5R2 w - - 1 1';
  assert.equal(result(here(1), other, here(3)), undefined);
  assert.equal(result(here(1), other, here(3), here(5)), '1/2-1/2');
  assert.equal(result(here(1), here(3), here(5), other), undefined, 'the last position decides');
  const blacks = here(3).replace(' w ', ' b ');
  assert.equal(result(here(1), blacks, here(5)), undefined, 'the side to move is part of it');
});

test('a move is drawn as often as it was played', () => {
  const moves = [{ games: 3 }, { games: 0 }, { games: 1 }];
  const drawn = [0, 0.25, 0.74, 0.75, 0.99].map(at => moves.indexOf(drawnBy(moves, at)));
  assert.deepEqual(drawn, [0, 0, 0, 2, 2]);
  assert.equal(drawnBy([], 0.5), undefined);
});
