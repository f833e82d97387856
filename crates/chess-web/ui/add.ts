// In: files that are dropped on the page, chosen or pasted. Out: how they arrive and are loaded, what became of their games, and
// the files that the database's games came from, which can be removed.
import { go, outer, url } from './address';
import { ApiError, forget, fresh, type Game, Latest, parsed, send, takes } from './api';
import { button, type Child, fill, h, iconButton, openDialog, say } from './dom';
import { pgnField } from './field';
import { count, date } from './format';
import { initial, type Position } from './position';
import { failure, note, type Page, type View } from './view';
import { capital, games, plural, t } from './words';

interface Counts {
  stored: number;
  incomplete: number;
  rejected: number;
  known: number;
}
interface Upload extends Counts {
  id: number;
  name: string;
  stage: 'receiving' | 'waiting' | 'loading' | 'finishing' | 'removing' | 'analyzing' | 'done' | 'failed' | 'cancelled';
  bytes: number;
  read: number;
  sources: number[];
  errors: string[];
  error: string | null;
  removable: boolean;
  /** how many games an engine goes through, and how many of their positions are done */
  games: number;
  positions: number;
  of: number;
}
interface Source extends Counts {
  id: number;
  name: string;
  seen: string;
  finished: boolean;
  removable: boolean;
}
interface Rejected {
  line: number;
  number: number;
  reason: string;
  text: string;
  game: string | null;
}

export const outcome = ({ stored, incomplete, rejected, known }: Counts): string =>
  [
    plural(stored, '1 game added', '{0} games added'),
    incomplete && t`${count(incomplete)} of them incomplete`,
    known && t`${count(known)} known already`,
    rejected && t`${count(rejected)} rejected`,
  ]
    .filter(Boolean)
    .join(', ');

/** The games of sources, those loaded last first. */
const ofSources = (sources: number[], text: string): HTMLElement =>
  h('a', { href: url('/games', new URLSearchParams({ source: sources.join(','), sort: 'loaded' })) }, text);

/** Files that are still to be sent; the view that is open sends and shows them. */
const waiting: { file: Blob; name: string }[] = [];
let sending: { name: string; share: number; request: XMLHttpRequest } | undefined;
let refused: { name: string; why: string }[] = [];
let drawn: () => void = () => {};

addEventListener('beforeunload', event => {
  if (sending || waiting.length) event.preventDefault();
});

/** Sends files, one after the other, and shows the page on which they arrive. */
export function add(files: Iterable<File>): void {
  for (const file of files) waiting.push({ file, name: file.name });
  next();
  go('/add');
}

function next(): void {
  if (sending || !waiting.length) return;
  const { file, name } = waiting.shift()!;
  const end = (why?: string) => {
    if (why) refused.push({ name, why });
    sending = undefined;
    drawn();
    next();
  };
  // 0 until the server has said it, which refuses what is too large
  if (takes() && file.size > takes() * 2 ** 20) {
    end(t`It has more than ${count(takes())} MiB; chess-pgn load takes files of any size.`);
    return;
  }
  // fetch does not tell how much has been sent
  const request = new XMLHttpRequest();
  sending = { name, share: 0, request };
  request.upload.onprogress = event => {
    if (sending) sending.share = event.total ? event.loaded / event.total : 0;
    drawn();
  };
  let why: string | undefined = t`The connection was lost. Add it again: what is stored already is not stored twice.`;
  request.onload = () => {
    const said = parsed<{ error?: string; hint?: string }>(request.responseText);
    const refusal = [said?.error, said?.hint].filter(Boolean).join('; ') || t`The server reports error ${request.status}.`;
    // an answer that is not JSON comes from something in place of the server, such as a login page
    if (request.status >= 300) why = refusal;
    else if (said) why = undefined;
  };
  request.onabort = () => {
    why = undefined;
  };
  // comes after each of these, and after what nobody foresaw
  request.onloadend = () => end(why);
  request.open('POST', outer(`/api/uploads?name=${encodeURIComponent(name)}`));
  request.setRequestHeader('Content-Type', 'application/octet-stream');
  request.send(file);
  drawn();
}

/** Seconds in words. */
const lasting = (seconds: number): string =>
  seconds < 90
    ? t`${Math.max(1, Math.round(seconds))} s`
    : seconds < 5400
      ? plural(Math.round(seconds / 60), '{0} minute', '{0} minutes')
      : plural(Math.round(seconds / 3600), '{0} hour', '{0} hours');

/** Offers to have the server's engine go through the first games of a list, and says how long that takes. */
export async function analyse(list: Game[]): Promise<void> {
  const { analysis } = await fresh<{ analysis: { games: number; plies: number; seconds: number } | null }>('/api/uploads');
  const chosen = analysis ? list.filter(({ plies }) => plies <= analysis.plies).slice(0, analysis.games) : [];
  if (!analysis || !chosen.length) {
    say(analysis?.games ? t`These games are too long for an analysis here.` : t`This server analyses single games alone.`);
    return;
  }
  // the start, and what follows each half-move
  const positions = chosen.reduce((sum, { plies }) => sum + plies + 1, 0);
  const begin = () =>
    send<Upload>('POST', '/api/games/analysis', { games: chosen.map(({ id }) => id) }).then(
      () => {
        dialog.close();
        go('/add');
      },
      error => say((error as Error).message),
    );
  const what =
    chosen.length < list.length
      ? plural(chosen.length, 'The first 1 game of those that are shown', 'The first {0} games of those that are shown')
      : games(chosen.length);
  const dialog = openDialog(
    t`Analyze these games`,
    {},
    h(
      'p',
      null,
      plural(
        positions,
        '{1}: {0} position, about {2} of the server’s engine. What it has found before takes no time; games of other visitors come in turn.',
        '{1}: {0} positions, about {2} of the server’s engine. What it has found before takes no time; games of other visitors come in turn.',
        what,
        lasting(positions * analysis.seconds),
      ),
    ),
    h('div', { class: 'actions' }, button(t`Analyze`, begin, { class: 'primary' })),
  );
}

/** How many characters of a rejected game the server shows. */
const SHOWN = 2000;

const STAGES: Record<string, string> = {
  receiving: t`arriving`,
  waiting: t`waits for its turn`,
  finishing: t`games are stored; indexes and counts follow`,
  removing: t`being removed`,
  cancelled: t`cancelled; what was stored until then stays`,
};

export class AddView implements View {
  private jobs = h('div', { class: 'jobs', 'aria-live': 'polite' });
  private sources = h('div');
  private listing = new Latest();
  private asking = new Latest();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private uploads: Upload[] = [];
  private open = 0;
  readonly node: HTMLElement;

  constructor(private page: Page) {
    const choose = h('input', {
      id: 'files',
      type: 'file',
      multiple: true,
      accept: '.pgn,.zip,.zst,.gz,.bz2',
      on: { change: () => choose.files?.length && add(choose.files) },
    });
    this.node = h(
      'div',
      { class: 'view add' },
      h('h1', null, t`Add games`),
      h(
        'div',
        { class: 'note drop' },
        h('label', { for: 'files' }, t`Drop files of games anywhere on this page, or choose them`),
        choose,
        h(
          'p',
          { class: 'quiet' },
          t`PGN, also compressed: .pgn, .zip, .zst, .gz, .bz2. Games that the database has already are left out.`,
        ),
        h(
          'div',
          { class: 'actions' },
          button(t`Paste PGN`, () => paste()),
        ),
      ),
      this.jobs,
      this.sources,
    );
  }

  update(): void {
    this.page.title(t`Add games`);
    this.page.strip();
    this.page.board.show({ pos: initial() });
    if (this.page.status && !takes()) {
      fill(this.node, note(h('h1', null, t`This server takes no games`), h('p', null, t`chess-web --upload allows it.`)));
      return;
    }
    drawn = () => {
      this.draw();
      this.ask();
    };
    this.ask();
    this.list();
  }

  /** Asks how far the jobs are, again as long as one is under way. */
  private ask(): void {
    clearTimeout(this.timer);
    void this.asking.run(
      signal => fresh<{ uploads: Upload[] }>('/api/uploads', signal),
      ({ uploads }) => {
        this.uploads = uploads;
        const open = uploads.filter(job => !['done', 'failed', 'cancelled'].includes(job.stage)).length;
        if (open < this.open) {
          forget();
          // which shows this view again
          void this.page.renew();
        }
        this.open = open;
        this.draw();
        if (open || sending) this.timer = setTimeout(() => this.ask(), 700);
      },
      error =>
        fill(
          this.jobs,
          failure(error, () => this.ask()),
        ),
    );
  }

  private draw(): void {
    const cancel = (name: string, work: () => void) => iconButton('close', t`Cancel ${name}`, work);
    fill(
      this.jobs,
      sending
        ? job(
            sending.name,
            bar(sending.share, t`Sending ${sending.name}`),
            t`sent ${Math.round(100 * sending.share)} %`,
            cancel(sending.name, () => sending?.request.abort()),
          )
        : null,
      ...waiting.map(({ name }, at) =>
        job(
          name,
          t`will be sent next`,
          cancel(name, () => {
            waiting.splice(at, 1);
            this.draw();
          }),
        ),
      ),
      ...refused.map(({ name, why }) =>
        job(
          name,
          h('span', { class: 'error' }, why),
          iconButton('close', t`Forget ${name}`, () => {
            refused = refused.filter(other => other.name !== name);
            this.draw();
          }),
        ),
      ),
      ...this.uploads.filter(job => job.stage !== 'receiving' || !sending).map(upload => this.upload(upload)),
    );
  }

  private upload(upload: Upload): HTMLElement {
    const { id, name, stage, sources, errors, error, removable, positions, of } = upload;
    const ended = ['done', 'failed', 'cancelled'].includes(stage);
    const again = upload.games
      ? t`Ask for it again to go on: what was found is stored.`
      : t`Add the file again to go on: nothing is stored twice.`;
    const shown =
      upload.games && ['analyzing', 'done'].includes(stage)
        ? plural(of, '{1} of {0} position', '{1} of {0} positions', count(positions))
        : stage === 'loading'
          ? t`${outcome(upload)} so far`
          : stage === 'done'
            ? outcome(upload)
            : (STAGES[stage] ?? '');
    return job(
      name,
      stage === 'analyzing' ? bar(positions / Math.max(1, of), t`Analysis of ${name}`) : null,
      stage === 'loading' ? bar(upload.read / Math.max(1, upload.bytes), t`Loading ${name}`) : null,
      h(
        'span',
        null,
        stage === 'done' && upload.games
          ? t`analyzed`
          : stage === 'done' && !sources.length && !upload.stored
            ? errors.length
              ? t`nothing added`
              : t`done`
            : ended && upload.stored && sources.length
              ? ofSources(sources, shown)
              : shown,
      ),
      error || errors.length ? h('span', { class: 'error' }, error ? `${capital(error)}. ${again}` : errors.join(' · ')) : null,
      stage === 'done' && upload.rejected + upload.incomplete
        ? button(t`Show them`, () => showRejected(name, sources), { class: 'plain', 'aria-label': t`Rejected games of ${name}` })
        : null,
      removable
        ? iconButton('close', ended ? t`Forget ${name}` : t`Cancel ${name}`, () =>
            send('DELETE', `/api/uploads/${id}`).then(
              () => this.ask(),
              failed => say((failed as Error).message),
            ),
          )
        : null,
    );
  }

  private list(): void {
    if (!this.page.status || this.page.status.error) return;
    void this.listing.run(
      signal => fresh<{ sources: Source[] }>('/api/sources', signal),
      ({ sources }) =>
        fill(
          this.sources,
          h('h2', null, t`Files in the database`),
          sources.length ? null : h('p', { class: 'quiet' }, t`None yet. Drop one on this page.`),
          h('ul', { class: 'cards' }, ...sources.map(source => this.source(source))),
        ),
      error =>
        fill(
          this.sources,
          failure(error, () => this.list()),
        ),
    );
  }

  private source(source: Source): HTMLElement {
    const { id, name, removable } = source;
    const facts = [date(source.seen.slice(0, 10)), source.finished ? '' : t`not loaded to its end`];
    return h(
      'li',
      null,
      h('span', { class: 'file' }, name.split('/').pop()),
      h(
        'span',
        { class: 'quiet' },
        source.stored ? ofSources([id], games(source.stored)) : games(0),
        ' · ',
        facts.filter(Boolean).join(' · '),
      ),
      source.rejected + source.incomplete
        ? button(t`${count(source.rejected + source.incomplete)} rejected or incomplete`, () => showRejected(name, [id]), {
            class: 'plain',
          })
        : null,
      removable
        ? iconButton('trash', t`Remove ${name}`, () => {
            if (
              !confirm(
                plural(
                  source.stored,
                  'Remove 1 game of “{1}” from the database, for everybody?',
                  'Remove {0} games of “{1}” from the database, for everybody?',
                  name,
                ),
              )
            )
              return;
            send('DELETE', `/api/sources/${id}`).then(
              () => this.ask(),
              failed => say((failed as Error).message),
            );
          })
        : null,
    );
  }

  step(): void {}
  position(): Position {
    return initial();
  }
  leave(): void {
    clearTimeout(this.timer);
    this.asking.stop();
    this.listing.stop();
    drawn = () => {};
  }
}

const job = (name: string, ...children: Child[]): HTMLElement =>
  h('div', { class: 'job', role: 'group', 'aria-label': name }, h('strong', null, name), ...children);

const bar = (share: number, label: string): HTMLElement =>
  h('progress', { max: '1', value: Math.min(1, share), 'aria-label': label });

/** The games of sources that could not be read to their end, and why. */
async function showRejected(name: string, sources: number[]): Promise<void> {
  const box = h('div', { class: 'rejected' }, t`Looking…`);
  const correct = (text: string) => {
    dialog.close();
    paste(text);
  };
  const dialog = openDialog(t`What could not be read in ${name}`, { class: 'wide' }, box);
  try {
    const answers = await Promise.all(sources.map(source => fresh<{ rejected: Rejected[] }>(`/api/sources/${source}/rejected`)));
    fill(
      box,
      ...answers
        .flatMap(answer => answer.rejected)
        .map(game =>
          h(
            'details',
            null,
            h('summary', null, t`Game ${count(game.number)}, line ${count(game.line)}: ${game.reason}`),
            game.game ? h('a', { href: `/game/${game.game}` }, t`What could be read of it`) : null,
            h('pre', { tabindex: '0' }, game.text),
            // of a longer text the server shows the beginning
            game.text.length < SHOWN ? button(t`Correct it and add it again`, () => correct(game.text)) : null,
          ),
        ),
    );
  } catch (error) {
    fill(box, h('p', { class: 'error' }, error instanceof ApiError ? error.message : String(error)));
  }
}

/** Asks for a text with games, which is then added as a file. */
export function paste(text = ''): void {
  const area = pgnField(14, text);
  const dialog = openDialog(
    t`Paste games`,
    { class: 'wide' },
    area,
    h(
      'div',
      { class: 'actions' },
      button(
        t`Add to the database`,
        () => {
          if (!area.value.trim()) return;
          dialog.close();
          const now = new Date();
          const pad = (n: number) => String(n).padStart(2, '0');
          const name = `pasted ${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())} ${pad(now.getHours())}.${pad(now.getMinutes())}.pgn`;
          add([new File([area.value.trimEnd(), '\n'], name)]);
        },
        { class: 'primary' },
      ),
    ),
  );
  area.focus();
}

export const VIEWS = { add: AddView };
