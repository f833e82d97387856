// In: the name of an event, perhaps one of its games. Out: the table of the tournament with all its games; where the event was held
// several times, the tournaments.
import { type Address, go, here, only, outer, pageOf, url, withFilters, withParams } from './address';
import { get, Latest } from './api';
import { completed } from './combobox';
import { button, type Child, fill, h } from './dom';
import { filterBar } from './filters';
import { count, date, result } from './format';
import { LATE } from './games';
import { Panel } from './panel';
import { initial } from './position';
import { paper } from './report';
import { rounds, type Seat, takeSeat } from './rounds';
import { failure, note, type Page, sqlLink, type View, waiting } from './view';
import { decimal, games, plural, served, t } from './words';

interface Tournament {
  event: string;
  site: string | null;
  section: string | null;
  first: string | null;
  last: string | null;
  players: number;
  games: number;
  game: string;
}
interface Line {
  rank: number;
  name: string | null;
  rating: number | null;
  points: number;
  played: number;
  sonnebornBerger: number | null;
  buchholz: number | null;
  performance: number | null;
  results: string[];
  games: Seat[];
}
interface Crosstable {
  tournament: Tournament;
  kind: string | null;
  players: Line[];
  sql: string;
}

const KINDS: [string, string][] = [
  ['', t`Kind: as it looks`],
  ['all-play-all', t`All-play-all`],
  ['swiss', t`Swiss`],
  ['knockout', t`Knockout`],
  ['match', t`Match`],
  ['simultaneous', t`Simultaneous`],
];
/** Games that are listed at first. */
const FEW = 200;

const half = (n: number): string => (n % 1 ? `${n > 0.5 ? Math.floor(n) : ''}½` : String(n));
const who = (name: string | null): Child =>
  name && name !== '?' ? h('a', { href: withFilters(pageOf('player', name)) }, name) : '?';
const days = ({ first, last }: Tournament): string =>
  !first
    ? ''
    : !last || first === last
      ? first
      : first.endsWith('-01-01') && last === `${first.slice(0, 4)}-12-31`
        ? first.slice(0, 4)
        : t`${first} to ${last}`;

export class TournamentView extends Panel implements View {
  private latest = new Latest();

  constructor(page: Page) {
    super(page, 'tournament-view');
  }

  update(at: Address): void {
    this.page.strip();
    this.page.board.show({ pos: initial() });
    const event = at.path[1] ?? '';
    const [game, kind] = [at.params.get('game'), at.params.get('kind')];
    const question = withParams(only(at.params, ['source']), { event, game, kind: game && kind });
    this.page.title(event || t`Tournaments`);
    if (!this.isNew(question.toString(), t`Tournaments`)) return;
    fill(this.head, h('h1', null, event || t`Tournaments`), event ? filterBar() : this.search());
    fill(this.body);
    if (game) this.askTable(event, question);
    else if (event) this.askList(event, question);
  }

  private search(): HTMLElement {
    const field = completed('tournament', t`Name of the event`, '', 'events');
    const submit = (submitted: Event) => {
      submitted.preventDefault();
      const name = field.querySelector('input')!.value.trim();
      if (name) go(pageOf('tournament', name));
    };
    return h('form', { class: 'ask', on: { submit } }, field);
  }

  private ask<T>(path: string, params: URLSearchParams, done: (answer: T) => void): void {
    const again = () => this.ask(path, params, done);
    const late = setTimeout(() => waiting(this.body, () => this.latest.stop(), again), LATE);
    void this.latest
      .run(
        signal => get<T>(url(path, params), signal),
        done,
        error => fill(this.body, failure(error, again)),
      )
      .finally(() => clearTimeout(late));
  }

  private askList(event: string, params: URLSearchParams): void {
    this.ask<{ tournaments: Tournament[]; sql: string }>('/api/tournaments', params, ({ tournaments, sql }) => {
      const at = ({ game }: Tournament) => withFilters(pageOf('tournament', event), { game });
      if (tournaments.length === 1) {
        go(at(tournaments[0]), true);
        return;
      }
      const all = h('a', { href: url('/games', withParams(only(params, ['source']), { event })) }, t`Games of this event`);
      const place = (of: Tournament) => h('a', { href: at(of) }, [of.section, of.site].filter(Boolean).join(' · ') || event);
      const table = figures(
        t`Tournaments`,
        [t`Place`, t`Days`, t`Players`, t`Games`],
        tournaments.map(of => [place(of), days(of), count(of.players), count(of.games)]),
      );
      fill(
        this.body,
        tournaments.length ? table : note(h('p', null, t`No games of an event of this name belong to a tournament.`)),
        h('p', { class: 'foot' }, all, sqlLink(sql)),
      );
    });
  }

  private askTable(event: string, params: URLSearchParams): void {
    this.ask<Crosstable>('/api/crosstable', params, answer => {
      const { tournament: of, kind, players } = answer;
      const select = h(
        'select',
        {
          'aria-label': t`Kind of tournament`,
          on: { change: () => go(url(here().pathname, withParams(here().params, { kind: select.value }))) },
        },
        ...KINDS.map(([value, text]) => h('option', { value, selected: value === (here().params.get('kind') ?? '') }, text)),
      );
      const list = withParams(only(params, ['source']), { event, site: of.site, since: of.first, until: of.last });
      fill(
        this.head,
        h('h1', null, of.event),
        h(
          'p',
          { class: 'facts says' },
          [of.section, of.site, days(of), plural(of.players, '{0} player', '{0} players'), games(of.games), kind && served(kind)]
            .filter(Boolean)
            .join(' · '),
        ),
        filterBar(),
        h(
          'div',
          { class: 'actions' },
          select,
          h('a', { class: 'button', href: url('/games', list) }, t`As a list`),
          h(
            'a',
            { class: 'button', href: withFilters(pageOf('tournament', of.event)), title: t`Other years and places` },
            t`Other times`,
          ),
          ...paper(() => this.node),
          sqlLink(answer.sql),
        ),
      );
      fill(
        this.body,
        h('section', { 'aria-label': t`Table` }, crosstable(players, kind ?? '')),
        h('section', { 'aria-label': t`Games` }, h('h2', null, t`Games`), gamesOf(players)),
      );
    });
  }

  rows(): HTMLElement[] {
    return [...this.node.querySelectorAll<HTMLElement>(`tbody :is(th, td:first-child) a, .names a[href^="${outer('/game/')}"]`)];
  }
  leave(): void {
    this.latest.stop();
  }
}

const figures = (caption: string, heads: string[], rows: Child[][]): HTMLElement =>
  h(
    'table',
    { class: 'figures names' },
    h('caption', { class: 'unseen' }, caption),
    h('thead', null, h('tr', null, ...heads.map(text => h('th', { scope: 'col' }, text)))),
    h('tbody', null, ...rows.map(row => h('tr', null, ...row.map(cell => h('td', null, cell))))),
  );

/** The table as its kind is read: lines against lines, or against rounds; each sign leads to its game. */
function crosstable(players: Line[], kind: string): HTMLElement {
  const square = kind === 'all-play-all';
  const tie = (pick: (line: Line) => number | null) => players.some(line => pick(line) !== null);
  const ties: [string, string, (line: Line) => number | null][] = [
    [t`Buch`, t`Buchholz`, line => line.buchholz],
    [t`S-B`, t`Sonneborn–Berger`, line => line.sonnebornBerger],
    [t`Perf`, t`Performance rating`, line => line.performance],
  ];
  const shown = ties.filter(([, , pick]) => tie(pick));
  const columns = Math.max(...players.map(line => line.results.length));
  const heads = (kind === 'swiss' && rounds(players)) || Array.from({ length: columns }, (_, at) => at + 1);
  const cell = (line: Line, at: number): Child[] => {
    const text = line.results[at] ?? '';
    if (square) return text === 'x' ? [h('i', { class: 'self' })] : signs(line, text, at + 1);
    // 12w½ of a round, or 7:½½1 of a match
    return text.split(' ').flatMap((part, i) => {
      const [, place, color, results] = /^(\d*)([wb]?):?(.*)$/.exec(part)!;
      const other = players[Number(place) - 1];
      return [
        i ? ' ' : null,
        h(
          'span',
          { title: other?.name },
          ...signs(line, results, Number(place) || null, color),
          place ? h('small', null, `${color}${place}`) : null,
        ),
      ];
    });
  };
  return h(
    'div',
    { class: 'scroll-x', tabindex: '0', role: 'region', 'aria-label': t`Crosstable` },
    h(
      'table',
      { class: `figures crosstable${square ? ' square' : ''}` },
      h('caption', { class: 'unseen' }, t`Crosstable`),
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          h('th', { scope: 'col' }, '#'),
          h('th', { scope: 'col', class: 'left' }, t`Player`),
          h('th', { scope: 'col', class: 'share' }, t`Rating`),
          h('th', { scope: 'col' }, t`Points`),
          ...heads.map(text => h('th', { scope: 'col', class: 'cell' }, text)),
          ...shown.map(([short, long]) => h('th', { scope: 'col', title: long }, short)),
        ),
      ),
      h(
        'tbody',
        null,
        ...players.map((line, at) => {
          const left = [...line.games];
          return h(
            'tr',
            null,
            h(
              'td',
              { title: t`Rank ${line.rank}` },
              at && players[at - 1].rank === line.rank ? h('span', { class: 'quiet' }, at + 1) : at + 1,
            ),
            h('th', { scope: 'row' }, who(line.name)),
            h('td', { class: 'share' }, line.rating ?? ''),
            h('td', null, h('b', null, half(line.points)), h('span', { class: 'quiet' }, `/${line.played}`)),
            ...heads.map((_, i) => h('td', { class: 'cell' }, ...cell({ ...line, games: left }, i))),
            ...shown.map(([, , pick]) =>
              h('td', null, pick(line) === null ? '' : pick(line)! % 1 ? decimal(pick(line)!, 2) : String(pick(line))),
            ),
          );
        }),
      ),
    ),
  );
}

/** Signs of games against a line, each a link to its game, which is taken from those of the line. */
function signs(line: Line, text: string, place: number | null, color = ''): Child[] {
  return [...text].map(sign => {
    const seat = takeSeat(line.games, place, color);
    return seat ? h('a', { href: withFilters(`/game/${seat.game}`) }, sign) : sign;
  });
}

/** All games by rounds. */
function gamesOf(players: Line[]): HTMLElement {
  const all = players.flatMap((line, at) =>
    line.games
      // of the two seats of a game one is enough
      .filter(seat => seat.color === 'w' || seat.place === null)
      .map(seat => {
        const two = [at + 1, seat.place];
        return { seat, names: seat.color === 'w' ? two : two.reverse() };
      }),
  );
  const order = new Intl.Collator('en', { numeric: true });
  const key = ({ seat }: { seat: Seat }) => `${seat.round ?? ''} ${seat.date ?? ''}`;
  all.sort((a, b) => order.compare(key(a), key(b)));
  const name = (place: number | null) => (place ? who(players[place - 1].name) : '–');
  const rounds = all.some(({ seat }) => seat.round && seat.round !== '?');
  const place = h('div');
  const show = (listed: typeof all) =>
    fill(
      place,
      figures(
        t`Games`,
        [...(rounds ? [t`Round`] : []), t`White`, t`Result`, t`Black`, t`Date`],
        listed.map(({ seat, names: [white, black] }) => [
          ...(rounds ? [seat.round === '?' ? '' : seat.round] : []),
          name(white),
          h('a', { href: withFilters(`/game/${seat.game}`) }, result(score(seat))),
          name(black),
          date(seat.date),
        ]),
      ),
      listed.length < all.length ? button(t`All ${games(all.length)}`, () => show(all)) : null,
    );
  show(all.slice(0, FEW));
  return place;
}

const score = ({ score, color }: Seat): string =>
  score === null ? '*' : score === 0.5 ? '1/2-1/2' : (score === 1) === (color === 'w') ? '1-0' : '0-1';
