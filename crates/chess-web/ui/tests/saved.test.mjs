import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSaved } from '../saved.ts';

const FEN = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
const move = { parent: null, uci: 'e2e4', note: 'best', glyphs: [1] };
const book = { name: 'A', color: 'white', fen: FEN, note: '', moves: [move, { ...move, parent: 0, uci: 'e7e5' }] };
const file = { chess: 1, notebooks: [book], boards: [{ name: 'B', pgn: '1. e4 *' }], filters: [{ name: 'C', url: '/' }] };

test('what was saved is read', () => {
  assert.deepEqual(readSaved(JSON.stringify(file)), file);
  const more = { ...file, more: 1, boards: [{ ...file.boards[0], id: 7 }] };
  assert.deepEqual(readSaved(JSON.stringify(more)), file, 'nothing else is taken over');
});

test('training is read, and older files have none', () => {
  const known = { position: FEN.slice(0, -4), stability: 2.5, difficulty: 5, answered: 1_700_000_000, days: 2 };
  const trained = { ...file, notebooks: [{ ...book, training: [known] }, book] };
  assert.deepEqual(readSaved(JSON.stringify(trained)), trained);
  const wrong = training => JSON.stringify({ ...file, notebooks: [{ ...book, training }] });
  assert.throws(() => readSaved(wrong(null)), /“training”/);
  assert.throws(() => readSaved(wrong([{ ...known, days: '2' }])), /“days”/);
});

test('other files are refused', () => {
  const refused = (text, reason) => assert.throws(() => readSaved(text), reason);
  refused('[Event "?"]', /not JSON/);
  for (const other of ['null', '[]', '1', '{}', JSON.stringify({ ...file, chess: 2 })]) refused(other, /not made by/);
  const of = change => JSON.stringify({ ...file, ...change });
  refused(of({ boards: undefined }), /“boards”/);
  refused(of({ boards: [null] }), /“boards”/);
  refused(of({ boards: [{ name: 1, pgn: '' }] }), /“name”/);
  refused(of({ filters: [{ name: 'x' }] }), /“url”/);
  const moves = moves => of({ notebooks: [{ ...book, moves }] });
  refused(moves([{ ...move, parent: 0 }]), /move 1 has no move before it/);
  refused(moves([{ ...move, parent: -1 }]), /move 1/);
  refused(moves([{ ...move, parent: 0.5 }]), /move 1/);
  refused(moves([{ ...move, parent: undefined }]), /move 1/);
  refused(moves([{ ...move, glyphs: [256] }]), /“glyphs”/);
  refused(moves([{ ...move, glyphs: 1 }]), /“glyphs”/);
  refused(moves({}), /“moves”/);
});
