// In: the position on the board. Out: the analysis of the server's engine: depth, scores, lines and an arrow for the best move.
// The events are read with fetch, because an EventSource hides the reason of a refusal and reconnects by itself.
import { url } from './address';
import type { Board } from './board';
import { button, fill, h } from './dom';
import { moveNumber, type Score, score } from './format';
import { fenOf, legal, type Position, step } from './position';

/** How many lines are asked for, and how many half-moves of each are shown. */
const LINES = 3;
const LENGTH = 16;
/** Milliseconds before a new position is sent, in case another follows; timeouts for the first event and for the analysis. */
const PAUSE = 250;
const FIRST = 30_000;
const ALL = 75_000;
const AGAIN = 3_000;
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

/** The names and data of a stream's events. Comments and other fields are ignored. */
export async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<{ name: string; data: string }> {
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

/** A line of UCI moves in SAN, up to the first illegal one. */
function written(pos: Position, ucis: string[]): { text: string; first: string; arrow: string } {
  let [text, first, arrow] = ['', '', ''];
  let ply = (pos.fullmoves - 1) * 2 + (pos.turn === 'black' ? 1 : 0);
  for (const uci of ucis.slice(0, LENGTH)) {
    const move = legal(pos, uci);
    if (!move) break;
    const { after, step: played } = step(pos, move);
    ply++;
    text += `${text ? ' ' : ''}${!text || ply % 2 ? `${moveNumber(ply)}\u00a0` : ''}${played.san}`;
    first ||= played.san;
    arrow ||= played.uci;
    pos = after;
  }
  return { text, first, arrow };
}

/**
 * The new lines, and old ones for those that are missing: while an engine goes one deeper, the line it has just found may
 * begin as an older one further down does.
 */
function merged(now: Line[], before: Line[]): Line[] {
  const first = new Map<string, Line>();
  for (const line of [...now, ...before]) if (line.moves.length && !first.has(line.moves[0])) first.set(line.moves[0], line);
  return [...first.values()].slice(0, LINES);
}

/** The value of a line for White; a mate is worth more than any number of centipawns. */
const worth = ({ cp = 0, mate }: Line): number => (mate === undefined ? cp : Math.sign(mate) * (1e6 - Math.abs(mate)));

const OVER: Record<string, string> = {
  'white wins': 'White has won',
  'black wins': 'Black has won',
  stalemate: 'Stalemate',
  'insufficient material': 'Neither side can win',
};

export class Live {
  private toggle = h(
    'button',
    {
      type: 'button',
      role: 'switch',
      'aria-checked': 'false',
      class: 'switch',
      title: 'Engine (e)',
      on: { click: () => this.flip() },
    },
    'Engine',
  );
  private depth = h('span', { class: 'live-depth' });
  readonly head = h('div', { class: 'live-head', hidden: true }, this.depth, this.toggle);
  private lines = h('ul', { class: 'live-lines', 'aria-label': 'Lines of the engine' });
  private message = h('p', { class: 'live-message', role: 'status' });
  private spoken = h('p', { class: 'unseen', 'aria-live': 'polite' });
  readonly node = h('div', { class: 'live', hidden: true }, this.lines, this.message, this.spoken);

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
    this.node.hidden = !this.usable || !this.on;
    // the board makes room for the lines
    this.board.resized();
    this.begin(0);
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
    this.board.engineArrow(undefined);
  }

  private async ask(pos: Position): Promise<void> {
    const controller = new AbortController();
    this.controller = controller;
    const current = () => this.controller === controller;
    const late = () => current() && this.failed('The engine does not answer.');
    this.limit = setTimeout(late, FIRST);
    try {
      const response = await fetch(url('/api/engine', new URLSearchParams({ fen: fenOf(pos), multipv: String(LINES) })), {
        credentials: 'same-origin',
        cache: 'no-store',
        headers: { Accept: 'text/event-stream' },
        signal: controller.signal,
      });
      if (!response.ok || !response.body) {
        const said = (await response.json().catch(() => null)) as { error?: string } | null;
        if (current()) this.refused(response.status, said?.error);
        return;
      }
      let first = true;
      for await (const { name, data } of events(response.body)) {
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
      if (current()) this.failed('The connection to the engine has ended.');
    } catch (error) {
      if (!current()) return;
      if (error instanceof SyntaxError) this.failed('The engine’s answer cannot be read.');
      else this.refused(0);
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
          this.message.textContent = `${OVER[seen.over] ?? 'The game is over'}: there is nothing to search.`;
        } else {
          if ((seen.depth ?? 0) >= this.stored && seen.pvs.length) this.know(seen);
          this.draw(pos, true);
        }
        return true;
      case 'failure':
        this.failed(`${(seen.error ?? 'the engine has failed').replace(/^./, first => first.toUpperCase())}.`);
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
      white: (line.mate ?? line.cp ?? 0) >= 0,
    }));
    const [best] = lines;
    fill(
      this.lines,
      ...lines.map(line =>
        h(
          'li',
          null,
          h('span', { class: `live-score ${line.white ? 'white' : 'black'}` }, line.score),
          h('span', { class: 'live-moves' }, line.text),
        ),
      ),
    );
    this.depth.textContent = [this.stored ? 'stored' : '', seen.depth ? `depth ${seen.depth}` : '', done ? 'done' : '']
      .filter(Boolean)
      .join(' · ');
    if (seen.engine) this.depth.title = seen.engine;
    this.board.engineArrow(best.arrow || undefined);
    // read out twice: during the analysis and at its end
    if (best.first && (done || (!this.told && (seen.depth ?? 0) >= WORTH))) {
      this.told = true;
      this.spoken.textContent = `Engine: ${best.score}, best move ${best.first}, depth ${seen.depth ?? 'unknown'}`;
    }
  }

  private refused(status: number, said?: string): void {
    this.stop();
    this.clear();
    if (status === 503 || status === 0) {
      this.message.textContent = status ? 'All engines are busy. Trying again…' : 'The server does not answer. Trying again…';
      const pos = this.pos;
      this.timer = setTimeout(() => pos && void this.ask(pos), AGAIN);
    } else {
      this.message.textContent =
        status === 400
          ? `The engine cannot look at this position: ${said ?? 'it is not legal'}.`
          : `${said ?? `The server reports error ${status}`}.`;
    }
  }

  private failed(text: string): void {
    this.stop();
    this.clear();
    fill(
      this.message,
      `${text} `,
      button('Try again', () => this.begin(0), { class: 'plain' }),
    );
  }
}
