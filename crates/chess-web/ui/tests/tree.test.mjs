// In: games as the server reads them. Out: whether their trees, and the PGN that is written from them, have everything. That
// the server reads this PGN as the same tree is tested in a browser.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { initial, legal, readFen } from '../position.ts';
import { glyphsOf } from '../sessions.ts';
import { placeOf, showFound, Tree, take, thinkTimes, treeOf, treeOfGame, withGlyph, writeComment, writePgn } from '../tree.ts';

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
const sans = nodes => nodes.map(node => node.san).join(' ');
const movetext = tree => writePgn(tree).trim().split('\n\n').at(-1);
/** A game: what is said at its start, then moves, each with the place of the one before it. */
const game = (root, ...moves) =>
  treeOfGame({
    tags: [
      ['White', 'A'],
      ['Black', 'B'],
    ],
    startFen: START,
    nodes: [
      { parent: null, san: '', uci: '', ...root },
      ...moves.map(([parent, uci, rest]) => ({ parent, uci, san: '', ...rest })),
    ],
    error: null,
  });
const ANNOTATED = () =>
  game(
    { text: 'Start.' },
    [0, 'e2e4', { glyphs: [1], text: 'King’s pawn.', clock: 53900 }],
    [1, 'c7c5', { variation: true, eval: { cp: 35 } }],
    [2, 'g1f3'],
    [2, 'c2c3', { variation: true, before: 'or' }],
    [1, 'e7e5'],
    [5, 'g1f3'],
  );

test('a game becomes a tree with everything in it', () => {
  const tree = ANNOTATED();
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

test('the place of a move in the explorer, which has no null moves', () => {
  const AFTER = 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2';
  const tree = game({}, [0, 'e2e4'], [1, '0000', { san: '--', fen: AFTER }], [2, 'd2d4']);
  const [root, e4, pass, d4] = tree.mainline();
  const place = (node, uci) => Object.fromEntries(placeOf(tree, node, uci));
  assert.deepEqual(place(root), {});
  assert.deepEqual(place(root, 'd2d4'), { play: 'd2d4' });
  assert.deepEqual(place(e4, 'e7e5'), { play: 'e2e4,e7e5' });
  assert.deepEqual(place(pass, 'd2d4'), { fen: AFTER, play: 'd2d4' });
  assert.deepEqual(place(d4), { fen: d4.fen });
  const start = '8/8/8/8/4k3/8/4P3/4K3 w - - 0 1';
  const ending = treeOf(readFen(start).pos, ['e1d2', 'e4d4']);
  assert.deepEqual(Object.fromEntries(placeOf(ending, ending.mainline()[1])), { fen: start, play: 'e1d2' });
});

test('what is written has everything', () => {
  assert.equal(
    writePgn(ANNOTATED()),
    '[White "A"]\n[Black "B"]\n\n{ Start. } 1. e4 $1 { King’s pawn. [%clk 1:29:50] } 1... e5 ( 1... c5 {\n' +
      '[%eval 0.35] } 2. Nf3 ( { or } 2. c3 ) ) 2. Nf3 *\n',
  );
});

test('a comment keeps its arrows and squares', () => {
  const said = { text: 'Best', shapes: ['Gd5', 'Re5', 'Be4e5'], eval: { cp: 30 } };
  const tree = game({}, [0, 'e2e4', said]);
  const written = 'Best [%csl Gd5,Re5] [%cal Be4e5] [%eval 0.3]';
  const [e4] = tree.root.children;
  assert.deepEqual([e4.after, e4.shapes.length, writeComment(e4)], ['Best', 3, written]);
  assert.equal(movetext(tree), `1. e4 { ${written} } *`);
  // as a notebook takes it
  const other = new Tree(initial()).root;
  take(other, said);
  assert.deepEqual([other.after, other.shapes, other.eval], ['Best', e4.shapes, e4.eval]);
  const mate = game({}, [0, 'e2e4', { eval: { mate: -3 }, clock: 75 }]);
  assert.equal(writeComment(mate.root.children[0]), '[%eval #-3] [%clk 0:00:07.5]');
});

test('nothing in a comment or a tag can end it', () => {
  const tree = treeOf(initial(), ['e2e4', 'e7e5']);
  tree.headers = new Map([
    ['Event', 'a"]\n\n[White "b\\'],
    ['no name', 'x'],
  ]);
  const [e4] = tree.root.children;
  e4.after = 'a } b { c\n\n[Event "x"]\n%d \u0000;e';
  e4.children[0].after = ' \n ';
  assert.equal(writePgn(tree), '[Event "a\\"]  [White \\"b\\\\"]\n\n1. e4 { a ) b ( c [Event "x"] %d ;e } 1... e5 *\n');
  e4.after = `${'word '.repeat(15)}[Event "x"] %d ;e`;
  assert.ok(!/^[[%;]/m.test(movetext(tree)));
});

test('what the server could not read is reported', () => {
  const read = { tags: [], startFen: START, nodes: [{ parent: null, san: '', uci: '' }], error: 'half-move 1' };
  assert.equal(treeOfGame(read).problem, 'half-move 1');
  assert.equal(treeOfGame({ ...read, startFen: null, nodes: [] }).problem, 'the start position cannot be shown');
  assert.equal(treeOfGame(null).nodes.length, 1);
  // a move that the page does not know, and what follows it
  assert.equal(game({}, [0, 'e2e5'], [1, 'e7e5']).nodes.length, 1);
});

test('a null move and what follows it', () => {
  const fen = 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2';
  const tree = game({}, [0, 'e2e4'], [1, '0000', { san: '--', variation: true, fen }], [2, 'd2d4'], [1, 'e7e5']);
  assert.equal(movetext(tree), '1. e4 e5 ( 1... -- 2. d4 ) *');
  assert.equal(sans(tree.mainline().slice(1)), 'e4 e5');
});

test('a variation that is written first, or twice', () => {
  const tree = game(
    {},
    [0, 'd2d4', { variation: true, text: 'a' }],
    [0, 'e2e4'],
    [0, 'd2d4', { variation: true, text: 'b', glyphs: [2] }],
  );
  assert.equal(sans(tree.root.children), 'e4 d4');
  assert.deepEqual([tree.root.children[1].after, tree.root.children[1].nags], ['a b', [2]]);
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
  const tree = game({}, [0, 'e2e4'], [0, 'd2d4', { variation: true }], [2, 'd7d5'], [0, 'c2c4', { variation: true }]);
  const [, d4] = tree.root.children;
  tree.promote(d4.children[0]);
  assert.equal(sans(tree.root.children), 'd4 e4 c4');
  tree.remove(d4);
  assert.equal(sans(tree.root.children), 'e4 c4');
  assert.ok(!tree.nodes.includes(d4) && !tree.nodes.some(node => node.parent === d4));
  tree.remove(tree.root);
  assert.equal(tree.nodes.length, 3, 'the root stays');
});

test('deep nesting is written without recursion', () => {
  const depth = 3000;
  const moves = Array.from({ length: depth }, (_, i) => [
    i,
    i % 4 < 2 ? (i % 2 ? 'g8f6' : 'g1f3') : i % 2 ? 'f6g8' : 'f3g1',
    { variation: i > 0 },
  ]);
  const tree = game({}, ...moves);
  for (const node of [...tree.nodes]) tree.play(node, legal(tree.position(node), node.ply % 2 ? 'a7a6' : 'a2a3'));
  assert.equal(writePgn(tree).match(/\(/g).length, depth);
});

test('a diagram is asked for by a command', () => {
  const tree = game({ diagram: true }, [0, 'e2e4', { glyphs: [1] }], [1, 'e7e5', { text: 'Look.', diagram: true, clock: 600 }]);
  assert.equal(movetext(tree), '{ [%diagram] } 1. e4 $1 e5 { [%diagram] Look. [%clk 0:01:00] } *');
  assert.deepEqual(
    [tree.root, ...tree.nodes.slice(1)].map(node => !!node.diagram),
    [true, false, true],
  );
});

test('the time for a move: clock before, increment, clock after', () => {
  const tenths = clock => clock.split(':').reduce((sum, part) => 60 * sum + Number(part), 0) * 10;
  const move = (clk, i) => [i, ['g1f3', 'g8f6', 'f3g1', 'f6g8'][i % 4], { clock: tenths(clk) }];
  const spent = (control, ...clocks) => {
    const tree = game({}, ...clocks.map(move));
    thinkTimes(tree, control);
    return tree
      .mainline()
      .slice(1)
      .map(node => node.reckoned);
  };
  assert.deepEqual(spent('180+2', '0:03:00', '0:02:50', '0:02:50', '0:02:52'), [undefined, undefined, 12, 0]);
  assert.deepEqual(spent('40/5400:1800', '1:00:00', '1:00:00', '0:59:00', '1:29:00'), [undefined, undefined, 60, undefined]);
  for (const unknown of ['', '?', '-', '40/5400+30:1800'])
    assert.deepEqual(spent(unknown, '1:00:00', '1:00:00', '0:59:00'), [undefined, undefined, undefined]);
  const tree = game({}, [0, 'e2e4', { spent: 70 }]);
  assert.equal(tree.root.children[0].spent, 7);
});

test('what the page does not know, or shows otherwise, is written as it was read', () => {
  const commands = ['[%eval 0.30,22]', '[%clk 0:01:07.53]', '[%clk 0:02:00]'];
  const tree = treeOfGame({
    tags: [
      ['White', 'A'],
      ['Annotator', 'One'],
      ['Black', 'B'],
      ['Annotator', 'Two'],
    ],
    startFen: START,
    nodes: [
      { parent: null, san: '', uci: '' },
      { parent: 0, san: 'e4', uci: 'e2e4', spent: 75, text: '[%foo 1]' },
      { parent: 1, san: 'e5', uci: 'e7e5', eval: { cp: 30 }, clock: 675, commands },
    ],
    error: null,
  });
  assert.equal(
    writePgn(tree),
    '[White "A"]\n[Annotator "One"]\n[Black "B"]\n[Annotator "Two"]\n\n' +
      `1. e4 { [%foo 1] [%emt 0:00:07.5] } 1... e5 { ${commands[0]} ${commands[1]}\n${commands[2]} } *\n`,
  );
});

test('other tags are written, and the tree keeps its own until they are saved', () => {
  const tree = new Tree(initial(), [
    ['White', 'A'],
    ['Annotator', 'One'],
    ['Annotator', 'Two'],
    ['Round', '1'],
  ]);
  const before = writePgn(tree);
  const changes = new Map([
    ['White', 'B'],
    ['Annotator', ''],
  ]);
  const after = '[White "B"]\n[Round "1"]\n\n*\n';
  assert.equal(writePgn(tree, changes), after);
  assert.equal(writePgn(tree), before);
  assert.match(before, /"One"[\s\S]*"Two"/);
  tree.retag(changes);
  assert.equal(writePgn(tree), after);
});

test('what engines of the server have found is shown, and not written', () => {
  const read = {
    tags: [],
    startFen: START,
    nodes: [
      { parent: null, san: '', uci: '' },
      { parent: 0, san: 'e4', uci: 'e2e4', eval: { cp: 30 } },
      { parent: 1, san: 'e5', uci: 'e7e5' },
      { parent: 2, san: 'f4', uci: 'f2f4' },
    ],
    error: null,
  };
  const moves = [{ eval: { cp: 30 } }, { eval: { cp: 25, mate: undefined } }, { eval: { mate: 0 } }];
  const tree = treeOfGame(read);
  const before = writePgn(tree);
  showFound(tree, { game: read, moves });
  assert.deepEqual(
    tree.mainline().map(node => node.found?.cp),
    [undefined, undefined, 25, undefined],
  );
  assert.equal(writePgn(tree), before);
  const other = treeOf(initial(), ['e2e4', 'c7c5', 'f2f4']);
  showFound(other, { game: read, moves });
  assert.deepEqual(
    other.mainline().map(node => node.found?.cp),
    [undefined, 30, undefined, undefined],
  );
});

test('a position behind more moves than the explorer plays is given as a FEN', () => {
  const most = Number(
    /const PLIES: usize = (\d+)/.exec(readFileSync(`${process.env.UI}/../src/question/position.rs`, 'utf8'))[1],
  );
  const back = ['g1f3', 'g8f6', 'f3g1', 'f6g8'];
  const line = treeOf(
    initial(),
    Array.from({ length: most + 2 }, (_, ply) => back[ply % 4]),
  ).mainline();
  const tree = treeOf(initial(), []);
  tree.root = line[0];
  for (const ply of [most - 1, most, most + 1]) {
    const asked = placeOf(tree, line[ply], 'x');
    assert.ok((asked.get('play') ?? '').split(',').length <= most, ply);
    assert.equal(asked.get('fen'), ply < most ? null : line[ply].fen);
  }
});

test('the glyph that judges a move replaces its like, and leaves the others', () => {
  assert.deepEqual(withGlyph([14], 1), [1, 14]);
  assert.deepEqual(withGlyph([2, 7, 14], 5), [5, 7, 14]);
  assert.deepEqual(withGlyph([7, 2, 9, 14], 0), [7, 9, 14]);
});

test('all glyphs of a stored node', () => {
  assert.deepEqual(glyphsOf({ glyph: 1, glyphs: [14] }), [1, 14]);
  assert.deepEqual(glyphsOf({ glyph: null, glyphs: [14] }), [14]);
  assert.deepEqual(glyphsOf({ glyph: null }), []);
});
