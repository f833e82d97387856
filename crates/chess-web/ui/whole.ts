// In: a game of the database. Out: how accurate both sides were, by phases; and a button by which the server's engine goes through
// the whole game, as a job that stores what it finds.
import { url } from './address';
import { type Accuracy, forget, fresh, known, Latest, send, type WholeGame } from './api';
import { button, fill, h, say } from './dom';
import { capital, count, decimal, plural, served, t } from './words';

interface Job {
  id: number;
  stage: string;
  game: string | null;
  positions: number;
  error: string | null;
  removable: boolean;
}

const OPEN = ['waiting', 'analyzing'];
/** Milliseconds between two questions how far the engine is. */
const EVERY = 700;

export class WholeAnalysis {
  private figures = h('div');
  private work = h('div', { class: 'actions' });
  readonly node = h('div', { class: 'whole' }, this.figures, this.work);
  private game: WholeGame | undefined;
  private latest = new Latest();
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `done` is called when the game has new evaluations. */
  constructor(private done: () => void) {}

  show(game: WholeGame): void {
    this.stop();
    this.game = game;
    fill(this.figures, accuracies(game.accuracy ?? []));
    fill(this.work);
    if (!game.moves.length) return;
    void this.latest.run(
      known,
      ({ engine, features }) => {
        if (!engine || !features?.upload) return;
        this.offer();
        // Somebody may have asked for it already.
        this.ask(undefined);
      },
      () => {},
    );
  }

  private offer(): void {
    const { game } = this;
    const again = !!game?.accuracy?.length;
    fill(
      this.work,
      again
        ? h('a', { class: 'button', href: url('/puzzles', new URLSearchParams({ game: game.id })) }, t`Puzzles of its mistakes`)
        : null,
      button(again ? t`Analyze it again` : t`Analyze the whole game`, () => this.begin(), {
        title: t`The server’s engine goes through the game, and what it finds is stored for everybody`,
      }),
    );
  }

  private begin(): Promise<void> {
    return this.latest.run(
      () => send<Job>('POST', `/api/games/${encodeURIComponent(this.game!.id)}/analysis`),
      job => this.ask(job.id),
      error => say(error.message),
    );
  }

  /** Asks how far the job is; without a number, whether there is one of this game. */
  private ask(id: number | undefined): void {
    void this.latest.run(
      signal => fresh<{ uploads: Job[] }>('/api/uploads', signal),
      ({ uploads }) => {
        const of = (job: Job) => (id === undefined ? job.game === this.game?.id && OPEN.includes(job.stage) : job.id === id);
        const job = uploads.find(of);
        if (job && OPEN.includes(job.stage)) {
          this.progress(job);
          this.timer = setTimeout(() => this.ask(job.id), EVERY);
        } else if (id !== undefined) this.ended(job);
      },
      () => {
        // the server may be away for a moment
        if (id !== undefined) this.timer = setTimeout(() => this.ask(id), 5 * EVERY);
      },
    );
  }

  private progress(job: Job): void {
    // the start, and the position after each half-move
    const all = this.game!.moves.length + 1;
    const words =
      job.stage === 'waiting'
        ? t`waits for its turn`
        : plural(all, '{1} of {0} position', '{1} of {0} positions', count(Math.min(job.positions, all)));
    const cancel = () =>
      send('DELETE', `/api/uploads/${job.id}`).then(
        () => this.ask(job.id),
        (error: Error) => say(error.message),
      );
    fill(
      this.work,
      h('span', { role: 'status' }, t`The engine: ${words}`),
      h('progress', { max: all, value: Math.min(job.positions, all), 'aria-label': t`Analysis of the game` }),
      job.removable ? button(t`Cancel`, cancel) : null,
    );
  }

  private ended(job: Job | undefined): void {
    if (job?.stage === 'done') {
      forget();
      this.done();
      return;
    }
    this.offer();
    if (job?.error) this.work.append(h('span', { class: 'error', role: 'alert' }, job.error));
  }

  stop(): void {
    clearTimeout(this.timer);
    this.latest.stop();
  }
}

const PHASES = ['opening', 'middlegame', 'endgame'] as const;

/** A line for each side: its accuracy, its mistakes, and what it lost in each phase. */
function accuracies(all: Accuracy[]): HTMLElement | null {
  const sides = all.filter(({ phase }) => phase === null);
  if (!sides.length) return null;
  const phases = PHASES.filter(phase => all.some(one => one.phase === phase));
  const heads = ['', t`Accuracy`, '?!', '?', '??', ...phases.map(phase => capital(served(phase)))];
  const titles: Record<string, string> = { '?!': t`Inaccuracies`, '?': t`Mistakes`, '??': t`Blunders` };
  const lost = (color: string, phase: string) => {
    const loss = all.find(one => one.color === color && one.phase === phase)?.loss;
    return loss === undefined ? '' : decimal(loss, 1);
  };
  return h(
    'table',
    { class: 'figures accuracy' },
    h('caption', { class: 'unseen' }, t`Accuracy`),
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        ...heads.map((head, i) =>
          head
            ? h(
                'th',
                { scope: 'col', title: titles[head] ?? (i > 4 ? t`Winning chances that a move lost here, in percent` : null) },
                head,
              )
            : h('td'),
        ),
      ),
    ),
    h(
      'tbody',
      null,
      ...sides.map(side =>
        h(
          'tr',
          null,
          h('th', { scope: 'row' }, side.color === 'w' ? t`White` : t`Black`),
          h('td', null, `${Math.round(side.accuracy)} %`),
          ...[side.inaccuracies, side.mistakes, side.blunders].map(n => h('td', null, n)),
          ...phases.map(phase => h('td', null, lost(side.color, phase))),
        ),
      ),
    ),
  );
}
