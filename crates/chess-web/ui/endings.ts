// In: filters, perhaps an ending, which is a pattern. Out: the kinds of endings as a tree down to single materials, and the won and drawn
// endings that were thrown away, which can be played again; or the report on one ending.
import { type Address, ofPlacedReport, url, withFilters, without, withParams } from './address';
import { type ApiError, get, Latest } from './api';
import { type Child, fill, h } from './dom';
import { bar, OUTCOMES } from './explorer';
import { filterBar } from './filters';
import { count, date } from './format';
import { Panel } from './panel';
import { initial, readFen } from './position';
import {
  type Answer,
  BEYOND,
  type Column,
  facts,
  folded,
  GAMES,
  type Group,
  paper,
  Report,
  SCORE,
  SHARE,
  scores,
  table,
} from './report';
import { known, percent, type Row, range } from './rows';
import { failure, note, type Page, sqlLink, type View } from './view';
import { capital, decimal, plural, served, t } from './words';

const PATH = '/api/reports/ending';

interface Kind {
  kind: string;
  ending: string;
}
interface Mistake {
  game: string;
  ply: number;
  color: 'w' | 'b';
  fen: string;
  san: string;
  best: string | null;
  before: string;
  after: string;
  white: string | null;
  black: string | null;
  date: string | null;
}

/** The games with an ending, whoever has which side. */
const gamesOf = (ending: string, filters: URLSearchParams): string =>
  url('/games', withParams(filters, { pattern: `flip(${ending})` }));
const reportOf = (ending: string, filters: URLSearchParams): string => url('/endings', withParams(filters, { ending }));
/** The pattern of a material that stands for a while. */
const standing = (material: string): string => `${material} for 4`;
/** A value of a sample. */
const about = (row: Row): string => (row.detail.error ? t`about ${percent(row.detail.share)} %` : count(row.games));

export class EndingsView extends Panel implements View {
  private latest = new Latest();
  private listing = new Latest();
  private report: Report | undefined;

  constructor(page: Page) {
    super(page, 'openings', 'endings');
  }

  update(at: Address): void {
    // a list of games has one pattern, and an ending leads there as such
    const filters = without(ofPlacedReport(at.params), ['pattern']);
    const ending = at.params.get('ending') ?? '';
    this.page.strip();
    this.page.board.show({ pos: initial(), played: undefined, shapes: [] });
    this.page.title(ending || t`Endings`);
    if (!this.isNew(`${ending}&${filters}`, t`Endings`)) return;
    if (ending) this.one(ending, filters);
    else this.all(filters);
  }

  private all(filters: URLSearchParams): void {
    const tree = h('div');
    const thrown = h('section', { 'aria-label': t`Thrown away` });
    fill(this.head, h('h1', null, t`Endings`), filterBar());
    fill(this.body, tree, thrown);
    const load = () =>
      void this.latest.run(
        async signal => {
          const { kinds, sql } = await get<{ kinds: Kind[]; sql: string }>('/api/endings', signal);
          const levels = kinds.map(kind => level(kind, filters));
          fill(tree, ...levels.map(level => level.node), sqlLink(sql));
          // one after the other: each may take as long as the server lets a question take
          for (const level of levels) await level.count(signal);
        },
        () => {},
        error => fill(tree, failure(error, load)),
      );
    load();
    const player = filters.get('player');
    const list = () =>
      void this.listing.run(
        signal => get<{ mistakes: Mistake[]; sql: string }>(url('/api/endings/thrown', filters), signal),
        ({ mistakes, sql }) =>
          fill(
            thrown,
            h('h2', null, t`Thrown away by ${player!}`),
            mistakes.length
              ? h('ul', { class: 'cards' }, ...mistakes.map(mistake))
              : h('p', { class: 'quiet' }, t`No endgame table has found such a move. chess-pgn analyze --syzygy looks for them.`),
            sqlLink(sql),
          ),
        error => fill(thrown, failure(error, list)),
      );
    if (player) list();
    else
      fill(
        thrown,
        h('h2', null, t`Thrown away`),
        h('p', { class: 'quiet' }, t`Filter by a player to see the endings that the player threw away, and to play them again.`),
      );
  }

  private one(ending: string, filters: URLSearchParams): void {
    fill(
      this.head,
      h('h1', null, ending),
      filterBar(),
      h(
        'div',
        { class: 'actions' },
        h('a', { class: 'button', href: url('/endings', filters) }, t`All endings`),
        h('a', { class: 'button', href: gamesOf(ending, filters) }, t`Games`),
        ...paper(() => this.node),
      ),
    );
    this.report = new Report(groups(filters, gamesOf(ending, filters)), [
      { path: PATH, params: withParams(filters, { ending }) },
    ]);
    fill(this.body, this.report.node);
    this.report.run();
  }

  rows(): HTMLElement[] {
    return [...this.node.querySelectorAll<HTMLElement>('.cards a, summary, tbody a')].filter(row => row.offsetParent);
  }
  leave(): void {
    this.latest.stop();
    this.listing.stop();
    this.report?.stop();
  }
}

/** A won or drawn ending that was thrown away. It leads to the board before the mistake, to be played again. */
function mistake(of: Mistake): HTMLElement {
  const black = of.color === 'b';
  const number = readFen(of.fen).pos?.fullmoves ?? 0;
  const again = new URLSearchParams({ fen: of.fen, against: 'table', ...(black ? { orient: 'b' } : {}) });
  return h(
    'li',
    null,
    h('a', { href: withFilters('/play', again) }, `${number}${black ? '…' : '.'} ${of.san}`),
    h(
      'span',
      null,
      of.best
        ? t`${served(of.before)}, then ${served(of.after)}; ${of.best} held it`
        : t`${served(of.before)}, then ${served(of.after)}`,
    ),
    h(
      'a',
      { class: 'quiet', href: withFilters(`/game/${of.game}`, {}, String(of.ply)) },
      `${of.white ?? '?'} – ${of.black ?? '?'}${of.date ? `, ${date(of.date)}` : ''}`,
    ),
  );
}

/** A kind of endings, whose games are counted later. */
function level(
  { kind, ending }: Kind,
  filters: URLSearchParams,
): { node: HTMLElement; count(signal: AbortSignal): Promise<void> } {
  const content = h('ul');
  const results = h('span', { class: 'eco' });
  const total = h('span', { class: 'total' });
  const ask = async (sections: string, signal?: AbortSignal) =>
    (await get<Answer>(url(PATH, withParams(filters, { ending, sections })), signal)).rows;
  const countGames = async (signal: AbortSignal) => {
    try {
      const [row] = await ask('summary', signal);
      results.replaceWith(bar(row.white, row.draws, row.black));
      total.textContent = count(row.games);
    } catch (error) {
      // a filter that reports do not have is the same for all kinds
      if (signal.aborted || (error as ApiError).status === 400) throw error;
      total.textContent = t`not counted`;
      total.title = (error as Error).message;
    }
  };
  const draw = (materials: Row[], thrown: Row[]) => {
    const of = new Map(thrown.map(row => [row.item, row]));
    const all = of.get('all');
    fill(
      content,
      h(
        'li',
        null,
        h('a', { href: gamesOf(ending, filters) }, t`All of these games`),
        all ? h('span', { class: 'quiet' }, lost(all)) : null,
        h('a', { class: 'quiet', href: reportOf(ending, filters) }, t`report`),
      ),
      ...materials.map(row => material(row, of.get(row.item), filters)),
    );
  };
  const open = async () => {
    try {
      const materials = await ask('material');
      draw(materials, []);
      // what takes longer does not keep the counts away
      const thrown = await ask('thrown').catch(() => []);
      if (thrown.length) draw(materials, thrown);
    } catch (error) {
      fill(content, h('li', { class: 'error' }, (error as Error).message));
    }
  };
  const details = h(
    'details',
    { on: { toggle: () => details.open && !content.hasChildNodes() && void open() } },
    h('summary', null, h('span', { class: 'eco' }), h('span', null, capital(served(kind))), results, total),
    content,
  );
  return { node: details, count: countGames };
}

const tenths = (share: number): string => decimal(100 * share, 1);
const lost = (row: Row): string =>
  plural(
    row.games,
    'result thrown away in {1} % of one game with tables',
    'result thrown away in {1} % of {0} games with tables',
    tenths(row.detail.thrown_share),
  );

function material(row: Row, thrown: Row | undefined, filters: URLSearchParams): HTMLElement {
  const ending = standing(row.item);
  return h(
    'li',
    null,
    h('a', { href: gamesOf(ending, filters), title: t`The games` }, row.item),
    thrown ? h('span', { class: 'quiet' }, lost(thrown)) : null,
    h('a', { class: 'quiet', href: reportOf(ending, filters) }, t`report`),
    wonBar(row),
    h('span', { class: 'total' }, about(row)),
  );
}

/** Games that the side named first, or the stronger one, has won, drawn and lost. */
const wonBar = ({ white, draws, black }: Row): HTMLElement => bar(white, draws, black, OUTCOMES);

const COLORS: Record<string, string> = { w: t`White`, b: t`Black` };
const RESULTS: Column = { head: t`Won · draw · lost`, cell: wonBar, class: 'bar' };

/** Parts of the report on an ending. The side that the pattern names first wins, draws or loses. */
function groups(filters: URLSearchParams, games: string): Group[] {
  const named = (head: string, cell: (row: Row) => Child): Column => ({ head, cell });
  const figures = [GAMES, RESULTS, SCORE, BEYOND];
  const simple = (caption: string, head: string, rows: Row[], name: (item: string) => string = range) =>
    table(caption, rows, [named(head, row => name(row.item)), ...figures]);
  return [
    {
      title: t`Results`,
      sections: 'summary,color,rating,month',
      count: 0,
      draw: of => {
        const [all] = of('summary');
        if (!all?.games) return [note(h('p', null, t`No game has this ending.`))];
        const d = all.detail;
        return [
          facts(
            [t`Games`, h('a', { href: games }, count(all.games))],
            ...scores(t`The side named first`, all, [all.white, all.draws, all.black]),
            [t`Mean ratings`, d.own_rating && d.other_rating && t`${Math.round(d.own_rating)} and ${Math.round(d.other_rating)}`],
          ),
          wonBar(all),
          of('color').length > 1
            ? simple(t`By colour of the side named first`, t`Colour`, of('color'), item => COLORS[item])
            : null,
          simple(t`By rating`, t`Mean rating`, known(of('rating'))),
          folded(
            t`Figures by month`,
            simple(t`By month`, t`Month`, known(of('month')), item => item),
          ),
        ];
      },
    },
    {
      title: t`Course`,
      sections: 'better,length',
      count: 0,
      draw: of => [
        simple(t`By material at the start of the ending`, t`Side named first`, of('better'), served),
        table(t`Half-moves`, of('length'), [
          named(t`Result`, row => served(row.item)),
          GAMES,
          named(t`Mean`, row => {
            const error = row.detail.plies_error;
            return `${decimal(row.detail.plies, 1)}${error ? ` ± ${decimal(error, 1)}` : ''}`;
          }),
          named(t`Median`, row => row.detail.median),
          named(t`Shortest`, row => row.detail.shortest),
          named(t`Longest`, row => row.detail.longest),
        ]),
      ],
    },
    {
      title: t`Materials`,
      sections: 'material',
      count: 0,
      draw: of => [
        table(t`The stronger side first`, of('material').slice(0, 40), [
          named(t`Material`, row => h('a', { href: reportOf(standing(row.item), filters) }, row.item)),
          ...figures.slice(0, 3),
          SHARE,
        ]),
      ],
    },
    {
      title: t`Thrown away`,
      sections: 'thrown',
      count: 0,
      draw: of => [
        table(t`Results thrown away, of games with tables`, of('thrown'), [
          named(t`Material`, row => row.item),
          GAMES,
          named(t`Thrown away`, row => `${tenths(row.detail.thrown_share)} %`),
        ]),
      ],
    },
  ];
}
