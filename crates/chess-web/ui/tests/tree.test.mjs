import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initial, legal, readFen } from '../position.ts';
import { readComment, readPgn, Tree, thinkTimes, treeOf, writeComment, writePgn } from '../tree.ts';

const sans = nodes => nodes.map(node => node.san).join(' ');
const movetext = tree => writePgn(tree).trim().split('\n').at(-1);
const ANNOTATED =
  '[White "A"]\n[Black "B"]\n\n{ Start. } 1. e4 $1 { King’s pawn. [%clk 1:29:50] } 1... e5 ( 1... c5 { [%eval 0.35] } 2. Nf3 ( { or } 2. c3 ) ) 2. Nf3 *\n';

test('PGN becomes a tree with everything in it', () => {
  const tree = readPgn(ANNOTATED);
  assert.equal(tree.problem, '');
  assert.equal(tree.headers.get('White'), 'A');
  assert.equal(tree.root.after, 'Start.');
  assert.equal(sans(tree.mainline().slice(1)), 'e4 e5 Nf3');
  const [e4] = tree.root.children;
  assert.deepEqual([e4.nags, e4.after, e4.clock], [[1], 'King’s pawn.', 5390]);
  const [, c5] = e4.children;
  assert.deepEqual([c5.san, c5.eval], ['c5', { cp: 35 }]);
  assert.deepEqual([sans(c5.children), c5.children[1].before], ['Nf3 c3', 'or']);
  assert.ok(tree.isMain(e4) && !tree.isMain(c5));
  assert.equal(sans(tree.pathTo(c5.children[1]).slice(1)), 'e4 c5 c3');
});

test('a comment keeps its arrows and squares', () => {
  const text = '1. e4 { Best [%csl Gd5,Re5] [%cal Be4e5] [%eval 0.30] } *';
  const tree = readPgn(text);
  assert.equal(movetext(tree), text);
  const [e4] = tree.root.children;
  assert.deepEqual([e4.after, e4.shapes.length, writeComment(e4)], ['Best', 3, 'Best [%csl Gd5,Re5] [%cal Be4e5] [%eval 0.30]']);
  // as a notebook saves it
  const other = new Tree(initial()).root;
  assert.equal(readComment(other, writeComment(e4)), 'Best');
  assert.deepEqual([other.shapes, other.eval], [e4.shapes, e4.eval]);
});

test('reading what was written gives the same tree', () => {
  const once = writePgn(readPgn(ANNOTATED));
  assert.equal(writePgn(readPgn(once)), once);
  for (const part of ['{ Start. }', '$1', '[%clk 1:29:50]', '[%eval 0.35]', '2. c3']) assert.ok(once.includes(part), part);
});

test('a comment cannot end itself', () => {
  const tree = readPgn('1. e4 *');
  tree.root.children[0].after = 'a } b { c';
  assert.equal(readPgn(writePgn(tree)).root.children[0].after, 'a ) b { c');
});

test('an illegal move ends its line and is reported', () => {
  const tree = readPgn('1. e4 e5 2. Ke3 Nc6 *');
  assert.equal(sans(tree.mainline().slice(1)), 'e4 e5');
  assert.match(tree.problem, /^Ke3 after half-move 2 is not a legal move$/);
  assert.equal(readPgn('[SetUp "1"]\n[FEN "nonsense"]\n\n1. e4 *').problem, 'the start position cannot be shown');
  assert.equal(readPgn('').nodes.length, 1);
});

test('a game from a position counts its moves from there', () => {
  const fen = '4k3/8/8/8/8/8/4p3/K7 b - - 0 40';
  const tree = new Tree(readFen(fen).pos);
  const node = tree.play(tree.root, legal(tree.position(tree.root), 'e8d7'));
  assert.equal(tree.number(node), '40…');
  assert.match(writePgn(tree), /\[FEN "4k3\/8\/8\/8\/8\/8\/4p3\/K7 b - - 0 40"\]/);
  assert.equal(movetext(tree), '40... Kd7 *');
});

test('playing a known move finds its node', () => {
  const tree = treeOf(initial(), ['e2e4', 'c7c5', 'nonsense', 'g1f3']);
  assert.equal(sans(tree.mainline().slice(1)), 'e4 c5');
  const again = tree.play(tree.root, legal(initial(), 'e2e4'));
  assert.equal(again, tree.root.children[0]);
  assert.equal(tree.nodes.length, 3);
  tree.play(tree.root, legal(initial(), 'd2d4'));
  assert.equal(sans(tree.root.children), 'e4 d4');
});

test('promotion and removal of variations', () => {
  const tree = readPgn('1. e4 (1. d4 d5) (1. c4) *');
  const [, d4] = tree.root.children;
  tree.promote(d4.children[0]);
  assert.equal(sans(tree.root.children), 'd4 e4 c4');
  tree.remove(d4);
  assert.equal(sans(tree.root.children), 'e4 c4');
  assert.ok(!tree.nodes.includes(d4) && !tree.nodes.some(node => node.parent === d4));
  tree.remove(tree.root);
  assert.equal(tree.nodes.length, 3, 'the root stays');
});

test('deep nesting is read without recursion', () => {
  const depth = 3000;
  const pgn = `1. e4 ${'( 1. d4 '.repeat(depth)}${') '.repeat(depth)}*`;
  assert.equal(sans(readPgn(pgn).root.children), 'e4 d4');
});

test('a diagram is asked for by a command or a glyph, which are not shown', () => {
  const tree = readPgn('{ [%diagram] } 1. e4 $1 $220 e5 { Look. [%diagram] [%clk 0:01:00] } ({[%diagram] or} 1... c5) 2. Nf3 *');
  const [e4, e5, c5] = [tree.root.children[0], ...tree.root.children[0].children];
  assert.deepEqual(
    [tree.root, e4, e5, c5, e5.children[0]].map(node => !!node.diagram),
    [true, true, true, true, false],
  );
  assert.deepEqual([tree.root.after, e4.nags, e5.after, e5.clock, c5.before], ['', [1], 'Look.', 60, 'or']);
  const again = readPgn(writePgn(tree)).root.children[0];
  assert.deepEqual([again.diagram, again.children[0].diagram, again.children[0].after], [true, true, 'Look.']);
});

test('the time for a move: clock before, increment, clock after', () => {
  const moves = clocks => clocks.map((clk, i) => `${['Nf3', 'Nf6', 'Ng1', 'Ng8'][i % 4]} { [%clk ${clk}] }`).join(' ');
  const spent = (control, ...clocks) => {
    const tree = readPgn(`${moves(clocks)} *`);
    thinkTimes(tree, control);
    return tree
      .mainline()
      .slice(1)
      .map(node => node.spent);
  };
  assert.deepEqual(spent('180+2', '0:03:00', '0:02:50', '0:02:50', '0:02:52'), [undefined, undefined, 12, 0]);
  assert.deepEqual(spent('40/5400:1800', '1:00:00', '1:00:00', '0:59:00', '1:29:00'), [undefined, undefined, 60, undefined]);
  for (const unknown of ['', '?', '-', '40/5400+30:1800'])
    assert.deepEqual(spent(unknown, '1:00:00', '1:00:00', '0:59:00'), [undefined, undefined, undefined]);
  const tree = readPgn('1. e4 { [%emt 0:00:07] } *');
  assert.equal(tree.root.children[0].spent, 7);
});
