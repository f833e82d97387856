// In: a position, or a placement to edit. Out: the board on the page, the moves made on it, and the position in words.
import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Key, MouchEvent, Piece } from '@lichess-org/chessground/types';
import { chessgroundDests } from 'chessops/compat';
import type { Role } from 'chessops/types';
import { makeSquare, makeUci } from 'chessops/util';
import { h, latin } from './dom';
import { fenOf, inWords, legal, type Move, type Position, pieceName, roleName, squaresOf, stateInWords } from './position';
import { t } from './words';

export type { DrawShape, Key, Piece };

export interface Shown {
  pos: Position;
  last?: string;
  played?: (move: Move) => void;
  shapes?: DrawShape[];
  /** called with all arrows and squares after each one that the visitor draws or removes; without it they are gone with the position */
  drawn?: (shapes: DrawShape[]) => void;
  /** squares that a search has matched */
  marked?: string[];
}

const ROLES: Record<string, Role> = { k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' };
const PROMOTIONS: Role[] = ['queen', 'knight', 'rook', 'bishop'];

export class Board {
  readonly wrap = h('div', { class: 'cg-wrap' });
  private readonly chooser = h('div', { class: 'promotion', hidden: true, role: 'group', 'aria-label': t`Promote to` });
  /** for the keyboard and screen readers; the mouse goes through them to the board */
  private readonly squares = h('div', { class: 'squares', hidden: true, role: 'group', 'aria-label': t`Squares` });
  readonly node = h('div', { class: 'board' }, this.wrap, this.squares, this.chooser);
  private readonly state = h('p', { class: 'state', 'aria-live': 'polite' });
  private readonly pieces = h('p', { class: 'unseen' });
  readonly words = h('div', { class: 'words' }, this.state, this.pieces);
  private cg: Api | undefined;
  private shown: Shown | undefined;
  private editing = false;
  orientation: 'white' | 'black' = 'white';
  private shapes: DrawShape[] = [];
  private engine: DrawShape[] = [];
  /** called with every position that is shown, and with undefined while a position is set up */
  watch: (pos: Position | undefined) => void = () => {};

  constructor() {
    // a press beside the choice of a promotion cancels it
    const beside = (event: Event) => {
      if (!this.chooser.hidden && !this.chooser.contains(event.target as Node)) this.show(this.shown!);
    };
    addEventListener('pointerdown', beside, true);
  }

  private ground(): Api {
    this.cg ??= Chessground(this.wrap, {
      animation: { duration: matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 160 },
      ranksPosition: 'left',
      movable: { free: false, rookCastle: true, events: { after: (from, to) => this.moved(from, to) } },
      premovable: { enabled: false },
      drawable: {
        brushes: {
          green: { key: 'g', color: '#15781b', opacity: 0.9, lineWidth: 10 },
          red: { key: 'r', color: '#882020', opacity: 0.9, lineWidth: 10 },
          blue: { key: 'b', color: '#003088', opacity: 0.9, lineWidth: 10 },
          yellow: { key: 'y', color: '#c98a00', opacity: 0.9, lineWidth: 10 },
          move: { key: 'm', color: '#1f6b57', opacity: 0.75, lineWidth: 10 },
          chosen: { key: 'c', color: '#c2571a', opacity: 1, lineWidth: 12 },
          engine: { key: 'e', color: '#2f62a8', opacity: 1, lineWidth: 7 },
        },
      },
    });
    return this.cg;
  }

  /** Shows a position. Pieces can be moved if `played` is given. */
  show(shown: Shown): void {
    this.shown = shown;
    this.editing = false;
    this.squares.hidden = true;
    this.chooser.hidden = true;
    const { pos } = shown;
    this.shapes = shown.shapes ?? [];
    this.watch(pos);
    this.ground().set({
      fen: fenOf(pos).split(' ')[0],
      orientation: this.orientation,
      turnColor: pos.turn,
      check: pos.isCheck(),
      lastMove: (shown.last ? squaresOf(shown.last) : []) as Key[],
      selected: undefined,
      highlight: { custom: new Map((shown.marked ?? []).map(square => [square as Key, 'matched'])) },
      movable: {
        free: false,
        color: shown.played ? pos.turn : undefined,
        dests: shown.played ? chessgroundDests(pos) : new Map(),
        showDests: true,
      },
      draggable: { enabled: true, deleteOnDropOff: false, showGhost: true },
      events: { change: undefined, select: undefined },
      drawable: {
        shapes: shown.drawn ? [...this.shapes] : [],
        autoShapes: this.auto(),
        onChange: shown.drawn && (shapes => shown.drawn?.(shapes.map(({ orig, dest, brush }) => ({ orig, dest, brush })))),
        // a move must not remove what is kept
        eraseOnMovablePieceClick: !shown.drawn,
      },
    });
    this.state.textContent = stateInWords(pos);
    this.pieces.textContent = inWords(pos);
  }

  /** What the visitor cannot change by drawing. */
  private auto(): DrawShape[] {
    return this.shown?.drawn ? this.engine : [...this.shapes, ...this.engine];
  }

  arrows(shapes: DrawShape[]): void {
    this.shapes = shapes;
    this.cg?.setAutoShapes(this.auto());
  }

  /** Draws the engine's arrow over those of the view. */
  engineArrow(uci: string | undefined): void {
    if (!uci && !this.engine.length) return;
    const [orig, dest] = (uci ? squaresOf(uci) : []) as Key[];
    this.engine = uci ? [{ orig, dest, brush: 'engine' }] : [];
    this.arrows(this.shapes);
  }

  /** Marks squares; nothing else changes. */
  mark(squares: string[]): void {
    this.cg?.set({ highlight: { custom: new Map(squares.map(square => [square as Key, 'matched'])) } });
  }

  /** Gives squares classes; nothing else changes. */
  colour(classes: Map<string, string>): void {
    this.cg?.set({ highlight: { custom: classes as Map<Key, string> } });
  }

  turn(orientation: 'white' | 'black'): void {
    this.orientation = orientation;
    this.cg?.set({ orientation });
    this.squares.classList.toggle('turned', orientation === 'black');
  }

  /** Lets every piece go anywhere; `chosen` gives what a click on a square puts there: a piece, nothing, or undefined for no change. */
  edit(placement: string, changed: () => void, chosen: () => Piece | null | undefined): void {
    this.editing = true;
    this.chooser.hidden = true;
    this.shapes = [];
    this.watch(undefined);
    const cg = this.ground();
    const click = (key: Key) => {
      const piece = chosen();
      if (!this.editing || piece === undefined) return;
      const there = cg.state.pieces.get(key);
      const same = piece && there && piece.role === there.role && piece.color === there.color;
      cg.selectSquare(null);
      put(key, piece && !same ? piece : undefined);
    };
    const put = (key: Key, piece: Piece | undefined) => {
      cg.setPieces(new Map([[key, piece]]));
      this.label();
      changed();
    };
    cg.set({
      fen: placement,
      orientation: this.orientation,
      check: false,
      lastMove: [],
      selected: undefined,
      highlight: { custom: new Map() },
      movable: { free: true, color: 'both', dests: new Map(), showDests: false },
      draggable: { enabled: true, deleteOnDropOff: true, showGhost: true },
      drawable: { shapes: [], autoShapes: [] },
      events: {
        change: () => {
          this.label();
          if (this.editing) changed();
        },
        select: click,
      },
    });
    this.drawSquares(click, put);
    this.state.textContent = '';
    this.pieces.textContent = '';
  }

  setPlacement(placement: string): void {
    this.cg?.set({ fen: placement });
    this.label();
  }

  /** The squares as buttons: arrows go from one to the next, a letter puts a piece there, capitals White's, Delete removes it. */
  private drawSquares(click: (key: Key) => void, put: (key: Key, piece: Piece | undefined) => void): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset.square ?? '';
    const typed = (event: KeyboardEvent, key: Key) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      const letter = latin(event);
      const role = ROLES[letter.toLowerCase()];
      if (step) {
        const side = this.orientation === 'white' ? 1 : -1;
        const next = String.fromCharCode(key.charCodeAt(0) + side * step[0]) + (Number(key[1]) + side * step[1]);
        this.focusSquare(next);
      } else if (role) put(key, { role, color: letter < 'a' ? 'white' : 'black' });
      else if (event.key === 'Delete' || event.key === 'Backspace') put(key, undefined);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    this.squares.replaceChildren(
      ...Array.from({ length: 64 }, (_, i) => {
        const key = makeSquare(8 * (7 - (i >> 3)) + (i & 7)) as Key;
        return h('button', {
          type: 'button',
          'data-square': key,
          tabindex: key === (focused || 'e4') ? '0' : '-1',
          on: { click: () => click(key), keydown: (event: KeyboardEvent) => typed(event, key) },
        });
      }),
    );
    this.squares.classList.toggle('turned', this.orientation === 'black');
    this.squares.hidden = false;
    this.label();
    if (focused) this.focusSquare(focused);
  }

  private focusSquare(key: string): void {
    const next = this.squares.querySelector<HTMLElement>(`[data-square=${key}]`);
    if (!next) return;
    for (const square of this.squares.querySelectorAll<HTMLElement>('[tabindex="0"]')) square.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  private label(): void {
    for (const square of this.squares.querySelectorAll<HTMLElement>('button')) {
      const piece = this.cg?.state.pieces.get(square.dataset.square as Key);
      square.setAttribute('aria-label', `${square.dataset.square}, ${piece ? pieceName(piece.role, piece.color) : t`empty`}`);
    }
  }

  placement(): string {
    return this.ground().getFen();
  }

  /** Begins to drag a piece from the palette. */
  drag(piece: Piece, event: Event): void {
    this.ground().dragNewPiece(piece, event as MouchEvent, true);
  }

  resized(): void {
    this.cg?.redrawAll();
  }

  private moved(from: Key, to: Key): void {
    const shown = this.shown;
    if (!shown?.played) return;
    const plain = legal(shown.pos, from + to);
    if (plain && !this.promotes(from, to)) {
      shown.played(plain);
      return;
    }
    this.choose(from, to, shown);
  }

  private promotes(from: Key, to: Key): boolean {
    const pos = this.shown!.pos;
    return (
      /[18]$/.test(to) &&
      [...pos.board.pieces(pos.turn, 'pawn')].some(square => makeUci({ from: square, to: square }).startsWith(from))
    );
  }

  private choose(from: Key, to: Key, shown: Shown): void {
    const file = to.charCodeAt(0) - 97;
    const column = this.orientation === 'white' ? file : 7 - file;
    const top = (to[1] === '8') === (this.orientation === 'white');
    const pick = (role: Role | undefined) => () => {
      this.chooser.hidden = true;
      const letter = role ? { queen: 'q', knight: 'n', rook: 'r', bishop: 'b', king: '', pawn: '' }[role] : '';
      const move = letter ? legal(shown.pos, from + to + letter) : undefined;
      if (move) shown.played?.(move);
      else this.show(shown);
    };
    this.chooser.replaceChildren(
      ...PROMOTIONS.map(role =>
        h(
          'button',
          {
            type: 'button',
            'aria-label': roleName(role),
            title: roleName(role),
            class: `${shown.pos.turn} ${role}`,
            on: { click: pick(role) },
          },
          h('span', { class: 'cg-wrap' }, h('piece' as 'i', { class: `${shown.pos.turn} ${role}` })),
        ),
      ),
    );
    this.chooser.className = `promotion col-${column} ${top ? 'top' : 'bottom'}`;
    this.chooser.hidden = false;
    (this.chooser.firstElementChild as HTMLElement).focus();
    this.chooser.onkeydown = event => {
      if (event.key === 'Escape') pick(undefined)();
      event.stopPropagation();
    };
  }
}
