// In: addresses of views. Out: an error unless filters go along from each view to the others that mean the same by them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONTENTS, common, FILTERS } from '../address.ts';

const ALL = [...FILTERS, ...CONTENTS];

test('filters go along between views', () => {
  for (const from of [
    '/',
    '/games',
    '/game/00000001',
    '/opening',
    '/opening/Najdorf',
    '/openings',
    '/play',
    '/analysis/7',
    '/notebooks',
  ])
    for (const to of ['/', '/games', '/game/00000001', '/opening', '/openings', '/play', '/analysis', '/n/1', '/train/1', '/add'])
      assert.deepEqual(common(from, to), ALL, `${from} to ${to}`);
});

test('a name that means something else does not', () => {
  assert.deepEqual(common('/search', '/games'), ALL, 'a search may be a filter');
  assert.deepEqual(common('/games', '/search'), FILTERS, 'a filter is no search');
  assert.deepEqual(common('/search', '/search'), FILTERS);
  assert.deepEqual(common('/endings', '/games'), ALL);
  assert.deepEqual(common('/games', '/endings'), ALL);
  assert.deepEqual(common('/games', '/puzzles'), ['player']);
  assert.deepEqual(common('/puzzles/7', '/'), ['player']);
  assert.deepEqual(common('/tournament/Linares', '/games'), ALL);
  const others = ALL.filter(name => !['player', 'color'].includes(name));
  assert.deepEqual(common('/games', '/player/Carlsen%2C+Magnus'), others);
});
