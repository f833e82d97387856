// In: addresses of views. Out: an error unless filters go along from each view to the others that mean the same by them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CONTENTS,
  CRITERIA,
  common,
  FILTERS,
  here,
  narrowed,
  ofPlacedReport,
  ofReport,
  outer,
  ownName,
  pageOf,
  withFilters,
} from '../address.ts';

const ALL = [...FILTERS, ...CONTENTS];

const ALL_PLACED = [...FILTERS, ...CRITERIA];

test('filters go along between views', () => {
  for (const from of ['/', '/opening', '/opening/Najdorf', '/openings', '/play', '/analysis/7', '/notebooks'])
    for (const to of ['/', '/games', '/game/00000001', '/opening', '/openings', '/play', '/analysis', '/n/1', '/train/1', '/add'])
      assert.deepEqual(common(from, to), ALL, `${from} to ${to}`);
});

test('a position that is searched for stays where games can be filtered by it', () => {
  for (const from of ['/games', '/search', '/game/00000001', '/endings', '/tournament/Linares']) {
    for (const to of ['/games', '/game/00000001', '/endings', '/tournament/Linares'])
      assert.deepEqual(common(from, to), ALL_PLACED, `${from} to ${to}`);
    // where it would be the position that the view is about
    for (const to of ['/', '/opening/Najdorf', '/openings', '/play', '/analysis'])
      assert.deepEqual(common(from, to), ALL, `${from} to ${to}`);
  }
  const of = new URLSearchParams({
    fen: 'F',
    play: 'e2e4',
    symmetries: '1',
    pieces: 'P',
    pattern: 'Nd5',
    site: 'S',
    source: '3',
  });
  assert.equal(String(ofPlacedReport(of)), 'source=3&pattern=Nd5&fen=F&play=e2e4&pieces=P');
  assert.equal(String(ofReport(of)), 'source=3&pattern=Nd5');
});

test('a name that means something else does not', () => {
  assert.deepEqual(common('/games', '/search'), FILTERS, 'a filter is no search');
  assert.deepEqual(common('/search', '/search'), FILTERS);
  assert.deepEqual(common('/games', '/puzzles'), ['player']);
  assert.deepEqual(common('/puzzles/7', '/'), ['player']);
  const others = ALL_PLACED.filter(name => !['player', 'color'].includes(name));
  assert.deepEqual(common('/games', '/player/Carlsen%2C+Magnus'), others);
});

test('days of a part of a report are within those of the report', () => {
  const days = (report, part) => String(narrowed(new URLSearchParams(report), part));
  const year = { since: '2015', until: '2015' };
  assert.equal(days('since=2015-03&until=2016-02', year), 'since=2015-03&until=2015');
  assert.equal(days('since=2014-03&until=2015-02-07', year), 'since=2015&until=2015-02-07');
  assert.equal(days('tc=blitz', year), 'tc=blitz&since=2015&until=2015');
  assert.equal(days('since=2015-03', {}), 'since=2015-03');
});

test('several slashes are one', () => {
  globalThis.location = new URL('http://localhost//endings///a%2F%2Fb');
  const { pathname, path } = here();
  assert.deepEqual([pathname, path], ['/endings/a%2F%2Fb', ['endings', 'a//b']]);
});

test('the page of every name is found again', () => {
  globalThis.location = new URL('http://localhost/games?since=2015');
  const params = new URLSearchParams({ with: 'Ann' });
  for (const name of ['.', '..', '...', '%2e', 'a/b', '/', '?', '#', '&name=x', '+', 'Ångström, 王', "O'Neil"]) {
    for (const address of [pageOf('player', name), pageOf('player', name, params), withFilters(pageOf('player', name), params)]) {
      const before = globalThis.location;
      globalThis.location = new URL(address, 'http://localhost/');
      assert.deepEqual(here().path, ['player', name], address);
      assert.equal(here().params.get('with'), address.includes('with=') ? 'Ann' : null);
      globalThis.location = before;
    }
  }
  assert.deepEqual(common('/player/?name=..', '/games'), common('/player/Ann', '/games'));
});

test('sites at other paths of a server keep their own', () => {
  assert.notEqual(outer(''), '');
  assert.equal(ownName('answers'), `${outer('')} answers`);
});
