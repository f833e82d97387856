// In: a position, and who plays against the visitor: the server's engine, an endgame table or the games of the database. Out: the
// game played on until the rules end it, with hints and moves taken back; then it becomes a board of analysis.
import { type Address, CONTENTS, FILTERS, go, here, only, rename, url, withParams } from './address';
import { type ApiError, type Explorer, get, Latest, server } from './api';
import type { DrawShape, Key } from './board';
import { button, fill, h } from './dom';
import { filterBar } from './filters';
import { bestLine } from './live';
import { drawnBy, ending } from './playing';
import { fenOf, initial, legal, type Move, type Position, readFen, squaresOf, toMove } from './position';
import { begun, PLAYED } from './sessions';
import { type Node, Tree, writePgn } from './tree';
import { failure, note, type Page, type View } from './view';
import { count, served, t } from './words';

type Opponent = 'engine' | 'table' | 'games';
const NAMES: Record<Opponent, string> = { engine: t`the engine`, table: t`endgame tables`, games: t`what was played here` };
const HEADERS: Record<Opponent, string> = { engine: t`Engine`, table: t`Endgame tables`, games: t`Played before` };
/** How deep the engine thinks, as words. */
const LEVELS: [string, string][] = [
  ['3', t`weak`],
  ['8', t`medium`],
  ['14', t`strong`],
  ['20', t`strongest`],
];
const HINT = 16;

interface Tables {
  moves: { san: string; uci: string; value: string | null; dtz: number | null }[];
}
/** A move, and why; or why there is none. */
interface Answer {
  uci?: string;
  said: string;
}

export class PlayView implements View {
  private head = h('div', { class: 'panel-head' });
  private prompt = h('p', { class: 'prompt', role: 'status' });
  private moves = h('p', { class: 'played' });
  private actions = h('div', { class: 'actions' });
  private problem = h('div');
  readonly node = h(
    'div',
    { class: 'view play' },
    this.head,
    h('div', { class: 'training' }, this.prompt, this.moves, this.actions, this.problem),
  );
  private latest = new Latest();
  private tree = new Tree(initial());
  private current: Node = this.tree.root;
  private side: 'white' | 'black' = 'white';
  private asked = '';
  private waits = false;

  constructor(private page: Page) {}

  update(at: Address): void {
    this.page.title(t`Play on`);
    this.page.strip();
    const start = readFen(at.params.get('fen') ?? fenOf(initial())).pos;
    if (!start) {
      this.asked = '';
      for (const part of [this.prompt, this.moves, this.actions]) fill(part);
      fill(this.head, h('h1', null, t`Invalid position`));
      fill(this.problem, note(h('a', { href: '/play' }, t`To the start position`)));
      return;
    }
    const side = at.params.get('side');
    const asked = fenOf(start);
    const before = this.side;
    this.side = side === 'white' || side === 'black' ? side : start.turn;
    this.choices(at.params);
    if (asked !== this.asked) {
      this.asked = asked;
      this.begin(start, at.params.get('moves')?.split(','));
    } else if (!this.waits || this.side !== before) this.proceed();
  }

  /** Begins a game, or continues one after the moves that have been played. */
  private begin(start: Position, played: string[] = []): void {
    this.tree = new Tree(start);
    this.current = this.tree.root;
    for (const uci of played) {
      const move = legal(this.position(), uci);
      if (!move) break;
      this.current = this.tree.play(this.current, move);
    }
    this.proceed();
  }

  /** The moves to the position on the board. */
  private path(): string[] {
    return this.tree
      .pathTo(this.current)
      .slice(1)
      .map(node => node.uci);
  }

  private get opponent(): Opponent {
    const asked = here().params.get('against');
    return asked === 'table' || asked === 'games' || asked === 'engine' ? asked : server.status?.engine ? 'engine' : 'games';
  }

  private choices(params: URLSearchParams): void {
    const to = (changes: Record<string, string>) => go(url('/play', withParams(here().params, changes)), true);
    const choice = (id: string, label: string, values: [string, string][], now: string, change: (value: string) => void) => {
      const select = h('select', { id, on: { change: () => change(select.value) } });
      fill(select, ...values.map(([value, text]) => h('option', { value, selected: value === now }, text)));
      return h('div', { class: 'field' }, h('label', { for: id }, label), select);
    };
    const opponents = (Object.keys(NAMES) as Opponent[]).filter(name => name !== 'engine' || server.status?.engine);
    fill(
      this.head,
      h('h1', null, t`Play on`),
      h(
        'div',
        { class: 'actions' },
        choice(
          'against',
          t`Against`,
          opponents.map(name => [name, NAMES[name]]),
          this.opponent,
          against => to({ against }),
        ),
        this.opponent === 'engine'
          ? choice('level', t`Level`, LEVELS, params.get('level') ?? '14', level => to({ level }))
          : null,
      ),
      this.opponent === 'games' ? filterBar() : null,
    );
  }

  /** The turn of the visitor, or of the opponent; or the end. */
  private proceed(): void {
    this.latest.stop();
    fill(this.problem);
    // the address contains the moves, so that the game is still there after a reload or a visit to another view
    const { params, hash } = here();
    rename(url('/play', withParams(params, { moves: this.path().join(',') }), hash));
    const pos = this.position();
    const over = ending(this.tree.pathTo(this.current).map(node => node.fen));
    const mine = !over && pos.turn === this.side;
    this.waits = mine;
    this.page.board.show({
      pos,
      last: this.current.uci || undefined,
      played: mine ? move => this.play(move) : undefined,
      shapes: [],
    });
    this.draw(over?.text ?? (mine ? `${toMove(pos.turn)}.` : t`The reply comes …`), over?.result);
    if (!over && !mine) this.reply();
  }

  private draw(said: string, result?: string): void {
    const played = this.tree.pathTo(this.current).slice(1);
    this.prompt.textContent = said;
    this.moves.textContent = played
      .map((node, i) => `${!i || (node.ply + this.tree.offset) % 2 ? `${this.tree.number(node)}\u00a0` : ''}${node.san}`)
      .join(' ');
    const mine = played.length > (this.tree.start.turn === this.side ? 0 : 1);
    fill(
      this.actions,
      this.waits ? button(t`Hint`, () => this.hint()) : null,
      mine ? button(t`Take back`, () => this.back()) : null,
      played.length ? button(t`From the start`, () => this.begin(this.tree.start)) : null,
      played.length ? button(t`Analyze`, () => this.analyse(result ?? '*'), { class: result ? 'primary' : null }) : null,
      button(t`Other side`, () => {
        const side = this.side === 'white' ? 'black' : 'white';
        go(url('/play', withParams(here().params, { side, orient: side === 'black' ? 'b' : null })), true);
      }),
    );
  }

  play(move: Move): void {
    if (!this.waits) return;
    this.current = this.tree.play(this.current, move);
    this.proceed();
  }

  /** The last move of the visitor and what followed are taken back. */
  private back(): void {
    let node = this.current;
    do node = node.parent!;
    while (node.parent && this.tree.position(node).turn !== this.side);
    this.current = node;
    this.proceed();
  }

  private reply(): void {
    const pos = this.position();
    void this.latest.run(
      signal => answer(this.opponent, pos, Number(here().params.get('level')) || 14, signal),
      ({ uci, said }) => {
        const move = uci && legal(pos, uci);
        if (move) {
          this.current = this.tree.play(this.current, move);
          this.proceed();
          return;
        }
        this.draw(t`The opponent has no move.`);
        fill(this.problem, note(h('p', null, said), h('p', null, t`Choose another opponent.`)));
      },
      error => this.failed(error, () => this.proceed()),
    );
  }

  /** Asks whoever knows best: a table, the engine, the games. */
  private hint(): void {
    const pos = this.position();
    const known: Opponent[] = ['table', ...(server.status?.engine ? (['engine'] as const) : []), 'games'];
    void this.latest.run(
      async signal => {
        let problem: unknown;
        for (const who of known) {
          // one that fails does not keep the others from being asked
          const found = await answer(who, pos, HINT, signal, true).catch(error => {
            problem = error;
            return undefined;
          });
          if (found?.uci) return { ...found, who };
        }
        if (problem) throw problem;
        return undefined;
      },
      found => {
        const move = found && legal(pos, found.uci!);
        if (!found || !move) {
          this.prompt.textContent = t`Nobody knows a move here.`;
          return;
        }
        const [orig, dest] = squaresOf(found.uci!) as Key[];
        const arrow: DrawShape = { orig, dest, brush: 'green' };
        this.page.board.arrows([arrow]);
        this.prompt.textContent = t`Hint of ${NAMES[found.who]}: ${found.said}.`;
      },
      error => this.failed(error, () => this.hint()),
    );
  }

  private failed(error: ApiError, again: () => void): void {
    this.draw(this.waits ? t`Your move.` : t`The opponent does not answer.`);
    fill(this.problem, failure(error, again));
  }

  /** The game becomes a board of analysis, which is kept once it is changed. */
  private analyse(result: string): void {
    const names = this.side === 'white' ? [t`You`, HEADERS[this.opponent]] : [HEADERS[this.opponent], t`You`];
    this.tree.headers = new Map([
      ['Event', 'Played on'],
      ['White', names[0]],
      ['Black', names[1]],
      ['Result', result],
    ]);
    // what was taken back is a variation
    for (const node of this.tree.pathTo(this.current)) while (!this.tree.isMain(node)) this.tree.promote(node);
    begun({ game: PLAYED, pgn: writePgn(this.tree), path: this.path() });
    go(`/analysis?game=${PLAYED}`);
  }

  step(): void {}
  pgn(): string {
    return writePgn(this.tree);
  }
  position(): Position {
    return this.tree.position(this.current);
  }
  leave(): void {
    this.latest.stop();
  }
}

/** The move of an opponent. Games draw theirs by how often it was played; as a hint, they name the commonest. */
async function answer(who: Opponent, pos: Position, depth: number, signal: AbortSignal, sure = false): Promise<Answer> {
  const params = new URLSearchParams({ fen: fenOf(pos) });
  const san = (found: { san: string } | undefined) => found?.san ?? '';
  if (who === 'engine') {
    const line = await bestLine(params.get('fen')!, depth, signal);
    return { uci: line?.moves[0], said: line?.san[0] ?? t`The engine knows no move.` };
  }
  if (who === 'table') {
    const hasTables = server.status?.features?.endgameTables;
    const moves = hasTables ? (await get<Tables>(url('/api/tablebase', params), signal)).moves : [];
    // a table that lacks a board after a move may not know the best one
    const best = moves.every(move => move.value) ? moves[0] : undefined;
    return {
      uci: best?.uci,
      said: best ? `${san(best)}, ${served(best.value!)}` : t`No endgame table of this server knows the position.`,
    };
  }
  const filters = only(here().params, [...FILTERS, ...CONTENTS]);
  const { moves } = await get<Explorer>(url('/api/explorer', new URLSearchParams([...params, ...filters])), signal);
  const drawn = sure ? moves[0] : drawnBy(moves, Math.random());
  return {
    uci: drawn?.uci,
    said: drawn ? t`${drawn.san}, in ${count(drawn.games)} of the games` : t`No game goes on from here.`,
  };
}

export const VIEWS = { play: PlayView };
