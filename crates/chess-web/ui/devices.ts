// In: the visitor's devices, or the key of a link that another device made. Out: a list of the devices, links by which further
// devices join, and a file with all notebooks, boards and filters. The visitor can load that file again.
import { type Address, here, outer, rename } from './address';
import { ApiError, fresh, Latest, send } from './api';
import { button, type Child, copy, download, fill, h, say, submitted } from './dom';
import { count, date } from './format';
import { initial, type Position } from './position';
import { readSaved, SAVED_MOST, type Saved, type SavedNotebook } from './saved';
import { boards, create, glyphsOf, type NewMove, notebooks, REMEMBERED_MOST, type Remembered } from './sessions';
import { failure, note, type Page, type View } from './view';
import { plural, rich, t } from './words';

interface Device {
  id: number;
  name: string;
  seen: string;
  here: boolean;
}
interface Held {
  notebooks: number;
  boards: number;
  filters: number;
}
interface Invitation extends Held {
  device: string;
  /** the visitor's device uses the same notebooks already */
  joined: boolean;
  /** what the visitor's device has saved itself */
  here: Held;
}

/** What this browser is likely to be called. */
function guess(): string {
  const agent = navigator.userAgent;
  const find = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = find([
    [/Edg\//, 'Edge'],
    [/Firefox\//, 'Firefox'],
    [/Chrom(e|ium)\//, 'Chrome'],
    [/Safari\//, 'Safari'],
  ]);
  const system = find([
    [/Android/, 'Android'],
    [/iPhone/, 'iPhone'],
    [/iPad/, 'iPad'],
    [/Mac OS/, t`a Mac`],
    [/Windows/, 'Windows'],
    [/Linux/, 'Linux'],
  ]);
  return system ? t`${browser ?? t`Browser`} on ${system}` : (browser ?? t`Browser`);
}

const inWords = ({ notebooks, boards, filters }: Held): string =>
  t`${plural(notebooks, '1 notebook', '{0} notebooks')}, ${plural(boards, '1 board', '{0} boards')} and ${plural(filters, '1 filter', '{0} filters')}`;

/** The longest time between two attempts, in seconds. */
const PATIENCE = 10;
/** Asks the server, and again while it has had too many requests and says that it may be asked soon. */
async function patiently<T>(question: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await question();
    } catch (error) {
      const wait = error instanceof ApiError && error.status === 429 ? error.wait : undefined;
      if (wait === undefined || wait > PATIENCE || attempt === 20) throw error;
      await new Promise(done => setTimeout(done, 1000 * wait));
    }
  }
}

/** Everything that the visitor has saved, and the notebooks' numbers in the same order. */
async function collect(): Promise<{ saved: Saved; ids: (string | number)[] }> {
  const saved: Saved = { chess: 1, notebooks: [], boards: [], filters: [] };
  const ids: (string | number)[] = [];
  for (const { id } of await patiently(notebooks.list)) {
    const { name, color, nodes } = await patiently(() => notebooks.read(id));
    const [root, ...others] = nodes;
    const places = new Map(others.map((node, place) => [node.id, place]));
    const moves = others.map(
      (node): NewMove => ({
        parent: places.get(node.parent ?? 0) ?? null,
        uci: node.uci ?? '',
        note: node.note,
        glyphs: glyphsOf(node),
      }),
    );
    const training = await patiently(() => notebooks.remembered(id));
    saved.notebooks.push({ name, color, fen: root.fen, note: root.note, moves, ...(training.length ? { training } : {}) });
    ids.push(id);
  }
  for (const { id } of await patiently(boards.list)) {
    const { name, pgn } = await patiently(() => boards.read(id));
    saved.boards.push({ name, pgn: pgn ?? '' });
  }
  for (const { name, url } of (await patiently(() => fresh<{ views: Saved['filters'] }>('/api/views'))).views)
    saved.filters.push({ name, url });
  return { saved, ids };
}

/** Stores what is remembered of a notebook; the server keeps what was answered later. */
async function remember(id: string | number, positions: Remembered[] = []): Promise<void> {
  for (let begin = 0; begin < positions.length; begin += REMEMBERED_MOST)
    await patiently(() => notebooks.remember(id, positions.slice(begin, begin + REMEMBERED_MOST)));
}

/** What tells a notebook from others: training goes on without making it another one. */
const itself = ({ training: _, ...notebook }: SavedNotebook): string => JSON.stringify(notebook);

/** Saves what the visitor has not got yet, and tells how it went. */
async function bringBack(saved: Saved): Promise<string> {
  const { saved: now, ids } = await collect();
  let [added, known] = [0, 0];
  const refused: string[] = [];
  async function each<T extends { name: string }>(
    found: T[],
    isThere: (object: T) => boolean,
    save: (object: T) => Promise<unknown>,
    again: (object: T) => Promise<unknown> = async () => {},
  ) {
    for (const object of found) {
      const there = isThere(object);
      try {
        await (there ? again : save)(object);
        if (there) known++;
        else added++;
      } catch (error) {
        refused.push(`“${object.name}”: ${(error as Error).message}`);
      }
    }
  }
  const among = <T>(there: T[]) => {
    const have = new Set(there.map(object => JSON.stringify(object)));
    return (object: T) => have.has(JSON.stringify(object));
  };
  const books = new Map(now.notebooks.map((notebook, place) => [itself(notebook), ids[place]]));
  const save = async ({ name, color, fen, note, moves, training }: SavedNotebook) => {
    const { id } = await patiently(() => notebooks.create(name, color, fen));
    try {
      const { nodes } = await patiently(() => notebooks.read(id));
      if (note || moves.length) await patiently(() => notebooks.addTree(id, nodes[0].id, note, moves));
      await remember(id, training);
    } catch (error) {
      // Half a notebook would count as there already when the file is loaded again, so it is removed.
      await notebooks.remove(id).catch(() => {});
      throw error;
    }
  };
  const isKept = (notebook: SavedNotebook) => books.has(itself(notebook));
  await each(saved.notebooks, isKept, save, notebook => remember(books.get(itself(notebook))!, notebook.training));
  // The list begins with the newest object, so the oldest is saved first: the order stays.
  await each([...saved.boards].reverse(), among(now.boards), ({ name, pgn }) => patiently(() => boards.create(name, pgn)));
  await each([...saved.filters].reverse(), among(now.filters), filter => patiently(() => create('/api/views', filter)));
  const told = [t`${count(added)} brought back`, ...(known ? [t`${count(known)} are there already`] : [])];
  return [`${told.join(', ')}.`, ...(refused.length ? [t`Not brought back: ${refused.join('; ')}`] : [])].join(' ');
}

const downloadAll = () =>
  collect().then(
    ({ saved }) => download('chess-notebooks.json', JSON.stringify(saved, null, 1), 'application/json'),
    error => say((error as Error).message),
  );

export class DevicesView implements View {
  private list = h('div');
  private link = h('div', { role: 'status' });
  private state = h('p', { role: 'status' });
  private file = h('input', {
    type: 'file',
    accept: '.json',
    hidden: true,
    on: { change: () => void this.take() },
  });
  readonly node = h(
    'div',
    { class: 'view devices' },
    h(
      'div',
      { class: 'panel-head' },
      h('h1', null, t`Devices`),
      h(
        'p',
        { class: 'quiet' },
        t`Notebooks, boards, training and filters belong to this browser, and to each other device that you let use them.`,
      ),
    ),
    this.list,
    h(
      'div',
      { class: 'actions' },
      button(t`Add a device`, () => this.invite(), { class: 'primary' }),
      button(t`Download all`, downloadAll, {
        title: t`Notebooks with their training, boards and filters, as one file`,
      }),
      button(t`Bring back`, () => this.file.click(), { title: t`What a file of “Download all” has` }),
      this.file,
    ),
    this.link,
    this.state,
    h('p', null, h('a', { href: '/notebooks' }, t`All notebooks`)),
  );
  private latest = new Latest();

  constructor(private page: Page) {}

  update(): void {
    this.page.title(t`Devices`);
    this.page.strip();
    this.page.board.show({ pos: initial() });
    this.load();
  }

  private load(): void {
    void this.latest.run(
      async () => (await fresh<{ devices: Device[] }>('/api/devices')).devices,
      devices => this.draw(devices),
      error =>
        fill(
          this.list,
          failure(error, () => this.load()),
        ),
    );
  }

  private draw(devices: Device[]): void {
    const path = ({ id }: Device) => `/api/devices/${id}`;
    const ask = (question: string, work: () => Promise<unknown>) => {
      if (!confirm(question)) return;
      void work()
        .catch(error => say((error as Error).message))
        .then(() => this.load());
    };
    const line = (device: Device) => {
      const title = device.name || guess();
      const name = h('input', {
        value: title,
        required: true,
        autocomplete: 'off',
        'aria-label': t`Name of ${title}`,
        on: {
          change: () =>
            void send('PATCH', path(device), { name: name.value }).then(
              () => this.load(),
              error => say((error as Error).message),
            ),
        },
      });
      const leave = device.here
        ? t`Leave? This browser then has what it had saved itself before.`
        : t`Remove “${title}”? It can no longer open these notebooks.`;
      return h(
        'li',
        null,
        name,
        h('span', { class: 'quiet' }, device.here ? t`this browser` : t`last seen ${date(device.seen)}`),
        devices.length > 1
          ? button(device.here ? t`Leave` : t`Remove`, () => ask(leave, () => send('DELETE', path(device))), {
              'aria-label': device.here ? t`Leave ${title}` : t`Remove ${title}`,
            })
          : null,
      );
    };
    fill(
      this.list,
      devices.length
        ? h('ul', { class: 'cards' }, ...devices.map(line))
        : note(h('p', null, t`This browser has saved nothing yet.`)),
    );
  }

  private async invite(): Promise<void> {
    try {
      const { key, minutes } = await send<{ key: string; minutes: number }>('POST', '/api/invitations');
      const { devices } = await fresh<{ devices: Device[] }>('/api/devices');
      const own = devices.find(device => device.here);
      if (own && !own.name) await send('PATCH', `/api/devices/${own.id}`, { name: guess() });
      this.load();
      const link = `${location.origin}${outer('/join')}#${key}`;
      const field = h('input', { id: 'join-link', class: 'code', readonly: true, value: link });
      const words = plural(
        minutes,
        'Open this link on your other device: it leads to all your notebooks, once, within 1 minute. Give it to nobody else.',
        'Open this link on your other device: it leads to all your notebooks, once, within {0} minutes. Give it to nobody else.',
      );
      const back = () =>
        send('DELETE', '/api/invitations').then(
          () => fill(this.link, h('p', null, t`The link leads to nothing now.`)),
          error => say((error as Error).message),
        );
      fill(
        this.link,
        h('div', { class: 'field wide' }, h('label', { for: 'join-link' }, words), field),
        h(
          'div',
          { class: 'actions' },
          button(t`Take it back`, () => void back(), { class: 'plain' }),
          button(t`Copy link`, () => copy(link, t`Link`), { class: 'primary' }),
        ),
      );
      field.select();
    } catch (error) {
      say((error as Error).message);
    }
  }

  private async take(): Promise<void> {
    const [file] = this.file.files ?? [];
    if (!file) return;
    this.state.textContent = t`Bringing back…`;
    try {
      if (file.size > SAVED_MOST) throw new Error(t`the file is too large`);
      this.state.textContent = await bringBack(readSaved(await file.text()));
    } catch (error) {
      this.state.textContent = t`Nothing is brought back: ${(error as Error).message}`;
    }
    this.file.value = '';
    this.load();
  }

  step(): void {}
  position(): Position {
    return initial();
  }
  leave(): void {
    this.latest.stop();
  }
}

/** Asks whether this browser shall use the notebooks of another device. */
export class JoinView implements View {
  private body = h('div');
  readonly node = h(
    'div',
    { class: 'view join' },
    h('div', { class: 'panel-head' }, h('h1', null, t`Use the notebooks of another device`)),
    this.body,
  );
  private latest = new Latest();

  constructor(private page: Page) {}

  update(at: Address): void {
    this.page.title(t`Join`);
    this.page.strip();
    this.page.board.show({ pos: initial() });
    const key = at.hash;
    // The key is removed from the address, so that neither the history nor a copied address contains it.
    if (key) rename(here().pathname);
    if (key || !this.body.firstChild) this.look(key);
  }

  private look(key: string): void {
    if (!key) {
      this.askForLink();
      return;
    }
    void this.latest.run(
      () => send<Invitation>('POST', '/api/invitations/look', { key }),
      invitation => this.confirm(key, invitation),
      error => {
        if (error.status !== 404)
          fill(
            this.body,
            failure(error, () => this.look(key)),
          );
        else this.askForLink(error);
      },
    );
  }

  private askForLink(error?: ApiError): void {
    const field = h('input', { id: 'join-key', class: 'code', autocomplete: 'off', spellcheck: 'false', required: true });
    fill(
      this.body,
      error ? note(h('p', { role: 'alert' }, `${error.message}.`), h('p', null, error.hint ?? '')) : null,
      h(
        'form',
        { on: { submit: submitted(() => this.look(field.value.trim().split('#').pop() ?? '')) } },
        h(
          'div',
          { class: 'field wide' },
          h('label', { for: 'join-key' }, t`The link that your other device shows under Notebooks, Devices, “Add a device”`),
          field,
        ),
        h('div', { class: 'actions' }, h('button', { type: 'submit', class: 'primary' }, t`Continue`)),
      ),
    );
    field.focus();
  }

  private confirm(key: string, invitation: Invitation): void {
    if (invitation.joined) {
      fill(
        this.body,
        note(h('p', null, t`This browser uses these notebooks already: open the link on the other device.`)),
        h('p', null, h('a', { href: '/devices' }, t`Devices`)),
      );
      return;
    }
    const { device, here: own } = invitation;
    const name = h('input', { id: 'device-name', value: guess(), required: true, autocomplete: 'off' });
    const join = () =>
      this.latest.run(
        () => send('POST', '/api/invitations/join', { key, name: name.value.trim() || guess() }),
        // The page starts anew, because all that it has loaded belongs to the former session.
        () => location.replace(outer('/devices')),
        error => (error.status === 404 ? this.askForLink(error) : say(error.message)),
      );
    const has = own.notebooks + own.boards + own.filters > 0;
    fill(
      this.body,
      h(
        'p',
        null,
        rich<Child>`The link is of the device “${h('b', null, device)}”, which has ${inWords(invitation)}. Continue only if it is yours: its owner will see and can change everything that you save here from now on.`,
      ),
      has
        ? h(
            'p',
            null,
            t`This browser has ${inWords(own)} itself. They stay apart, and are there again when it leaves, unless other devices share them. To take them along, press “Download all” now and “Bring back” afterwards.`,
            ' ',
            button(t`Download all`, downloadAll),
          )
        : null,
      h(
        'form',
        { on: { submit: submitted(join) } },
        h('div', { class: 'field wide' }, h('label', { for: 'device-name' }, t`Name of this device`), name),
        h(
          'div',
          { class: 'actions' },
          h('a', { class: 'button', href: '/notebooks' }, t`Cancel`),
          h('button', { type: 'submit', class: 'primary' }, t`Use them here`),
        ),
      ),
    );
  }

  step(): void {}
  position(): Position {
    return initial();
  }
  leave(): void {
    this.latest.stop();
  }
}

export const VIEWS = { devices: DevicesView, join: JoinView };
