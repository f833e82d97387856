// In: a game that the server has read. Out: its moves as a tree with comments, glyphs, clocks and evaluations; the tree on the
// page; PGN; addresses of the explorer.
import { withParams } from './address';
import { type Mistake, type ReadGame, type ReadNode, type ReadNote, send, type WholeGame } from './api';
import type { DrawShape, Key } from './board';
import { diagram } from './diagram';
import { type Child, h } from './dom';
import { clock, NAGS, type Score, score, thought } from './format';
import { epd, fenOf, INITIAL_FEN, initial, legal, type Move, type Position, readFen, step } from './position';
import { served, t } from './words';

export interface Node {
  id: number;
  parent?: Node;
  children: Node[];
  /** half-moves since the start position of the game, which may have a higher move number */
  ply: number;
  fen: string;
  san: string;
  uci: string;
  before: string;
  after: string;
  nags: number[];
  /** seconds left, and seconds that the move took */
  clock?: number;
  spent?: number;
  eval?: Score;
  /** these three as the PGN has them, if the page would write them otherwise */
  commands?: string[];
  /** what the PGN does not say: seconds by the clocks, and what an engine of the server has found */
  reckoned?: number;
  found?: Score;
  /** found by the evaluations; set only where the game has no glyph of its own */
  mistake?: Mistake;
  /** no earlier game has the position after it, or no other game, if this one has no date */
  novelty?: 'earlier' | 'other';
  /** the PGN asks for a diagram of the position */
  diagram?: boolean;
  shapes: DrawShape[];
}

export class Tree {
  readonly nodes: Node[] = [];
  readonly root: Node;
  /** half-moves before the start position, for the move numbers */
  readonly offset: number;
  /** the first problem of the PGN */
  problem = '';
  /** the tags; of several of a name the first, which counts */
  headers = new Map<string, string>();
  /** the further tags of these names */
  further: [name: string, value: string][] = [];

  constructor(
    readonly start: Position,
    tags: [name: string, value: string][] = [],
  ) {
    for (const [name, value] of tags) {
      if (this.headers.has(name)) this.further.push([name, value]);
      else this.headers.set(name, value);
    }
    this.root = this.add(undefined, { san: '', uci: '', fen: fenOf(start) });
    this.offset = (start.fullmoves - 1) * 2 + (start.turn === 'black' ? 1 : 0);
  }

  private add(parent: Node | undefined, move: { san: string; uci: string; fen: string }): Node {
    const node: Node = {
      id: this.nodes.length,
      parent,
      children: [],
      ply: parent ? parent.ply + 1 : 0,
      ...move,
      before: '',
      after: '',
      nags: [],
      shapes: [],
    };
    this.nodes.push(node);
    parent?.children.push(node);
    return node;
  }

  /** The node after a move; a new one if there is none. */
  play(node: Node, move: Move): Node {
    const { step: next } = step(this.position(node), move);
    return node.children.find(child => child.uci === next.uci) ?? this.add(node, next);
  }

  /** The node after a move that the server has read; undefined if the page does not know the move. */
  grow(parent: Node, read: ReadNode): Node | undefined {
    let node = parent.children.find(child => child.uci === read.uci);
    if (!node) {
      // only a null move has a FEN
      const pos = read.fen ? undefined : this.position(parent);
      const move = pos && legal(pos, read.uci);
      const next = read.fen ? { uci: read.uci, san: read.san, fen: read.fen } : move && step(pos, move).step;
      if (!next) return undefined;
      node = this.add(parent, next);
    }
    if (!read.variation) parent.children = [node, ...parent.children.filter(child => child !== node)];
    return node;
  }

  /** Gives tags other values; an empty one removes all tags of its name. */
  retag(changes: Map<string, string>): void {
    [this.headers, this.further] = changed(this, changes);
  }

  position(node: Node): Position {
    return node === this.root ? this.start.clone() : readFen(node.fen).pos!;
  }

  mainline(): Node[] {
    const line: Node[] = [];
    for (let node = this.root; ; node = node.children[0]) {
      line.push(node);
      if (!node.children.length) return line;
    }
  }

  pathTo(node: Node): Node[] {
    const path: Node[] = [];
    for (let at: Node | undefined = node; at; at = at.parent) path.unshift(at);
    return path;
  }

  isMain(node: Node): boolean {
    for (let at = node; at.parent; at = at.parent) if (at.parent.children[0] !== at) return false;
    return true;
  }

  promote(node: Node): void {
    for (let at: Node = node; at.parent; at = at.parent) {
      const siblings = at.parent.children;
      const index = siblings.indexOf(at);
      if (index > 0) {
        siblings.splice(index, 1);
        siblings.unshift(at);
        return;
      }
    }
  }

  remove(node: Node): void {
    if (!node.parent) return;
    node.parent.children = node.parent.children.filter(child => child !== node);
    // in this list parents come before their children
    const gone = new Set<Node>([node]);
    for (const other of this.nodes) if (other.parent && gone.has(other.parent)) gone.add(other);
    this.nodes.splice(0, Infinity, ...this.nodes.filter(other => !gone.has(other)));
  }

  /** "12." or "12…", the number of a move that follows a comment. */
  number(node: Node): string {
    const ply = node.ply + this.offset;
    return `${(ply + 1) >> 1}${ply % 2 ? '.' : '…'}`;
  }
}

/** The tags of a tree with other values of some. */
function changed({ headers, further }: Tree, changes: Map<string, string>): [Tree['headers'], Tree['further']] {
  const others = new Map(headers);
  for (const [name, text] of changes) {
    if (text) others.set(name, text);
    else others.delete(name);
  }
  return [others, further.filter(([name]) => !changes.has(name))];
}

/** The letters of colours in PGN. */
const BRUSHES: Record<string, string> = { G: 'green', R: 'red', Y: 'yellow', B: 'blue' };

/** Takes what the server has read of the comment after a move. */
export function take(node: Node, note: ReadNote): void {
  node.after = note.text ?? '';
  if (note.clock !== undefined) node.clock = note.clock / 10;
  if (note.spent !== undefined) node.spent = note.spent / 10;
  if (note.eval) node.eval = note.eval;
  if (note.diagram) node.diagram = true;
  if (note.commands || note.eval || note.clock !== undefined || note.spent !== undefined) node.commands = note.commands;
  node.shapes = (note.shapes ?? []).map(shape => ({
    orig: shape.slice(1, 3) as Key,
    dest: (shape.slice(3) as Key) || undefined,
    brush: BRUSHES[shape[0]],
  }));
}

/** The comment after a move as PGN has it, with the commands that the server reads. */
export function writeComment(node: Node): string {
  const shapes = (name: string, arrows: boolean) => {
    const named = node.shapes
      .filter(shape => !!shape.dest === arrows)
      .map(({ orig, dest, brush }) => (brush?.[0] ?? 'g').toUpperCase() + orig + (dest ?? ''));
    return named.length ? `[%${name} ${named.join(',')}]` : '';
  };
  const { eval: e, clock, spent } = node;
  const parts = [
    node.diagram ? '[%diagram]' : '',
    node.after.trim(),
    shapes('csl', false),
    shapes('cal', true),
    ...(node.commands ?? [
      e ? `[%eval ${e.mate !== undefined && e.mate !== null ? `#${e.mate}` : pawns(e.cp ?? 0)}]` : '',
      clock === undefined ? '' : `[%clk ${hours(clock)}]`,
      spent === undefined ? '' : `[%emt ${hours(spent)}]`,
    ]),
  ];
  return parts.filter(Boolean).join(' ');
}

/** As the server and lichess write it: 0.35 and 0.3. */
const pawns = (centipawns: number): string => (centipawns / 100).toFixed(2).replace(/0$/, '');

/** 1:29:50, or 0:00:07.5. */
function hours(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  const whole = Math.floor(tenths / 10);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}${tenths % 10 ? `.${tenths % 10}` : ''}`;
}

/** The games of a text; the server reads it. */
export async function readGames(pgn: string): Promise<Tree[]> {
  return (await send<{ games: ReadGame[] }>('POST', '/api/pgn', { pgn })).games.map(treeOfGame);
}

/** The tree of a game that the server has read. */
export function treeOfGame(game: ReadGame | null): Tree {
  if (!game) return new Tree(initial());
  const start = game.startFen === null ? undefined : readFen(game.startFen).pos;
  const tree = new Tree(start ?? initial(), game.tags);
  if (!start) {
    tree.problem = t`the start position cannot be shown`;
    return tree;
  }
  tree.problem = game.error ?? '';
  const nodes: (Node | undefined)[] = [];
  for (const read of game.nodes) {
    const parent = read.parent === null ? undefined : nodes[read.parent];
    const node = parent ? tree.grow(parent, read) : read.parent === null ? tree.root : undefined;
    nodes.push(node);
    if (!node) continue;
    // the same variation may be written twice
    const before = [node.before, node.after];
    take(node, read);
    node.before = [before[0], read.before].filter(Boolean).join(' ');
    node.after = [before[1], node.after].filter(Boolean).join(' ');
    node.nags.push(...(read.glyphs ?? []).filter(glyph => !node.nags.includes(glyph)));
  }
  return tree;
}

/** A tag of PGN, on a line of its own. */
export const writeTag = (name: string, value: string): string =>
  `[${name} "${value.replace(/\p{Cc}/gu, ' ').replace(/["\\]/g, '\\$&')}"]\n`;

/** A line of export format has fewer than 80 characters. */
const LINE = 79;

/** PGN in export format, with other values of some tags. Nothing in a comment or a tag can end it. */
export function writePgn(tree: Tree, changes: Map<string, string> = new Map()): string {
  const [headers, further] = changed(tree, changes);
  if (tree.root.fen !== INITIAL_FEN && !headers.has('FEN')) {
    headers.set('SetUp', '1');
    headers.set('FEN', tree.root.fen);
  }
  const tags = [...headers, ...further].filter(([name]) => /^\w+$/.test(name)).map(([name, value]) => writeTag(name, value));
  let text = `${tags.join('')}\n`;
  let length = 0;
  const word = (next: string) => {
    const ends = length + 1 + next.length > LINE;
    text += length ? (ends ? '\n' : ' ') : '';
    length = ends || !length ? next.length : length + 1 + next.length;
    text += next;
  };
  let numbered = true;
  const comment = (said: string) => {
    const words = said
      .replace(/\{/g, '(')
      .replace(/\}/g, ')')
      .split(/[\p{Cc}\u2028\u2029\ufeff ]+/u)
      .filter(Boolean);
    if (!words.length) return;
    // what stays on one line: commands, and words that would look like a tag or an escape line at its start
    let together = '{';
    for (const next of words) {
      if (/^(?:[%;]|\[[A-Za-z])/.test(next) || /(?:^| )\[%[^\] ]*$/.test(together)) together += ` ${next}`;
      else {
        word(together);
        together = next;
      }
    }
    word(together);
    word('}');
    numbered = true;
  };
  const move = (node: Node) => {
    comment(node.before);
    if (node.parent) {
      if (numbered || (node.ply + tree.offset) % 2) word(tree.number(node).replace('…', '...'));
      numbered = false;
      word(node.san);
    }
    for (const nag of node.nags) word(`$${nag}`);
    comment(writeComment(node));
  };
  // a line that begins with a node, without its variations if it is one itself; or a bracket
  const left: ([Node, boolean] | '(' | ')')[] = [[tree.root, true]];
  while (left.length) {
    const next = left.pop()!;
    if (typeof next === 'string') {
      word(next);
      numbered = true;
      continue;
    }
    const [node, main] = next;
    move(node);
    if (node.children.length) left.push([node.children[0], true]);
    if (!main) continue;
    for (const other of (node.parent?.children.slice(1) ?? []).reverse()) left.push(')', [other, false], '(');
  }
  const result = headers.get('Result') ?? '*';
  word(/^(?:1-0|0-1|1\/2-1\/2)$/.test(result) ? result : '*');
  return `${text}\n`;
}

/** A tree of one line of moves. */
export function treeOf(start: Position, ucis: string[]): Tree {
  const tree = new Tree(start);
  let node = tree.root;
  for (const uci of ucis) {
    const move = legal(tree.position(node), uci);
    if (!move) break;
    node = tree.play(node, move);
  }
  return tree;
}

/** Sets what the engines of the server have found, where the PGN says nothing, of the moves that a tree has as a stored game. */
export function showFound(
  tree: Tree,
  { game, moves }: Pick<WholeGame, 'game' | 'moves'>,
  stored: Node[] = treeOfGame(game).mainline(),
): void {
  for (const [at, node] of tree.mainline().entries()) {
    if (stored[at]?.fen !== node.fen) return;
    const found = moves[at - 1]?.eval;
    // a mate on the board has no side from which it is seen
    if (!node.eval && found && found.mate !== 0) node.found = { cp: found.cp, mate: found.mate };
  }
}

/** Reckons the seconds that each move of the main line took, by the clocks and the increment of a tag such as 5400+30. */
export function thinkTimes(tree: Tree, timeControl: string): void {
  const stages = timeControl.match(/\d[^:]*/g) ?? [];
  // with stages of different increments nobody knows which one holds
  const increments = new Set(stages.map(stage => Number(/\+(\d+)$/.exec(stage)?.[1] ?? 0)));
  if (increments.size !== 1) return;
  const line = tree.mainline();
  for (const [ply, node] of line.entries()) {
    const before = line[ply - 2]?.clock;
    if (ply < 3 || node.spent !== undefined || node.clock === undefined || before === undefined) continue;
    const spent = before + [...increments][0] - node.clock;
    // at the end of a stage the clock gains time
    if (spent >= 0) node.reckoned = spent;
  }
}

/** Variations that are nested deeper are not shown. */
const DEEPEST = 50;

/** The glyph that judges a move, one of the first six, and all others in their order. */
export const withGlyph = (nags: number[], glyph: number): number[] => [
  ...(glyph ? [glyph] : []),
  ...nags.filter(nag => nag < 1 || nag > 6),
];

/** A field for the glyph that judges a move; the others stay. */
export function glyphChoice(node: Node, changed: () => void): HTMLElement {
  const now = node.nags.find(nag => nag >= 1 && nag <= 6) ?? 0;
  const select = h(
    'select',
    {
      'aria-label': t`Glyph`,
      on: {
        change: () => {
          node.nags = withGlyph(node.nags, Number(select.value));
          changed();
        },
      },
    },
    ...[t`no glyph`, t`! good`, t`? mistake`, t`!! brilliant`, t`?? blunder`, t`!? interesting`, t`?! dubious`].map(
      (text, value) => h('option', { value, selected: now === value }, text),
    ),
  );
  return select;
}

/** The glyph of an author for a novelty. */
const NOVELTY = 146;

/** The explorer plays no more moves from a FEN. */
const PLIES = 600;

/** The position after a move, and perhaps another one, as the parameters of the explorer. */
export function placeOf(tree: Tree, node: Node, uci?: string): URLSearchParams {
  const moves = tree
    .pathTo(node)
    .slice(1)
    .map(n => n.uci);
  // The explorer cannot play null moves, so a position behind one is given as a FEN.
  const start =
    moves.includes('0000') || moves.length >= PLIES ? node.fen : epd(tree.root.fen) === epd(INITIAL_FEN) ? null : tree.root.fen;
  const play = [...(start === node.fen ? [] : moves), uci].filter(Boolean).join(',');
  return withParams(new URLSearchParams(), { fen: start, play });
}

export class Moves {
  readonly node = h('div', { class: 'moves', role: 'group', 'aria-label': t`Moves` });
  private buttons = new Map<Node, HTMLElement>();
  private comments = new Map<Node, HTMLElement>();
  private at: Node | undefined;

  constructor(private select: (node: Node) => void) {}

  /** Changes the comment on a node. The moves are not drawn again: a click on one of them, which ends the typing, would be lost. */
  comment(tree: Tree, node: Node): void {
    const shown = this.comments.get(node);
    if (shown && node.after) shown.textContent = node.after;
    else if (shown || node.after) this.draw(tree, node, new Set(), false);
  }

  /** Shows that a move is a novelty, in its place. */
  mark(node: Node): void {
    const button = this.buttons.get(node);
    // the author's own glyph for a novelty is shown already
    if (!button || !node.novelty || node.nags.includes(NOVELTY)) return;
    button.title =
      node.novelty === 'other'
        ? t`Novelty: no other game of the database has this position; this game has no date`
        : t`Novelty: no earlier game of the database has this position`;
    button.append(h('span', { class: 'glyph novelty', 'aria-hidden': 'true' }));
  }

  draw(tree: Tree, current: Node, matches: Set<number> = new Set(), scroll = true): void {
    this.buttons.clear();
    this.comments.clear();
    this.node.replaceChildren();
    this.main(tree, matches);
    if (!tree.root.children.length) this.node.append(h('p', { class: 'quiet' }, t`No moves yet.`));
    this.at = undefined;
    this.current(current, scroll);
  }

  current(node: Node, scroll = true): void {
    const before = this.at && this.buttons.get(this.at);
    before?.removeAttribute('aria-current');
    if (before) before.tabIndex = -1;
    this.at = node;
    const now = this.buttons.get(node);
    const scroller = this.node.closest<HTMLElement>('.scrolls');
    if (now) {
      now.setAttribute('aria-current', 'true');
      now.tabIndex = 0;
      for (let at: Element | null | undefined = now; at; at = at.parentElement?.closest('.folded'))
        if (at.classList.contains('folded')) fold(at, false);
      // on a phone this would scroll the page away from the board
      if (!scroll || matchMedia('(max-width: 860px)').matches) return;
      if (scroller) toThird(scroller, now, this.comments.get(node));
      else now.scrollIntoView({ block: 'nearest' });
    } else {
      const first = this.node.querySelector<HTMLElement>('button.move');
      if (first) first.tabIndex = 0;
      if (scroller) scroller.scrollTop = 0;
    }
  }

  /** Folds all variations, or unfolds them. */
  foldAll(folded: boolean): void {
    for (const block of this.node.querySelectorAll('.variation')) fold(block, folded);
    if (this.at) this.current(this.at);
  }

  private button(node: Node, matches: Set<number>, main: boolean): HTMLElement {
    const glyphs = node.nags.map(nag => {
      const [sign, words] = NAGS[nag] ?? [`$${nag}`, t`symbol ${nag}`];
      return h('span', { class: `glyph nag-${nag}`, title: words }, sign);
    });
    const { mistake } = node;
    if (mistake) {
      const nag = { inaccuracy: 6, mistake: 2, blunder: 4 }[mistake.judgement];
      const judged = served(mistake.judgement);
      glyphs.push(
        h(
          'span',
          {
            class: `glyph nag-${nag} counted`,
            title: mistake.best
              ? t`${judged}: ${mistake.loss} % of the winning chances lost, ${mistake.best} is better`
              : t`${judged}: ${mistake.loss} % of the winning chances lost`,
          },
          NAGS[nag][0],
        ),
      );
    }
    const element = h(
      'button',
      {
        type: 'button',
        class: `move${main && matches.has(node.ply) ? ' match' : ''}`,
        tabindex: '-1',
        on: { click: () => this.select(node) },
      },
      node.san,
      ...glyphs,
    );
    this.buttons.set(node, element);
    this.mark(node);
    return element;
  }

  private after(node: Node): HTMLElement {
    const element = h('span', { class: 'comment' }, node.after);
    this.comments.set(node, element);
    return element;
  }

  /** The main line, a move of both sides in each row; comments and variations stand between the rows. */
  private main(tree: Tree, matches: Set<number>): void {
    const aside = (...children: Child[]) => this.node.append(h('div', { class: 'aside' }, ...children, ' '));
    const { root } = tree;
    if (root.after || root.diagram) aside(root.after ? this.after(root) : null, printed(tree, root));
    let row: HTMLElement | undefined;
    for (const node of tree.mainline().slice(1)) {
      const black = (node.ply + tree.offset) % 2 === 0;
      if (node.before) {
        aside(h('span', { class: 'comment' }, node.before));
        row = undefined;
      }
      if (!row || !black) {
        row = h('div', { class: 'row' }, h('span', { class: 'number' }, tree.number(node)), ' ');
        if (black) row.append(h('span', { class: 'gap' }));
        this.node.append(row);
      }
      row.append(h('span', { class: 'cell' }, this.button(node, matches, true), ' ', facts(node)), ' ');
      const picture = printed(tree, node);
      if (picture) row.append(picture);
      const others = node.parent!.children.slice(1);
      if (!node.after && !others.length) continue;
      aside(node.after ? this.after(node) : null, ...others.map(other => this.variation(tree, node.parent!, other, matches, 1)));
      row = undefined;
    }
  }

  private variation(tree: Tree, from: Node, first: Node, matches: Set<number>, depth: number): HTMLElement {
    const name = `${tree.number(first)} ${first.san}`;
    const block = h('div', { class: 'variation' });
    block.append(
      h(
        'button',
        {
          type: 'button',
          class: 'fold',
          'aria-expanded': 'true',
          'aria-label': t`Variation ${name}`,
          title: t`Fold or unfold the variation`,
          on: { click: () => fold(block, !block.classList.contains('folded')) },
        },
        h('span', { class: 'folded-line' }, `${name} …`),
      ),
    );
    this.line(tree, from, block, matches, first, depth);
    return block;
  }

  /** A variation as running text. One within it follows the move that it replaces. */
  private line(tree: Tree, from: Node, into: HTMLElement, matches: Set<number>, first: Node, depth: number): void {
    if (depth > DEEPEST) {
      into.append(h('span', { class: 'quiet' }, t`… (nested too deep to be shown)`));
      return;
    }
    let node = from;
    let place = h('span', { class: 'run' });
    into.append(place);
    let numbered = true;
    const write = (child: Node) => {
      if (child.before) {
        place.append(h('span', { class: 'comment' }, child.before), ' ');
        numbered = true;
      }
      if (numbered || (child.ply + tree.offset) % 2) place.append(h('span', { class: 'number' }, tree.number(child)), '\u2009');
      place.append(this.button(child, matches, false), ' ');
      numbered = false;
      if (child.after) {
        place.append(this.after(child), ' ');
        numbered = true;
      }
      const picture = printed(tree, child);
      if (picture) place.append(picture);
    };
    write(first);
    node = first;
    while (node.children.length) {
      const [next, ...others] = node.children;
      write(next);
      for (const other of others) {
        into.append(this.variation(tree, node, other, matches, depth + 1));
        numbered = true;
      }
      if (others.length) {
        place = h('span', { class: 'run' });
        into.append(place);
      }
      node = next;
    }
  }
}

function fold(block: Element, folded: boolean): void {
  block.classList.toggle('folded', folded);
  block.querySelector('.fold')?.setAttribute('aria-expanded', String(!folded));
}

/** Scrolls a move to a third from the top; higher if its comment would not be in view otherwise. */
function toThird(scroller: HTMLElement, move: HTMLElement, comment: HTMLElement | undefined): void {
  const frame = scroller.getBoundingClientRect();
  const { top, bottom } = move.getBoundingClientRect();
  const length = Math.max(bottom, comment?.getBoundingClientRect().bottom ?? 0) - top;
  const place = Math.max(0, Math.min(scroller.clientHeight / 3, scroller.clientHeight - length - 12));
  scroller.scrollTop += top - frame.top - place;
}

/** Evaluation, seconds and clock of a move. */
function facts(node: Node): HTMLElement | null {
  const evaluation = node.eval ?? node.found;
  const spent = node.spent ?? node.reckoned;
  if (!evaluation && spent === undefined && node.clock === undefined) return null;
  const fact = (name: string, title: string, text: string) => [h('span', { class: name, title }, text), ' '];
  return h(
    'span',
    { class: 'move-facts' },
    evaluation ? fact('eval', t`Evaluation, from White’s side`, score(evaluation)) : null,
    spent === undefined ? null : fact('spent', t`Time for the move`, thought(spent)),
    node.clock === undefined ? null : fact('left', t`Time left`, clock(node.clock)),
  );
}

/** The diagram that the PGN asks for, which is shown on paper. */
const printed = (tree: Tree, node: Node): HTMLElement | null => (node.diagram ? diagram(tree.position(node)) : null);
