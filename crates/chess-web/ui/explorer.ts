// In: the position and the filters in the address. Out: the moves that were played there, the games, and the way to them.
import { type Address, CONTENTS, FILTERS, go, here, OF_GAMES, only, url, withFilters, withParams } from './address';
import { type Explorer, type ExplorerMove, get, has, Latest } from './api';
import type { DrawShape, Key } from './board';
import { button, type Child, fill, h } from './dom';
import { chips, filterBar } from './filters';
import { count, moveNumber, percentages, score, share, year } from './format';
import { gameTable, near } from './games';
import { fenOf, INITIAL_FEN, initial, legal, type Move, type Position, readFen, type Step, squaresOf, step } from './position';
import { EndgameTables } from './tables';
import { treeOf, writePgn } from './tree';
import { emptyDatabase, failure, note, type Page, sqlLink, type View } from './view';
import { decimal, games, plural, t } from './words';

type Column = 'san' | 'games' | 'score' | 'averageRating' | 'performance' | 'lastPlayed' | 'reached';

const COLUMNS: { key: Column | 'share' | 'bar' | 'eval'; head: string; title: string; sort?: Column }[] = [
  { key: 'san', head: t`Move`, title: t`The move; Enter or a click plays it`, sort: 'san' },
  { key: 'games', head: t`Played`, title: t`Games in which it was played here`, sort: 'games' },
  { key: 'share', head: t`Share|column`, title: t`Percentage of the games that continue from here` },
  {
    key: 'bar',
    head: t`White · draw · Black`,
    title: t`Results in percent; below them, those of the position after the move, where games reach it by other moves, too`,
  },
  { key: 'score', head: t`Score`, title: t`Points for the side that moves, in percent`, sort: 'score' },
  { key: 'eval', head: t`Eval`, title: t`Engine evaluation after the move, from White’s side` },
  { key: 'averageRating', head: t`Avg`, title: t`Average rating of the players`, sort: 'averageRating' },
  { key: 'performance', head: t`Perf`, title: t`Performance rating of the players`, sort: 'performance' },
  { key: 'lastPlayed', head: t`Last`, title: t`Year in which it was last played`, sort: 'lastPlayed' },
  {
    key: 'reached',
    head: t`Reached`,
    title: t`Games that reach the position after the move, by any order of moves`,
    sort: 'reached',
  },
];

/** Where an answer comes from: in short, and in words. */
const SOURCES: Record<string, [string, string]> = {
  index: [t`from the index`, t`The games of this position were counted in the index`],
  games: [t`from the games`, t`The games of this position were read one by one`],
};

/** Chance alone exceeds it in one comparison of a hundred. */
const BEYOND_CHANCE = 2.58;

/** The parts of a bar: their classes and names. */
const COLORS = [
  ['white', t`White`],
  ['draw', t`draw`],
  ['black', t`Black`],
];
/** Those of a bar of one side's results. */
export const OUTCOMES = [
  ['won', t`won`],
  ['drawn', t`drawn`],
  ['lost', t`lost`],
];

/** The shares of three results. */
export function bar(white: number, draws: number, black: number, names = COLORS): HTMLElement {
  const parts = percentages([white, draws, black]);
  const node = h('div', {
    class: 'bar',
    role: 'img',
    'aria-label': names.map(([, name], i) => `${name} ${parts[i]} %`).join(', '),
  });
  parts.forEach((percent, i) => {
    if (!percent) return;
    const part = h('span', { class: names[i][0] }, percent >= 13 ? String(percent) : '');
    part.style.flexGrow = String(percent);
    node.append(part);
  });
  return node;
}

export class ExplorerView implements View {
  private heading = h('div', { class: 'opening' });
  private line = h('div', { class: 'line', role: 'group', 'aria-label': t`Moves so far` });
  private filters = h('div');
  private answer = h('div', { class: 'answer' });
  private tables: EndgameTables;
  readonly node: HTMLElement;

  private start: Position = initial();
  private pos: Position = initial();
  private steps: Step[] = [];
  /** the line that was played last, so that the visitor can go forward again */
  private future: string[] = [];
  private latest = new Latest();
  private later = new Latest();
  private shown: Explorer | undefined;
  private key = '';
  private shownKey = '';
  private arrows: DrawShape[] = [];
  private list: 'top' | 'recent' = 'top';
  private sorted: { by: Column; down: boolean } = { by: 'games', down: true };
  private wide = false;

  constructor(private page: Page) {
    this.tables = new EndgameTables(page.board, uci => {
      const move = legal(this.pos, uci);
      if (move) this.play(move);
    });
    this.node = h(
      'div',
      { class: 'view explorer' },
      h('div', { class: 'panel-head' }, this.heading, this.line, this.filters),
      this.tables.node,
      this.answer,
    );
  }

  update(at: Address): void {
    const fen = at.params.get('fen');
    const problem = this.follow(fen, (at.params.get('play') ?? '').split(',').filter(Boolean));
    this.page.strip();
    this.page.title(t`Explorer`);
    this.page.board.show({ pos: this.pos, last: this.steps.at(-1)?.uci, played: move => this.play(move), shapes: [] });
    this.tables.show(problem ? undefined : this.pos);
    this.drawLine();
    const switched = document.activeElement?.classList.contains('symmetries');
    fill(this.filters, this.filterBar());
    if (switched) this.filters.querySelector<HTMLElement>('.symmetries')?.focus();
    if (problem) {
      this.shown = undefined;
      this.latest.stop();
      fill(this.heading, h('h1', null, t`Invalid position`));
      fill(
        this.answer,
        note(h('p', null, problem), h('p', null, h('a', { href: url('/', only(at.params, FILTERS)) }, t`To the start position`))),
      );
      return;
    }
    if (this.page.status && !this.page.status.games) {
      this.latest.stop();
      fill(this.heading, h('h1', null, t`Explorer`));
      fill(this.answer, emptyDatabase(this.page.status));
      return;
    }
    this.ask();
  }

  private follow(fen: string | null, play: string[]): string {
    const read = fen ? readFen(fen) : { pos: initial() };
    this.steps = [];
    const from = this.start;
    this.start = read.pos ?? initial();
    if (fenOf(from) !== fenOf(this.start)) this.future = [];
    this.pos = this.start.clone();
    if (!read.pos) return t`The FEN cannot be read: ${(read as { error?: string }).error ?? ''}.`;
    for (const [i, uci] of play.entries()) {
      const move = legal(this.pos, uci);
      if (!move) return t`Half-move ${i + 1}, ${uci}, is not a legal move there.`;
      const next = step(this.pos, move);
      this.pos = next.after;
      this.steps.push(next.step);
    }
    const ucis = this.steps.map(s => s.uci);
    if (!ucis.every((uci, i) => this.future[i] === uci)) this.future = ucis;
    return '';
  }

  private to(ucis: string[], replace = false): void {
    go(url('/', withParams(here().params, { play: ucis.join(',') })), replace);
  }

  play(move: Move): void {
    const { step: next } = step(this.pos, move);
    this.to([...this.steps.map(s => s.uci), next.uci]);
  }

  step(by: -1 | 1 | 'first' | 'last'): void {
    const now = this.steps.length;
    const length = by === 'first' ? 0 : by === 'last' ? this.future.length : Math.max(0, Math.min(this.future.length, now + by));
    if (length !== now) this.to(this.future.slice(0, length), true);
  }

  private drawLine(): void {
    const offset = (this.start.fullmoves - 1) * 2 + (this.start.turn === 'black' ? 1 : 0);
    const children: Child[] = [];
    const ucis = this.future;
    this.steps.forEach((played, i) => {
      const ply = offset + i + 1;
      if (i === 0 || ply % 2) children.push(h('span', { class: 'number' }, moveNumber(ply)));
      const last = i === this.steps.length - 1;
      children.push(
        h(
          'button',
          {
            type: 'button',
            class: 'move',
            'aria-current': last ? 'true' : null,
            on: { click: () => this.to(ucis.slice(0, i + 1), true) },
          },
          played.san,
        ),
      );
    });
    if (!children.length)
      children.push(
        h('span', { class: 'quiet' }, fenOf(this.start) === INITIAL_FEN ? t`Start position` : t`From the position on the board`),
      );
    fill(this.line, ...children);
    this.line.scrollLeft = this.line.scrollWidth;
  }

  private filterBar(): HTMLElement {
    const bar = filterBar();
    if (!this.hasImages()) return bar;
    const asked = here().params.get('symmetries');
    bar.append(
      button(t`Symmetric positions, too`, () => go(url('/', withParams(here().params, { symmetries: asked ? null : '1' }))), {
        class: 'chip symmetries',
        'aria-pressed': asked ? 'true' : 'false',
        title: this.pos.board.pawn.isEmpty()
          ? t`Treats positions that differ only by a symmetry as one: their mirror images, those with the colours exchanged, and the board turned`
          : t`Treats positions that differ only by a symmetry as one: their mirror images, those with the colours exchanged`,
      }),
    );
    return bar;
  }

  /** Whether the mirror image of the position is the same position. The colours can always be exchanged, but nobody plays that. */
  private hasImages(): boolean {
    return this.pos.castles.castlingRights.isEmpty();
  }

  /** The position for the server: the way to it, and whether its images count as well. */
  private place(): Record<string, string | null> {
    const { params } = here();
    const symmetries = this.hasImages() ? params.get('symmetries') : null;
    return { fen: params.get('fen'), play: this.steps.map(s => s.uci).join(','), symmetries };
  }

  private question(): URLSearchParams {
    return withParams(only(here().params, [...FILTERS, ...CONTENTS]), this.place());
  }

  /** Whether the server can tell how many games reach the positions after the moves. */
  private countsReached(): boolean {
    return !OF_GAMES.some(name => here().params.get(name));
  }

  private ask(): void {
    const question = this.question();
    this.key = question.toString();
    const key = this.key;
    this.later.stop();
    void this.latest.run(
      signal => get<Explorer>(url('/api/explorer', question), signal),
      answer => {
        this.shown = answer;
        this.shownKey = key;
        this.draw();
        if (this.countsReached() && answer.moves.some(m => m.reached === null)) this.askReached(question, key);
      },
      error => {
        this.shown = undefined;
        fill(this.heading, h('h1', null, t`Explorer`));
        fill(
          this.answer,
          failure(error, () => this.ask()),
        );
      },
    );
  }

  /** Asks how many games reach the positions after the moves. That takes longer, so it follows the table. */
  private askReached(question: URLSearchParams, key: string): void {
    void this.later.run(
      signal => get<Explorer>(url('/api/explorer', withParams(question, { reached: '1' })), signal),
      answer => {
        if (key !== this.key) return;
        const before = this.shown!;
        this.shown = answer;
        const same =
          answer.moves.length === before.moves.length &&
          answer.moves.every((m, i) => m.uci === before.moves[i].uci && m.games === before.moves[i].games);
        if (same && this.sorted.by !== 'reached') this.drawReached(answer);
        else this.draw();
      },
      () => {},
    );
  }

  /** Writes what is new into the existing rows, because a row that is being clicked must not be replaced. */
  private drawReached(answer: Explorer): void {
    for (const m of answer.moves)
      for (const key of ['reached', 'bar'])
        fill(this.answer.querySelector(`tr[data-uci="${m.uci}"] td.${key}`)!, ...this.cell(key, m, 0));
  }

  private draw(): void {
    const answer = this.shown!;
    // the focus stays on its move, or goes to the first row if that move is gone
    const focused = (document.activeElement?.closest('table.explorer-moves tbody tr') as HTMLElement | null)?.dataset.uci;
    const sorting = document.activeElement?.closest('table.explorer-moves thead th')?.className;
    const opening = answer.opening;
    fill(
      this.heading,
      opening ? h('span', { class: 'eco' }, opening.eco) : null,
      h(
        'h1',
        null,
        opening?.name ?? (this.steps.length || fenOf(this.start) !== INITIAL_FEN ? t`Unnamed position` : t`Start position`),
      ),
      has('openingReports') ? h('a', { class: 'quiet', href: url('/opening', this.question()) }, t`Report`) : null,
      h('a', { class: 'quiet', href: withFilters('/openings') }, t`Openings`),
      has('endingReports') ? h('a', { class: 'quiet', href: withFilters('/endings') }, t`Endings`) : null,
      h('span', { class: 'total' }, games(answer.games)),
    );
    this.page.title(opening?.name ?? t`Explorer`);
    if (!answer.games) {
      this.arrows = [];
      fill(this.answer, this.nothing(), h('div', { class: 'foot' }, sqlLink(answer.sql)));
    } else {
      fill(
        this.answer,
        answer.moves.length ? this.table(answer) : note(h('p', null, t`All games that reach this position end here.`)),
        this.foot(answer),
        this.games(answer),
      );
      this.arrows = this.commonest(answer);
    }
    this.page.board.arrows(this.arrows);
    if (sorting) this.answer.querySelector<HTMLElement>(`thead .${sorting} button`)?.focus();
    if (focused) (this.answer.querySelector<HTMLElement>(`tr[data-uci="${focused}"] button`) ?? this.rows()[0])?.focus();
  }

  private nothing(): HTMLElement {
    const filtered = chips(here().params).length;
    return note(
      h('h2', null, t`No games here`),
      h(
        'p',
        null,
        filtered ? t`No game that passes the filters reaches this position.` : t`No game in the database reaches this position.`,
      ),
      h(
        'p',
        { class: 'actions' },
        filtered
          ? button(t`Remove filters`, () => go(url('/', only(here().params, ['fen', 'play', 'symmetries', 'orient']))))
          : null,
        this.steps.length ? button(t`Take back one move`, () => this.step(-1)) : null,
        button(t`Similar positions`, () => go(near(fenOf(this.pos), here().params))),
      ),
    );
  }

  private commonest(answer: Explorer): DrawShape[] {
    const total = answer.moves.reduce((sum, m) => sum + m.games, 0);
    return [...answer.moves]
      .sort((a, b) => b.games - a.games)
      .slice(0, 3)
      .map(m => this.arrow(m.uci, 'move', Math.round(3 + 11 * Math.sqrt(m.games / total))));
  }

  private arrow(uci: string, brush: string, lineWidth?: number): DrawShape {
    const [orig, dest] = squaresOf(uci) as [Key, Key];
    return { orig, dest, brush, modifiers: lineWidth ? { lineWidth } : undefined };
  }

  private point(move: ExplorerMove | undefined): void {
    if (!move) this.page.board.arrows(this.arrows);
    else
      this.page.board.arrows([
        ...this.arrows.filter(a => a.orig + (a.dest ?? '') !== move.uci.slice(0, 4)),
        this.arrow(move.uci, 'chosen'),
      ]);
  }

  private cell(key: string, m: ExplorerMove, total: number): Child[] {
    switch (key) {
      case 'games':
        return [count(m.games)];
      case 'share':
        return [share(m.games, total), h('span', { class: 'unit' }, '\u2009%')];
      case 'bar':
        return [bar(m.white, m.draws, m.black), this.positionBar(m)];
      case 'score':
        return [m.score === null ? '' : String(Math.round(m.score))];
      case 'eval':
        return [m.eval ? score(m.eval) : ''];
      case 'averageRating':
        return [m.averageRating ?? ''];
      case 'performance':
        return [m.performance ?? ''];
      case 'lastPlayed':
        return [year(m.lastPlayed)];
      case 'reached':
        return m.reached === null ? [''] : [this.otherOrders(m), count(m.reached)];
    }
    return [];
  }

  /** The results of the position after a move, below those of the move. */
  private positionBar(m: ExplorerMove): HTMLElement | null {
    const all = m.position;
    if (!all || all.games === m.games) return null;
    const node = bar(all.white, all.draws, all.black);
    node.classList.add('of-position');
    node.ariaLabel = t`The position after it: ${node.ariaLabel ?? ''}`;
    node.title = plural(
      all.games,
      '{1}, in the game that reaches it by any order of moves',
      '{1}, in the {0} games that reach it by any order of moves',
      node.ariaLabel,
    );
    return node;
  }

  /** A sign that games reach the position after a move by another order; another one, if these score otherwise. */
  private otherOrders(m: ExplorerMove): HTMLElement | null {
    const all = m.position;
    if (!all || all.games === m.games) return null;
    const said = [
      plural(all.games - m.games, '1 game reaches it by another order of moves', '{0} games reach it by another order of moves'),
    ];
    if (all.score !== null && m.score !== null)
      said.push(t`the move scores ${decimal(m.score, 1)} %, the position ${decimal(all.score, 1)} %`);
    const differs = all.deviation !== null && Math.abs(all.deviation) >= BEYOND_CHANCE;
    if (differs)
      said.push(
        all.deviation! > 0
          ? t`the games with the move score better than the others, by ${decimal(all.deviation!, 1)} standard errors: hardly by chance`
          : t`the games with the move score worse than the others, by ${decimal(-all.deviation!, 1)} standard errors: hardly by chance`,
      );
    const title = said.join('; ');
    return h(
      'span',
      { class: differs ? 'transposes differs' : 'transposes', role: 'img', title, 'aria-label': title },
      differs ? '≠' : '⤨',
    );
  }

  private table(answer: Explorer): HTMLElement {
    const total = answer.moves.reduce((sum, m) => sum + m.games, 0);
    // columns without any value are left out
    const known: Record<string, (m: ExplorerMove) => unknown> = {
      eval: m => m.eval,
      averageRating: m => m.averageRating,
      performance: m => m.performance,
      reached: () => this.countsReached(),
    };
    const columns = COLUMNS.filter(c => !known[c.key] || answer.moves.some(known[c.key]));
    const { by, down } = this.sorted;
    const value = (m: ExplorerMove) => m[by] ?? '';
    const moves = [...answer.moves].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      const order =
        typeof x === 'number' && typeof y === 'number'
          ? x - y
          : x === ''
            ? -1
            : y === ''
              ? 1
              : String(x) < String(y)
                ? -1
                : String(x) > String(y)
                  ? 1
                  : 0;
      return (down ? -order : order) || b.games - a.games;
    });
    const play = (m: ExplorerMove) => {
      // until the answer arrives, the table is that of the previous position
      const move = this.shownKey === this.key ? legal(this.pos, m.uci) : undefined;
      if (move) this.play(move);
    };
    const sum = (pick: (m: ExplorerMove) => number) => moves.reduce((all, m) => all + pick(m), 0);
    const [white, draws, black] = [sum(m => m.white), sum(m => m.draws), sum(m => m.black)];
    const decided = white + draws + black;
    const mover = this.pos.turn === 'white' ? white : black;
    const labels: Record<string, string> = {
      averageRating: t`avg`,
      performance: t`perf`,
      lastPlayed: t`last`,
      reached: t`reached|phone`,
      score: t`score`,
      share: t`share`,
      eval: t`eval`,
    };
    return h(
      'table',
      { class: `explorer-moves${this.wide ? ' wide' : ''}` },
      h('caption', { class: 'unseen' }, t`Moves from this position`),
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          ...columns.map(c =>
            h(
              'th',
              {
                scope: 'col',
                class: c.key,
                title: c.title,
                'aria-sort': c.sort === by ? (down ? 'descending' : 'ascending') : null,
              },
              c.sort
                ? h(
                    'button',
                    {
                      type: 'button',
                      on: {
                        click: () => {
                          this.sorted = c.sort === by ? { by, down: !down } : { by: c.sort!, down: c.sort !== 'san' };
                          this.draw();
                        },
                      },
                    },
                    c.head,
                  )
                : c.head,
            ),
          ),
        ),
      ),
      h(
        'tbody',
        null,
        ...moves.map((m, i) =>
          h(
            'tr',
            {
              'data-uci': m.uci,
              on: {
                mouseenter: () => this.point(m),
                mouseleave: () => this.point(undefined),
                focusin: () => this.point(m),
                focusout: () => this.point(undefined),
                click: () => play(m),
              },
            },
            ...columns.map(c =>
              c.key === 'san'
                ? h('th', { scope: 'row', class: 'san' }, h('button', { type: 'button', tabindex: i ? '-1' : '0' }, m.san))
                : h(
                    'td',
                    { class: c.key, 'data-label': labels[c.key], title: c.key === 'lastPlayed' ? (m.lastPlayed ?? '') : null },
                    ...this.cell(c.key, m, total),
                  ),
            ),
          ),
        ),
      ),
      h(
        'tfoot',
        null,
        h(
          'tr',
          null,
          ...columns.map(c =>
            c.key === 'san'
              ? h('th', { scope: 'row', class: 'san', title: t`All moves` }, 'Σ')
              : h(
                  'td',
                  { class: c.key },
                  c.key === 'games'
                    ? count(total)
                    : c.key === 'share'
                      ? ['100', h('span', { class: 'unit' }, '\u2009%')]
                      : c.key === 'bar'
                        ? bar(white, draws, black)
                        : c.key === 'score' && decided
                          ? String(Math.round((100 * (mover + draws / 2)) / decided))
                          : '',
                ),
          ),
        ),
      ),
    );
  }

  private foot(answer: Explorer): HTMLElement {
    return h(
      'div',
      { class: 'foot' },
      answer.ended ? h('span', null, plural(answer.ended, '1 game ended here', '{0} games ended here')) : null,
      answer.unknown ? h('span', null, t`${count(answer.unknown)} without a result`) : null,
      answer.source
        ? h('span', { class: 'quiet', title: SOURCES[answer.source]?.[1] ?? '' }, SOURCES[answer.source]?.[0] ?? '')
        : null,
      button(
        this.wide ? t`Fewer columns` : t`More columns`,
        () => {
          this.wide = !this.wide;
          this.draw();
        },
        {
          class: 'plain phone-only',
        },
      ),
      sqlLink(() => this.shown!.sql),
    );
  }

  private games(answer: Explorer): HTMLElement | null {
    if (!answer.top.length && !answer.recent.length) return null;
    if (!answer[this.list].length) this.list = this.list === 'top' ? 'recent' : 'top';
    const place = withParams(new URLSearchParams(), this.place());
    const links = withParams(
      only(here().params, [...FILTERS, ...CONTENTS]),
      this.steps.length || place.get('fen') ? { fen: fenOf(this.pos), symmetries: place.get('symmetries') } : {},
    );
    const tab = (list: 'top' | 'recent', text: string) =>
      answer[list].length
        ? button(
            text,
            () => {
              this.list = list;
              this.draw();
            },
            {
              'aria-pressed': this.list === list ? 'true' : 'false',
              class: 'tab',
            },
          )
        : null;
    return h(
      'section',
      { class: 'its-games', 'aria-label': t`Games` },
      h(
        'div',
        { class: 'tabs' },
        tab('top', t`Top games`),
        tab('recent', t`Recent games`),
        h(
          'a',
          {
            class: 'all',
            href: withFilters('/games', place),
          },
          t`All games`,
        ),
      ),
      gameTable(answer[this.list], this.list === 'top' ? t`Top games` : t`Recent games`, links),
      h('div', { class: 'foot' }, sqlLink(this.list === 'top' ? answer.topSql : answer.recentSql)),
    );
  }

  rows(): HTMLElement[] {
    const inGames = document.activeElement?.closest('table.games');
    return [
      ...this.answer.querySelectorAll<HTMLElement>(inGames ? 'table.games a.open' : 'table.explorer-moves tbody th button'),
    ];
  }
  position(): Position {
    return this.pos;
  }
  pgn(): string {
    return writePgn(
      treeOf(
        this.start,
        this.steps.map(s => s.uci),
      ),
    );
  }
  turned(): void {
    this.page.board.arrows(this.arrows);
  }
  leave(): void {
    this.tables.leave();
    this.latest.stop();
    this.later.stop();
  }
}
