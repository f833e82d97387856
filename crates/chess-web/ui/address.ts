// In: the address of the page. Out: its parts, and addresses to go to. The address holds the state of the page, so that
// every view can be linked to; parameters that this version does not know are kept.
//
// Everywhere else paths begin at this site's root, wherever a proxy has put that: they become those of the browser here, and
// where links are made and the server is asked.

/** The path of this site on its server, such as /chess; empty if it has the server to itself. Its files are there. */
const BASE = new URL('.', import.meta.url).pathname.slice(0, -1);

/** The key under which the browser stores something for this site, because other paths of the server may have other sites. */
export const ownName = (name: string): string => (BASE ? `${BASE} ${name}` : name);

/** A path of this site as the browser needs it. */
export const outer = (path: string): string => BASE + path;

/** The path of this site that a path of the browser is; nothing if it is none. */
export const inner = (path: string): string | undefined =>
  `${path}/`.startsWith(`${BASE}/`) ? path.slice(BASE.length) || '/' : undefined;

export const FILTERS = [
  'player',
  'color',
  'white',
  'black',
  'rating',
  'since',
  'until',
  'result',
  'event',
  'tc',
  'evals',
  'annotated',
  'whiteRating',
  'blackRating',
  'difference',
  'length',
  'site',
  'eco',
  'opening',
  'source',
];
/** What games are searched for. */
export const CRITERIA = ['fen', 'play', 'symmetries', 'pieces', 'exact', 'material', 'pattern'];
/** Those of them that are also filters of lists, of the explorer and of reports. */
export const CONTENTS = ['material', 'pattern'];
/** The others, a position and pieces, which are filters of some views, and in others what the view is about. */
export const PLACED = CRITERIA.filter(name => !CONTENTS.includes(name));
/** Those that reports take. */
const REPORTED = PLACED.filter(name => name !== 'symmetries');
/** Filters that lists of games and the explorer have, but reports have not. */
export const OF_LISTS = ['annotated', 'whiteRating', 'blackRating', 'difference', 'length', 'site', 'eco'];
/** Filters for which the explorer reads the games. */
export const OF_GAMES = [...OF_LISTS, 'opening', 'source', ...CONTENTS];

export interface Address {
  pathname: string;
  path: string[];
  params: URLSearchParams;
  hash: string;
}

/** The parameter for a name that cannot be part of a path: browsers take `.` and `..` for steps, however they are written. */
const NAME = 'name';

export function here(): Address {
  // several slashes count as one, as they do on the server
  const pathname = (inner(location.pathname) ?? location.pathname).replace(/\/{2,}/g, '/');
  let parts: string[];
  try {
    parts = pathname.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    parts = ['?'];
  }
  const params = new URLSearchParams(location.search);
  const name = params.get(NAME);
  if (name && parts.length === 1) parts.push(name);
  return { pathname, path: parts, params, hash: location.hash.slice(1) };
}

/** The filters that hold in every report. */
export const ofReport = (params: URLSearchParams): URLSearchParams => without(only(params, [...FILTERS, ...CONTENTS]), OF_LISTS);

/** Those that hold in a report that is not about a position itself. */
export const ofPlacedReport = (params: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...ofReport(params), ...only(params, REPORTED)]);

/** The named parameters that are not empty, in the order of the names. */
export function only(params: URLSearchParams, names: string[]): URLSearchParams {
  const kept = new URLSearchParams();
  for (const name of names) {
    const value = params.get(name);
    // a colour needs a player
    if (value && (name !== 'color' || params.get('player'))) kept.set(name, value);
  }
  return kept;
}

export function without(params: URLSearchParams, names: string[]): URLSearchParams {
  const kept = new URLSearchParams(params);
  for (const name of names) kept.delete(name);
  return kept;
}

export function withParams(params: URLSearchParams, changes: Record<string, string | null | undefined>): URLSearchParams {
  const changed = new URLSearchParams(params);
  for (const [name, value] of Object.entries(changes)) {
    if (value) changed.set(name, value);
    else changed.delete(name);
  }
  return changed;
}

/** The parameters with further conditions; days that they have already are narrowed, not replaced. */
export function narrowed(params: URLSearchParams, conditions: Record<string, string>): URLSearchParams {
  const changed = withParams(params, conditions);
  for (const name of ['since', 'until']) {
    const [was, bound] = [params.get(name), conditions[name]];
    if (was && bound && was.startsWith(bound)) changed.set(name, was);
  }
  return changed;
}

/** An address, to whose path, which may have parameters, others are added; commas, slashes and colons stay readable. */
export function url(path: string, params: URLSearchParams = new URLSearchParams(), hash = ''): string {
  const query = params.toString().replace(/%2C/g, ',').replace(/%2F/g, '/').replace(/%3A/g, ':');
  return path + (query ? `${path.includes('?') ? '&' : '?'}${query}` : '') + (hash ? `#${hash}` : '');
}

/** The filters that a view knows by these names; others know all of them. */
const KNOWN: Record<string, string[]> = {
  // the path of the page names the player
  player: [...FILTERS, ...CRITERIA].filter(name => !['player', 'color'].includes(name)),
  // here `rating` is the difficulty of the puzzle
  puzzles: ['player'],
};
/** Those that it takes from other views: what is searched for is set up in the search. */
const TAKEN: Record<string, string[]> = { ...KNOWN, search: FILTERS };

/** Views of which a position that is searched for is a filter, or stays one for those that follow. */
const KEEP_PLACE = /^(games?|search|endings|tournament)$/;

function of(views: Record<string, string[]>, path: string): string[] {
  const view = path.split(/[/?]/)[1];
  return views[view] ?? [...FILTERS, ...(KEEP_PLACE.test(view) ? CRITERIA : CONTENTS)];
}
/** The filters that a view takes from others, by its path. */
export const taken = (path: string): string[] => of(TAKEN, path);
/** The filters that go along from one view to another. */
export const common = (from: string, to: string): string[] => of(KNOWN, from).filter(name => taken(to).includes(name));

/** Whether the games of the view that is shown are searched for by a position or pieces, which another view does not take. */
export function leavesPlace(path: string): boolean {
  const { pathname, params } = here();
  return of(KNOWN, pathname).some(name => PLACED.includes(name) && params.get(name) && !taken(path).includes(name));
}

/**
 * The address of a view with the filters of the view that is shown and the side from which the board is seen. A parameter that is
 * given here replaces the filter of that name.
 */
export function withFilters(path: string, params: URLSearchParams | Record<string, string> = {}, hash = ''): string {
  const own = new URLSearchParams(params);
  const { pathname, params: shown } = here();
  const other = own.has('player') ? ['color'] : [];
  const filters = without(only(shown, [...common(pathname, path), 'orient']), [...own.keys(), ...other]);
  return url(path, new URLSearchParams([...own, ...filters]), hash);
}

/** The address of the page of a player, an opening or a tournament. */
export const pageOf = (kind: 'player' | 'opening' | 'tournament', name: string, params?: URLSearchParams): string =>
  url(
    /^\.\.?$/.test(name) ? url(`/${kind}/`, new URLSearchParams({ [NAME]: name })) : `/${kind}/${encodeURIComponent(name)}`,
    params,
  );

let router: (replaced: boolean) => void = () => {};
export const onNavigate = (route: (replaced: boolean) => void): void => {
  router = route;
};

/** Changes the address without a change of the view. */
export const rename = (to: string): void => history.replaceState(null, '', outer(to));

export function go(to: string, replace = false): void {
  if (replace || outer(to) === location.pathname + location.search + location.hash) rename(to);
  else history.pushState(null, '', outer(to));
  router(replace);
}
