// In: the address. Out: the page: its bar, its board and the view that belongs to the address; the keys.

import { go, here, inner, onNavigate, outer, rename, url, withFilters, withParams } from './address';
import { busy, FEATURES, fresh, has, keeps, type Status, server, takes } from './api';
import { Board } from './board';
import { diagram } from './diagram';
import { button, copy, dialogs, fill, h, iconButton, latin, openDialog, type Props, say, submitted } from './dom';
import { ExplorerView } from './explorer';
import { fillFrom } from './field';
import { finder, showFinder } from './find';
import { endPeek, GamesView } from './games';
import { Live } from './live';
import { fenOf, INITIAL_FEN, legal, readFen, stateInWords, step, typed } from './position';
import { SearchView } from './search';
import { storeAnswers } from './sessions';
import { ofBrowser } from './storage';
import { note, type Page, type View, type Views } from './view';
import { GameView } from './viewer';
import { capital, LANGUAGES, language, t } from './words';

const VIEWS: Views = { '': ExplorerView, games: GamesView, game: GameView, search: SearchView };
const reports = () => import('./reports');
const notebooks = () => import('./notebooks');
const devices = () => import('./devices');
/** Views that are loaded when the first of their file is shown. */
const LATER: Record<string, () => Promise<{ VIEWS: Views }>> = {
  notebooks,
  n: notebooks,
  shared: notebooks,
  analysis: notebooks,
  train: notebooks,
  puzzles: () => import('./puzzles'),
  add: () => import('./add'),
  openings: reports,
  opening: reports,
  endings: reports,
  play: () => import('./play'),
  player: reports,
  tournament: reports,
  devices,
  join: devices,
};
/** The places of the page: their paths, their names, and the views that belong to them. */
const NAVIGATION: [string, string, string[]][] = [
  ['/', t`Explorer`, ['', 'openings', 'opening', 'endings']],
  ['/games', t`Games`, ['games', 'game', 'player', 'tournament']],
  ['/search', t`Search`, ['search']],
  ['/analysis', t`Analysis`, ['analysis', 'play']],
  ['/notebooks', t`Notebooks`, ['notebooks', 'n', 'shared', 'train', 'devices', 'join']],
  ['/puzzles', t`Puzzles`, ['puzzles']],
  ['/add', t`Add games`, ['add']],
];
/** Places that not every server has. */
const PLACES: Record<string, () => boolean> = {
  '/notebooks': keeps,
  '/puzzles': () => has('puzzles'),
  '/add': () => takes() > 0,
};
/** A phone's bar has no room for these: they are in the menu alone. */
const IN_MENU = ['/puzzles', '/add'];

/** Views whose board shows one position, which the engine can analyze. */
const LIVE = new Set(['', 'game', 'analysis', 'n', 'shared', 'opening']);

const board = new Board();
const live = new Live(board);
const strip = h('div', { class: 'under' });
const comment = h('p', { class: 'comment-under', 'aria-live': 'polite' });
const panel = h('main', { id: 'panel', tabindex: '-1' });
const nav = h('nav', { 'aria-label': t`Pages` });
const moveField = h('input', {
  id: 'move',
  placeholder: t`e.g. Nf3`,
  autocomplete: 'off',
  spellcheck: 'false',
  'aria-label': t`Play a move`,
  'aria-describedby': 'move-said',
});
const moveSaid = h('span', { id: 'move-said', class: 'error', role: 'status' });
/** the position, for the printer */
const paper = h('div', { class: 'paper' });
const boardTools = h('div', { class: 'tools' });
/** Plays on from the position on the board, with the filters of the explorer. */
const playOn = button(
  t`Play`,
  () => {
    const pos = view?.position();
    if (pos) go(withFilters('/play', { fen: fenOf(pos) }));
  },
  { class: 'plain', title: t`Play on from here` },
);
const copyPgn = button('PGN', () => view?.pgn && copy(view.pgn(), 'PGN'), { class: 'plain', title: t`Copy the moves as PGN` });

const page: Page = {
  board,
  status: undefined,
  strip: (...children) => fill(strip, ...children),
  comment: text => {
    comment.textContent = text;
  },
  title: text => {
    document.title = text === t`Explorer` ? 'chess' : `${text} · chess`;
  },
  renew: () => ask(),
};

let view: View | undefined;
let kind: string | undefined;

function route(): void {
  const at = here();
  const orient = at.params.get('orient') === 'b' ? 'black' : 'white';
  if (orient !== board.orientation) board.turn(orient);
  const wanted = at.path[0] ?? '';
  if (!view || kind !== wanted) {
    view?.leave();
    const words = dropped(waiting);
    if (words) say(words);
    waiting = [];
    comment.textContent = '';
    kind = wanted;
    const comes = !Object.hasOwn(VIEWS, wanted) && Object.hasOwn(LATER, wanted);
    const made = Object.hasOwn(VIEWS, wanted) ? new VIEWS[wanted](page) : undefined;
    // at once, because it says where everything stands
    document.body.dataset.view = made || comes ? wanted || 'explorer' : 'none';
    view = made;
    fill(
      panel,
      made?.node ??
        (comes ? null : note(h('h1', null, t`There is no such page`), h('p', null, h('a', { href: '/' }, t`To the explorer`)))),
    );
    panel.scrollTop = 0;
    if (comes) void load(wanted);
  }
  moveSaid.textContent = '';
  endPeek();
  drawNavigation();
  copyPgn.hidden = !view?.pgn;
  playOn.hidden = wanted === 'play';
  live.attend(!!view && LIVE.has(wanted));
  view?.update(at);
}

/** Shows another address: what lies over the page belongs to the one before. */
function arrive(): void {
  for (const dialog of dialogs()) dialog.close();
  route();
}

async function load(wanted: string): Promise<void> {
  try {
    Object.assign(VIEWS, (await busy(LATER[wanted]())).VIEWS);
  } catch {
    if (kind !== wanted) return;
    const words = t`This page cannot be loaded. Either the server does not answer, or it has a new version.`;
    fill(
      panel,
      note(
        h('p', { role: 'alert' }, words),
        button(t`Load again`, () => location.reload()),
      ),
    );
    return;
  }
  if (kind === wanted) route();
}

/** A place of the page with the filters that it shares with the view that is shown. */
function placeWithFilters(path: string): string {
  // a search begins with what is on the board
  const pos = path === '/search' && LIVE.has(kind ?? '') ? view?.position() : undefined;
  const fen = pos && fenOf(pos);
  return withFilters(path, fen && fen !== INITIAL_FEN ? { board: fen } : {});
}

/** A link to each place that this server has. */
const places = (): HTMLElement[] =>
  NAVIGATION.filter(([path]) => PLACES[path]?.() ?? true).map(([path, text, kinds]) =>
    h(
      'a',
      {
        href: placeWithFilters(path),
        'aria-current': kinds.includes(kind ?? '') ? 'page' : null,
        class: IN_MENU.includes(path) ? 'in-menu' : null,
        on: {
          // the board may have changed since the link was made
          click: ({ currentTarget: link }: { currentTarget: HTMLAnchorElement }) => {
            link.href = outer(placeWithFilters(path));
          },
        },
      },
      text,
    ),
  );

/** All places, and what else a phone's bar has no room for. */
function showMenu(): void {
  const close = () => dialog.close();
  const dialog = openDialog(
    t`Menu`,
    { class: 'sheet menu' },
    h(
      'nav',
      { 'aria-label': t`All pages`, on: { click: close } },
      ...places(),
      h('a', { href: withFilters('/openings') }, t`Openings`),
      has('endingReports') ? h('a', { href: withFilters('/endings') }, t`Endings`) : null,
      keeps() ? h('a', { href: '/devices' }, t`Devices`) : null,
    ),
    h(
      'div',
      { class: 'actions' },
      button(t`Find`, () => {
        close();
        showFinder();
      }),
      button(t`Dark or light`, () => theme(true)),
      languages(),
    ),
  );
}

/** A list of the languages by their own names. The server gives the page in the one that is chosen. */
function languages(props: Props = {}): HTMLElement {
  const nameOf = (code: string) => capital(new Intl.DisplayNames(code, { type: 'language' }).of(code)!);
  // arrows and letters pass languages on a closed list
  let passing = false;
  const choose = () => {
    if (select.value === language) return;
    // biome-ignore lint/suspicious/noDocumentCookie: browsers have cookieStore only over TLS
    document.cookie = `language=${select.value}; path=${outer('') || '/'}; max-age=31536000; samesite=lax`;
    location.reload();
  };
  const select = h(
    'select',
    {
      'aria-label': t`Language`,
      title: t`Language`,
      on: {
        keydown: ({ key, altKey }: KeyboardEvent) => {
          passing = !altKey && key !== ' ' && key !== 'Enter';
          if (key === 'Enter') choose();
        },
        pointerdown: () => {
          passing = false;
        },
        change: () => {
          if (!passing) choose();
        },
        blur: choose,
      },
      ...props,
    },
    ...LANGUAGES.map(code => h('option', { value: code, lang: code, selected: code === language }, nameOf(code))),
  );
  return select;
}

function drawNavigation(): void {
  fill(nav, ...places());
  // on a phone the bar is wider than the screen
  nav.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

function flip(): void {
  const params = withParams(here().params, { orient: board.orientation === 'white' ? 'b' : null });
  // only the board changes: the view keeps what it shows
  rename(url(here().pathname, params, here().hash));
  board.turn(board.orientation === 'white' ? 'black' : 'white');
  view?.turned?.();
  drawNavigation();
}

interface Typed {
  text: string;
  /** false if it is not shown */
  work: () => Promise<boolean>;
}
/**
 * What is being played in the view, and what waits for it: a notebook shows a move when it is stored, and what is typed
 * meanwhile is a move in the position after it.
 */
let waiting: Typed[] = [];

/** Drops what waits for a move that is not shown: it is no move in the position of the board. */
function dropped(typed: Typed[]): string {
  const texts = typed.splice(1).map(({ text }) => text);
  return texts.length ? t`Not played: ${texts.join(' ')}` : '';
}

async function playNext(next: Typed): Promise<void> {
  const all = waiting;
  if (all.push(next) > 1) return;
  while (all.length) {
    const played = await all[0].work().catch(error => {
      reportError(error);
      return false;
    });
    if (!played) moveSaid.textContent = [moveSaid.textContent, dropped(all)].filter(Boolean).join(' · ');
    all.shift();
  }
}

function playTyped(): void {
  const text = moveField.value.trim();
  if (!view?.position() || !text) return;
  moveField.value = '';
  void playNext({ text, work: () => playText(text) });
}

async function playText(text: string): Promise<boolean> {
  const pos = view?.position();
  if (!pos) return false;
  const refuse = () => {
    moveSaid.textContent = t`${text} is not a legal move here`;
    // another move may be typed meanwhile
    if (moveField.value) return;
    moveField.value = text;
    moveField.select();
  };
  if (!view?.play) {
    const move = typed(pos, text);
    if (move) go(withFilters('/', { fen: fenOf(pos), play: step(pos, move).step.uci }));
    else refuse();
    return !!move;
  }
  const move = typed(pos, text);
  if (!move) {
    refuse();
    return false;
  }
  moveSaid.textContent = '';
  return (await view.play(move)) !== false;
}

function showFen(): void {
  const pos = view?.position();
  const now = pos ? fenOf(pos) : '';
  const said = h('span', { class: 'error', role: 'status' });
  const input = h('input', {
    id: 'go-fen',
    class: 'code',
    value: now,
    spellcheck: 'false',
    autocomplete: 'off',
  });
  const form = h(
    'form',
    {
      on: {
        submit: (event: Event) => {
          event.preventDefault();
          const read = readFen(input.value);
          if (!read.pos) {
            said.textContent = read.error ?? t`this is not a FEN`;
            return;
          }
          dialog.close();
          go(withFilters('/', { fen: input.value.trim() === now ? now : fenOf(read.pos) }));
        },
      },
    },
    h(
      'div',
      { class: 'field wide' },
      h('label', { for: 'go-fen' }, t`FEN of the position. Paste another one to go to it`),
      input,
      said,
    ),
    h(
      'div',
      { class: 'actions' },
      button(t`Copy`, () => copy(input.value, 'FEN')),
      button(t`Set up position`, () => {
        dialog.close();
        go(withFilters('/search', now ? { fen: now } : {}));
      }),
      h('button', { type: 'submit', class: 'primary' }, t`Go there`),
    ),
  );
  const dialog = openDialog(t`Position`, { class: 'wide' }, form);
  input.select();
}

const KEYS: [string, string][] = [
  ['← →', t`one move back or forward`],
  ['Home End', t`to the start, to the end`],
  ['↑ ↓', t`up and down the table of moves or games`],
  ['Enter', t`play the move, open the game`],
  ['[ ]', t`previous, next game of the list`],
  ['/', t`type a move`],
  ['.', t`find a player, an opening, a tournament`],
  ['f', t`flip the board`],
  ['e', t`the engine, on or off`],
  ['N p Del', t`on a square that you set up: a white knight, a black pawn, no piece`],
  ['o g s a n p', t`explorer (openings), games, search, analysis, notebooks, puzzles`],
  ['?', t`this list`],
];

function showKeys(): void {
  openDialog(
    t`Keys`,
    {},
    h(
      'dl',
      { class: 'keys' },
      ...KEYS.filter(([key]) => key !== 'e' || page.status?.engine).flatMap(([key, text]) => [
        h('dt', null, ...key.split(' ').map(k => h('kbd', null, k))),
        h('dd', null, text),
      ]),
    ),
  );
}

function pressed(event: KeyboardEvent): void {
  const key = latin(event);
  // many keyboards have the brackets behind Option or AltGr
  const bracket = event.altKey && !event.metaKey && /^[[\]]$/.test(key);
  const modified = (event.ctrlKey || event.metaKey || event.altKey) && !bracket;
  if (modified || event.defaultPrevented || dialogs().length) return;
  const target = event.target as HTMLElement;
  if (target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select')) {
    if (key === 'Escape') target.blur();
    return;
  }
  const move = (by: number) => {
    const rows = view?.rows?.() ?? [];
    if (!rows.length) return false;
    const now = rows.indexOf(document.activeElement as HTMLElement);
    rows[Math.max(0, Math.min(rows.length - 1, now < 0 ? (by > 0 ? 0 : rows.length - 1) : now + by))].focus();
    return true;
  };
  const radio = target.matches('input[type=radio]');
  const letters: Record<string, number> = { o: 0, g: 1, s: 2, a: 3, n: 4, p: 5 };
  switch (key) {
    case 'ArrowLeft':
      if (radio) return;
      view?.step(-1);
      break;
    case 'ArrowRight':
      if (radio) return;
      view?.step(1);
      break;
    case 'Home':
      view?.step('first');
      break;
    case 'End':
      view?.step('last');
      break;
    case 'ArrowUp':
    case 'ArrowDown':
      if (radio || !move(key === 'ArrowUp' ? -1 : 1)) return;
      break;
    case '[':
      view?.game?.(-1);
      break;
    case ']':
      view?.game?.(1);
      break;
    case 'f':
      flip();
      break;
    case 'e':
      live.flip();
      break;
    case '/':
      moveField.focus();
      moveField.select();
      break;
    case '.':
      showFinder();
      break;
    case '?':
      showKeys();
      break;
    default:
      if (!(key in letters)) return;
      go(placeWithFilters(NAVIGATION[letters[key]][0]));
  }
  event.preventDefault();
}

/** The board as a picture of fixed size. A game that asks for diagrams has its own. */
function drawPaper(): void {
  const pos = view?.position();
  const { params } = here();
  const other =
    kind === 'search'
      ? !['fen', 'play', 'pieces'].some(name => params.has(name))
      : ['games', 'notebooks', 'openings', 'endings', 'player', 'tournament', 'add', 'devices', 'join'].includes(kind ?? '');
  for (const details of panel.querySelectorAll<HTMLDetailsElement>('.report details')) details.open = true;
  // at the head of the moves, or beside the heading
  (panel.querySelector('.moves') ?? panel).prepend(paper);
  fill(
    paper,
    pos && !other && !panel.querySelector('.moves .diagram') ? [diagram(pos, board.orientation), stateInWords(pos)] : null,
  );
}

let turned = 0;
/** A turn of the mouse wheel over the board steps through the moves; a touchpad sends many small ones. */
function wheel(event: WheelEvent): void {
  if (event.ctrlKey || !view || ['games', 'search', 'notebooks', 'devices', 'join'].includes(kind ?? '')) return;
  event.preventDefault();
  const by = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 40 : 1);
  turned = Math.sign(by) === Math.sign(turned) ? turned + by : by;
  if (Math.abs(turned) < 60) return;
  turned = 0;
  view.step(by < 0 ? -1 : 1);
}

/** The colours of the system, unless the visitor has chosen others. */
function theme(change: boolean): void {
  const root = document.documentElement;
  const stored = ofBrowser.get('theme');
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  let now = stored ?? (dark ? 'dark' : 'light');
  if (change) {
    now = now === 'dark' ? 'light' : 'dark';
    ofBrowser.set('theme', now);
  }
  root.dataset.theme = stored || change ? now : '';
}

function start(): void {
  theme(false);
  const form = h('form', { class: 'move-form', on: { submit: submitted(playTyped) } }, moveField, moveSaid);
  moveField.addEventListener('keydown', event => event.key === 'Escape' && moveField.blur());
  fill(
    boardTools,
    h(
      'div',
      { class: 'steps' },
      iconButton('first', t`To the start (Home)`, () => view?.step('first')),
      iconButton('back', t`Back (←)`, () => view?.step(-1)),
      iconButton('forward', t`Forward (→)`, () => view?.step(1)),
      iconButton('last', t`To the end (End)`, () => view?.step('last')),
    ),
    form,
    h(
      'div',
      { class: 'links' },
      iconButton('flip', t`Flip the board (f)`, flip),
      playOn,
      button('FEN', showFen, { class: 'plain' }),
      copyPgn,
      button(t`Link`, () => copy(location.href, t`Link`), { class: 'plain', title: t`Copy a link to this page` }),
    ),
  );
  document.body.append(
    h('div', { class: 'busy', 'aria-hidden': 'true' }),
    h(
      'header',
      null,
      // a button, because the words after # in an address name a half-move
      button(t`Skip to the content`, () => panel.focus(), { class: 'skip' }),
      h('a', { class: 'brand', href: '/' }, 'chess'),
      nav,
      h('span', { class: 'grow' }),
      finder,
      iconButton('find', t`Find (.)`, showFinder, { class: 'icon-button find-button', 'aria-haspopup': 'dialog' }),
      iconButton('help', t`Keys (?)`, showKeys, { class: 'icon-button no-phone' }),
      languages({ class: 'in-menu languages' }),
      iconButton('theme', t`Dark or light`, () => theme(true), { class: 'icon-button in-menu' }),
      iconButton('menu', t`Menu`, showMenu, { class: 'icon-button menu-button', 'aria-haspopup': 'dialog' }),
    ),
    h(
      'div',
      { class: 'page' },
      h(
        'section',
        { class: 'board-side', 'aria-label': t`Board` },
        board.node,
        h('div', { class: 'below' }, board.words, live.head),
        strip,
        boardTools,
        comment,
      ),
      h('div', { class: 'side' }, live.node, panel),
    ),
  );
  board.node.append(live.bar);
  live.play = ucis => {
    const of = view;
    const work = async () => {
      for (const uci of ucis) {
        const pos = view?.position();
        const move = pos && legal(pos, uci);
        if (view !== of || !move || !view?.play || (await view.play(move)) === false) return false;
      }
      return true;
    };
    void playNext({ text: ucis.join(' '), work });
  };
  takeDrops();
  addEventListener('beforeprint', drawPaper);
  // The Enter that ends the composition of a word is no command; Safari sends it after the composition, with this code.
  addEventListener('keydown', event => (event.isComposing || event.keyCode === 229) && event.stopImmediatePropagation(), true);
  document.addEventListener('keydown', pressed);
  board.node.addEventListener('wheel', wheel, { passive: false });
  document.addEventListener('click', event => {
    const link = (event.target as HTMLElement).closest?.('a');
    if (
      !link ||
      event.defaultPrevented ||
      event.button ||
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey ||
      event.altKey ||
      link.hasAttribute('download')
    )
      return;
    const path = inner(link.pathname);
    if (link.origin !== location.origin || link.target || !path) return;
    event.preventDefault();
    go(path + link.search + link.hash);
    panel.scrollTop = 0;
  });
  addEventListener('popstate', arrive);
  addEventListener('resize', () => board.resized());
  addEventListener('online', () => void storeAnswers());
  onNavigate(replaced => (replaced ? route() : arrive()));
  route();
  void ask();
}

/** A file that is dropped anywhere on the page is added. A dialog takes it into its field for games, or refuses it. */
function takeDrops(): void {
  const hasFiles = (event: DragEvent) => !!event.dataTransfer?.types.includes('Files');
  const mark = (on: boolean) => document.body.classList.toggle('dropping', on);
  addEventListener('dragover', event => {
    const dialog = dialogs().at(-1);
    if (!hasFiles(event) || !(dialog || takes())) return;
    event.preventDefault();
    if (!dialog) mark(true);
    else if (!dialog.querySelector('.pgn')) event.dataTransfer!.dropEffect = 'none';
  });
  addEventListener('dragleave', event => event.relatedTarget || mark(false));
  addEventListener('drop', event => {
    const dialog = dialogs().at(-1);
    if (!hasFiles(event) || !(dialog || takes())) return;
    event.preventDefault();
    mark(false);
    // they are gone after the event
    const files = [...event.dataTransfer!.files];
    if (dialog) {
      const field = dialog.querySelector<HTMLTextAreaElement>('.pgn');
      if (field) void fillFrom(field, files);
      return;
    }
    void import('./add').then(
      ({ add }) => add(files),
      () => go('/add'),
    );
  });
}

let again: ReturnType<typeof setTimeout> | undefined;
/** What the views show instead of an answer, and beside it. */
const shown = (status?: Status): string =>
  [!!status?.features?.endgameTables, ...(status && !status.games ? [status.error, status.hint] : [])].join();
/** What the views leave out. */
const lacking = (): string => FEATURES.filter(feature => !has(feature)).join();

/** Asks for the status: with an empty database the views explain what to do, instead of "no games here". */
async function ask(): Promise<void> {
  clearTimeout(again);
  try {
    const before = shown(page.status);
    const lacked = lacking();
    page.status = await fresh<Status>('/api/status');
    server.status = page.status;
    void storeAnswers();
    live.available(page.status.engine);
    drawNavigation();
    // the view is made again, without what is missing
    if (lacking() !== lacked) kind = undefined;
    if (kind === undefined || shown(page.status) !== before || kind === 'add' || kind === 'play') route();
    if (!page.status.games) again = setTimeout(ask, 5000);
  } catch {
    again = setTimeout(ask, 5000);
  }
}

/** Lets the page open without the network; browsers allow it over TLS and on this machine. */
function install(): void {
  const worker = () => navigator.serviceWorker.register(outer('/sw.js'), { updateViaCache: 'none' });
  // a browser that refuses the worker shows the page all the same, if the server answers
  if ('serviceWorker' in navigator) addEventListener('load', () => void worker().catch(() => {}));
}

start();
install();
