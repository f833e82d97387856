// The interface of a view, and what all views share: messages, and the link to the SQL.
import { type Address, leavesPlace, pageOf, withFilters } from './address';
import { type ApiError, away, type Feature, has, keeps, type Status, server } from './api';
import type { Board } from './board';
import { button, type Child, copy, h, openDialog } from './dom';
import type { Move, Position } from './position';
import { capital, rich, t } from './words';

export interface Page {
  board: Board;
  status: Status | undefined;
  /** the line under the board with what the view has to show there */
  strip(...children: Child[]): void;
  /** the comment on the move, which stands under the board where the moves are not in view */
  comment(text: string): void;
  title(text: string): void;
  /** asks again what the database holds */
  renew(): Promise<void>;
}

export interface View {
  readonly node: HTMLElement;
  /** the address has changed, but still belongs to this view */
  update(at: Address): void;
  /** one half-move back or forward, or to the first or last one */
  step(by: -1 | 1 | 'first' | 'last'): void;
  /** the rows that the arrow keys move through */
  rows?(): HTMLElement[];
  /** the position on the board, for the move field and the FEN */
  position(): Position | undefined;
  /** false, perhaps later, if the move is not shown */
  play?(move: Move): unknown;
  /** the game or line that is shown, as PGN */
  pgn?(): string;
  /** the previous or next game of the list */
  game?(by: -1 | 1): void;
  /** the board has been turned */
  turned?(): void;
  leave(): void;
}

/** Views by the first word of their addresses. */
export type Views = Record<string, new (page: Page) => View>;

/** A link that shows a query; a function gives the query at the time of the click. */
export function sqlLink(query: string | (() => string) | null | undefined): HTMLElement | null {
  if (!query) return null;
  const show = (sql: string) =>
    openDialog(
      t`The database query behind this answer`,
      { class: 'wide' },
      h('pre', { class: 'sql', tabindex: '0' }, sql),
      h(
        'div',
        { class: 'actions' },
        button(t`Copy`, () => copy(sql, t`Query`), { class: 'primary' }),
      ),
    );
  return button('SQL', () => show(typeof query === 'string' ? query : query()), {
    class: 'sql-link',
    title: t`The database query behind this answer, in SQL`,
  });
}

const REPORTS: Record<'player' | 'opening' | 'tournament', Feature> = {
  player: 'playerReports',
  opening: 'openingReports',
  tournament: 'tournaments',
};
/** The address and the title of a link to a report; a link without both is plain text, where the server has no such report. */
export const toReport = (
  kind: 'player' | 'opening' | 'tournament',
  name: string,
  title: string | null,
  params?: URLSearchParams,
): { href: string | null; title: string | null } =>
  has(REPORTS[kind])
    ? { href: withFilters(pageOf(kind, name), params), title: ofAll(pageOf(kind, name)) ?? title }
    : { href: null, title: null };
/** What to say of a link to a report that is not only on the games that are searched for. */
export const ofAll = (path: string): string | null =>
  leavesPlace(path) ? t`On all games, not only on those that you search for` : null;

export const note = (...children: Child[]): HTMLElement => h('div', { class: 'note' }, ...children);

/** An error and what to do about it. Tries again by itself while the server is away. */
export function failure(error: ApiError, again: () => void): HTMLElement {
  const goesOn = away(error);
  const box = h(
    'div',
    { class: 'note failure', role: 'alert' },
    h('p', null, error.message),
    error.hint ? h('p', { class: 'quiet' }, error.hint) : null,
    h('p', null, goesOn ? [t`Trying again…`, ' '] : '', button(t`Try again`, again)),
  );
  if (goesOn) setTimeout(() => box.isConnected && again(), Math.max(3, error.wait ?? 0) * 1000);
  return box;
}

/** Says that an answer takes long, and lets the visitor cancel it, on the server as well. */
export function waiting(place: HTMLElement, stop: () => void, again: () => void): void {
  const cancel = () => {
    stop();
    place.replaceChildren(note(h('p', null, t`Cancelled.`), button(t`Search again`, again)));
  };
  place.replaceChildren(
    note(
      h('p', { role: 'status' }, t`Looking through the games…`),
      h('progress', { 'aria-label': t`Search` }),
      button(t`Cancel`, cancel),
    ),
  );
}

/** Why something that is saved cannot be opened, and how to get a copy. */
export const foreign = (where: string, none: string): HTMLElement =>
  keeps()
    ? note(h('p', null, where), h('p', null, t`For a copy, let its owner press “Share” and send you the link.`))
    : note(h('p', null, none));

/** Why there are no games, and what to do. The page continues by itself once there are some. */
export function emptyDatabase({ error, hint }: Status): HTMLElement {
  const box = note(
    h('h2', null, error ? capital(error) : t`No games yet`),
    hint ? h('p', null, hint) : null,
    server.status?.features?.upload
      ? h('p', null, rich<Child>`Drop a file of games on this page, or ${h('a', { href: '/add' }, t`add games`)}`)
      : null,
  );
  box.classList.toggle('failure', !!error);
  return box;
}

// Files of the page that are loaded later ask for others here, because only app.js knows their hashes.
/** Sends files of games. */
export const addFiles = (files: Iterable<File>): Promise<void> => import('./add').then(({ add }) => add(files));
/** What stores games in the database. */
export const storing = (): Promise<typeof import('./store')> => import('./store');
