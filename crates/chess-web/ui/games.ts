// In: games as the server lists them. Out: tables of them, page after page, and the view "Games".

import { parseBoardFen } from 'chessops/fen';
import {
  type Address,
  CONTENTS,
  CRITERIA,
  FILTERS,
  go,
  here,
  inner,
  only,
  ownName,
  url,
  withFilters,
  without,
  withParams,
} from './address';
import { fresh, type Game, type Games, get, known, Latest, type WholeGame } from './api';
import { diagram } from './diagram';
import { button, type Child, fill, h, openDialog, say } from './dom';
import { filterBar } from './filters';
import { count, date, meanRating, result, resultWords } from './format';
import { epd, initial, legal, type Position, readFen } from './position';
import { ofWindow } from './storage';
import { treeOf } from './tree';
import { emptyDatabase, failure, note, type Page, sqlLink, toReport, type View, waiting } from './view';
import { games as inWords, plural, t } from './words';

const named = (player: Game['white']): boolean => !!player.name && player.name !== '?';
/** A link beside that of the row. The keyboard goes from row to row; the page of the game has the same links. */
const beside = (kind: 'player' | 'tournament', name: string, params?: URLSearchParams): Child =>
  h('a', { class: 'beside', ...toReport(kind, name, null, params), tabindex: '-1' }, name);
const name = (player: Game['white']): Child =>
  h(
    'span',
    { class: 'who' },
    h('span', { class: 'name' }, named(player) ? beside('player', player.name!) : '?'),
    player.rating ? h('span', { class: 'elo' }, String(player.rating)) : null,
  );

/** The classes and heads of the columns, and what the list is sorted by where it can be, in the server's name for that. */
const COLUMNS: [string, string, string?][] = [
  ['white', t`White`],
  ['result', t`Result|column`],
  ['black', t`Black`],
  ['rating', t`Rating|column`, t`Highest rated first; the mean of both players`],
  ['date', t`Date`, t`Newest first`],
  ['eco', 'ECO'],
  ['event', t`Event`],
  ['plies', t`Moves|column`, t`Longest first`],
];
/** A column before those, for a list of the positions that are nearest to one. */
const NEAREST: [string, string] = ['differs', t`Differs`];

/** The list that the visitor came from: its address, those of its games, and the question for the next ones. */
export interface Origin {
  back: string;
  games: string[];
  more?: string;
}
const LIST = ownName('list');
export function origin(): Origin | undefined {
  return JSON.parse(ofWindow.get(LIST) ?? 'null') ?? undefined;
}
const keepOrigin = (list: Origin): void => ofWindow.set(LIST, JSON.stringify(list));

/** Adds the next page of games to the list that the visitor came from. */
export async function moreOf(list: Origin, signal: AbortSignal): Promise<Origin> {
  const [path, query] = list.more!.split('?');
  const question = new URLSearchParams(query);
  const { games, next } = await get<Games>(list.more!, signal);
  const links = games.map(game => linkTo(game, only(question, OF_GAME)));
  const more = next ? url(path, withParams(question, { after: next })) : undefined;
  const longer = { ...list, games: [...list.games, ...links], more };
  keepOrigin(longer);
  return longer;
}

/** What a game's address takes from that of a list: what is marked in it, and the filters for the way on. */
const OF_GAME = [...FILTERS, ...CRITERIA];

/** The address of a game, at the half-move that matches. */
const linkTo = (game: Game, query: URLSearchParams): string =>
  url(`/game/${encodeURIComponent(game.id)}`, query, game.ply ? String(game.ply) : '');

/** The address of the list of the positions that are nearest to one, of the games that pass the filters. */
export const near = (fen: string, params = new URLSearchParams()): string =>
  url('/games', withParams(only(params, [...FILTERS, ...CONTENTS]), { near: epd(fen) }));

/** A table of games. Each row links to the game, at the half-move that matches. */
export function gameTable(
  games: Game[],
  label: string,
  query: URLSearchParams,
  rows: HTMLElement = h('tbody'),
  sorted?: string | null,
  near?: Position,
): HTMLElement {
  const columns = near ? [NEAREST, ...COLUMNS] : COLUMNS;
  addGames(rows, games, query, near);
  peekAt(rows);
  // the click of the mouse or of Enter goes on to the page, which opens the game
  rows.addEventListener('click', event => {
    if ((event.target as HTMLElement).closest('.beside')) return;
    const games = [...rows.querySelectorAll('a.open')].map(link => inner(link.getAttribute('href')!)!);
    keepOrigin({ back: here().pathname + location.search, games, more: rows.dataset.more });
  });
  return h(
    'table',
    { class: 'games' },
    h('caption', { class: 'unseen' }, label),
    h('colgroup', null, ...columns.map(([name]) => h('col', { class: name }))),
    h('thead', null, h('tr', null, ...columns.map(column => head(column, sorted)))),
    rows,
  );
}

function head([name, text, title]: (typeof COLUMNS)[number], sorted: string | null | undefined): HTMLElement {
  const sorts = title && sorted !== undefined;
  return h(
    'th',
    { scope: 'col', class: name, 'aria-sort': sorts && name === sorted ? 'descending' : null },
    sorts ? button(text, () => sortBy(name), { title }) : text,
  );
}

function sortBy(by: string): void {
  go(url(here().pathname, withParams(new URLSearchParams(location.search), { sort: by === 'date' ? null : by })));
}

const peek = h('div', { class: 'peek', hidden: true, 'aria-hidden': 'true' });
const peeking = new Latest();
let pending: ReturnType<typeof setTimeout> | undefined;

export function endPeek(): void {
  clearTimeout(pending);
  peeking.stop();
  peek.hidden = true;
}

/** Shows a small board beside the row under the mouse: the position that a search has found, or the last one of the game. */
function peekAt(rows: HTMLElement): void {
  if (!matchMedia('(hover: hover)').matches) return;
  let at: HTMLElement | undefined;
  const end = () => {
    at = undefined;
    endPeek();
  };
  const begin = (row: HTMLElement, x: number) => {
    const { id, ply } = row.dataset;
    void peeking.run(
      signal => get<WholeGame>(`/api/games/${encodeURIComponent(id!)}`, signal),
      game => {
        const start = readFen(game.startFen).pos;
        if (at !== row || !row.isConnected || !start) return;
        const moves = game.moves.slice(0, ply ? Number(ply) : undefined).map(move => move.uci);
        const tree = treeOf(start, moves);
        fill(peek, diagram(tree.position(tree.mainline().at(-1)!)));
        document.body.append(peek);
        peek.hidden = false;
        const { top, bottom } = row.getBoundingClientRect();
        const size = peek.offsetWidth;
        peek.style.left = `${Math.max(0, Math.min(x + 24, innerWidth - size - 8))}px`;
        peek.style.top = `${bottom + 8 + size < innerHeight ? bottom + 8 : Math.max(0, top - 8 - size)}px`;
      },
      () => {},
    );
  };
  rows.addEventListener('mouseover', event => {
    const row = (event.target as HTMLElement).closest('tr') ?? undefined;
    if (row === at) return;
    end();
    at = row;
    // not for rows that the mouse only crosses, or that show their position
    if (row && !row.querySelector('.diagram')) pending = setTimeout(() => begin(row, event.clientX), 200);
  });
  rows.addEventListener('mouseleave', end);
  rows.addEventListener('click', end);
}

const label = ({ white, black, result: r }: Game): string =>
  `${white.name ?? '?'} – ${black.name ?? '?'}, ${resultWords[r] ?? r}`;

/** The position of a game that is nearest to another: on a small board that marks the squares that differ, and their number. */
function nearest(game: Game, near: Position): HTMLElement {
  const pos = readFen(game.fen ?? '').pos;
  const differs = (square: number) => {
    const [one, other] = [pos?.board.get(square), near.board.get(square)];
    return one?.role !== other?.role || one?.color !== other?.color;
  };
  const squares = [...Array(64).keys()].filter(differs);
  return h(
    'td',
    { class: NEAREST[0] },
    pos ? diagram(pos, 'white', squares) : null,
    game.distance ? plural(game.distance, '1 square', '{0} squares') : t`the same`,
  );
}

export function addGames(rows: HTMLElement, games: Game[], query: URLSearchParams, near?: Position): void {
  for (const game of games) {
    const to = linkTo(game, query);
    rows.append(
      h(
        'tr',
        { 'data-id': game.id, 'data-ply': game.ply },
        near ? nearest(game, near) : null,
        h('td', { class: 'white' }, h('a', { class: 'open', href: to, 'aria-label': label(game) }), name(game.white)),
        h('td', { class: 'result' }, result(game.result)),
        h('td', { class: 'black' }, name(game.black)),
        h('td', { class: 'rating' }, meanRating(game.white.rating, game.black.rating) ?? ''),
        h('td', { class: 'date' }, date(game.date)),
        h('td', { class: 'eco' }, game.eco ?? ''),
        h(
          'td',
          { class: 'event', title: game.event },
          game.event && beside('tournament', game.event, new URLSearchParams({ game: game.id })),
        ),
        h('td', { class: 'plies', title: plural(game.plies, '1 half-move', '{0} half-moves') }, count(Math.ceil(game.plies / 2))),
      ),
    );
  }
}

const SORTS: [string, string][] = [
  ['date', t`newest first`],
  ['rating', t`highest rated first`],
  ['plies', t`longest first`],
  ['loaded', t`last loaded first`],
];

/** Milliseconds after which a search counts as long. */
export const LATE = 1500;

/** The games that match the filters and criteria in the address, fifty at a time. */
export class GameList {
  readonly node = h('section', { class: 'game-list', 'aria-label': t`Games` });
  private asked = '';
  private latest = new Latest();
  private games: Game[] = [];
  private total = 0;
  private counting = new Latest();
  private late: ReturnType<typeof setTimeout> | undefined;

  constructor(private empty: () => Child) {}

  /** Asks the server only if filters, criteria or order have changed. */
  update(params: URLSearchParams): void {
    const order = params.get('near') ? { near: params.get('near') } : { sort: params.get('sort') ?? 'date' };
    const question = withParams(only(params, [...FILTERS, ...CRITERIA]), order);
    if (question.toString() === this.asked) return;
    this.asked = question.toString();
    this.load(question);
  }

  /** Shows something else, or nothing, instead of a list. */
  show(...children: Child[]): void {
    this.asked = '';
    this.stop();
    fill(this.node, ...children);
  }

  stop(): void {
    clearTimeout(this.late);
    this.latest.stop();
    this.counting.stop();
  }

  private load(question: URLSearchParams): void {
    clearTimeout(this.late);
    this.late = setTimeout(
      () =>
        waiting(
          this.node,
          () => this.stop(),
          () => this.load(question),
        ),
      LATE,
    );
    void this.latest.run(
      signal => get<Games>(url('/api/games', withParams(question, { limit: '50' })), signal),
      answer => this.draw(question, answer),
      error => {
        clearTimeout(this.late);
        fill(
          this.node,
          failure(error, () => this.load(question)),
        );
      },
    );
  }

  /** A button that offers the whole list as PGN. */
  private exporting(question: URLSearchParams): HTMLElement {
    const link = (label: string, bare: string) =>
      h('a', { class: 'button', href: url('/api/games/pgn', withParams(question, { bare })), download: 'games.pgn' }, label);
    return button(t`Export`, () =>
      openDialog(
        t`Export all games of this list as PGN`,
        {},
        h('div', { class: 'actions' }, link(t`With comments, clocks and evaluations`, ''), link(t`Moves only`, '1')),
      ),
    );
  }

  /** A button that has the server's engine go through the games that are shown, where it may. */
  private analysing(): HTMLElement {
    const begin = () => import('./add').then(({ analyse }) => analyse(this.games)).catch((error: Error) => say(error.message));
    const offer = button(t`Analyze`, begin, { hidden: true, title: t`The server’s engine goes through these games` });
    known().then(
      ({ engine, features }) => {
        offer.hidden = !engine || !features?.upload;
      },
      () => {},
    );
    return offer;
  }

  private draw(question: URLSearchParams, answer: Games): void {
    clearTimeout(this.late);
    if (!answer.games.length) {
      fill(this.node, this.empty(), sqlLink(answer.sql));
      return;
    }
    const links = only(question, OF_GAME);
    const near = readFen(question.get('near') ?? '').pos;
    const rows = h('tbody');
    const total = h('span', { class: 'total', 'aria-live': 'polite' });
    const more = h('div', { class: 'more' });
    const sort = h('select', {
      id: 'sort',
      on: {
        change: () => sortBy(sort.value),
      },
    });
    fill(
      sort,
      SORTS.map(([value, text]) => h('option', { value, selected: value === question.get('sort') }, text)),
    );
    this.games = [];
    this.total = 0;
    const add = (page: Games) => {
      addGames(rows, page.games, links, near);
      if (page.next) rows.dataset.more = url('/api/games', withParams(question, { limit: '50', after: page.next }));
      else delete rows.dataset.more;
      this.games.push(...page.games);
      if (!page.next || !this.total)
        total.textContent = page.next ? t`the first ${count(this.games.length)}` : inWords(this.games.length);
      else total.textContent = inWords(this.total);
      fill(more, page.next ? button(t`Show more`, event => next(page.next!, event.currentTarget)) : null);
    };
    const next = (cursor: string, pressed: HTMLButtonElement) => {
      pressed.disabled = true;
      void this.latest.run(
        signal => fresh<Games>(url('/api/games', withParams(question, { limit: '50', after: cursor })), signal),
        page => {
          const from = rows.children.length;
          add(page);
          (rows.children[from]?.querySelector('a.open') as HTMLElement | undefined)?.focus({ preventScroll: true });
        },
        error =>
          fill(
            more,
            failure(error, () => next(cursor, pressed)),
          ),
      );
    };
    const table = gameTable([], t`Games`, links, rows, near ? undefined : question.get('sort'), near);
    const sorting = this.node.contains(document.activeElement) && document.activeElement?.closest('th')?.className;
    fill(
      this.node,
      h(
        'div',
        { class: 'list-head' },
        total,
        ...(near ? [t`nearest first`] : [h('label', { for: 'sort' }, t`sorted`), sort]),
        near || question.get('pieces')
          ? null
          : h(
              'a',
              {
                class: 'button',
                href: withFilters('/', only(question, ['fen', 'play', 'symmetries'])),
                title: t`Only these games, in the explorer`,
              },
              t`Explore`,
            ),
        this.analysing(),
        this.exporting(question),
        sqlLink(answer.sql),
      ),
      table,
      more,
    );
    add(answer);
    if (sorting) table.querySelector<HTMLElement>(`thead .${sorting} button`)?.focus();
    if (!answer.next) return;
    // counting may take longer than the list, which does not wait for it
    void this.counting.run(
      signal => get<{ games: number }>(url('/api/games/count', without(question, ['sort', 'near'])), signal),
      counted => {
        this.total = counted.games;
        total.textContent = inWords(counted.games);
      },
      () => {},
    );
  }
}

/** The position that an address searches for, if there is one. */
export function positionOf(params: URLSearchParams): Position | undefined {
  let pos: Position | undefined;
  if (params.get('fen')) pos = readFen(params.get('fen')!).pos;
  else if (params.get('play')) pos = initial();
  for (const uci of (params.get('play') ?? '').split(',').filter(Boolean)) {
    const move = pos && legal(pos, uci);
    if (!move) return pos;
    pos!.play(move);
  }
  return pos;
}

export class GamesView implements View {
  private head = h('div', { class: 'panel-head' });
  private list = new GameList(() =>
    note(
      h('h2', null, t`No games found`),
      h('p', null, t`Remove a filter, or widen the search.`),
      button(t`All games`, () => go('/games')),
    ),
  );
  readonly node = h('div', { class: 'view games-view' }, this.head, this.list.node);
  private pos: Position = initial();

  constructor(private page: Page) {}

  update(at: Address): void {
    this.page.title(t`Games`);
    this.page.strip();
    const asked = positionOf(at.params) ?? readFen(at.params.get('near') ?? '').pos;
    this.pos = asked ?? initial();
    // the list has the whole page; the keys of the board, which is not shown, work as elsewhere
    this.page.board.show({ pos: this.pos });
    const board = parseBoardFen(at.params.get('pieces') ?? '').unwrap(
      board => board,
      () => asked?.board,
    );
    fill(this.head, board ? diagram({ board }, this.page.board.orientation) : null, h('h1', null, t`Games`), filterBar());
    if (this.page.status && !this.page.status.games) this.list.show(emptyDatabase(this.page.status));
    else this.list.update(at.params);
  }
  step(): void {}
  rows(): HTMLElement[] {
    return [...this.list.node.querySelectorAll<HTMLElement>('a.open')];
  }
  position(): Position {
    return this.pos;
  }
  leave(): void {
    this.list.stop();
  }
}
