// In: a saved board, as PGN with variations and comments, or a new one. Out: the board edited; every change is saved.
import { type Address, go, here, rename, url, withFilters, without } from './address';
import { type ApiError, get, keeps, known, Latest, storedGame, takes, type WholeGame } from './api';
import { button, download, fill, h, iconButton, say } from './dom';
import { asName } from './format';
import { Strip } from './graph';
import { askGames, gamesOf } from './paste';
import { initial, type Move, type Position, readFen } from './position';
import { type OpenBoard, Saver, saveBoard, showSaving } from './saver';
import { beginning, boards, PLAYED, randomKey, type SavedBoard, share } from './sessions';
import { glyphChoice, Moves, type Node, placeOf, readGames, showFound, Tree, treeOfGame, writePgn } from './tree';
import { failure, foreign, type Page, storing, type View } from './view';
import { plural, t } from './words';

/** The node at the end of a way, or the last one of it that is there. */
function along(tree: Tree, path: string[]): Node {
  let node = tree.root;
  for (const uci of path) {
    const next = node.children.find(child => child.uci === uci);
    if (!next) break;
    node = next;
  }
  return node;
}

/** The name that is proposed for a board. */
const nameOf = ({ headers }: Tree): string =>
  asName([headers.get('White'), headers.get('Black')].filter(name => name && name !== '?').join(' – '));

/** How many changes can be undone. */
const KEPT = 100;

/** A board that is edited. What saves it has this object, whichever board is shown meanwhile. */
interface Edited extends OpenBoard {
  tree: Tree;
  /** what the address says of it: its number, or until it is saved the game that it began with */
  at: string;
  source: string;
}
const edited = (tree: Tree, board: Partial<Edited> = {}): Edited => ({
  id: '',
  name: '',
  origin: '',
  version: '',
  key: randomKey(),
  at: board.id ?? '',
  source: '',
  ...board,
  tree,
});
const stored = ({ id, name, origin, version, game }: SavedBoard): Edited =>
  edited(treeOfGame(game ?? null), { id: String(id), name, origin: origin ?? '', version });

export class AnalysisView implements View {
  private head = h('div', { class: 'panel-head' });
  private side = h('div', { class: 'node-side' });
  private moves = new Moves(node => this.show(node));
  private others = h('div', { class: 'saved' });
  readonly node = h(
    'div',
    { class: 'view analysis' },
    this.head,
    h('div', { class: 'scrolls' }, this.moves.node),
    this.side,
    this.others,
  );
  private strip = new Strip();
  private undoing = new Latest();
  private opening = new Latest();
  /** a dialog that opens when the server has answered */
  private asking = new Latest();
  private renewing = new Latest();
  private listing = new Latest();
  private state = h('span', { class: 'saving', role: 'status' });
  private saver = new Saver(showSaving(this.state));
  private board = edited(new Tree(initial()));
  private current: Node = this.board.tree.root;
  private loaded = false;
  private left = false;
  /** the board as PGN; before it the PGN before each change; and what the last change was about */
  private now = '';
  private past: string[] = [];
  private of: unknown;
  /** how many changes are being undone */
  private undone = 0;
  private undo = button(t`Undo`, () => void this.undoLast(), { title: t`Undo the last change` });

  constructor(private page: Page) {
    document.addEventListener('visibilitychange', this.seen);
  }

  private get tree(): Tree {
    return this.board.tree;
  }

  /** Another window or device may have changed the board. */
  private seen = (): void => {
    const { board } = this;
    const typing = [this.head, this.side].some(place => place.contains(document.activeElement));
    if (document.hidden || typing || !board.id) return;
    void this.renewing.run(
      async () => {
        await this.saver.now();
        const { version } = board;
        return { version, found: await boards.read(board.id) };
      },
      ({ version, found }) => {
        if (this.board !== board || !this.saver.done || version !== board.version || version === found.version) return;
        const path = this.path();
        const now = stored(found);
        this.begin(now, along(now.tree, path));
        this.showFound();
      },
      () => {},
    );
  };

  /** The moves to the position on the board. */
  private path(): string[] {
    return this.tree
      .pathTo(this.current)
      .slice(1)
      .map(node => node.uci);
  }

  update(at: Address): void {
    const id = at.path[1] === 'new' ? '' : (at.path[1] ?? '');
    this.page.title(t`Analysis`);
    this.page.strip(this.strip.node);
    this.renewing.stop();
    void this.saver.now();
    if (at.path[1] === 'new') {
      const fen = at.params.get('fen');
      const start = fen ? readFen(fen).pos : undefined;
      this.begin(edited(new Tree(start ?? initial())));
      go('/analysis', true);
      return;
    }
    const game = id ? '' : (at.params.get('game') ?? '');
    if (this.loaded && id === this.board.at && game === this.board.source) {
      // the board that is shown, also if another one was asked for meanwhile
      this.opening.stop();
      this.show(this.current);
      return;
    }
    if (game) this.analyse(game, Number(at.hash) || 0);
    else if (id) this.open(id);
    else this.begin(edited(new Tree(initial())));
  }

  private open(id: string): void {
    void this.opening.run(
      // which may be of this board
      () => this.saver.now().then(() => boards.read(id)),
      board => {
        this.begin(stored(board));
        this.showFound();
      },
      error => this.failed(error, t`You cannot open this board`, { at: id }),
    );
  }

  /** Begins with a game, which becomes a saved board only when it is changed. */
  private analyse(game: string, ply: number): void {
    const kept = beginning(game);
    const origin = game === PLAYED ? '' : game;
    const begin = (tree: Tree, path?: string[]) => {
      const line = tree.mainline();
      const at = path ? along(tree, path) : line[Math.max(0, Math.min(line.length - 1, ply))];
      this.begin(edited(tree, { origin, source: game }), at);
      this.state.textContent = t`kept once you change it`;
    };
    void this.opening.run(
      async signal =>
        kept
          ? ((await readGames(kept.pgn))[0] ?? new Tree(initial()))
          : treeOfGame((await storedGame(`/api/games/${encodeURIComponent(game)}`, signal)).game),
      tree => {
        begin(tree, kept?.path);
        this.showFound();
      },
      error => this.failed(error, t`There is no such game`, { source: game }),
    );
  }

  /** Shows what the server's engines have found of the game that the board began with: it is not of the board. */
  private showFound(): void {
    const { tree, origin } = this.board;
    if (!origin) return;
    void get<WholeGame>(`/api/games/${encodeURIComponent(origin)}`).then(
      game => {
        showFound(tree, game);
        if (!this.left && tree === this.tree) this.draw();
      },
      // the game may be gone
      () => undefined,
    );
  }

  private failed(error: ApiError, missing: string, asked: Pick<Partial<Edited>, 'at' | 'source'>): void {
    // what was shown is not what the address says
    this.board = edited(new Tree(initial()), asked);
    this.current = this.tree.root;
    this.loaded = false;
    this.keepPast([]);
    this.now = this.pgn();
    this.page.board.show({ pos: initial() });
    fill(this.head, h('h1', null, error.status === 404 ? missing : t`Analysis`));
    fill(
      this.side,
      error.status === 404 && asked.at
        ? foreign(t`A board opens only on its owner’s devices, until it is deleted there.`, t`This server saves no boards.`)
        : failure(error, () => this.update(here())),
      h(
        'p',
        { class: 'actions' },
        h('a', { class: 'button', href: '/analysis/new' }, t`A new board`),
        button(t`Paste PGN`, () => this.paste()),
      ),
    );
  }

  private begin(board: Edited, at?: Node, past: string[] = []): void {
    const { tree } = board;
    this.opening.stop();
    this.board = board;
    this.loaded = true;
    this.keepPast(past);
    this.of = undefined;
    board.name ||= nameOf(tree);
    this.current = at ?? tree.mainline().at(-1)!;
    const title = h('input', {
      id: 'board-name',
      value: board.name,
      placeholder: t`Untitled board`,
      autocomplete: 'off',
      on: {
        input: () => {
          board.name = title.value.trim();
          this.changed();
        },
      },
    });
    const keeping = button(t`Save to the database`, () => this.store());
    keeping.hidden = !takes();
    // the page may not know yet what the server does
    known().then(
      ({ features }) => {
        keeping.hidden = !features?.upload;
      },
      () => undefined,
    );
    fill(
      this.head,
      h('div', { class: 'opening' }, h('h1', null, t`Analysis`), this.state),
      h('div', { class: 'field wide' }, h('label', { for: 'board-name', class: 'unseen' }, t`Name`), title),
      h(
        'div',
        { class: 'actions' },
        button(t`Explore`, () => this.explore()),
        button(t`Download`, () => download(`${board.name || 'board'}.pgn`, this.pgn())),
        keeping,
        this.undo,
        button(t`Paste PGN`, () => this.paste()),
        keeps() ? button(t`Share`, () => this.share()) : null,
        board.id || tree.nodes.length > 1 ? button(t`New board`, () => go('/analysis/new'), { class: 'plain' }) : null,
      ),
    );
    this.state.textContent = '';
    this.show(this.current, true);
    this.now = this.pgn();
    this.listBoards();
  }

  /** What can be undone from now on. An undo that is under way was of another state of the board, and is dropped. */
  private keepPast(past: string[]): void {
    this.undoing.stop();
    this.undone = 0;
    this.past = past.slice(-KEPT);
    this.undo.disabled = !past.length;
  }

  /** Undoes the last change; pressed again before the server has read the board as it was, the one before it as well. */
  private undoLast(): Promise<void> {
    const past = this.past.slice(0, -1 - this.undone);
    const now = this.past[past.length];
    this.undone++;
    this.undo.disabled = !past.length;
    return this.undoing.run(
      async () => (await readGames(now))[0],
      tree => {
        const path = this.path();
        this.board.tree = tree ?? new Tree(initial());
        this.now = now;
        this.of = undefined;
        this.keepPast(past);
        this.show(along(this.tree, path), true);
        this.save();
        this.showFound();
      },
      error => {
        this.keepPast(this.past);
        say(error.message);
      },
    );
  }

  private listBoards(): void {
    if (!keeps()) return;
    void this.listing.run(
      () => boards.list(),
      all => this.drawBoards(all),
      () => fill(this.others),
    );
  }

  private drawBoards(all: SavedBoard[]): void {
    const list = all.filter(b => String(b.id) !== this.board.id);
    fill(
      this.others,
      list.length ? h('h3', null, this.board.id ? t`Other boards` : t`Your boards`) : null,
      h(
        'ul',
        { class: 'cards' },
        ...list.map(board =>
          h(
            'li',
            null,
            h('a', { href: `/analysis/${encodeURIComponent(board.id)}` }, board.name || t`Untitled board`),
            iconButton('trash', t`Delete ${board.name || t`this board`}`, () => {
              if (confirm(t`Delete the board “${board.name || t`Untitled board`}”?`))
                void boards
                  .remove(board.id)
                  .catch(error => say(error.message))
                  .then(() => this.listBoards());
            }),
          ),
        ),
      ),
    );
  }

  /** Notes and saves a change. Several after each other of the same thing, such as a comment, are undone as one. */
  private changed(of?: unknown): void {
    const now = this.pgn();
    // blanks at the end of a comment, and the name of the board, are not in the PGN
    if (now !== this.now) {
      this.keepPast(of && of === this.of ? this.past : [...this.past, this.now]);
      this.of = of;
      this.now = now;
    }
    this.save();
  }

  private save(): void {
    if (!keeps()) {
      this.state.textContent = t`not saved: this server does not save boards`;
      return;
    }
    const { board } = this;
    this.saver.later(board, board.name, async () => {
      await saveBoard(board, writePgn(board.tree), () =>
        say(t`The board was changed or deleted elsewhere. Your version is now a board of its own.`),
      );
      if (board.id !== board.at) this.named(board);
    });
  }

  /** A board has got another number, which stands in the address unless that asks for another board by now. */
  private named(board: Edited): void {
    const { path, params } = here();
    const isAsked = (path[1] ?? '') === board.at && (params.get('game') ?? '') === board.source;
    board.at = board.id;
    board.source = '';
    if (this.left || board !== this.board || path[0] !== 'analysis') return;
    if (isAsked) rename(url(`/analysis/${encodeURIComponent(board.id)}`, without(params, ['game'])));
    this.listBoards();
  }

  private show(node: Node, redraw = false): void {
    this.current = node;
    const tree = this.tree;
    this.page.board.show({
      pos: tree.position(node),
      last: node.uci,
      played: move => this.play(move),
      shapes: node.shapes,
      drawn: shapes => {
        node.shapes = shapes;
        this.changed();
      },
    });
    this.page.comment(node.after);
    if (redraw) {
      this.draw();
    } else {
      this.moves.current(node);
      this.markStrip();
    }
    const area = h('textarea', {
      id: 'comment',
      rows: '2',
      value: node.after,
      on: {
        input: () => {
          node.after = area.value.trim();
          this.page.comment(node.after);
          this.moves.comment(tree, node);
          this.changed(node);
        },
      },
    });
    fill(
      this.side,
      tree.problem ? h('p', { class: 'note' }, t`Read as far as possible: ${tree.problem}.`) : null,
      h(
        'div',
        { class: 'field wide' },
        h('label', { for: 'comment' }, node.parent ? t`Comment on ${tree.number(node)} ${node.san}` : t`Comment on the start`),
        area,
      ),
      node.parent
        ? h(
            'div',
            { class: 'actions' },
            glyphChoice(node, () => {
              this.moves.draw(tree, node);
              this.changed();
            }),
            tree.isMain(node)
              ? null
              : button(t`Make it the main line`, () => {
                  while (!tree.isMain(node)) tree.promote(node);
                  this.show(node, true);
                  this.changed();
                }),
            button(
              t`Delete from here`,
              () => {
                if (node.children.length && !confirm(t`Delete ${node.san} and all that follows it?`)) return;
                tree.remove(node);
                this.show(node.parent!, true);
                this.changed();
              },
              { class: 'plain' },
            ),
          )
        : null,
    );
  }

  /** Draws the moves and the strip, and leaves alone what is typed. */
  private draw(): void {
    const { tree } = this;
    this.moves.draw(tree, this.current);
    this.strip.draw(
      tree.mainline().map(n => ({ eval: n.eval ?? n.found, clock: n.clock })),
      ply => this.show(tree.mainline()[ply]),
    );
    this.markStrip();
  }

  private markStrip(): void {
    const main = this.tree.pathTo(this.current).filter(n => this.tree.isMain(n));
    this.strip.current(main.at(-1)!.ply);
  }

  play(move: Move): void {
    const size = this.tree.nodes.length;
    const next = this.tree.play(this.current, move);
    const grown = this.tree.nodes.length > size;
    this.show(next, grown);
    if (grown) this.changed();
  }

  private share(): Promise<void> {
    const { board } = this;
    if (!board.id) this.changed();
    return share(this.asking, 'board', async () => {
      await this.saver.now();
      return board.id;
    });
  }

  private store(): Promise<void> {
    const { board } = this;
    const { tree } = board;
    // what could not be read of the game would be lost
    const origin = tree.problem ? '' : board.origin;
    const saved = (changes: Map<string, string>, replaced: boolean) => {
      tree.retag(changes);
      if (board.id && board === this.board) this.changed();
      if (replaced && !this.left) go(`/game/${encodeURIComponent(origin)}`);
    };
    return this.asking.run(
      async signal => {
        const { store } = await storing();
        await store(tree.headers, origin, changes => writePgn(tree, changes), saved, signal);
      },
      () => {},
      error => say(error.message),
    );
  }

  private explore(): void {
    go(withFilters('/', placeOf(this.tree, this.current)));
  }

  private paste(): void {
    const read = async (text: string): Promise<Tree[]> => {
      const fen = /^[pnbrqkPNBRQK1-8/]+\s[wb]\b/.test(text) ? readFen(text) : undefined;
      if (fen?.error) throw new Error(fen.error);
      return fen?.pos ? [new Tree(fen.pos)] : gamesOf(text);
    };
    askGames(t`Paste PGN or FEN`, t`Load`, null, read, trees => this.take(trees));
  }

  /** Shows the first of pasted games. */
  private take([tree, ...others]: Tree[]): void {
    void this.keepAll(others);
    const past = [...this.past, this.now];
    const { origin, at, source } = this.board;
    // What is pasted is not of the stored game that a board began with: it gets one of its own. The other one may still
    // be saved.
    if (origin) this.board = edited(tree, { at, source });
    else this.board.tree = tree;
    if (others.length) this.board.name = '';
    this.begin(this.board, undefined, past);
    this.save();
  }

  /** Each further game of a pasted text becomes a board of its own. */
  private async keepAll(others: Tree[]): Promise<void> {
    let kept = 0;
    try {
      if (!keeps()) throw new Error(t`this server saves no boards`);
      for (const tree of others) {
        await boards.create(nameOf(tree) || t`Untitled board`, writePgn(tree));
        kept++;
      }
      if (kept) say(plural(kept + 1, '{0} game, each a board of its own', '{0} games, each a board of its own'));
    } catch (error) {
      if (others.length)
        say(
          plural(
            others.length + 1,
            '{1} of {0} game is not kept: {2}',
            '{1} of {0} games are not kept: {2}',
            others.length - kept,
            (error as Error).message,
          ),
        );
    }
    this.listBoards();
  }

  step(by: -1 | 1 | 'first' | 'last'): void {
    let to: Node | undefined = this.current;
    if (by === -1) to = to.parent;
    else if (by === 1) to = to.children[0];
    else if (by === 'first') to = this.tree.root;
    else while (to!.children.length) to = to!.children[0];
    if (to && to !== this.current) this.show(to);
  }
  pgn(): string {
    return writePgn(this.tree);
  }
  position(): Position {
    return this.tree.position(this.current);
  }
  leave(): void {
    this.left = true;
    this.saver.leave();
    this.undoing.stop();
    this.opening.stop();
    this.asking.stop();
    this.renewing.stop();
    document.removeEventListener('visibilitychange', this.seen);
    this.listing.stop();
  }
}
