// In: a position, or the name or code of an opening, and filters. Out: the report on the games that reach it.
import { type Address, go, here, narrowed, ofReport, pageOf, url, withFilters, withParams } from './address';
import { type Game, Latest } from './api';
import { type Child, fill, h } from './dom';
import { filterBar } from './filters';
import { openingLines } from './find';
import { count, date } from './format';
import { gameTable } from './games';
import { Panel } from './panel';
import { fenOf, INITIAL_FEN, initial, type Move, type Position, readFen, step } from './position';
import {
  after,
  BEYOND,
  type Column,
  facts,
  folded,
  GAMES,
  type Group,
  LAST,
  lineOf,
  PERFORMANCE,
  paper,
  Report,
  resultBar,
  SCORE,
  SHARE,
  scores,
  table,
  tree,
  years,
} from './report';
import { known, percent, type Row, range } from './rows';
import { failure, note, type Page, type View } from './view';
import { decimal, served, t } from './words';

const RESULTS: Column = { head: t`White · draw · Black`, cell: resultBar, class: 'bar' };

function groups(
  pos: Position,
  link: (play: string) => string,
  list: (more: Record<string, string>) => string,
  fen: string,
  explore: (fen: string | null, play: string) => string,
): Group[] {
  const figures = [GAMES, RESULTS, SCORE, BEYOND];
  const named = (head: string, cell: (row: Row) => Child): Column => ({ head, cell });
  const player: Column = named(t`Player`, row =>
    row.item === '?' ? row.item : h('a', { href: withFilters(pageOf('player', row.item)) }, row.item),
  );
  /** An order of moves, which leads to the explorer. */
  const ordered = (row: Row): Child => {
    const fen: string | null = row.detail.start ?? null;
    const from = fen ? readFen(fen).pos : initial();
    const { play, text } = lineOf(from ?? initial(), row.item);
    return play ? h('a', { href: explore(fen, play) }, text) : row.item;
  };
  const simple = (caption: string, head: string, rows: Row[]) =>
    table(caption, rows, [named(head, row => range(row.item)), ...figures]);
  return [
    {
      title: t`Results`,
      sections: 'summary,year,rating,speed',
      draw: of => {
        const [all] = of('summary');
        if (!all?.games) return [];
        const d = all.detail;
        const played = of('year').filter(row => row.games && row.item !== 'unknown');
        const most = Math.max(...played.map(row => row.detail.share));
        return [
          facts(
            [
              t`Games`,
              [
                h('a', { href: list({}) }, count(all.games)),
                d.share < 1 &&
                  `, ${t`${d.share < 0.01 ? decimal(100 * d.share, 2) : percent(d.share)} % of ${count(d.all_games)}`}`,
              ],
            ],
            ...scores(t`White scores`, all, [all.white, all.draws, all.black]),
            [
              t`Mean ratings`,
              d.white_rating && d.black_rating && t`${Math.round(d.white_rating)} and ${Math.round(d.black_rating)}`,
            ],
            [t`First game`, d.first && date(d.first)],
            [t`Last game`, d.last && date(d.last)],
          ),
          resultBar(all),
          years(
            played,
            row => [0, row.detail.share],
            () => null,
            t`Share of all games by year, at most ${decimal(100 * most, 1)} %.`,
          ),
          folded(
            t`Figures by year`,
            table(
              t`By year`,
              of('year').filter(row => row.games),
              [
                named(t`Year`, row =>
                  row.item === 'unknown'
                    ? served(row.item)
                    : h('a', { href: list({ since: row.item, until: row.item }) }, row.item),
                ),
                ...figures,
                { ...SHARE, title: t`Percent of all games of the year`, cell: row => decimal(100 * row.detail.share, 1) },
              ],
            ),
          ),
          simple(t`By mean rating`, t`Rating`, known(of('rating'))),
          simple(t`By speed`, t`Speed`, known(of('speed'))),
        ];
      },
    },
    {
      title: t`Continuations`,
      sections: 'line',
      draw: of =>
        of('line').length ? [tree(t`Lines`, of('line'), pos, link, resultBar, [GAMES, SHARE, SCORE, BEYOND, LAST])] : [],
    },
    {
      title: t`Players`,
      sections: 'white_player,black_player',
      draw: of => [
        table(t`With White`, of('white_player'), [player, ...figures, PERFORMANCE, LAST]),
        table(t`With Black`, of('black_player'), [player, ...figures, PERFORMANCE, LAST]),
      ],
    },
    {
      title: t`Model games`,
      sections: 'best_rated,newest,annotated,shortest_white_win,shortest_black_win',
      count: 5,
      draw: of =>
        [
          ['best_rated', t`Highest rated`],
          ['newest', t`Newest`],
          ['annotated', t`With comments`],
          ['shortest_white_win', t`Shortest wins of White`],
          ['shortest_black_win', t`Shortest wins of Black`],
        ].map(([section, label]) => of(section).length > 0 && modelGames(label, of(section), fen)),
    },
    {
      title: t`What becomes of it`,
      sections: 'length,ending,material,theme',
      draw: of => [
        table(t`Length in moves`, of('length'), [
          named(t`Result`, row => row.item),
          GAMES,
          { head: t`Mean`, cell: row => Math.round(row.detail.moves) },
          { head: t`Shortest`, cell: row => row.detail.shortest },
          { head: t`Longest`, cell: row => row.detail.longest },
        ]),
        simple(t`In the first 20 moves`, t`Event|course`, of('theme')),
        simple(t`Pieces left at the end`, t`Pieces`, of('material')),
        simple(t`Ended by`, t`Ending`, of('ending')),
      ],
    },
    {
      title: t`Move orders`,
      sections: 'move_order',
      draw: of => [
        table(
          t`Ways to this position`,
          of('move_order').filter(row => row.item),
          [{ ...named(t`Moves`, ordered), class: 'line-name' }, GAMES, SHARE, RESULTS, SCORE],
        ),
      ],
    },
    {
      title: t`New in the last year`,
      sections: 'novelty',
      draw: of => [
        table(t`Novelties`, of('novelty'), [
          {
            ...named(t`Line`, row => h('a', { href: withFilters(`/game/${row.detail.game_id}`) }, lineOf(pos, row.item).text)),
            class: 'line-name',
          },
          { head: t`Before`, title: t`Games with the position before the new move`, cell: row => count(row.detail.known) },
          ...figures,
        ]),
      ],
    },
  ];
}

function modelGames(label: string, rows: Row[], fen: string): HTMLElement {
  const game = ({ detail }: Row): Game => ({
    id: detail.game_id,
    white: { name: detail.white, rating: detail.white_elo },
    black: { name: detail.black, rating: detail.black_elo },
    result: detail.result,
    date: detail.date,
    event: detail.event,
    eco: null,
    plies: detail.plies,
    ply: null,
    uci: null,
  });
  return h(
    'div',
    { class: 'its-games' },
    h('h3', null, label),
    gameTable(rows.map(game), label, new URLSearchParams(fen ? { fen } : {})),
  );
}

export class OpeningView extends Panel implements View {
  private finding = new Latest();
  private report: Report | undefined;
  private pos: Position = initial();
  private play_: string[] = [];

  constructor(page: Page) {
    super(page, 'opening-view');
  }

  update(at: Address): void {
    this.page.strip();
    this.finding.stop();
    const name = at.path[1];
    if (name) {
      this.find(name, at.params);
      return;
    }
    const fen = at.params.get('fen');
    const play = (at.params.get('play') ?? '').split(',').filter(Boolean);
    const start = fen ? readFen(fen).pos : initial();
    const pos = start && after(start, play);
    this.page.title(t`Opening`);
    if (!pos) {
      this.asked = '';
      fill(this.head, h('h1', null, t`Invalid position`));
      fill(this.body, note(h('p', null, h('a', { href: withFilters('/opening') }, t`To the start position`))));
      return;
    }
    this.pos = pos;
    this.play_ = play;
    this.page.board.show({ pos, last: play.at(-1), played: move => this.play(move), shapes: [] });
    const filters = ofReport(at.params);
    const position = withParams(new URLSearchParams(), { fen, play: play.join(',') });
    if (!this.isNew(`${position}&${filters}`, t`Opening`)) return;
    const params = new URLSearchParams([...position, ...filters]);
    const heading = h('h1', null, t`Opening`);
    fill(
      this.head,
      heading,
      filterBar(),
      h(
        'div',
        { class: 'actions' },
        h('a', { class: 'button', href: url('/', withParams(params, { orient: at.params.get('orient') })) }, t`Explorer`),
        h('a', { class: 'button', href: url('/games', params) }, t`Games`),
        ...paper(() => this.node),
      ),
    );
    const orient = at.params.get('orient');
    const further = (line: string) => url('/opening', withParams(params, { play: [...play, line].join(','), orient }));
    const explore = (fen: string | null, line: string) => url('/', withParams(params, { fen, play: line, orient }));
    const games = (more: Record<string, string>) => url('/games', narrowed(params, more));
    const isStart = fenOf(pos) === INITIAL_FEN;
    this.report = new Report(
      groups(pos, further, games, isStart ? '' : fenOf(pos), explore),
      [{ path: '/api/reports/opening', params }],
      (answer, _, group) => {
        if (group) return;
        const { opening } = answer;
        fill(
          heading,
          opening && [h('span', { class: 'eco' }, opening.eco), ' '],
          opening?.name ?? (isStart ? t`Start position` : t`Unnamed position`),
        );
        this.page.title(opening?.name ?? t`Opening`);
        if (answer.rows.some(row => row.section === 'summary' && !row.games)) {
          this.report!.stop();
          fill(this.body, note(h('h2', null, t`No games here`), h('p', null, t`Take back a move, or remove a filter.`)));
        }
      },
    );
    fill(this.body, this.report.node);
    this.report.run();
  }

  /** Goes to the position after the shortest line of a name or a code. */
  private find(name: string, params: URLSearchParams): void {
    this.asked = '';
    this.report?.stop();
    fill(this.head, h('h1', null, name));
    fill(this.body);
    void this.finding.run(
      signal => openingLines(name, signal),
      openings => {
        const found =
          openings.find(o => o.eco === name.toUpperCase() || o.name.toLowerCase() === name.toLowerCase()) ?? openings[0];
        if (found) go(url('/opening', withParams(params, { play: found.play })), true);
        else
          fill(
            this.body,
            note(h('p', null, t`No opening has this name or code.`), h('a', { href: withFilters('/openings') }, t`All openings`)),
          );
      },
      error =>
        fill(
          this.body,
          failure(error, () => this.find(name, params)),
        ),
    );
  }

  private to(play: string[]): void {
    go(url('/opening', withParams(here().params, { play: play.join(',') })));
  }
  play(move: Move): void {
    this.to([...this.play_, step(this.pos, move).step.uci]);
  }
  override step(by: -1 | 1 | 'first' | 'last'): void {
    if (by === -1 && this.play_.length) this.to(this.play_.slice(0, -1));
    if (by === 'first' && this.play_.length) this.to([]);
  }
  rows(): HTMLElement[] {
    return [...this.node.querySelectorAll<HTMLElement>('.figures tbody a')].filter(row => row.offsetParent);
  }
  override position(): Position {
    return this.pos;
  }
  leave(): void {
    this.finding.stop();
    this.report?.stop();
  }
}
