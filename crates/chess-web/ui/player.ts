// In: the name of a player, perhaps of another one, and filters. Out: the report on the player, beside that on the other one.
import { type Address, go, here, ofReport, pageOf, url, withFilters, without, withParams } from './address';
import { get, has } from './api';
import { completed } from './combobox';
import { type Child, fill, h } from './dom';
import { filterBar, redrawFilters } from './filters';
import { count, date } from './format';
import { suggestions } from './names';
import { initial, type Position } from './position';
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
import { games, known, outcomes, type Row, range } from './rows';
import { emptyDatabase, note, type Page, type View } from './view';

const PATH = '/api/reports/player';

/** The parameter of a board that is seen by a side. */
const seenBy = (color: string) => new URLSearchParams(color === 'black' ? { orient: 'b' } : {});

const RESULTS: Column = { head: 'Won · drawn · lost', cell: outcomeBar, class: 'bar' };

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
    named('Opening', row => [
      row.item === '?'
        ? 'without a name'
        : h(
            'a',
            { href: withFilters(pageOf('opening', row.item), withParams(seenBy(color), { player: name(of), color })) },
            row.item,
          ),
      ' ',
      h('span', { class: 'eco' }, row.detail.eco),
    ]);
  const colored = (row: Row) => (row.detail.color === 'w' ? 'white' : 'black');
  const name = (of: number) => new URL(list(of, {}), location.origin).searchParams.get('player')!;
  return [
    {
      title: 'Results',
      sections: 'summary,color,year,speed',
      draw: (of, subject) => {
        const [all] = of('summary');
        if (!all?.games) return [];
        const d = all.detail;
        const rating = d.latest_rating?.rating;
        const least = Math.min(...of('year').flatMap(row => row.detail.rating ?? []));
        const busiest = Math.max(...of('year').map(row => row.games));
        return [
          facts(
            ['Games', h('a', { href: list(subject, {}) }, count(all.games))],
            ...scores('Score', all, outcomes(all)),
            ['Performance', d.performance && `${Math.round(d.performance)} against opponents of ${Math.round(d.opponents)}`],
            ['Latest rating', rating && [gameLink(d.latest_rating, rating), d.latest_rating.day && `, ${d.latest_rating.day}`]],
            [
              'Highest rating',
              d.peak_rating && [gameLink(d.peak_rating, d.peak_rating.rating), d.peak_rating.day && `, ${d.peak_rating.day}`],
            ],
            ['First game', d.first_game && gameLink(d.first_game, date(d.first_game.day))],
            ['Last game', d.last_game && gameLink(d.last_game, date(d.last_game.day))],
            ['Titles', d.titles?.join(', ')],
            ['FIDE id', d.fide_ids?.join(', ')],
            ['Also written', d.names?.filter((n: string) => !d.players.includes(n)).join('; ')],
          ),
          table('By colour', of('color'), [
            named('Colour', row =>
              link(subject, row.item === 'w' ? 'White' : 'Black', { color: row.item === 'w' ? 'white' : 'black' }),
            ),
            ...figures,
            PERFORMANCE,
          ]),
          years(
            of('year'),
            outcomes,
            row => row.detail.rating,
            `Games by year, won, drawn and lost: at most ${count(busiest)} a year.${
              Number.isFinite(least)
                ? ` The line is the mean rating, ${Math.round(least)} to ${Math.round(Math.max(...of('year').map(row => row.detail.rating ?? 0)))}.`
                : ''
            }`,
          ),
          folded(
            'Figures by year',
            table('By year', of('year'), [
              named('Year', row =>
                row.item === 'unknown' ? row.item : link(subject, row.item, { since: row.item, until: row.item }),
              ),
              ...figures,
              { head: 'Rating', cell: row => (row.detail.rating ? Math.round(row.detail.rating) : ''), class: 'share' },
              PERFORMANCE,
            ]),
          ),
          table('By speed', known(of('speed')), [
            named('Speed', row => link(subject, row.item, { tc: row.item })),
            ...figures,
            PERFORMANCE,
          ]),
        ];
      },
    },
    {
      title: 'Opponents',
      sections: 'opponent,opponent_rating,rating_difference',
      draw: (of, subject) => [
        table('Met most often', of('opponent'), [
          named('Opponent', row =>
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
                      title: `${name(subject)} and ${row.item} side by side`,
                    },
                    count(row.games),
                  ),
          },
          RESULTS,
          SCORE,
          BEYOND,
          LAST,
        ]),
        table('By the opponent’s rating', known(of('opponent_rating')), [named('Rating', row => range(row.item)), ...figures]),
        table('By the difference of ratings', known(of('rating_difference')), [
          named('Own less other', row => range(row.item)),
          ...figures,
        ]),
      ],
    },
    {
      title: 'Openings',
      sections: 'white_opening,black_opening,new_opening,given_up_opening',
      draw: (of, subject) => {
        const some = (caption: string, rows: Row[]) =>
          table(caption, rows, [
            named('Opening', row => [
              opening(subject, colored(row)).cell(row),
              ` as ${row.detail.color === 'w' ? 'White' : 'Black'}`,
            ]),
            ...figures,
            LAST,
          ]);
        return [
          table('With White', of('white_opening'), [opening(subject, 'white'), GAMES, SHARE, RESULTS, SCORE, BEYOND, LAST]),
          table('With Black', of('black_opening'), [opening(subject, 'black'), GAMES, SHARE, RESULTS, SCORE, BEYOND, LAST]),
          some('New in the last two years', of('new_opening')),
          some('Given up for two years', of('given_up_opening')),
        ];
      },
    },
    {
      title: 'Lines',
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
              ...named('Line', row => [row.detail.color === 'w' ? 'White: ' : 'Black: ', explored(subject, row)]),
              class: 'line-name',
            },
            GAMES,
            RESULTS,
            SCORE,
            {
              head: 'Points',
              title: 'Points above what the ratings promise, or above the own average',
              cell: row => row.detail.surplus.toFixed(1).replace('-', '−'),
            },
          ]);
        return [
          ...(['white', 'black'] as const)
            .map(color =>
              tree(
                `With ${color === 'white' ? 'White' : 'Black'}`,
                of(`${color}_line`),
                initial(),
                play => explore(subject, color, play),
                outcomeBar,
                columns,
              ),
            )
            .filter((_, i) => of(i ? 'black_line' : 'white_line').length),
          extreme('Best lines', of('best_line')),
          extreme('Worst lines', of('worst_line')),
        ];
      },
    },
    {
      title: 'How the games end',
      sections: 'length,ending,endgame',
      draw: of => [
        table('Length in moves', of('length'), [
          named('Result', row => row.item),
          GAMES,
          { head: 'Mean', cell: row => Math.round(row.detail.moves) },
          { head: 'Median', cell: row => row.detail.median },
          { head: 'Shortest', cell: row => row.detail.shortest },
          { head: 'Longest', cell: row => row.detail.longest },
        ]),
        table('Ended by', of('ending'), [named('Ending', row => row.item), ...figures]),
        table('Endgames', of('endgame'), [
          named(
            'Endgame',
            row => ({ reached: 'reached', ahead: 'two points ahead', behind: 'two points behind' })[row.item] ?? row.item,
          ),
          ...figures,
        ]),
      ],
    },
    {
      title: 'Mistakes and time',
      sections: 'phase,clock',
      draw: of => {
        const part = (n: number, of: number) => (of ? ((100 * n) / of).toFixed(1) : '');
        const slips: Column[] = [
          { head: 'Moves', cell: row => count(row.detail.moves) },
          { head: 'Accuracy', cell: row => row.detail.accuracy?.toFixed(1) ?? '' },
          {
            head: 'Inaccuracies',
            title: 'Percent of the moves',
            cell: row => part(row.detail.inaccuracies, row.detail.judged),
            class: 'share',
          },
          { head: 'Mistakes', title: 'Percent of the moves', cell: row => part(row.detail.mistakes, row.detail.judged) },
          { head: 'Blunders', title: 'Percent of the moves', cell: row => part(row.detail.blunders, row.detail.judged) },
        ];
        return [
          table('By phase of the game', of('phase'), [named('Phase', row => row.item), ...slips]),
          table('By the time left', of('clock'), [named('Seconds', row => range(row.item)), ...slips]),
        ];
      },
    },
  ];
}

export class PlayerView implements View {
  private head = h('div', { class: 'panel-head' });
  private body = h('div');
  readonly node = h('div', { class: 'view player-view' }, this.head, this.body);
  private report: Report | undefined;
  private asked = '';

  constructor(private page: Page) {}

  update(at: Address): void {
    this.page.strip();
    this.page.board.show({ pos: initial() });
    const names = [at.path[1] ?? '', at.params.get('with') ?? ''].filter(Boolean);
    this.page.title(names.join(' and '));
    const filters = without(ofReport(at.params), ['player', 'color']);
    const asked = `${names.join('\n')}\n${filters}`;
    if (this.page.status && !this.page.status.games) {
      this.report?.stop();
      this.asked = '';
      fill(this.head, h('h1', null, 'Player'));
      fill(this.body, emptyDatabase(this.page.status));
      return;
    }
    if (asked === this.asked) {
      redrawFilters(this.head);
      return;
    }
    this.asked = asked;
    this.report?.stop();
    this.drawHead(names, filters);
    if (!names[0]) {
      fill(this.body, note(h('p', null, 'Type a name, in any spelling.')));
      return;
    }
    const list = (of: number, more: Record<string, string>) => url('/games', withParams(filters, { player: names[of], ...more }));
    const explore = (of: number, color: string, play: string) =>
      url('/', new URLSearchParams([...withParams(filters, { player: names[of], color, play }), ...seenBy(color)]));
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
        void this.nobody(names, subject, !!all.detail.players);
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
        names.length
          ? names.flatMap((name, i) => [
              i ? ' and ' : null,
              names.length > 1 ? h('a', { href: pageOf('player', name, filters) }, name) : name,
            ])
          : 'Player',
      ),
      filterBar(),
      h(
        'div',
        { class: 'actions' },
        names.length === 2
          ? null
          : ask(
              'compare',
              names.length ? 'Compare with' : 'Name',
              name => (names.length ? to(names[0], name) : to(name, null)),
              'Any spelling',
            ),
        names.length
          ? h('a', { class: 'button', href: url('/games', withParams(filters, { player: names.join('|') })) }, 'Games')
          : null,
        names.length === 1
          ? h('a', { class: 'button', href: url('/endings', withParams(filters, { player: names[0] })) }, 'Endings')
          : null,
        names.length === 1 && has('puzzles')
          ? h('a', { class: 'button', href: url('/puzzles', new URLSearchParams({ player: names[0] })) }, 'Puzzles')
          : null,
        ...paper(() => this.node),
      ),
    );
  }

  /** Offers other spellings, and goes to the only one. */
  private async nobody(names: string[], subject: number, known: boolean): Promise<void> {
    const asked = names[subject];
    const found = (await suggestions('players', asked).catch(() => ({ found: [] }))).found.filter(({ name }) => name !== asked);
    if (names.join('\n') !== this.asked.split('\n').slice(0, names.length).join('\n')) return;
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
        h('h2', null, known ? `No games of ${asked} pass the filters` : `No player is called ${asked}`),
        known ? h('p', null, 'Remove a filter.') : null,
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
    const rows = await Promise.all(
      ['white', 'black'].map(async color => {
        const params = withParams(filters, {
          player: one,
          color,
          [color === 'white' ? 'black' : 'white']: other,
          sections: 'summary',
        });
        return (await get<Answer>(url(PATH, params))).rows[0];
      }),
    ).catch(() => []);
    const met = rows.filter(row => row?.games);
    if (asked !== this.asked || !rows.length) return;
    fill(
      place,
      h('h2', null, 'Against each other'),
      met.length
        ? table(`Results of ${one}`, met, [
            {
              head: 'Colour',
              cell: row => {
                const [white, black] = row === rows[0] ? [one, other] : [other, one];
                return h(
                  'a',
                  { href: url('/games', withParams(filters, { white, black })) },
                  row === rows[0] ? 'White' : 'Black',
                );
              },
            },
            GAMES,
            RESULTS,
            SCORE,
            BEYOND,
            LAST,
          ])
        : h('p', { class: 'says' }, 'They have not met.'),
    );
  }

  step(): void {}
  rows(): HTMLElement[] {
    return [...this.node.querySelectorAll<HTMLElement>('tbody a')].filter(row => row.offsetParent);
  }
  position(): Position {
    return initial();
  }
  leave(): void {
    this.report?.stop();
  }
}
