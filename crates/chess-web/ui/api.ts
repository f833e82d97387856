// In: paths of the API. Out: the server's answers, typed, or errors with words for the page. Shows the thin bar while an answer
// takes longer than 150 ms, and caches answers for two minutes.

import { outer } from './address';
import { t } from './words';

export interface Player {
  name: string | null;
  rating: number | null;
}
export interface Game {
  id: string;
  white: Player;
  black: Player;
  result: string;
  date: string | null;
  event: string | null;
  eco: string | null;
  plies: number;
  ply: number | null;
  uci: string | null;
  /** of the position that is nearest to the one asked for: how many squares differ, and the position */
  distance?: number;
  fen?: string;
}
export interface Eval {
  cp?: number;
  mate?: number;
  depth?: number;
}
/** The games that reach the position after a move, by any order of moves. */
export interface Reached {
  games: number;
  white: number;
  draws: number;
  black: number;
  unknown: number;
  score: number | null;
  averageRating: number | null;
  /** standard errors between the score of the games with the move and that of the others; null if they are too few */
  deviation: number | null;
}
export interface ExplorerMove {
  uci: string;
  san: string;
  games: number;
  white: number;
  draws: number;
  black: number;
  unknown: number;
  score: number | null;
  averageRating: number | null;
  performance: number | null;
  lastPlayed: string | null;
  reached: number | null;
  position: Reached | null;
  eval: Eval | null;
}
export interface Explorer {
  fen: string;
  opening: { eco: string; name: string } | null;
  games: number;
  white: number;
  draws: number;
  black: number;
  unknown: number;
  ended: number;
  moves: ExplorerMove[];
  top: Game[];
  recent: Game[];
  source: string | null;
  sql: string;
  topSql?: string;
  recentSql?: string;
}
export interface Games {
  games: Game[];
  next: string | null;
  sql: string;
}
/** What a move lost, in percent of the winning chances. */
export interface Mistake {
  judgement: 'inaccuracy' | 'mistake' | 'blunder';
  loss: number;
  best: string | null;
}

/** What the server has read of a comment: its words, and what its commands say. */
export interface ReadNote {
  text?: string;
  /** tenths of a second */
  clock?: number;
  spent?: number;
  eval?: Eval;
  /** these three as they stand in the PGN, if they are not written as the page writes them */
  commands?: string[];
  /** Gd5 or Ge2e4 */
  shapes?: string[];
  diagram?: boolean;
}
/** A move of a PGN, with the comment after it; the first of a list is the start. */
export interface ReadNode extends ReadNote {
  /** the place in the list of the node before it */
  parent: number | null;
  san: string;
  uci: string;
  /** an alternative to the move that continues the line */
  variation?: boolean;
  /** the position after a null move */
  fen?: string;
  before?: string;
  glyphs?: number[];
}
export interface ReadGame {
  tags: [string, string][];
  startFen: string | null;
  nodes: ReadNode[];
  error: string | null;
}

/** How accurate a side was: in a phase, or in the whole game. */
export interface Accuracy {
  color: 'w' | 'b';
  phase: 'opening' | 'middlegame' | 'endgame' | null;
  moves: number;
  accuracy: number;
  /** the mean of the winning chances that a move lost, in percent */
  loss: number;
  inaccuracies: number;
  mistakes: number;
  blunders: number;
}
export interface WholeGame {
  id: string;
  /** where visitors may correct games */
  version?: string | null;
  tags: [string, string][];
  startFen: string;
  opening?: { eco: string; name: string } | null;
  pgn: string;
  game: ReadGame;
  moves: { uci: string; san: string; clock: number | null; eval: Eval | null; mistake: Mistake | null }[];
  matches: number[] | null;
  accuracy?: Accuracy[];
  error: string | null;
  sql?: string;
}
/** The half-move by which a game left all earlier games, or all others if it has no date; null if none did, or no index answers. */
export interface Novelty {
  ply: number | null;
  compared: 'earlier' | 'other' | null;
}
export interface Pattern {
  canonical: string;
  squares: string[];
  needsGame: boolean;
  matches: boolean | null;
}
/** What a database over several servers does not have. */
export const FEATURES = ['playerReports', 'openingReports', 'endingReports', 'tournaments', 'puzzles'] as const;
export type Feature = (typeof FEATURES)[number];
export interface Status {
  games: number;
  version: string;
  engine: boolean;
  error?: string | null;
  hint?: string | null;
  features?: { sessions?: boolean; upload?: number | null; endgameTables?: boolean; positionsIndexed?: boolean } & Partial<
    Record<Feature, boolean>
  >;
}

/** The server's last status; without sessions visitors cannot save anything. */
export const server: { status?: Status } = {};
/** The status, from the server if it has not said it yet. */
export const known = async (signal?: AbortSignal): Promise<Status> => server.status ?? (await get<Status>('/api/status', signal));
export const keeps = (): boolean => server.status?.features?.sessions !== false;
export const has = (feature: Feature): boolean => server.status?.features?.[feature] !== false;
/** The most MiB of a file, if visitors may add games. */
export const takes = (): number => server.status?.features?.upload ?? 0;

export class ApiError extends Error {
  constructor(
    public status: number,
    message: string,
    public at?: number,
    public hint?: string,
    /** the seconds after which the server may be asked again */
    public wait?: number,
  ) {
    super(message);
  }
}

/** Will the server never take what it has refused? Whoever is away, busy, or asks for a password may take it later. */
export const refused = (error: unknown): boolean => error instanceof ApiError && [400, 404, 413, 422].includes(error.status);

/** Is the server away or busy, so that the same request may soon be sent again? */
export const away = ({ status, wait }: ApiError): boolean => status === 0 || (status === 503 && wait !== undefined);

/** Does nobody know whether the server has stored a change? Then it does not say when it may be sent again. */
export const unknown = ({ status, wait }: ApiError): boolean => status === 503 && wait === undefined;

let working = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
function begin(): void {
  if (working++ === 0) timer = setTimeout(() => document.documentElement.classList.add('working'), 150);
}
function end(): void {
  if (--working === 0) {
    clearTimeout(timer);
    document.documentElement.classList.remove('working');
  }
}

/** Shows the bar until something has arrived. */
export async function busy<T>(work: Promise<T>): Promise<T> {
  begin();
  try {
    return await work;
  } finally {
    end();
  }
}

/** The JSON of an answer; null if it is none, as of a proxy. */
export function parsed<T>(text: string): T | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const JSON_TYPE = 'application/json';
const isOf = (type: string, { headers, redirected }: Response) =>
  !redirected && (headers.get('Content-Type') ?? '').startsWith(type);

/**
 * Turns an answer into an error. The server reports its errors as JSON. Any other answer comes from something in its place, such
 * as a proxy. If that reports an error of the request (4xx other than 404), its status stays. Otherwise it counts as if nobody
 * had answered, except for a timeout.
 */
async function failed(response: Response): Promise<ApiError> {
  const { status, headers, ok } = response;
  const text = await response.text();
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  const wait = Number.isFinite(seconds) ? seconds : undefined;
  const reported = t`The server reports error ${status}.`;
  if (isOf(JSON_TYPE, response) && !ok) {
    const body = parsed<{ error?: string; at?: number; hint?: string }>(text);
    return new ApiError(status, String(body?.error ?? reported), body?.at, body?.hint, wait);
  }
  if (ok)
    return new ApiError(0, t`Something else answers in place of the server. Load the page again.`, undefined, undefined, wait);
  // a proxy (524 is Cloudflare's) has waited in vain: asked again at once, the server would have the same work once more
  if (status === 504 || status === 524) return new ApiError(504, t`This takes too long.`);
  if (status === 404 || status >= 500) return new ApiError(0, t`The server does not answer.`, undefined, undefined, wait);
  const isPlain = isOf('text/plain', response) && text.length < 300;
  return new ApiError(status, (isPlain && text.trim()) || reported, undefined, undefined, wait);
}

/** Turns an error of the network into an error of the page. */
const unanswered = (error: unknown): unknown =>
  error instanceof ApiError || (error as Error).name === 'AbortError' ? error : new ApiError(0, t`The server does not answer.`);

/** Returns the answer of the server if it has this media type, or no content. */
export async function reach(path: string, type: string, init: RequestInit = {}): Promise<Response> {
  try {
    const headers = { Accept: type, ...init.headers };
    const response = await fetch(outer(path), { credentials: 'same-origin', ...init, headers });
    if (response.ok && (response.status === 204 || isOf(type, response))) return response;
    throw await failed(response);
  } catch (error) {
    throw unanswered(error);
  }
}

async function ask(path: string, init?: RequestInit): Promise<unknown> {
  begin();
  try {
    const text = await (await reach(path, JSON_TYPE, init)).text();
    return text ? JSON.parse(text) : null;
  } catch (error) {
    throw unanswered(error);
  } finally {
    end();
  }
}

const recent = new Map<string, unknown>();
/** Asks the server, unless it has answered the same question within two minutes. */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const known = recent.get(path) as { at: number; answer: T } | undefined;
  if (known && Date.now() - known.at < 120_000) return known.answer;
  const answer = (await ask(path, { signal })) as T;
  recent.delete(path);
  recent.set(path, { at: Date.now(), answer });
  if (recent.size > 200) recent.delete(recent.keys().next().value!);
  return answer;
}

/** Forgets all answers, because the games have changed. */
export const forget = (): void => recent.clear();

export const fresh = <T>(path: string, signal?: AbortSignal): Promise<T> => ask(path, { signal }) as Promise<T>;

/** A stored game. Where visitors correct games, what follows from it means the one that is shown. */
export const storedGame = (path: string, signal?: AbortSignal): Promise<WholeGame> => (takes() ? fresh : get)(path, signal);

export const send = <T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T> =>
  ask(
    path,
    body === undefined
      ? { method }
      : {
          method,
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
          keepalive: JSON.stringify(body).length < 20_000,
        },
  ) as Promise<T>;

/** Runs one request at a time: a new one cancels the one before. */
export class Latest {
  private controller: AbortController | undefined;
  async run<T>(
    work: (signal: AbortSignal) => Promise<T>,
    done: (answer: T) => void,
    failed: (error: ApiError) => void,
  ): Promise<void> {
    this.controller?.abort();
    const controller = new AbortController();
    this.controller = controller;
    try {
      const answer = await work(controller.signal);
      if (!controller.signal.aborted) done(answer);
    } catch (error) {
      if (controller.signal.aborted || (error as Error).name === 'AbortError') return;
      failed(error instanceof ApiError ? error : new ApiError(0, (error as Error).message));
    }
  }
  stop(): void {
    this.controller?.abort();
  }
}
