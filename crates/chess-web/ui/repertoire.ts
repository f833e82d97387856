// In: a notebook and whose games count. Out: where these games left it, and what it does not answer, in tables whose lines lead to
// the positions on the board. Both answers come in parts, because the server limits the time of each question: a check goes from
// games to games, gaps from likely positions to unlikely ones.
import { here, rename, url, withParams } from './address';
import { ApiError, fresh, Latest } from './api';
import { completed } from './combobox';
import { button, type Child, fill, h, submitted } from './dom';
import { count } from './format';
import { unknown } from './names';
import { epd, fenOf, readFen } from './position';
import type { NotebookHead } from './sessions';
import type { Node, Tree } from './tree';
import { failure, note, sqlLink } from './view';
import { language, plural, t } from './words';

type Totals = Record<'followed' | 'left' | 'opponent left' | 'not reached', number>;
interface Left {
  status: string;
  fen: string;
  played: string;
  expected: string[];
  games: number;
  /** those with a result, over which the score is */
  decided: number;
  score: number | null;
  last: { id: string; ply: number };
}
interface CheckedPart {
  totals: Totals;
  positions: Left[];
  /** the last game, if others follow */
  next: string | null;
  sql: string | null;
}
interface Gaps {
  gaps: {
    kind: 'missing' | 'unanswered' | 'conflict' | 'unreached';
    fen: string;
    line: string | null;
    move: string | null;
    probability: number;
    games: number | null;
    score: number | null;
  }[];
  /** how many there are, of which the first are listed */
  total: number;
  /** positions that are less likely than what was asked for */
  unexplored: number;
  sql: string | null;
}

const KINDS = {
  missing: t`is not answered`,
  unanswered: t`your move is missing`,
  conflict: t`is one of several moves of yours`,
  unreached: t`nobody has played it`,
};
/** The parameters of the page that say which games count; the first one only for the check. */
const ASKED = ['player', 'opponent', 'rating', 'since'];
/** Games in the first part of a check. The next part has twice as many if this one takes less than QUICK milliseconds. */
const GAMES = { first: 1000, least: 10, most: 20_000 };
const QUICK = 1000;
/** The least probability of the positions that each part of the gaps looks at. */
const DOWN_TO = [0.05, 0.01, 0.001, 0];
/** The most lines of a table. */
const LISTED = 200;
const percent = (share: number | null): string => (share === null ? '' : `${Math.round(share * 100)} %`);

const same = (fen: string): string => {
  const { pos } = readFen(fen);
  return epd(pos ? fenOf(pos) : fen);
};

/** What a check has found in the parts that have come. */
class Check {
  totals: Totals = { followed: 0, left: 0, 'opponent left': 0, 'not reached': 0 };
  games = 0;
  next: string | null = null;
  sql: string | null = null;
  /** by status, position and move */
  left = new Map<string, Left>();

  add({ totals, positions, next, sql }: CheckedPart): void {
    for (const [status, games] of Object.entries(totals) as [keyof Totals, number][]) {
      this.totals[status] += games;
      this.games += games;
    }
    for (const row of positions) {
      const key = `${row.status} ${row.played} ${same(row.fen)}`;
      const before = this.left.get(key);
      const decided = row.decided + (before?.decided ?? 0);
      const points = (row.score ?? 0) * row.decided + (before?.score ?? 0) * (before?.decided ?? 0);
      // the last game is that of the latest part
      this.left.set(key, { ...row, games: row.games + (before?.games ?? 0), decided, score: decided ? points / decided : null });
    }
    this.next = next;
    this.sql = sql;
  }
}

export class Comparison {
  private answer = h('div');
  private progress = h('div', { class: 'progress' });
  private tables = h('div', { class: 'compared' });
  private latest = new Latest();
  private tree: Tree | undefined;
  /** by the fields of a FEN that make two positions the same */
  private places = new Map<string, Node>();
  readonly node = h('details', { class: 'comparison' }, h('summary', null, t`Compare with the games`));

  /** `to` shows a node, `play` adds a move to it. */
  constructor(
    private to: (node: Node) => void,
    private play: (node: Node, san: string) => void,
  ) {}

  draw(book: NotebookHead, tree: Tree): void {
    this.latest.stop();
    this.tree = tree;
    const { params } = here();
    const value = (name: string) => params.get(name) ?? '';
    const field = (name: string, label: string, props: Record<string, unknown>) =>
      h(
        'div',
        { class: 'field' },
        h('label', { for: name }, label),
        h('input', { id: name, name, value: value(name), autocomplete: 'off', ...props }),
      );
    const form = h(
      'form',
      { class: 'filter-form', on: { submit: submitted(() => this.ask(book, form, 'check')) } },
      completed('player', t`Your name in the games`, value('player'), 'players', t`Any spelling`),
      completed('opponent', t`Against`, value('opponent'), 'players', t`Anybody`),
      field('rating', t`Average rating`, { placeholder: '2000-2400', pattern: '\\d{0,4}-\\d{0,4}' }),
      field('since', t`Played since`, { placeholder: '2015', pattern: '\\d{4}(-\\d\\d){0,2}' }),
      h(
        'div',
        { class: 'actions' },
        h('button', { type: 'submit', class: 'primary' }, t`Check the games`),
        button(t`Find gaps`, () => form.reportValidity() && this.ask(book, form, 'gaps')),
      ),
    );
    fill(this.answer);
    fill(
      this.node,
      h('summary', null, t`Compare with the games`),
      book.color ? form : note(h('p', null, t`A repertoire is for one side: choose the colour of this notebook.`)),
      this.answer,
    );
  }

  /** Asks the server; the filters stay in the address. */
  private ask(book: NotebookHead, form: HTMLFormElement, path: 'check' | 'gaps'): void {
    const data = new FormData(form);
    const asked = Object.fromEntries(ASKED.map(name => [name, String(data.get(name) ?? '').trim()]));
    const page = url(here().pathname, withParams(here().params, asked), here().hash);
    rename(page);
    const question = (part: Record<string, string | null>) =>
      url(`/api/notebooks/${encodeURIComponent(book.id)}/${path}`, withParams(new URLSearchParams(), { ...asked, ...part }));
    // with what was added since the last question
    this.places = new Map(this.tree!.nodes.map(node => [epd(node.fen), node]));
    const again = (field: string, name: string) => {
      form.querySelector<HTMLInputElement>(`#${field}`)!.value = name;
      this.ask(book, form, path);
    };
    const named = withParams(new URLSearchParams(), path === 'check' ? asked : { opponent: asked.opponent });
    fill(this.answer);
    void this.latest.run(
      // about games of nobody everything is a gap
      () => unknown(named, again),
      doubt => {
        if (doubt) {
          fill(this.answer, note(doubt));
          return;
        }
        fill(this.answer, this.progress, this.tables);
        fill(this.tables);
        if (path === 'check') this.checkPart(book, question, new Check(), GAMES.first);
        else this.gapsPart(part => question({ ...part, player: null }), 0);
      },
      () => {},
    );
  }

  /** Says how far the answer is; the visitor can end it there and go on later. */
  private under(words: string, goOn: () => void): void {
    const cancel = () => {
      this.latest.stop();
      fill(this.progress, note(h('p', { role: 'status' }, t`Cancelled. ${words}`), button(t`Go on`, goOn)));
    };
    fill(
      this.progress,
      h('p', { role: 'status' }, words || t`Looking through the games…`),
      h('progress', { 'aria-label': t`Search` }),
      button(t`Cancel`, cancel),
    );
  }

  /** Shows what is known so far, unless the visitor is about to press something in it. */
  private show(tables: Child[]): void {
    if (!this.tables.matches(':hover, :focus-within') || !this.tables.hasChildNodes()) fill(this.tables, tables);
  }

  private failed(error: ApiError, again: () => void, advice: string): void {
    fill(this.progress, failure(error.status === 504 ? new ApiError(504, t`This takes too long.`, 0, advice) : error, again));
  }

  private checkPart(
    book: NotebookHead,
    question: (part: Record<string, string | null>) => string,
    all: Check,
    games: number,
  ): void {
    const next = (games: number) => this.checkPart(book, question, all, games);
    this.under(all.games ? plural(all.games, '{0} game is compared.', '{0} games are compared.') : '', () => next(games));
    const begun = performance.now();
    void this.latest.run(
      signal => fresh<CheckedPart>(question({ limit: String(games), after: all.next }), signal),
      part => {
        all.add(part);
        if (all.next) {
          this.show(this.checked(all, book));
          next(performance.now() - begun < QUICK ? Math.min(2 * games, GAMES.most) : games);
          return;
        }
        fill(this.progress);
        fill(this.tables, this.checked(all, book));
      },
      error => {
        if (error.status === 504 && games > GAMES.least) next(Math.max(GAMES.least, Math.floor(games / 4)));
        else this.failed(error, () => next(games), t`Name a player, ratings or years.`);
      },
    );
  }

  private gapsPart(question: (part: Record<string, string | null>) => string, at: number, before?: Gaps): void {
    const less = t`${(100 * (DOWN_TO[at - 1] ?? 1)).toLocaleString(language)} % of the games`;
    const words = before
      ? plural(
          before.unexplored,
          '{0} position that less than {1} reach is still to be looked at.',
          '{0} positions that less than {1} reach are still to be looked at.',
          less,
        )
      : '';
    const again = () => this.gapsPart(question, at, before);
    this.under(words, again);
    void this.latest.run(
      signal => fresh<Gaps>(question({ downTo: String(DOWN_TO[at]) }), signal),
      found => {
        if (found.unexplored && at + 1 < DOWN_TO.length) {
          this.show(this.gaps(found));
          this.gapsPart(question, at + 1, found);
          return;
        }
        fill(this.progress);
        fill(this.tables, this.gaps(found));
      },
      error => {
        if (error.status !== 504 || !before) {
          this.failed(error, again, t`Name an opponent, ratings or years.`);
          return;
        }
        const left = plural(
          before.unexplored,
          'Not looked at, because it takes too long: {0} position that less than {1} reach, and what follows it.',
          'Not looked at, because it takes too long: {0} positions that less than {1} reach, and what follows them.',
          less,
        );
        fill(this.progress, note(h('p', { role: 'status' }, left), button(t`Try again`, again)));
      },
    );
  }

  /** The moves to a position, which lead to it on the board. */
  private line(fen: string, words?: string | null): Child {
    const node = this.places.get(same(fen));
    if (!node) return words ?? fen;
    const path: string[] = [];
    for (let at: Node | undefined = node; at?.parent; at = at.parent) path.unshift(at.san);
    return button(path.slice(-6).join(' ') || t`Start`, () => this.to(node), { class: 'plain', title: path.join(' ') });
  }

  private checked({ totals, games, sql, left }: Check, book: NotebookHead): Child[] {
    const side = (status: string, caption: string) => {
      const rows = [...left.values()].filter(row => row.status === status).sort((a, b) => b.games - a.games);
      return this.table(
        caption,
        [t`Position`, t`Played|move`, t`In the notebook`, t`Games`, t`Score`],
        rows
          .slice(0, LISTED)
          .map(row => [
            this.line(row.fen),
            row.played,
            row.expected.join(', '),
            h('a', { href: `/game/${row.last.id}#${row.last.ply}`, title: t`The latest of these games` }, count(row.games)),
            percent(row.score),
          ]),
      );
    };
    return [
      h(
        'p',
        { role: 'status' },
        games
          ? plural(
              games,
              '{0} game with {1}: {2} followed the notebook, {3} left it by the player’s own move, {4} by the opponent’s, {5} never reached it.',
              '{0} games with {1}: {2} followed the notebook, {3} left it by the player’s own move, {4} by the opponent’s, {5} never reached it.',
              book.color === 'black' ? t`Black` : t`White`,
              ...[totals.followed, totals.left, totals['opponent left'], totals['not reached']].map(count),
            )
          : t`No games: the player may have another name, or other filters may find some.`,
        ' ',
        sqlLink(sql),
      ),
      side('left', t`Left by the player`),
      side('opponent left', t`Left by opponents`),
    ];
  }

  private gaps({ gaps, total, sql }: Gaps): Child[] {
    const words = !total
      ? t`No gaps.`
      : total > gaps.length
        ? t`The first ${gaps.length} of ${count(total)}.`
        : t`The likeliest first.`;
    return [
      h('p', { role: 'status' }, words, ' ', sqlLink(sql)),
      this.table(
        t`Gaps`,
        [t`Position`, t`Move`, '', t`Likely`, t`Games`, t`Score`],
        gaps.map(gap => {
          const node = this.places.get(same(gap.fen));
          const move =
            gap.move && node && gap.kind === 'missing'
              ? button(gap.move, () => this.play(node, gap.move!), { class: 'plain', title: t`Add it to the notebook` })
              : gap.move;
          return [
            this.line(gap.fen, gap.line),
            move,
            KINDS[gap.kind],
            percent(gap.probability),
            gap.games === null ? '' : count(gap.games),
            percent(gap.score),
          ];
        }),
      ),
    ];
  }

  private table(caption: string, heads: string[], rows: Child[][]): HTMLElement | null {
    if (!rows.length) return null;
    return h(
      'div',
      { class: 'wide-table' },
      h(
        'table',
        { class: 'figures' },
        h('caption', null, caption),
        h('thead', null, h('tr', null, ...heads.map(head => h(head ? 'th' : 'td', head ? { scope: 'col' } : null, head)))),
        h(
          'tbody',
          null,
          ...rows.map(([first, ...cells]) =>
            h('tr', null, h('th', { scope: 'row' }, first), ...cells.map(cell => h('td', null, cell))),
          ),
        ),
      ),
    );
  }

  leave(): void {
    this.latest.stop();
  }
}
