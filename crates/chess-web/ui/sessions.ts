// Notebooks and boards, which the server saves for the visitor, and links by which others copy them.
import { outer, ownName } from './address';
import { fresh, type Latest, type ReadGame, type ReadNote, refused, send } from './api';
import { button, copy, h, openDialog, say } from './dom';
import { ofBrowser, ofWindow } from './storage';
import { t } from './words';

export interface NotebookHead {
  id: string | number;
  name: string;
  color: 'white' | 'black' | null;
}
export interface ListedNotebook extends NotebookHead {
  nodes: number;
}
export interface NotebookNode {
  id: number;
  parent: number | null;
  uci: string | null;
  fen: string;
  note: string;
  /** the note as the server reads it */
  said: ReadNote;
  glyph: number | null;
  /** those after the first */
  glyphs?: number[];
}
/** The glyphs of a stored node: the first, and those after it. */
export const glyphsOf = (stored: NotebookNode): number[] => [stored.glyph ?? 0, ...(stored.glyphs ?? [])].filter(Boolean);

export interface Notebook extends NotebookHead {
  /** how many changes can be undone */
  changes: number;
  /** the root first, parents before children */
  nodes: NotebookNode[];
}
/** A move of a tree that is added to a notebook; parent is the place of the move before it in the list. */
export interface NewMove {
  parent: number | null;
  uci: string;
  note: string;
  glyphs: number[];
}
export interface SavedBoard {
  id: string | number;
  name: string;
  pgn?: string;
  game?: ReadGame | null;
  /** the stored game that it began with */
  origin?: string | null;
  updated?: string;
  /** of what is stored */
  version: string;
}

/** What is remembered in training of a position of a notebook. */
export interface Remembered {
  /** the first four fields of the FEN */
  position: string;
  stability: number;
  difficulty: number;
  /** when the last answer was given, in seconds since 1970 */
  answered: number;
  /** after how many days it is asked again */
  days: number;
}
/** The most of them that the server takes at once. */
export const REMEMBERED_MOST = 200;

const at = (id: string | number) => encodeURIComponent(id);

let creating: Promise<unknown> = Promise.resolve();
/**
 * Saves a new object, one after the other: the first one begins a session, whose cookie comes with the answer. Two at once
 * would begin two, and one of them would be lost.
 */
export const create = <T>(path: string, body?: unknown): Promise<T> => {
  const made = creating.then(() => send<T>('POST', path, body));
  creating = made.catch(() => undefined);
  return made;
};

export const notebooks = {
  list: async (): Promise<ListedNotebook[]> => (await fresh<{ notebooks: ListedNotebook[] }>('/api/notebooks')).notebooks,
  create: (name: string, color: string | null, fen?: string): Promise<NotebookHead> =>
    create('/api/notebooks', fen ? { name, color, fen } : { name, color }),
  read: (id: string | number): Promise<Notebook> => fresh(`/api/notebooks/${at(id)}`),
  change: (id: string | number, change: { name?: string; color?: string | null }): Promise<NotebookHead> =>
    send('PATCH', `/api/notebooks/${at(id)}`, change),
  undo: (id: string | number): Promise<{ changes: number }> => send('POST', `/api/notebooks/${at(id)}/undo`),
  addTree: (id: string | number, node: number, note: string, moves: NewMove[]): Promise<{ added: number }> =>
    send('POST', `/api/notebooks/${at(id)}/moves`, { at: node, note, moves }),
  remove: (id: string | number): Promise<void> => send('DELETE', `/api/notebooks/${at(id)}`),
  add: (id: string | number, parent: number, uci: string): Promise<NotebookNode> =>
    send('POST', `/api/notebooks/${at(id)}/nodes`, { parent, uci }),
  write: (id: string | number, node: number, change: { note?: string; glyphs?: number[] }): Promise<void> =>
    send('PATCH', `/api/notebooks/${at(id)}/nodes/${node}`, change),
  remembered: async (id: string | number): Promise<Remembered[]> =>
    (await fresh<{ positions: Remembered[] }>(`/api/notebooks/${at(id)}/training/remembered`)).positions,
  remember: (id: string | number, positions: Remembered[]): Promise<void> =>
    send('POST', `/api/notebooks/${at(id)}/training/remembered`, { positions }),
  cut: (id: string | number, node: number): Promise<void> => send('DELETE', `/api/notebooks/${at(id)}/nodes/${node}`),
};

export const boards = {
  list: async (): Promise<SavedBoard[]> => (await fresh<{ boards: SavedBoard[] }>('/api/boards')).boards,
  create: (name: string, pgn: string, origin = '', key = ''): Promise<SavedBoard> =>
    create('/api/boards', { name, pgn, origin, key }),
  read: (id: string | number): Promise<SavedBoard> => fresh(`/api/boards/${at(id)}`),
  write: (id: string | number, board: { name: string; pgn: string; version: string; key: string }): Promise<SavedBoard> =>
    send('PUT', `/api/boards/${at(id)}`, board),
  remove: (id: string | number): Promise<void> => send('DELETE', `/api/boards/${at(id)}`),
};

/** An answer in training that the server has not got yet. */
interface Unsent {
  path: string;
  node: number;
  uci: string | null;
  /** when it was given, in milliseconds */
  at: number;
  /** its name: the server stores it once, however often it is sent */
  key?: string;
}
const UNSENT = ownName('answers');
function unsent(): Unsent[] {
  try {
    return JSON.parse(ofBrowser.get(UNSENT) ?? '[]');
  } catch {
    return [];
  }
}
const keep = (answers: Unsent[]) => ofBrowser.set(UNSENT, JSON.stringify(answers));
/** A name for what is sent, so that it counts once; crypto.randomUUID is for TLS and this machine alone. */
export const randomKey = (): string => [...crypto.getRandomValues(new Uint32Array(4))].map(word => word.toString(36)).join('-');
/** Keeps an answer in this browser until the server can be reached. */
export const keepAnswer = (answer: Unsent): void => keep([...unsent(), answer]);

/** Runs while no other window does; browsers have such locks over TLS and on this machine, unless they block data of sites. */
async function alone<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await (navigator.locks?.request(UNSENT, work) ?? work());
  } catch (error) {
    if ((error as Error).name !== 'SecurityError') throw error;
    return work();
  }
}

let storing: Promise<boolean> | undefined;
/** Sends the answers that are kept, the oldest first; false while the server does not take them. */
export const storeAnswers = (): Promise<boolean> => {
  storing ??= alone(sendAnswers).finally(() => {
    storing = undefined;
  });
  return storing;
};
async function sendAnswers(): Promise<boolean> {
  for (let [first] = unsent(); first; [first] = unsent()) {
    const { path, node, uci, at, key } = first;
    try {
      await send('POST', path, { node, uci, key, ago: Math.max(0, Math.round((Date.now() - at) / 1000)) });
    } catch (error) {
      if (!refused(error)) return false;
      say(t`An answer in training is not stored: ${(error as Error).message}`);
    }
    // Not before the server has it: the window may be closed meanwhile. Another window may have sent it, and more, too.
    keep(unsent().filter(other => JSON.stringify(other) !== JSON.stringify(first)));
  }
  return true;
}

/**
 * Shows the link by which others can read and copy a notebook or a board, once it is saved under the number that `saved` gives.
 * `latest` is stopped when the view is left.
 */
export const share = (latest: Latest, kind: 'notebook' | 'board', saved: () => Promise<string | number>): Promise<void> =>
  latest.run(
    async () => {
      const id = await saved();
      const path = `/api/${kind}s/${at(id)}/share`;
      return id ? { path, ...(await send<{ key: string }>('POST', path)) } : undefined;
    },
    made => made && showShared(kind, made.path, made.key),
    error => say(error.message),
  );

function showShared(kind: 'notebook' | 'board', path: string, key: string): void {
  const link = location.origin + outer(`/shared/${key}`);
  const field = h('input', { id: 'shared-link', class: 'code', readonly: true, value: link });
  const words =
    kind === 'board'
      ? t`Whoever has this link can read this board, as it is then, and keep a copy. Nobody else can change yours.`
      : t`Whoever has this link can read this notebook, as it is then, and keep a copy. Nobody else can change yours.`;
  const back = async () => {
    dialog.close();
    await send('DELETE', path).then(
      () => say(t`The link leads to nothing now`),
      error => say((error as Error).message),
    );
  };
  const dialog = openDialog(
    t`Share`,
    { class: 'wide' },
    h('div', { class: 'field wide' }, h('label', { for: 'shared-link' }, words), field),
    h(
      'div',
      { class: 'actions' },
      button(t`Take it back`, back, { class: 'plain' }),
      button(t`Copy link`, () => copy(link, t`Link`), { class: 'primary' }),
    ),
  );
  field.select();
}

/** A game that the visitor analyses: as PGN with his own moves, and the moves to the position on the board. */
export interface Begun {
  game: string;
  pgn: string;
  path: string[];
}
/** Stands for the id of a game that was played here, and is in no database. */
export const PLAYED = 'played';
const ANALYSED = ownName('analyse');
/** Keeps it in this tab until it is changed and becomes a saved board. */
export const begun = (game: Begun): void => ofWindow.set(ANALYSED, JSON.stringify(game));
export function beginning(id: string): Begun | undefined {
  const kept = JSON.parse(ofWindow.get(ANALYSED) ?? 'null') as Begun | null;
  return kept?.game === id ? kept : undefined;
}
