// In: the name of a player, perhaps of another one, and filters. Out: the report on the player, beside that on the other one.
import {
  type Address,
  go,
  here,
  narrowed,
  ofPlacedReport,
  PLACED,
  pageOf,
  url,
  withFilters,
  without,
  withParams,
} from './address';
import { type ApiError, get, has, Latest } from './api';
import { completed } from './combobox';
import { type Child, fill, h } from './dom';
import { filterBar } from './filters';
import { count, date } from './format';
import { type Suggestion, suggestions } from './names';
import { Panel } from './panel';
import { initial } from './position';
import {
  type Answer,
  BEYOND,
  type Column,
  facts,
  folded,
  GAMES,
  type Group,
  LAST,
  lineOf,
  outcomeBar,
  PERFORMANCE,
  paper,
  Report,
  SCORE,
  SHARE,
  scores,
  table,
  tree,
  years,
} from './report';
import { known, outcomes, type Row, range } from './rows';
import { failure, note, ofAll, type Page, type View } from './view';
import { decimal, games, rich, served, t } from './words';

const PATH = '/api/reports/player';

/** The parameter of a board that is seen by a side. */
const seenBy = (color: string) => new URLSearchParams(color === 'black' ? { orient: 'b' } : {});

const RESULTS: Column = { head: t`Won · drawn · lost`, cell: outcomeBar, class: 'bar' };

/** Parts of the report on one player; `list` is the address of games, `explore` that of the explorer. */
function groups(
  list: (of: number, more: Record<string, string>) => string,
  explore: (of: number, color: string, play: string) => string,
): Group[] {
  const figures = [GAMES, RESULTS, SCORE, BEYOND];
  const named = (head: string, cell: (row: Row) => Child): Column => ({ head, cell });
  const gameLink = (game: { id: string; day?: string } | null, text: Child) =>
    game && h('a', { href: withFilters(`/game/${game.id}`) }, text);
  const link = (of: number, text: string, more: Record<string, string>) => h('a', { href: list(of, more) }, text);
  const opening = (of: number, color: string): Column =>
    named(t`Opening`, row => [
      row.item === '?'
        ? t`without a name`
        : h(
            'a',
            {
              href: withFilters(pageOf('opening', row.item), withParams(seenBy(color), { player: name(of), color })),
              title: ofAll(pageOf('opening', row.item)),
            },
            row.item,
          ),
      ' ',
      h('span', { class: 'eco' }, row.detail.eco),
    ]);
  const colored = (row: Row) => (row.detail.color === 'w' ? 'white' : 'black');
  const name = (of: number) => new URL(list(of, {}), location.origin).searchParams.get('player')!;
  return [
    {
      title: t`Results`,
      sections: 'summary,color,year,speed',
      draw: (of, subject) => {
        const [all] = of('summary');
        if (!all?.games) return [];
        const d = all.detail;
        const rating = d.latest_rating?.rating;
        const least = Math.min(...of('year').flatMap(row => row.detail.rating ?? []));
        const best = Math.max(...of('year').map(row => row.detail.rating ?? 0));
        const busiest = Math.max(...of('year').map(row => row.games));
        return [
          facts(
            [t`Games`, h('a', { href: list(subject, {}) }, count(all.games))],
            ...scores(t`Score`, all, outcomes(all)),
            [t`Performance`, d.performance && t`${Math.round(d.performance)} against opponents of ${Math.round(d.opponents)}`],
            [t`Latest rating`, rating && [gameLink(d.latest_rating, rating), d.latest_rating.day && `, ${d.latest_rating.day}`]],
            [
              t`Highest rating`,
              d.peak_rating && [gameLink(d.peak_rating, d.peak_rating.rating), d.peak_rating.day && `, ${d.peak_rating.day}`],
            ],
            [t`First game`, d.first_game && gameLink(d.first_game, date(d.first_game.day))],
            [t`Last game`, d.last_game && gameLink(d.last_game, date(d.last_game.day))],
            [t`Titles`, d.titles?.join(', ')],
            [t`FIDE id`, d.fide_ids?.join(', ')],
            [t`Also written`, d.names?.filter((n: string) => !d.players.includes(n)).join('; ')],
          ),
          table(t`By colour`, of('color'), [
            named(t`Colour`, row =>
              link(subject, row.item === 'w' ? t`White` : t`Black`, { color: row.item === 'w' ? 'white' : 'black' }),
            ),
            ...figures,
            PERFORMANCE,
          ]),
          years(
            of('year'),
            outcomes,
            row => row.detail.rating,
            [
              t`Games by year, won, drawn and lost: at most ${count(busiest)} a year.`,
              ...(Number.isFinite(least) ? [t`The line is the mean rating, ${Math.round(least)} to ${Math.round(best)}.`] : []),
            ].join(' '),
          ),
          folded(
            t`Figures by year`,
            table(t`By year`, of('year'), [
              named(t`Year`, row =>
                row.item === 'unknown' ? served(row.item) : link(subject, row.item, { since: row.item, until: row.item }),
              ),
              ...figures,
              { head: t`Rating`, cell: row => (row.detail.rating ? Math.round(row.detail.rating) : ''), class: 'share' },
              PERFORMANCE,
            ]),
          ),
          table(t`By speed`, known(of('speed')), [
            named(t`Speed`, row => link(subject, served(row.item), { tc: row.item })),
            ...figures,
            PERFORMANCE,
          ]),
        ];
      },
    },
    {
      title: t`Opponents`,
      sections: 'opponent,opponent_rating,rating_difference',
      draw: (of, subject) => [
        table(t`Met most often`, of('opponent'), [
          named(t`Opponent`, row =>
            row.item === '?' ? row.item : h('a', { href: withFilters(pageOf('player', row.item)) }, row.item),
          ),
          {
            ...GAMES,
            cell: row =>
              row.item === '?'
                ? count(row.games)
                : h(
                    'a',
                    {
                      href: withFilters(pageOf('player', name(subject)), { with: row.item }),
                      title: t`${name(subject)} and ${row.item} side by side`,
                    },
                    count(row.games),
                  ),
          },
          RESULTS,
          SCORE,
          BEYOND,
          LAST,
        ]),
        table(t`By the opponent’s rating`, known(of('opponent_rating')), [named(t`Rating`, row => range(row.item)), ...figures]),
        table(t`By the difference of ratings`, known(of('rating_difference')), [
          named(t`Own rating minus opponent's`, row => range(row.item)),
          ...figures,
        ]),
      ],
    },
    {
      title: t`Openings`,
      sections: 'white_opening,black_opening,new_opening,given_up_opening',
      draw: (of, subject) => {
        const some = (caption: string, rows: Row[]) =>
          table(caption, rows, [
            named(t`Opening`, row => [
              row.detail.color === 'w'
                ? rich<Child>`${opening(subject, 'white').cell(row)} as White`
                : rich<Child>`${opening(subject, 'black').cell(row)} as Black`,
            ]),
            ...figures,
            LAST,
          ]);
        return [
          table(t`With White`, of('white_opening'), [opening(subject, 'white'), GAMES, SHARE, RESULTS, SCORE, BEYOND, LAST]),
          table(t`With Black`, of('black_opening'), [opening(subject, 'black'), GAMES, SHARE, RESULTS, SCORE, BEYOND, LAST]),
          some(t`New in the last two years`, of('new_opening')),
          some(t`Given up for two years`, of('given_up_opening')),
        ];
      },
    },
    {
      title: t`Lines`,
      sections: 'white_line,black_line,best_line,worst_line',
      draw: (of, subject) => {
        const columns = [GAMES, SHARE, SCORE, BEYOND, LAST];
        const explored = (subject: number, row: Row) => {
          const { play, text } = lineOf(initial(), row.item);
          return h('a', { href: explore(subject, colored(row), play) }, text);
        };
        const extreme = (caption: string, rows: Row[]) =>
          table(caption, rows.slice(0, 8), [
            {
              ...named(t`Line`, row =>
                row.detail.color === 'w'
                  ? rich<Child>`White: ${explored(subject, row)}`
                  : rich<Child>`Black: ${explored(subject, row)}`,
              ),
              class: 'line-name',
            },
            GAMES,
            RESULTS,
            SCORE,
            {
              head: t`Points`,
              title: t`Points above what the ratings promise, or above the own average`,
              cell: row => decimal(row.detail.surplus, 1).replace('-', '−'),
            },
          ]);
        return [
          ...(['white', 'black'] as const)
            .map(color =>
              tree(
                color === 'white' ? t`With White` : t`With Black`,
                of(`${color}_line`),
                initial(),
                play => explore(subject, color, play),
                outcomeBar,
                columns,
              ),
            )
            .filter((_, i) => of(i ? 'black_line' : 'white_line').length),
          extreme(t`Best lines`, of('best_line')),
          extreme(t`Worst lines`, of('worst_line')),
        ];
      },
    },
    {
      title: t`How the games end`,
      sections: 'length,ending,endgame',
      draw: of => [
        table(t`Length in moves`, of('length'), [
          named(t`Result`, row => served(row.item)),
          GAMES,
          { head: t`Mean`, cell: row => Math.round(row.detail.moves) },
          { head: t`Median`, cell: row => row.detail.median },
          { head: t`Shortest`, cell: row => row.detail.shortest },
          { head: t`Longest`, cell: row => row.detail.longest },
        ]),
        table(t`Ended by`, of('ending'), [named(t`Ending`, row => served(row.item)), ...figures]),
        table(t`Endgames`, of('endgame'), [
          named(t`Endgame`, row => ({ ahead: t`two points ahead`, behind: t`two points behind` })[row.item] ?? served(row.item)),
          ...figures,
        ]),
      ],
    },
    {
      title: t`Mistakes and time`,
      sections: 'phase,clock',
      draw: of => {
        const part = (n: number, of: number) => (of ? decimal((100 * n) / of, 1) : '');
        const slips: Column[] = [
          { head: t`Moves`, cell: row => count(row.detail.moves) },
          { head: t`Accuracy`, cell: row => (row.detail.accuracy ? decimal(row.detail.accuracy, 1) : '') },
          {
            head: t`Inaccuracies`,
            title: t`Percent of the moves`,
            cell: row => part(row.detail.inaccuracies, row.detail.judged),
            class: 'share',
          },
          { head: t`Mistakes`, title: t`Percent of the moves`, cell: row => part(row.detail.mistakes, row.detail.judged) },
          { head: t`Blunders`, title: t`Percent of the moves`, cell: row => part(row.detail.blunders, row.detail.judged) },
        ];
        return [
          table(t`By phase of the game`, of('phase'), [named(t`Phase`, row => served(row.item)), ...slips]),
          table(t`By the time left`, of('clock'), [named(t`Seconds`, row => range(row.item)), ...slips]),
        ];
      },
    },
  ];
}

export class PlayerView extends Panel implements View {
  private finding = new Latest();
  private report: Report | undefined;

  constructor(page: Page) {
    super(page, 'player-view');
  }

  update(at: Address): void {
    this.page.strip();
    this.page.board.show({ pos: initial() });
    const names = [at.path[1] ?? '', at.params.get('with') ?? ''].filter(Boolean);
    this.page.title(names.length > 1 ? t`${names[0]} and ${names[1]}` : (names[0] ?? ''));
    const filters = without(ofPlacedReport(at.params), ['player', 'color']);
    if (!this.isNew(`${names.join('\n')}\n${filters}`, t`Player`)) return;
    this.drawHead(names, filters);
    if (!names[0]) {
      fill(this.body, note(h('p', null, t`Type a name, in any spelling.`)));
      return;
    }
    const list = (of: number, more: Record<string, string>) => url('/games', narrowed(filters, { player: names[of], ...more }));
    const explore = (of: number, color: string, play: string) =>
      url(
        '/',
        new URLSearchParams([...withParams(without(filters, PLACED), { player: names[of], color, play }), ...seenBy(color)]),
      );
    const report = new Report(
      groups(list, explore),
      names.map(name => ({
        path: PATH,
        params: withParams(filters, { player: name }),
        name: names.length > 1 ? name : undefined,
      })),
      (answer, subject, group) => {
        const [all] = answer.rows.filter(row => row.section === 'summary');
        if (group || !all || all.games) return;
        // nothing else is known either
        report.stop();
        this.nobody(names, subject, !!all.detail.players);
      },
    );
    this.report = report;
    const between = h('div');
    fill(this.body, between, report.node);
    if (names.length > 1) void this.between(between, names, filters);
    report.run();
  }

  private drawHead(names: string[], filters: URLSearchParams): void {
    const to = (name: string, other: string | null) => go(pageOf('player', name, withParams(filters, { with: other })));
    const ask = (id: string, label: string, done: (name: string) => void, placeholder: string) => {
      const field = completed(id, label, '', 'players', placeholder);
      const submit = (event: Event) => {
        event.preventDefault();
        const { value } = field.querySelector('input')!;
        if (value.trim()) done(value.trim());
      };
      return h('form', { class: 'ask', on: { submit } }, field);
    };
    fill(
      this.head,
      h(
        'h1',
        null,
        names.length > 1
          ? rich<Child>`${h('a', { href: pageOf('player', names[0], filters) }, names[0])} and ${h('a', { href: pageOf('player', names[1], filters) }, names[1])}`
          : (names[0] ?? t`Player`),
      ),
      filterBar(),
      h(
        'div',
        { class: 'actions' },
        names.length === 2
          ? null
          : ask(
              'compare',
              names.length ? t`Compare with` : t`Name|person`,
              name => (names.length ? to(names[0], name) : to(name, null)),
              t`Any spelling`,
            ),
        names.length
          ? h('a', { class: 'button', href: url('/games', withParams(filters, { player: names.join('|') })) }, t`Games`)
          : null,
        names.length === 1
          ? h('a', { class: 'button', href: url('/endings', withParams(filters, { player: names[0] })) }, t`Endings`)
          : null,
        names.length === 1 && has('puzzles')
          ? h('a', { class: 'button', href: url('/puzzles', new URLSearchParams({ player: names[0] })) }, t`Puzzles`)
          : null,
        ...paper(() => this.node),
      ),
    );
  }

  /** Offers other spellings, and goes to the only one. */
  private nobody(names: string[], subject: number, known: boolean): void {
    const asked = names[subject];
    void this.finding.run(
      () => suggestions('players', asked),
      ({ found }) =>
        this.offer(
          names,
          subject,
          known,
          found.filter(({ name }) => name !== asked),
        ),
      () => this.offer(names, subject, known, []),
    );
  }

  private offer(names: string[], subject: number, known: boolean, found: Suggestion[]): void {
    const asked = names[subject];
    const { params } = here();
    const to = (name: string) =>
      subject ? pageOf('player', names[0], withParams(params, { with: name })) : pageOf('player', name, params);
    if (!known && found.length === 1) {
      go(to(found[0].name), true);
      return;
    }
    fill(
      this.body,
      note(
        h('h2', null, known ? t`No games of ${asked} pass the filters` : t`No player is called ${asked}`),
        known ? h('p', null, t`Remove a filter.`) : null,
        !known && found.length
          ? h(
              'ul',
              null,
              ...found.map(({ name, games: n }) => h('li', null, h('a', { href: to(name) }, name), n ? ` ${games(n)}` : '')),
            )
          : null,
      ),
    );
  }

  /** What the two have played against each other. */
  private async between(place: HTMLElement, [one, other]: string[], filters: URLSearchParams): Promise<void> {
    const asked = this.asked;
    const question = Promise.all(
      ['white', 'black'].map(async color => {
        const params = withParams(filters, {
          player: one,
          color,
          [color === 'white' ? 'black' : 'white']: other,
          sections: 'summary',
        });
        return (await get<Answer>(url(PATH, params))).rows[0];
      }),
    );
    const head = h('h2', null, t`Against each other`);
    const rows = await question.catch((error: ApiError) => {
      if (asked === this.asked)
        fill(
          place,
          head,
          failure(error, () => void this.between(place, [one, other], filters)),
        );
    });
    if (asked !== this.asked || !rows) return;
    const met = rows.filter(row => row?.games);
    fill(
      place,
      head,
      met.length
        ? table(t`Results of ${one}`, met, [
            {
              head: t`Colour`,
              cell: row => {
                const [white, black] = row === rows[0] ? [one, other] : [other, one];
                return h(
                  'a',
                  { href: url('/games', withParams(filters, { white, black })) },
                  row === rows[0] ? t`White` : t`Black`,
                );
              },
            },
            GAMES,
            RESULTS,
            SCORE,
            BEYOND,
            LAST,
          ])
        : h('p', { class: 'says' }, t`They have not met.`),
    );
  }

  rows(): HTMLElement[] {
    return [...this.node.querySelectorAll<HTMLElement>('tbody a')].filter(row => row.offsetParent);
  }
  leave(): void {
    this.finding.stop();
    this.report?.stop();
  }
}
