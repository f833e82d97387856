// In: the position on the board. Out: what the server's endgame tables say of it and of each move, and a map of one piece: what
// the position would be worth with the piece on each square.
import { url } from './address';
import { type ApiError, get, Latest, server } from './api';
import type { Board } from './board';
import { button, type Child, fill, h } from './dom';
import { fenOf, type Position, pieceNames } from './position';
import { sqlLink } from './view';
import { capital, plural, t } from './words';

/** Nobody has made tables of more men. */
const MOST_MEN = 7;

interface Value {
  wdl: number | null;
  /** half-moves to the next capture, pawn move or mate */
  dtz: number | null;
}
interface Played extends Value {
  uci: string;
  san: string;
}
interface Tables extends Value {
  moves: Played[];
  reason: string | null;
  sql: string;
}
interface PieceMap {
  squares: Record<string, Value>;
  reason: string | null;
  sql: string;
}

/** What a value means, by wdl for White; and the class of its squares on the board, which also show its sign. */
const MEANINGS = new Map([
  [2, [capital(t`White wins`), 'white-wins']],
  [1, [t`Drawn by the fifty-move rule: White’s win is cursed`, 'white-cursed']],
  [0, [t`Draw`, 'drawn']],
  [-1, [t`Drawn by the fifty-move rule: Black’s win is cursed`, 'black-cursed']],
  [-2, [capital(t`Black wins`), 'black-wins']],
]);

/** What a move is worth to its player. */
const WORDS = new Map([
  [2, t`Wins`],
  [1, t`Cursed win: the fifty-move rule saves the other side`],
  [0, t`Draws`],
  [-1, t`Blessed loss: the fifty-move rule saves this side`],
  [-2, t`Loses`],
]);

/** How far the next change is that restarts the count of fifty moves. */
const distance = (dtz: number | null): string =>
  dtz
    ? plural(Math.abs(dtz), '{0} half-move to a capture, a pawn move or mate', '{0} half-moves to a capture, a pawn move or mate')
    : '';

const sentence = (text: string): string => `${capital(text)}.`;

export class EndgameTables {
  private head = h('p', { class: 'tables-head', role: 'status' });
  private moves = h('dl', { class: 'tables-moves' });
  private pieces = h('div', { class: 'pieces-choice', role: 'group', 'aria-label': t`Map of a piece` });
  private map = h('div', { class: 'tables-map', 'aria-live': 'polite' });
  readonly node = h(
    'section',
    { class: 'tables', 'aria-label': t`Endgame tables`, hidden: true },
    this.head,
    this.moves,
    this.pieces,
    this.map,
  );
  private latest = new Latest();
  private mapping = new Latest();
  private fen = '';
  /** the square of the piece whose map is shown */
  private chosen = '';

  constructor(
    private board: Board,
    private play: (uci: string) => void,
  ) {}

  /** Shows what the tables say of a position, or nothing where they cannot say anything. */
  show(pos: Position | undefined): void {
    const fits = pos && pos.board.occupied.size() <= MOST_MEN && pos.castles.castlingRights.isEmpty();
    this.node.hidden = !fits || !server.status?.features?.endgameTables;
    if (!fits || this.node.hidden) {
      this.leave();
      return;
    }
    if (fenOf(pos) === this.fen) {
      this.colour();
      return;
    }
    this.leave();
    this.fen = fenOf(pos);
    // the piece stays chosen while it stands where it stood
    const pieces = pieceNames(pos);
    if (!pieces.some(({ square }) => square === this.chosen)) this.chosen = '';
    void this.latest.run(
      signal => get<Tables>(url('/api/tablebase', new URLSearchParams({ fen: this.fen })), signal),
      answer => this.draw(pos, answer),
      error => this.fail(error),
    );
  }

  leave(): void {
    this.latest.stop();
    this.mapping.stop();
    this.fen = '';
    this.shown = undefined;
    fill(this.head);
    fill(this.moves);
    fill(this.pieces);
    fill(this.map);
  }

  private fail(error: ApiError): void {
    fill(this.head, sentence(error.message));
  }

  private draw(pos: Position, answer: Tables): void {
    const side = pos.turn === 'white' ? 1 : -1;
    const meaning = answer.wdl === null ? undefined : MEANINGS.get(side * answer.wdl)?.[0];
    const far = distance(answer.dtz);
    fill(
      this.head,
      meaning ? h('b', null, meaning) : null,
      meaning && far ? `, ${far}` : null,
      answer.reason ? h('span', { class: 'quiet' }, `${meaning ? ' ' : ''}${sentence(answer.reason)}`) : null,
      sqlLink(answer.sql),
    );
    const groups = new Map<number | null, Played[]>();
    for (const move of answer.moves) groups.set(move.wdl, [...(groups.get(move.wdl) ?? []), move]);
    fill(
      this.moves,
      ...[...groups].flatMap(([wdl, moves]) => [
        h('dt', null, wdl === null ? t`Not known` : WORDS.get(wdl)),
        h('dd', null, ...moves.flatMap(move => [this.move(move), ' '])),
      ]),
    );
    this.offer(pos);
  }

  private move(move: Played): HTMLElement {
    return h(
      'button',
      {
        type: 'button',
        class: 'move',
        title: move.dtz ? distance(move.dtz) : null,
        on: { click: () => this.play(move.uci) },
      },
      move.san,
      move.dtz ? h('span', { class: 'quiet' }, `\u2009${Math.abs(move.dtz)}`) : null,
    );
  }

  /** The pieces whose map can be shown. */
  private offer(pos: Position): void {
    const choices = pieceNames(pos).map(({ square, name }) =>
      button(`${name} ${square}`, () => this.choose(pos, square === this.chosen ? '' : square), {
        class: 'tab',
        'aria-pressed': square === this.chosen ? 'true' : 'false',
        'data-square': square,
      }),
    );
    const focused = (document.activeElement as HTMLElement | null)?.dataset.square;
    const had = this.pieces.contains(document.activeElement) && focused;
    fill(this.pieces, h('span', { class: 'quiet' }, t`Elsewhere on the board:`), ...choices);
    if (had) this.pieces.querySelector<HTMLElement>(`[data-square=${focused}]`)?.focus();
    if (this.chosen) this.ask(pos);
    else this.clear();
  }

  private choose(pos: Position, square: string): void {
    this.chosen = square;
    this.offer(pos);
  }

  private clear(): void {
    this.mapping.stop();
    this.shown = undefined;
    fill(this.map);
    this.colour();
  }

  private ask(pos: Position): void {
    const question = new URLSearchParams({ fen: this.fen, square: this.chosen });
    void this.mapping.run(
      signal => get<PieceMap>(url('/api/tablebase/map', question), signal),
      answer => this.drawMap(pos, answer),
      error => {
        this.shown = undefined;
        this.colour();
        fill(this.map, h('p', null, sentence(error.message)));
      },
    );
  }

  /** The classes of the squares, while a map is shown. */
  private shown: Map<string, string> | undefined;

  private colour(): void {
    this.board.colour(this.shown ?? new Map());
  }

  private drawMap(pos: Position, answer: PieceMap): void {
    const side = pos.turn === 'white' ? 1 : -1;
    const squares = Object.entries(answer.squares);
    this.shown = new Map();
    const lines: Child[] = [];
    for (const [wdl, [meaning, name]] of MEANINGS) {
      const those = squares.filter(([, value]) => value.wdl !== null && side * value.wdl === wdl).map(([square]) => square);
      for (const square of those) this.shown.set(square, `map ${name}`);
      if (those.length)
        lines.push(
          h('dt', null, h('span', { class: `key-square ${name}`, 'aria-hidden': 'true' }), `${meaning}: ${those.length}`),
          h('dd', null, those.sort().join(' ')),
        );
    }
    this.colour();
    fill(
      this.map,
      answer.reason ? h('p', { class: 'quiet' }, sentence(answer.reason)) : null,
      h('dl', null, ...lines),
      sqlLink(answer.sql),
    );
  }
}
