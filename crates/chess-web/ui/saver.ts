// In: what the visitor has typed or played, as work that writes it. Out: the server has it; or the visitor knows what it has not.
import { ApiError, refused } from './api';
import { say } from './dom';
import { boards, randomKey } from './sessions';
import { t } from './words';

type State = 'saving' | 'saved' | 'failed';
type Tell = (state: State, problem?: string, name?: string) => void;
/** Shows in a place whether all is saved; what is not is still said, once, when the view with the place was left. */
export const showSaving = (place: HTMLElement): Tell => {
  let told = '';
  return (state, problem = '', name = '') => {
    const words = state === 'saving' ? t`saving` : state === 'saved' ? t`saved` : t`not saved: ${problem}`;
    place.textContent = words;
    if (place.isConnected || words === told) return;
    told = words;
    if (state === 'failed') sayOf(name, words);
  };
};
const sayOf = (name: string, words: string): void => say(name ? `${name}: ${words}` : words);

interface Write {
  /** the name of what is written */
  name: string;
  work: () => Promise<unknown>;
  /** why the last attempt failed, and whether the server will never take it */
  problem?: string;
  refused?: boolean;
}
/** The seconds after which a write is tried again; the more often it failed, the later. */
const SOONEST = 3;
const LATEST = 60;
const DAY = 86_400;

/** Those that have something to write. */
const savers = new Set<Saver>();
/** How many changes are sent that no Saver writes. */
let sent = 0;
addEventListener('pagehide', () => savers.forEach(saver => void saver.now()));
// The window may be closed before all is stored, and browsers do not send much of it then.
addEventListener('beforeunload', event => {
  if (!savers.size && !sent) return;
  event.preventDefault();
  savers.forEach(saver => void saver.now());
});

/** Sends a change that is not tried again by itself. A failure is told here if the view was left. */
export async function change<T>(name: string, left: () => boolean, work: Promise<T>): Promise<T> {
  sent++;
  try {
    return await work;
  } catch (error) {
    if (left()) sayOf(name, t`not saved: ${(error as Error).message}`);
    throw error;
  } finally {
    sent--;
  }
}

/** Saves what is typed, half a second after the last change or when the page is closed. */
export class Saver {
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** the latest write of each object that is not stored as it is now */
  private writes = new Map<unknown, Write>();
  private last: unknown;
  private writing: Promise<void> = Promise.resolve();
  private wait = SOONEST;
  private left = false;

  constructor(private tell: Tell) {}

  /** All is stored. */
  get done(): boolean {
    return !this.writes.size;
  }

  /** Schedules a write. `of` is what it writes whole, so a later write of the same replaces it, also one of a view that was left. */
  later(of: unknown, name: string, work: () => Promise<unknown>): void {
    if (this.last !== of) void this.now();
    this.last = of;
    for (const other of savers) other.writes.delete(of);
    this.writes.set(of, { name, work });
    savers.add(this);
    this.tell('saving');
    this.schedule(0.5);
  }

  /** Writes now; one write after the other, so that the last change wins. */
  now(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const due = [...this.writes];
    this.writing = this.writing.then(() => this.write(due));
    return this.writing;
  }

  /** Writes what is left to write. What the server refuses cannot be changed any more: it is told and forgotten. */
  leave(): void {
    this.left = true;
    void this.now();
  }

  private schedule(seconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.now(), Math.min(seconds, DAY) * 1000);
  }

  private async write(due: [unknown, Write][]): Promise<void> {
    let tried = false;
    let wait = 0;
    for (const [of, write] of due) {
      // what is written or was changed meanwhile is not due any more
      if (this.writes.get(of) !== write || write.refused) continue;
      tried = true;
      try {
        await write.work();
        if (this.writes.get(of) === write) this.writes.delete(of);
      } catch (error) {
        write.problem = (error as Error).message;
        write.refused = refused(error);
        if (!write.refused) wait = Math.max(wait, this.wait, (error as ApiError).wait ?? 0);
      }
    }
    const failed = [...this.writes.values()].find(write => write.problem);
    if (this.left) for (const [of, write] of this.writes) if (write.refused) this.writes.delete(of);
    if (this.done) savers.delete(this);
    if (!tried) return;
    this.wait = wait ? Math.min(2 * this.wait, LATEST) : SOONEST;
    if (failed) this.tell('failed', failed.problem, failed.name);
    else if (this.done) this.tell('saved');
    // what was changed meanwhile is due sooner, and all that failed with it
    if (wait && !this.timer) this.schedule(wait);
  }
}

/** A board as the server has it; without an id it has none yet. */
export interface OpenBoard {
  id: string;
  name: string;
  /** the stored game that it began with */
  origin: string;
  /** what was stored when this window read or wrote it */
  version: string;
  /** by which the server knows what this window has written, also where its answer was lost */
  key: string;
  /** it was changed or deleted elsewhere, and is not saved yet as one of its own */
  parts?: boolean;
}

/**
 * Saves a board. If it was changed or deleted elsewhere, it becomes one of its own, and `parted` is called: neither
 * version is lost.
 */
export async function saveBoard(board: OpenBoard, pgn: string, parted: () => void): Promise<void> {
  const name = board.name || t`Untitled board`;
  if (board.id) {
    try {
      const { version, key } = board;
      board.version = (await boards.write(board.id, { name, pgn, version, key })).version;
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || ![404, 409].includes(error.status)) throw error;
      Object.assign(board, { id: '', key: randomKey(), parts: true });
    }
  }
  const { id, version } = await boards.create(name, pgn, board.origin, board.key);
  const { parts } = board;
  Object.assign(board, { id: String(id), version, parts: false });
  if (parts) parted();
}
