// In: the puzzles of the database, chosen by theme, player and difficulty. Out: one after the other on the board; the visitor's
// moves are checked, and a wrong one is answered by the best reply where somebody knows it.
import { type Address, go, here, url, withFilters, withParams } from './address';
import { type ApiError, type Eval, fresh, get, Latest, server } from './api';
import type { DrawShape, Key } from './board';
import { completed } from './combobox';
import { button, type Child, fill, h, submitted } from './dom';
import { date, moveNumber, score } from './format';
import { bestLine } from './live';
import { meant } from './names';
import { fenOf, initial, legal, type Move, type Position, readFen, squaresOf, step, toMove, uciOf } from './position';
import { emptyDatabase, failure, note, type Page, sqlLink, type View } from './view';
import { rich, served, t } from './words';

interface Puzzle {
  id: number;
  fen: string;
  before: string | null;
  lead: string | null;
  solution: string[];
  themes: string[];
  rating: number;
  kind: 'missed' | 'refutation' | 'problem' | 'import';
  loss: number | null;
  url: string | null;
  game: { id: string; ply: number | null; white: string | null; black: string | null; date: string | null } | null;
}
interface Found {
  puzzle: Puzzle | null;
  sql: string | null;
}
interface Themes {
  first: number | null;
  last: number | null;
  themes: { name: string; description: string | null }[];
}
interface Line extends Eval {
  /** UCI, between spaces */
  moves: string;
}

/** The parameters of the page that choose puzzles. */
const ASKED = ['theme', 'player', 'rating', 'game'];
/** How deep the engine looks for the reply to a wrong move, and how many half-moves of a line are shown. */
const DEPTH = 12;
const SHOWN = 6;

/** "backRankMate" as words. */
const words = (theme: string): string => served(theme.replace(/([a-z])([A-Z0-9])/g, '$1 $2').toLowerCase());

export class PuzzlesView implements View {
  private head = h('div', { class: 'panel-head' });
  private body = h('div', { class: 'training' });
  private choices = h('details', { class: 'comparison' });
  readonly node = h('div', { class: 'view puzzles' }, this.head, this.body, this.choices);
  private latest = new Latest();
  private asking = new Latest();
  private themes: Themes | undefined;
  private puzzle: Puzzle | undefined;
  private sql: string | null = null;
  private pos: Position = initial();
  private last: string | undefined;
  /** how many moves of the solution are on the board */
  private done = 0;
  private waits = false;
  /** the answer was shown, or a wrong move was tried */
  private helped = false;
  private replying: ReturnType<typeof setTimeout> | undefined;

  constructor(private page: Page) {}

  update(at: Address): void {
    this.page.title(t`Puzzles`);
    this.page.strip();
    const id = at.path[1];
    if (this.puzzle && id === String(this.puzzle.id)) return;
    this.forget();
    this.page.board.show({ pos: initial(), shapes: [] });
    if (this.page.status && !this.page.status.games) {
      fill(this.head, h('h1', null, t`Puzzles`));
      fill(this.body, emptyDatabase(this.page.status));
      return;
    }
    void this.latest.run(
      async signal => {
        this.themes ??= await get<Themes>('/api/puzzles/themes', signal);
        if (id) return get<Found>(`/api/puzzles/${encodeURIComponent(id)}`, signal);
        const { first, last } = this.themes;
        return this.following((first ?? 0) + Math.floor(Math.random() * ((last ?? 0) - (first ?? 0) + 1)) - 1, signal);
      },
      found => {
        this.choose();
        if (found.puzzle) this.to(found.puzzle, true);
        this.show(found);
      },
      error => this.failed(error, () => this.update(at)),
    );
  }

  private failed(error: ApiError, again: () => void): void {
    fill(this.head, h('h1', null, t`Puzzles`));
    fill(
      this.body,
      error.status === 404
        ? note(h('p', null, error.message), h('a', { href: '/puzzles' }, t`Other puzzles`))
        : failure(error, again),
    );
  }

  private following(after: number, signal: AbortSignal): Promise<Found> {
    const params = new URLSearchParams({ after: String(after) });
    for (const name of ASKED) {
      const value = here().params.get(name);
      if (value) params.set(name, value);
    }
    return fresh(url('/api/puzzles', params), signal);
  }

  /** The address of a puzzle, seen by who solves it. */
  private to(puzzle: Puzzle, replace: boolean): void {
    const params = withParams(here().params, { orient: readFen(puzzle.fen).pos?.turn === 'black' ? 'b' : null });
    // it is there, and need not be asked for
    this.puzzle = puzzle;
    go(url(`/puzzles/${puzzle.id}`, params), replace);
  }

  private next(): void {
    const { id } = this.puzzle!;
    void this.latest.run(
      signal => this.following(id, signal),
      found => {
        if (found.puzzle) this.to(found.puzzle, false);
        this.show(found);
      },
      error => this.failed(error, () => this.next()),
    );
  }

  private forget(): void {
    clearTimeout(this.replying);
    this.asking.stop();
    this.puzzle = undefined;
    this.waits = false;
  }

  private show({ puzzle, sql }: Found): void {
    this.forget();
    this.sql = sql;
    fill(this.head, h('h1', null, t`Puzzles`));
    if (!puzzle) {
      const none = this.themes?.last === null;
      fill(
        this.body,
        note(
          h('h2', null, none ? t`No puzzles yet` : t`No such puzzles`),
          h(
            'p',
            null,
            none
              ? t`chess-pgn analyze --puzzles and chess-pgn puzzles make them of the mistakes in games; chess-pgn puzzles --import reads those of lichess.`
              : t`Choose another theme, player or difficulty.`,
          ),
          none
            ? null
            : meant(here().params, (field, value) => go(url('/puzzles', withParams(here().params, { [field]: value })))),
        ),
      );
      return;
    }
    const pos = readFen(puzzle.fen).pos;
    if (!pos) {
      fill(
        this.body,
        note(
          h('p', null, t`This position cannot be shown.`),
          button(t`Next puzzle`, () => this.next()),
        ),
      );
      return;
    }
    this.puzzle = puzzle;
    this.pos = pos;
    this.last = puzzle.lead ?? undefined;
    this.done = 0;
    this.helped = false;
    this.ask(`${toMove(pos.turn)}. ${t`Find the only right answer.`}`);
  }

  /** Waits for a move. */
  private ask(said: string, right = false): void {
    this.waits = true;
    this.page.board.show({ pos: this.pos, last: this.last, played: move => this.play(move), shapes: [] });
    fill(
      this.body,
      h('p', { role: 'status', class: right ? 'prompt right' : 'prompt' }, said),
      h(
        'div',
        { class: 'actions' },
        button(t`Show the answer`, () => this.reveal()),
        button(t`Another puzzle`, () => this.next(), { class: 'plain' }),
      ),
    );
  }

  play(move: Move): void {
    const puzzle = this.puzzle;
    if (!puzzle || !this.waits) return;
    this.asking.stop();
    const uci = uciOf(this.pos, move);
    const { after, step: played } = step(this.pos, move);
    const wanted = legal(this.pos, puzzle.solution[this.done]);
    // every mate is right
    if (after.isCheckmate() || (wanted && uciOf(this.pos, wanted) === uci)) {
      this.pos = after;
      this.last = uci;
      this.done = after.isCheckmate() ? puzzle.solution.length : this.done + 1;
      this.reply(played.san);
      return;
    }
    this.helped = true;
    this.wrong(after, uci, played.san);
  }

  /** The move was right: the opponent replies, or the puzzle is solved. */
  private reply(san: string): void {
    const { solution } = this.puzzle!;
    this.waits = false;
    this.page.board.show({ pos: this.pos, last: this.last, shapes: [] });
    if (this.done >= solution.length) {
      this.solved(san);
      return;
    }
    fill(this.body, h('p', { role: 'status', class: 'prompt right' }, t`${san} is right.`));
    this.replying = setTimeout(() => {
      const move = legal(this.pos, solution[this.done]);
      if (!move) {
        this.solved(san);
        return;
      }
      const { after, step: played } = step(this.pos, move);
      this.pos = after;
      this.last = played.uci;
      this.done++;
      this.ask(t`${san} is right. The reply is ${played.san}. And now?`, true);
    }, 500);
  }

  private solved(san: string): void {
    const puzzle = this.puzzle!;
    const { game } = puzzle;
    const next = button(t`Next puzzle`, () => this.next(), { class: 'primary' });
    const link =
      game &&
      h(
        'a',
        { href: withFilters(`/game/${game.id}`, {}, game.ply === null ? '' : String(game.ply)) },
        `${game.white ?? '?'} – ${game.black ?? '?'}${game.date ? `, ${date(game.date)}` : ''}`,
      );
    const from =
      puzzle.kind === 'missed'
        ? rich<Child>`From ${link}, where the answer was missed.`
        : puzzle.kind === 'refutation'
          ? rich<Child>`From ${link}, after a mistake.`
          : rich<Child>`From ${link}.`;
    fill(
      this.body,
      h('p', { role: 'status', class: 'prompt right' }, this.helped ? t`${san}. That is the answer.` : t`${san}. Solved.`),
      h('p', null, this.line(puzzle.fen, puzzle.solution)),
      h(
        'p',
        { class: 'quiet' },
        [puzzle.themes.map(words).join(', '), t`difficulty ${puzzle.rating}`].filter(Boolean).join(' · '),
      ),
      link && h('p', null, from),
      h(
        'div',
        { class: 'actions' },
        next,
        h('a', { class: 'button', href: url('/analysis/new', new URLSearchParams({ fen: puzzle.fen })) }, t`Analyze`),
        sqlLink(this.sql),
      ),
    );
    next.focus();
  }

  /** Plays the rest of the solution. */
  private reveal(): void {
    this.helped = true;
    this.asking.stop();
    const { solution } = this.puzzle!;
    let san = '';
    this.waits = false;
    for (; this.done < solution.length; this.done++) {
      const move = legal(this.pos, solution[this.done]);
      if (!move) break;
      const { after, step: played } = step(this.pos, move);
      san ||= played.san;
      this.pos = after;
      this.last = played.uci;
    }
    this.page.board.show({ pos: this.pos, last: this.last, shapes: [] });
    this.solved(san);
  }

  /** The moves of a line with their numbers. */
  private line(fen: string, ucis: string[]): string {
    let pos = readFen(fen).pos;
    const said: string[] = [];
    for (const uci of ucis) {
      const move = pos && legal(pos, uci);
      if (!pos || !move) break;
      const ply = (pos.fullmoves - 1) * 2 + (pos.turn === 'white' ? 1 : 2);
      const { after, step: played } = step(pos, move);
      said.push(`${!said.length || ply % 2 ? `${moveNumber(ply)} ` : ''}${played.san}`);
      pos = after;
    }
    return said.join(' ');
  }

  /** Shows a wrong move, and what refutes it where an analysis is stored or an engine is there. */
  private wrong(after: Position, uci: string, san: string): void {
    const reply = h('p', { role: 'status' });
    const again = button(
      t`Try again`,
      () => {
        this.asking.stop();
        this.ask(`${toMove(this.pos.turn)}.`);
      },
      { class: 'primary' },
    );
    this.waits = false;
    this.page.board.show({ pos: after, last: uci, shapes: [] });
    fill(
      this.body,
      h('p', { role: 'status', class: 'prompt error' }, t`${san} is not the answer.`),
      reply,
      h(
        'div',
        { class: 'actions' },
        again,
        button(t`Show the answer`, () => {
          this.page.board.show({ pos: this.pos, last: this.last, shapes: [] });
          this.reveal();
        }),
      ),
    );
    again.focus();
    if (after.isEnd()) return;
    const fen = fenOf(after);
    const show = (line: Line) => {
      const ucis = line.moves.split(' ').slice(0, SHOWN);
      const [orig, dest] = squaresOf(ucis[0]) as Key[];
      const arrow: DrawShape = { orig, dest, brush: 'red' };
      this.page.board.arrows([arrow]);
      reply.textContent = t`The reply: ${this.line(fen, ucis)} (${score(line)}).`;
    };
    void this.asking.run(
      signal => this.refutation(fen, signal),
      line => line && show(line),
      () => {},
    );
  }

  /** The best line from the stored analyses, else from the engine; nothing if there is neither. */
  private async refutation(fen: string, signal: AbortSignal): Promise<Line | undefined> {
    const asked = new URLSearchParams({ fen });
    try {
      return (await get<{ pvs: Line[] }>(url('/api/cloud-eval', asked), signal)).pvs[0];
    } catch (error) {
      if (signal.aborted || !server.status?.engine) throw error;
    }
    const line = await bestLine(fen, DEPTH, signal);
    return line && { ...line, moves: line.moves.join(' ') };
  }

  /** The form that chooses puzzles. */
  private choose(): void {
    const { params } = here();
    const value = (name: string) => params.get(name) ?? '';
    const themes = this.themes?.themes ?? [];
    const form = h(
      'form',
      {
        class: 'filter-form',
        on: {
          submit: submitted(() => {
            const data = new FormData(form);
            const asked = Object.fromEntries(ASKED.map(name => [name, String(data.get(name) ?? '').trim()]));
            this.puzzle = undefined;
            go(url('/puzzles', withParams(here().params, asked)));
          }),
        },
      },
      h(
        'div',
        { class: 'field' },
        h('label', { for: 'theme' }, t`Theme`),
        h(
          'select',
          { id: 'theme', name: 'theme' },
          ...[{ name: '', description: null }, ...themes].map(({ name, description }) =>
            h(
              'option',
              { value: name, selected: name === value('theme'), title: description && served(description) },
              name ? words(name) : t`any`,
            ),
          ),
        ),
      ),
      completed('player', t`From the games of`, value('player'), 'players', t`Anybody`),
      h(
        'div',
        { class: 'field' },
        h('label', { for: 'rating' }, t`Difficulty`),
        h('input', {
          id: 'rating',
          name: 'rating',
          value: value('rating'),
          placeholder: '1000-1500',
          pattern: '\\d{0,4}-\\d{0,4}',
          autocomplete: 'off',
        }),
      ),
      h('input', { type: 'hidden', name: 'game', value: value('game') }),
      h('div', { class: 'actions' }, h('button', { type: 'submit', class: 'primary' }, t`Show puzzles`)),
    );
    fill(this.choices, h('summary', null, t`Theme, player, difficulty`), form);
    this.choices.open ||= ASKED.some(name => params.has(name));
  }

  step(): void {}
  position(): Position | undefined {
    return this.waits ? this.pos : undefined;
  }
  leave(): void {
    this.forget();
    this.latest.stop();
  }
}

export const VIEWS = { puzzles: PuzzlesView };
