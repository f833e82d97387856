// In: the position on the board. Out: the analysis of the server's engine: depth, scores, lines and an arrow for the best move.
// The events are read with fetch, because an EventSource hides the reason of a refusal and reconnects by itself.
import { url } from './address';
import { ApiError, away, reach } from './api';
import type { Board } from './board';
import { button, fill, h } from './dom';
import { moveNumber, type Score, score } from './format';
import { fenOf, legal, type Position, step } from './position';
import { ofBrowser } from './storage';
import { capital, t } from './words';

/** How many half-moves of a line are shown. */
const LENGTH = 16;
/** What can be chosen, and what is asked for if nothing was. */
const LINES = ['1', '2', '3', '4', '5'];
const DEPTHS = ['15', '20', '30', '40', '60'];
const USUAL = { lines: '3', depth: '30' };
const chosen = (name: keyof typeof USUAL): string => ofBrowser.get(`engine-${name}`) ?? USUAL[name];
/** Milliseconds before a new position is sent, in case another follows; timeouts for the first event and for the analysis. */
const PAUSE = 250;
const FIRST = 30_000;
const ALL = 75_000;
const AGAIN = 3_000;
/** How often a move is asked for again while all engines are busy. */
const TRIES = 20;
/** The least time between two changes of the lines, in milliseconds. */
const DRAW = 250;
/** The depth at which the best move is read out for the first time. */
const WORTH = 12;

interface Line extends Score {
  moves: string[];
}
interface Seen {
  depth: number | null;
  pvs: Line[];
  engine?: string;
  over?: string;
  error?: string;
}

type Stream = ReadableStream<Uint8Array>;
/** The names and data of a stream's events. Comments and other fields are ignored. */
export async function* events(body: Stream): AsyncGenerator<{ name: string; data: string }> {
  const reader = body.pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).replace(/\r\n/g, '\n').split('\n\n');
    rest = parts.pop()!;
    for (const part of parts) {
      const fields = part.split('\n').map(line => /^(event|data): ?(.*)$/.exec(line));
      const all = (field: string) => fields.flatMap(found => (found?.[1] === field ? [found[2]] : [])).join('\n');
      if (all('data')) yield { name: all('event'), data: all('data') };
    }
  }
}

/** The stream of events from a search of the engine. */
async function search(question: URLSearchParams, signal: AbortSignal): Promise<Stream> {
  return (await reach(url('/api/engine', question), 'text/event-stream', { cache: 'no-store', signal })).body!;
}

/** The best line of the engine at a depth: moves in UCI and in SAN; nothing where the game is over. It waits for a busy engine. */
export async function bestLine(
  fen: string,
  depth: number,
  signal: AbortSignal,
): Promise<(Score & { moves: string[]; san: string[] }) | undefined> {
  const question = new URLSearchParams({ fen, multipv: '1', depth: String(depth) });
  let body: Stream | undefined;
  for (let left = TRIES; !body; left--) {
    try {
      body = await search(question, signal);
    } catch (error) {
      if (!left || !(error instanceof ApiError && away(error))) throw error;
      await new Promise(done => setTimeout(done, AGAIN));
    }
  }
  for await (const { name, data } of events(body)) {
    if (name === 'end') return JSON.parse(data).pvs[0];
    if (name === 'failure') break;
  }
  throw new ApiError(0, t`The engine does not answer.`);
}

/** A line of UCI moves in SAN, with numbers where they are due, up to the first illegal one. */
function written(pos: Position, ucis: string[]): { sans: string[]; first: string; arrow: string } {
  const sans: string[] = [];
  let [first, arrow] = ['', ''];
  let ply = (pos.fullmoves - 1) * 2 + (pos.turn === 'black' ? 1 : 0);
  for (const uci of ucis.slice(0, LENGTH)) {
    const move = legal(pos, uci);
    if (!move) break;
    const { after, step: played } = step(pos, move);
    ply++;
    sans.push(`${!first || ply % 2 ? `${moveNumber(ply)}\u00a0` : ''}${played.san}`);
    first ||= played.san;
    arrow ||= played.uci;
    pos = after;
  }
  return { sans, first, arrow };
}

/**
 * The new lines, and old ones for those that are missing: while an engine goes one deeper, the line it has just found may
 * begin as an older one further down does.
 */
function merged(now: Line[], before: Line[]): Line[] {
  const first = new Map<string, Line>();
  for (const line of [...now, ...before]) if (line.moves.length && !first.has(line.moves[0])) first.set(line.moves[0], line);
  return [...first.values()].slice(0, Number(chosen('lines')));
}

/** The value of a line for White; a mate is worth more than any number of centipawns. */
const worth = ({ cp = 0, mate }: Line): number => (mate === undefined ? cp : Math.sign(mate) * (1e6 - Math.abs(mate)));

const OVER: Record<string, string> = {
  'white wins': t`White has won`,
  'black wins': t`Black has won`,
  stalemate: t`Stalemate`,
  'insufficient material': t`Neither side can win`,
};

export class Live {
  private toggle = h(
    'button',
    {
      type: 'button',
      role: 'switch',
      'aria-checked': 'false',
      class: 'switch',
      title: t`Engine (e)`,
      on: { click: () => this.flip() },
    },
    t`Engine`,
  );
  private depth = h('span', { class: 'live-depth' });
  readonly head = h('div', { class: 'live-head', hidden: true }, this.depth, this.toggle);
  private lines = h('ul', {
    class: 'live-lines',
    'aria-label': t`Lines of the engine`,
    on: {
      // a line may be drawn anew between the press of the mouse and its release
      pointerdown: (event: Event) => this.pressed(event),
      click: (event: MouseEvent) => event.detail || this.pressed(event),
    },
  });
  /** the balance of the first line, beside the board */
  readonly bar = h('div', { class: 'balance', role: 'img', hidden: true }, h('span'));
  /** plays moves on the board of the view */
  play: (ucis: string[]) => void = () => {};
  private message = h('p', { class: 'live-message', role: 'status' });
  private spoken = h('p', { class: 'unseen', 'aria-live': 'polite' });
  readonly node = h(
    'section',
    { class: 'live', 'aria-label': t`Engine`, hidden: true },
    h('div', { class: 'live-choices' }, this.choice('lines', t`Lines`, LINES), this.choice('depth', t`Depth`, DEPTHS)),
    this.lines,
    this.message,
    this.spoken,
  );

  private on = false;
  private there = false;
  private follows = false;
  private pos: Position | undefined;
  private fen = '';
  private controller: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private limit: ReturnType<typeof setTimeout> | undefined;
  private drawing: ReturnType<typeof setTimeout> | undefined;
  private seen: Seen | undefined;
  /** the depth of the stored evaluation, while it is shown */
  private stored = 0;
  private told = false;
  /** the lines that are shown, as moves */
  private shown: string[][] = [];

  constructor(private board: Board) {
    board.watch = pos => this.follow(pos);
    document.addEventListener('visibilitychange', () => this.begin(0));
    addEventListener('pagehide', () => this.stop());
  }

  /** Whether the server has an engine. */
  available(there: boolean): void {
    this.there = there;
    this.place();
  }

  get usable(): boolean {
    return this.there && this.follows;
  }

  /** Whether the view has a position on its board. */
  attend(follows: boolean): void {
    if (follows === this.follows) return;
    this.follows = follows;
    this.place();
  }

  flip(): void {
    if (!this.usable) return;
    this.on = !this.on;
    this.toggle.setAttribute('aria-checked', String(this.on));
    this.place();
  }

  private place(): void {
    this.head.hidden = !this.usable;
    this.node.hidden = this.bar.hidden = !this.usable || !this.on;
    this.begin(0);
  }

  private choice(name: keyof typeof USUAL, label: string, values: string[]): HTMLElement {
    const select = h('select', {
      on: {
        change: () => {
          ofBrowser.set(`engine-${name}`, select.value);
          this.begin(0);
        },
      },
    });
    fill(select, ...values.map(value => h('option', { value, selected: value === chosen(name) }, value)));
    return h('label', null, label, select);
  }

  /** Plays a line up to the move that was pressed. */
  private pressed(event: Event): void {
    const move = (event.target as HTMLElement).closest<HTMLElement>('button');
    const line = move && this.shown[Number(move.dataset.line)];
    if (line) this.play(line.slice(0, Number(move.dataset.at) + 1));
  }

  private follow(pos: Position | undefined): void {
    const fen = pos ? fenOf(pos) : '';
    if (fen === this.fen) return;
    this.pos = pos;
    this.fen = fen;
    this.begin(PAUSE);
  }

  /** Cancels the analysis, and starts that of the position on the board if the page is visible. */
  private begin(pause: number): void {
    this.stop();
    this.clear();
    if (!this.on || !this.usable || !this.pos || document.hidden) return;
    this.depth.textContent = '…';
    this.timer = setTimeout(() => void this.ask(this.pos!), pause);
  }

  private stop(): void {
    for (const timer of [this.timer, this.limit, this.drawing]) clearTimeout(timer);
    this.drawing = undefined;
    this.controller?.abort();
    this.controller = undefined;
  }

  private clear(): void {
    this.seen = undefined;
    this.stored = 0;
    this.told = false;
    this.depth.textContent = this.message.textContent = this.spoken.textContent = '';
    this.lines.replaceChildren();
    this.shown = [];
    this.balance(undefined);
    this.board.engineArrow(undefined);
  }

  private async ask(pos: Position): Promise<void> {
    const controller = new AbortController();
    this.controller = controller;
    const current = () => this.controller === controller;
    const late = () => current() && this.failed(t`The engine does not answer.`);
    this.limit = setTimeout(late, FIRST);
    try {
      const question = new URLSearchParams({ fen: fenOf(pos), multipv: chosen('lines'), depth: chosen('depth') });
      const body = await search(question, controller.signal);
      let first = true;
      for await (const { name, data } of events(body)) {
        if (!current()) return;
        if (name === 'analysis' && first) {
          first = false;
          clearTimeout(this.limit);
          this.limit = setTimeout(late, ALL);
        }
        if (this.take(pos, name, JSON.parse(data) as Seen)) {
          this.stop();
          return;
        }
      }
      if (current()) this.failed(t`The connection to the engine has ended.`);
    } catch (error) {
      if (!current()) return;
      if (error instanceof SyntaxError) this.failed(t`The engine’s answer cannot be read.`);
      else this.refused(error instanceof ApiError ? error : new ApiError(0, ''));
    }
  }

  /** Takes an event; true if it is the last. */
  private take(pos: Position, name: string, seen: Seen): boolean {
    switch (name) {
      case 'stored':
        this.know(seen);
        this.stored = seen.depth ?? 0;
        this.draw(pos);
        return false;
      case 'analysis':
        // a stored evaluation stays until the engine reaches its depth
        if ((seen.depth ?? 0) < this.stored) return false;
        this.know(seen);
        this.drawing ??= setTimeout(
          () => {
            this.drawing = undefined;
            this.draw(pos);
          },
          this.lines.childElementCount ? DRAW : 0,
        );
        return false;
      case 'end':
        if (seen.over !== undefined) {
          this.clear();
          this.message.textContent = t`${OVER[seen.over] ?? t`The game is over`}: there is nothing to search.`;
        } else {
          if ((seen.depth ?? 0) >= this.stored && seen.pvs.length) this.know(seen);
          this.draw(pos, true);
        }
        return true;
      case 'failure':
        this.failed(`${capital(seen.error ?? t`the engine has failed`)}.`);
        return true;
    }
    return false;
  }

  private know(seen: Seen): void {
    const before = this.stored ? [] : (this.seen?.pvs ?? []);
    this.stored = 0;
    this.seen = { ...seen, pvs: merged(seen.pvs, before) };
  }

  private draw(pos: Position, done = false): void {
    const seen = this.seen;
    if (!seen?.pvs.length) return;
    const side = pos.turn === 'white' ? -1 : 1;
    const [chosen, ...others] = seen.pvs;
    // the engine's choice comes first, even if an older line has a better score
    const lines = [chosen, ...others.sort((a, b) => side * (worth(a) - worth(b)))].map(line => ({
      ...written(pos, line.moves),
      score: score(line),
      line,
    }));
    const [best] = lines;
    const focus = this.lines.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset.line : undefined;
    this.shown = lines.map(({ line }) => line.moves);
    this.balance(best.line);
    fill(
      this.lines,
      ...lines.map(({ score, sans }, n) =>
        h(
          'li',
          null,
          h('span', { class: 'live-score' }, score),
          h(
            'span',
            { class: 'live-moves' },
            ...sans.flatMap((san, at) => [
              at ? ' ' : null,
              h(
                'button',
                {
                  type: 'button',
                  class: 'move',
                  tabindex: at ? '-1' : '0',
                  'data-line': n,
                  'data-at': at,
                  title: t`Play the line up to here`,
                },
                san,
              ),
            ]),
          ),
        ),
      ),
    );
    if (focus) this.lines.querySelector<HTMLElement>(`[data-line="${focus}"]`)?.focus();
    this.depth.textContent = [this.stored ? t`stored` : '', seen.depth ? t`depth ${seen.depth}` : '', done ? t`done` : '']
      .filter(Boolean)
      .join(' · ');
    if (seen.engine) this.depth.title = seen.engine;
    this.board.engineArrow(best.arrow || undefined);
    // read out twice: during the analysis and at its end
    if (best.first && (done || (!this.told && (seen.depth ?? 0) >= WORTH))) {
      this.told = true;
      this.spoken.textContent = t`Engine: ${best.score}, best move ${best.first}, depth ${seen.depth ?? t`unknown`}`;
    }
  }

  /** Shows White's winning chances as a bar. */
  private balance(line: Line | undefined): void {
    const chances = line ? 50 + 50 * Math.tanh(0.00184 * Math.max(-5000, Math.min(5000, worth(line)))) : 50;
    (this.bar.firstElementChild as HTMLElement).style.height = `${chances}%`;
    this.bar.setAttribute('aria-label', line ? t`White’s winning chances: ${Math.round(chances)} %` : t`Winning chances`);
  }

  private refused(error: ApiError): void {
    const { status, message } = error;
    this.stop();
    this.clear();
    if (away(error)) {
      this.message.textContent = status ? t`All engines are busy. Trying again…` : t`The server does not answer. Trying again…`;
      const pos = this.pos;
      this.timer = setTimeout(() => pos && void this.ask(pos), AGAIN);
    } else {
      this.message.textContent = status === 400 ? t`The engine cannot look at this position: ${message}.` : message;
    }
  }

  private failed(text: string): void {
    this.stop();
    this.clear();
    fill(
      this.message,
      `${text} `,
      button(t`Try again`, () => this.begin(0), { class: 'plain' }),
    );
  }
}
