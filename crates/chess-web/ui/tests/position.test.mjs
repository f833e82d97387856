import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  epd,
  fenOf,
  INITIAL_FEN,
  initial,
  inWords,
  legal,
  materialOf,
  readFen,
  squaresOf,
  stateInWords,
  step,
  typed,
  uciOf,
} from '../position.ts';

const at = fen => {
  const { pos, error } = readFen(fen);
  assert.equal(error, undefined, fen);
  return pos;
};
const CASTLING = 'r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1';

test('FEN, EPD and underscores', () => {
  assert.equal(fenOf(initial()), INITIAL_FEN);
  assert.equal(fenOf(at(` ${INITIAL_FEN.replaceAll(' ', '_')} `)), INITIAL_FEN);
  assert.equal(epd(INITIAL_FEN), 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -');
  assert.equal(fenOf(at(epd(INITIAL_FEN))), INITIAL_FEN);
});

test('what is wrong with a FEN', () => {
  for (const [fen, error] of [
    ['rnbqkbnr/8 w - - 0 1', 'the placement is wrong'],
    ['8/8/8/8/8/8/8/8 w - - 0 1', 'the board is empty'],
    ['8/8/8/8/8/8/8/K7 w - - 0 1', 'each side needs one king'],
    ['k7/8/8/8/8/8/8/K7 x - - 0 1', 'the side to move must be w or b'],
    ['kR6/8/8/8/8/8/8/K7 w - - 0 1', 'the side that is not to move is in check'],
    ['k6P/8/8/8/8/8/8/K7 w - - 0 1', 'a pawn stands on the first or last rank'],
    ['', 'the placement is wrong'],
  ]) {
    assert.equal(readFen(fen).error, error, fen);
  }
});

test('typed moves', () => {
  const pos = initial();
  for (const text of ['Nf3', 'nf3', '1. Nf3', 'Nf3!?', 'g1f3', 'G1F3']) {
    const move = typed(pos, text);
    assert.equal(move && uciOf(pos, move), 'g1f3', text);
  }
  for (const text of ['', 'Ke2', 'e5', 'nonsense', '1.']) assert.equal(typed(pos, text), undefined, text);
  for (const text of ['O-O', '0-0', 'o-o', 'e1g1', 'e1h1']) {
    const move = typed(at(CASTLING), text);
    assert.equal(move && uciOf(at(CASTLING), move), 'e1g1', text);
  }
  // a small b is a pawn first
  const both = at('4k3/8/8/8/8/2n5/1P6/3BK3 w - - 0 1');
  assert.equal(uciOf(both, typed(both, 'bxc3')), 'b2c3');
});

test('castling in UCI', () => {
  const pos = at(CASTLING);
  assert.equal(uciOf(pos, legal(pos, 'e1c1')), 'e1c1');
  assert.equal(uciOf(pos, legal(pos, 'e1a1')), 'e1c1');
  const chess960 = at('4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1');
  assert.equal(uciOf(chess960, legal(chess960, 'e1g1')), 'e1g1');
  assert.equal(uciOf(chess960, legal(chess960, 'e1b1')), 'e1b1');
  assert.equal(legal(pos, 'e1e3'), undefined);
  assert.equal(legal(pos, 'x'), undefined);
});

test('a step has names and the position after it', () => {
  const pos = initial();
  const { after, step: played } = step(pos, legal(pos, 'e2e4'));
  assert.deepEqual(played, { uci: 'e2e4', san: 'e4', fen: 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1' });
  assert.equal(fenOf(after), played.fen);
  assert.equal(fenOf(pos), INITIAL_FEN, 'the position before it is unchanged');
  assert.deepEqual(squaresOf('e7e8q'), ['e7', 'e8']);
});

test('positions in words', () => {
  assert.equal(inWords(at('8/8/8/8/8/k7/8/1K5R w - - 0 1')), 'White: king b1, rook h1. Black: king a3.');
  assert.equal(stateInWords(initial()), 'White to move');
  assert.equal(stateInWords(at('7k/6Q1/6K1/8/8/8/8/8 b - - 0 1')), 'Checkmate, White wins');
  assert.equal(stateInWords(at('7k/5Q2/6K1/8/8/8/8/8 b - - 0 1')), 'Stalemate');
  assert.equal(stateInWords(at('7k/8/6K1/8/8/8/8/7R b - - 0 1')), 'Black to move, in check');
});

test('material', () => {
  assert.equal(materialOf(initial()), 'KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP');
  assert.equal(materialOf(at('8/8/8/8/8/k7/p7/1K5R w - - 0 1')), 'KRvKP');
});
