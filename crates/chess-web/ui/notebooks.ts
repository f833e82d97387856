// In: the visitor's notebooks. Out: the list of them, and one of them: a tree of positions with notes, a repertoire.
// The page loads this file with all that visitors write: boards, too.
import { type Address, go, here, url, withFilters, withParams } from './address';
import { AnalysisView } from './analysis';
import { type ApiError, type Explorer, fresh, get, has, Latest, type ReadGame, unknown } from './api';
import { button, type Child, download, fill, h, iconButton, say, submitted } from './dom';
import { count } from './format';
import { addComment, NOTE, take, treeOfNodes } from './nodes';
import { askGames, gamesOf } from './paste';
import { epd, initial, legal, type Move, type Position, typed, uciOf } from './position';
import { Comparison } from './repertoire';
import { change, Saver, showSaving } from './saver';
import { create, type ListedNotebook, type NewMove, type Notebook, type NotebookNode, notebooks, share } from './sessions';
import { TrainView } from './training';
import { glyphChoice, Moves, type Node, placeOf, Tree, treeOfGame, writeComment, writePgn } from './tree';
import { failure, foreign, note, type Page, type View } from './view';
import { plural, rich, t } from './words';

export class NotebooksView implements View {
  private list = h('div');
  private make = this.form();
  readonly node = h(
    'div',
    { class: 'view notebooks' },
    h(
      'div',
      { class: 'panel-head' },
      h('h1', null, t`Notebooks`),
      h(
        'p',
        { class: 'quiet' },
        t`A notebook is a tree of positions with your notes, such as a repertoire. It is kept in the database.`,
        ' ',
        has('puzzles') ? [rich<Child>`${h('a', { href: '/puzzles' }, t`Puzzles`)} are made of the games.`, ' '] : null,
        rich<Child>`${h('a', { href: '/devices' }, t`Use them on other devices`)}, or download all.`,
      ),
    ),
    this.list,
    this.make,
  );
  private latest = new Latest();
  private creating = new Latest();

  constructor(private page: Page) {}

  update(): void {
    this.page.title(t`Notebooks`);
    this.page.strip();
    this.page.board.show({ pos: initial() });
    this.load();
  }

  /** The form for a new one, which stays while the list is drawn again. */
  private form(): HTMLFormElement {
    const name = h('input', {
      id: 'notebook-name',
      required: true,
      autocomplete: 'off',
      placeholder: t`My Najdorf`,
    });
    const color = h(
      'select',
      { id: 'notebook-color' },
      h('option', { value: 'white' }, t`for White`),
      h('option', { value: 'black' }, t`for Black`),
      h('option', { value: '' }, t`for both`),
    );
    const create = () =>
      this.creating.run(
        () => notebooks.create(name.value.trim(), color.value || null),
        book => go(`/n/${encodeURIComponent(book.id)}`),
        error => this.list.prepend(failure(error, () => this.load())),
      );
    return h(
      'form',
      { class: 'inline', hidden: true, on: { submit: submitted(create) } },
      h('label', { for: 'notebook-name' }, t`New notebook`),
      name,
      h('label', { for: 'notebook-color', class: 'unseen' }, t`For which side`),
      color,
      h('button', { type: 'submit', class: 'primary' }, t`Create`),
    );
  }

  private load(): void {
    void this.latest.run(
      () => notebooks.list(),
      all => {
        this.make.hidden = false;
        fill(
          this.list,
          all.length
            ? h('ul', { class: 'cards' }, ...all.map(book => this.card(book)))
            : note(h('p', null, t`No notebooks yet. Name one, then play moves on its board.`)),
        );
      },
      error =>
        fill(
          this.list,
          failure(error, () => this.load()),
        ),
    );
  }

  private card(book: ListedNotebook): HTMLElement {
    const side = book.color && (book.color === 'white' ? t`for White` : t`for Black`);
    const size = book.nodes > 1 && plural(book.nodes - 1, '{0} move', '{0} moves');
    return h(
      'li',
      null,
      h('a', { href: url(`/n/${encodeURIComponent(book.id)}`) }, book.name),
      h('span', { class: 'quiet' }, [side, size].filter(Boolean).join(' · ')),
      iconButton('trash', t`Delete ${book.name}`, () => {
        if (confirm(t`Delete the notebook “${book.name}” with all its notes?`))
          void notebooks
            .remove(book.id)
            .catch(error => say(error.message))
            .then(() => this.load());
      }),
    );
  }

  step(): void {}
  rows(): HTMLElement[] {
    return [...this.list.querySelectorAll<HTMLElement>('.cards a')];
  }
  position(): Position {
    return initial();
  }
  leave(): void {
    this.latest.stop();
    this.creating.stop();
  }
}

interface SharedNotebook {
  kind: 'notebook';
  name: string;
  color: 'white' | 'black' | null;
  nodes: NotebookNode[];
}
type Shared = SharedNotebook | { kind: 'board'; name: string; game: ReadGame | null };

/** Where a step leads, if anywhere. */
function stepped(tree: Tree, from: Node, by: -1 | 1 | 'first' | 'last'): Node | undefined {
  let to: Node | undefined = from;
  if (by === -1) to = to.parent;
  else if (by === 1) to = to.children[0];
  else if (by === 'first') to = tree.root;
  else while (to.children.length) to = to.children[0];
  return to === from ? undefined : to;
}

export class NotebookView implements View {
  private head = h('div', { class: 'panel-head' });
  private side = h('div', { class: 'node-side' });
  private moves = new Moves(node => this.to(node));
  private comparison = new Comparison(
    node => this.to(node),
    (node, san) => {
      this.to(node);
      const move = typed(this.tree!.position(node), san);
      if (move) this.play(move);
    },
  );
  readonly node = h('div', { class: 'view notebook' }, this.head, this.side, this.moves.node, this.comparison.node);
  private latest = new Latest();
  private asking = new Latest();
  private renewing = new Latest();
  private sharing = new Latest();
  private state = h('span', { class: 'saving', role: 'status' });
  private showSaving = showSaving(this.state);
  private saver = new Saver((state, problem, name) => {
    this.showSaving(state, problem, name);
    if (state === 'saved') this.undo.disabled = false;
  });
  private undo = button(t`Undo`, () => void this.undoLast(), { title: t`Undo the last change, also one made before a reload` });
  private total = h('span', { class: 'total' });
  private id = '';
  private book: Notebook | undefined;
  private tree: Tree | undefined;
  private stored = new Map<Node, NotebookNode>();
  private byId = new Map<number, Node>();
  private current: Node | undefined;
  /** the moves are not those that are drawn */
  private changed = true;
  private left = false;
  /** the moves that are being stored, one after the other */
  private playing = Promise.resolve(true);

  constructor(private page: Page) {
    document.addEventListener('visibilitychange', this.seen);
  }

  /** Another window may have changed the notebook. */
  private seen = (): void => {
    const book = this.book;
    if (document.hidden || !book || this.head.contains(document.activeElement) || this.side.contains(document.activeElement))
      return;
    void this.renewing.run(
      () => this.saver.now().then(() => notebooks.read(this.id)),
      found => {
        if (this.book === book && this.saver.done && JSON.stringify(found.nodes) !== JSON.stringify(book.nodes)) this.take(found);
      },
      () => {},
    );
  };

  update(at: Address): void {
    const id = at.path[1] ?? '';
    if (id !== this.id || !this.tree) {
      this.id = id;
      void this.load();
      return;
    }
    this.place(this.byId.get(Number(at.path[2])) ?? this.tree.root);
  }

  private load(): Promise<void> {
    return this.latest.run(
      () => notebooks.read(this.id),
      book => {
        const at = here();
        this.build(book);
        if (book.color === 'black' && !at.params.get('orient'))
          go(url(here().pathname, withParams(at.params, { orient: 'b' })), true);
        else this.update(at);
      },
      error => {
        this.page.board.show({ pos: initial() });
        fill(this.head, h('h1', null, error.status === 404 ? t`You cannot open this notebook` : t`Notebook`));
        fill(
          this.side,
          error.status === 404
            ? foreign(
                t`A notebook opens only on its owner’s devices, until it is deleted there.`,
                t`This server saves no notebooks.`,
              )
            : failure(error, () => void this.load()),
          h('p', null, h('a', { href: '/notebooks' }, t`All notebooks`)),
        );
      },
    );
  }

  /** Shows the notebook as it is now in the database. */
  private take(book: Notebook): void {
    if (this.left) return;
    this.build(book);
    this.update(here());
  }

  private build(book: Notebook): void {
    this.book = book;
    this.changed = true;
    this.undo.disabled = !book.changes;
    this.stored.clear();
    this.byId.clear();
    const tree = treeOfNodes(book.nodes, (node, stored) => {
      this.stored.set(node, stored);
      this.byId.set(stored.id, node);
    });
    this.tree = tree;
    this.drawHead(book);
    this.comparison.draw(book, tree);
  }

  private drawHead(book: Notebook): void {
    const name = h('input', {
      id: 'notebook-name',
      value: book.name,
      required: true,
      autocomplete: 'off',
      on: {
        input: () => {
          book.name = name.value.trim() || book.name;
          this.page.title(book.name);
          this.saver.later(`name ${book.id}`, book.name, () => notebooks.change(book.id, { name: book.name }));
        },
      },
    });
    const color = h('select', {
      id: 'notebook-color',
      on: {
        change: () => {
          book.color = (color.value || null) as Notebook['color'];
          this.saver.later(`color ${book.id}`, book.name, () => notebooks.change(book.id, { color: book.color }));
          this.comparison.draw(book, this.tree!);
        },
      },
    });
    const sides = { white: t`for White`, black: t`for Black`, '': t`for both` };
    fill(
      color,
      Object.entries(sides).map(([value, text]) => h('option', { value, selected: (book.color ?? '') === value }, text)),
    );
    fill(
      this.head,
      h(
        'div',
        { class: 'opening' },
        h('h1', { class: 'unseen' }, book.name),
        h('label', { for: 'notebook-name', class: 'unseen' }, t`Name`),
        name,
        h('label', { for: 'notebook-color', class: 'unseen' }, t`For which side`),
        color,
        this.total,
      ),
      h('p', { class: 'quiet' }, h('a', { href: '/notebooks' }, t`All notebooks`), ' · ', t`play a move on the board to add it`),
      h(
        'div',
        { class: 'actions' },
        h('a', { class: 'button', href: `/train/${encodeURIComponent(book.id)}` }, t`Train`),
        this.undo,
        button(t`Paste PGN`, () => this.paste()),
        button(t`Download`, () => download(`${this.book!.name}.pgn`, this.pgn()), {
          title: t`The notebook as PGN, with its notes`,
        }),
        button(t`Share`, () =>
          share(this.sharing, 'notebook', async () => {
            await this.saver.now();
            return book.id;
          }),
        ),
        this.state,
      ),
    );
  }

  private async undoLast(): Promise<void> {
    await this.playing;
    await this.saver.now();
    void this.latest.run(
      async () => {
        await notebooks.undo(this.id);
        return notebooks.read(this.id);
      },
      book => this.take(book),
      // it may be undone although the answer was lost: what is tried again is only the reading
      error => this.failed(error, () => void this.load()),
    );
  }

  /** Sends a change that is not tried again by itself. */
  private change<T>(work: Promise<T>): Promise<T> {
    return change(this.book!.name, () => this.left, work);
  }

  /**
   * An error of a change. If another window has deleted what was changed, or nobody knows whether it was stored, the notebook
   * is loaded again.
   */
  private failed(error: ApiError, again: () => void): void {
    if (this.left) return;
    if (error.status === 404 || error.status === 409 || unknown(error)) {
      say(error.status !== 409 ? error.message : t`The notebook was changed in another window, and is loaded again`);
      void this.load();
    } else this.side.prepend(failure(error, again));
  }

  private paste(): void {
    const words = h('p', { class: 'quiet' }, t`Its moves and variations are added to the notebook, with comments and glyphs.`);
    askGames(t`Paste PGN`, t`Add`, words, gamesOf, games => void this.add(games));
  }

  /** Adds the moves of games, each where the notebook has the position in which it begins. */
  private async add(games: Tree[]): Promise<void> {
    const tree = this.tree!;
    const places = new Map<Node, { comments: string[]; moves: NewMove[] }>();
    const said: string[] = [];
    games.forEach((game, number) => {
      if (game.nodes.length < 2) {
        if (game.problem && game.headers.size) said.push(t`Game ${number + 1} cannot be read: ${game.problem}.`);
        return;
      }
      if (game.problem) said.push(t`Game ${number + 1} is read as far as possible: ${game.problem}.`);
      const begins = tree.nodes.find(node => epd(node.fen) === epd(game.root.fen));
      const stored = begins && this.stored.get(begins);
      if (!stored) {
        said.push(t`Game ${number + 1} begins in a position that the notebook does not have.`);
        return;
      }
      const place = places.get(begins) ?? { comments: [], moves: [] };
      const { comments, moves } = place;
      places.set(begins, place);
      const tooLong = () => said.push(t`A comment of game ${number + 1} is left out: the note is too long.`);
      if (!addComment(writeComment(begins), comments, writeComment(game.root))) tooLong();
      const numbers = new Map<Node, number>();
      if (game.nodes.some(node => node.uci === '0000'))
        said.push(t`Game ${number + 1} has null moves: they are left out, with all that follows them.`);
      for (const node of game.nodes.slice(1)) {
        // a notebook has no null moves, and so nothing behind them
        if (node.uci === '0000' || (node.parent !== game.root && !numbers.has(node.parent!))) continue;
        numbers.set(node, moves.length);
        const comment = [node.before, writeComment(node)].filter(Boolean).join(' ');
        if (comment.length > NOTE) tooLong();
        moves.push({
          parent: numbers.get(node.parent!) ?? null,
          uci: node.uci,
          note: comment.length > NOTE ? '' : comment,
          glyphs: node.nags.filter(nag => nag < 256),
        });
      }
    });
    if (!places.size && !said.length) said.push(t`There are no moves in this text.`);
    await this.playing;
    await this.saver.now();
    await this.latest.run(
      async () => {
        let added = 0;
        for (const [node, { comments, moves }] of places) {
          const { id } = this.stored.get(node)!;
          added += (await this.change(notebooks.addTree(this.id, id, comments.join('\n'), moves))).added;
        }
        if (places.size) said.unshift(plural(added, 'One move added.', '{0} moves added.'));
        return notebooks.read(this.id);
      },
      book => {
        this.take(book);
        this.side.prepend(note(h('p', { role: 'status' }, said.join(' '))));
      },
      error => this.failed(error, () => void this.add(games)),
    );
  }

  private address(node: Node): string {
    const stored = this.stored.get(node);
    return url(node.parent && stored ? `/n/${this.id}/${stored.id}` : `/n/${this.id}`, here().params);
  }

  private to(node: Node): void {
    go(this.address(node), true);
  }

  /** Saves what was changed of a node. If another window has deleted it, there is nothing to save, and it is shown no more. */
  private save(of: string, work: () => Promise<void>): void {
    this.saver.later(of, this.book!.name, () =>
      work().catch((error: ApiError) => {
        if (error.status !== 404 || this.left) throw error;
        this.failed(error, () => void this.load());
      }),
    );
  }

  private place(node: Node): void {
    const tree = this.tree!;
    this.current = node;
    this.page.strip();
    this.page.title(this.book!.name);
    const book = this.book!.id;
    const at = this.stored.get(node)?.id;
    // each change tells only what it changes: what another device has written of the node stays
    const writeNote = () => {
      if (at) this.save(`note ${at}`, () => notebooks.write(book, at, { note: writeComment(node) }));
    };
    const writeGlyph = () => {
      if (at) this.save(`glyph ${at}`, () => notebooks.write(book, at, { glyphs: node.nags }));
      this.moves.draw(tree, node);
    };
    this.page.board.show({
      pos: tree.position(node),
      last: node.uci,
      played: move => this.play(move),
      shapes: node.shapes,
      drawn: shapes => {
        node.shapes = shapes;
        writeNote();
      },
    });
    this.total.textContent = plural(tree.nodes.length - 1, '{0} move', '{0} moves');
    const area = h('textarea', {
      id: 'note',
      rows: '3',
      value: node.after,
      placeholder: t`What to remember here`,
      on: {
        input: () => {
          node.after = area.value;
          this.moves.comment(tree, node);
          writeNote();
        },
      },
    });
    const played = h('span', { class: 'quiet played' });
    fill(
      this.side,
      h(
        'div',
        { class: 'field wide' },
        h('label', { for: 'note' }, node.parent ? t`Note after ${tree.number(node)} ${node.san}` : t`Note on the start`),
        area,
      ),
      h(
        'div',
        { class: 'actions' },
        node.parent ? glyphChoice(node, writeGlyph) : null,
        button(t`Explore`, () => go(withFilters('/', placeOf(tree, node)))),
        node.parent ? button(t`Delete from here`, () => this.cut(node), { class: 'plain' }) : null,
      ),
      played,
    );
    if (this.changed) this.moves.draw(tree, node);
    else this.moves.current(node);
    this.changed = false;
    this.gaps(node, played);
  }

  /** The most frequent moves that the notebook does not have. */
  private gaps(node: Node, place: HTMLElement): void {
    const params = placeOf(this.tree!, node);
    void this.asking.run(
      signal => get<Explorer>(url('/api/explorer', params), signal),
      answer => {
        const known = new Set(node.children.map(c => c.uci));
        const missing = answer.moves.filter(m => !known.has(m.uci)).slice(0, 5);
        if (this.current !== node || !missing.length) return;
        fill(
          place,
          t`Played, but missing here:`,
          ' ',
          ...missing.flatMap((m, i) => [
            i ? ', ' : null,
            button(
              m.san,
              () => {
                const move = legal(this.tree!.position(node), m.uci);
                if (move) this.play(move);
              },
              { class: 'plain' },
            ),
            ` ${count(m.games)}`,
          ]),
        );
      },
      () => {},
    );
  }

  play(move: Move, at = this.stored.get(this.current!)?.id): Promise<boolean> {
    this.playing = this.change(this.playing.then(() => this.playFrom(at, move))).catch(() => false);
    return this.playing;
  }

  /** Stores a move in a position, which may be another node by now; false if it is not shown. */
  private async playFrom(at: number | undefined, move: Move): Promise<boolean> {
    const tree = this.tree!;
    const parent = this.byId.get(at ?? 0);
    if (!at || !parent) {
      say(t`The notebook was changed in another window, and is loaded again`);
      return false;
    }
    const uci = uciOf(tree.position(parent), move);
    const there = parent.children.find(c => c.uci === uci);
    if (there) return this.showMove(there);
    // a note that is typed now would be lost when the next node is shown
    const area = this.side.querySelector<HTMLTextAreaElement>('#note');
    if (area) area.disabled = true;
    try {
      await this.saver.now();
      const made = await notebooks.add(this.id, at, uci);
      if (this.left) return false;
      // The notebook was loaded again in the meantime, and may lack the move.
      if (this.tree !== tree) {
        await this.load();
        return this.showMove(this.byId.get(made.id));
      }
      const node = tree.play(parent, move);
      this.changed = true;
      this.undo.disabled = false;
      take(node, made);
      this.stored.set(node, made);
      this.byId.set(made.id, node);
      return this.showMove(node);
    } catch (error) {
      if (this.left) throw error;
      const now = this.byId.get(at);
      if (now) this.place(now);
      this.failed(error as ApiError, () => void this.play(move, at));
      return false;
    }
  }

  private showMove(node: Node | undefined): boolean {
    if (this.left || !node) return false;
    this.to(node);
    return true;
  }

  private cut(node: Node): void {
    const stored = this.stored.get(node);
    if (!stored || (node.children.length && !confirm(t`Delete ${node.san} and all that follows it?`))) return;
    void this.latest.run(
      // with the note that is typed now, which Undo brings back
      async () => {
        await this.playing;
        await this.saver.now();
        await this.change(notebooks.cut(this.id, stored.id));
      },
      () => {
        const parent = node.parent!;
        this.tree!.remove(node);
        this.changed = true;
        this.undo.disabled = false;
        this.to(parent);
      },
      error => this.failed(error, () => this.cut(node)),
    );
  }

  step(by: -1 | 1 | 'first' | 'last'): void {
    const to = this.current && stepped(this.tree!, this.current, by);
    if (to) this.to(to);
  }
  pgn(): string {
    const tree = this.tree ?? new Tree(initial());
    tree.headers = new Map([['Event', this.book?.name ?? '?']]);
    return writePgn(tree);
  }
  position(): Position | undefined {
    return this.tree && this.current ? this.tree.position(this.current) : undefined;
  }
  leave(): void {
    this.left = true;
    this.saver.leave();
    this.latest.stop();
    this.asking.stop();
    this.renewing.stop();
    this.sharing.stop();
    this.comparison.leave();
    document.removeEventListener('visibilitychange', this.seen);
  }
}

/** What a link leads to: a notebook or a board of somebody else, of which the visitor can keep a copy. */
export class SharedView implements View {
  private head = h('div', { class: 'panel-head' });
  private moves = new Moves(node => this.show(node));
  readonly node = h('div', { class: 'view shared' }, this.head, this.moves.node);
  private latest = new Latest();
  private tree = new Tree(initial());
  private current = this.tree.root;

  constructor(private page: Page) {}

  update(at: Address): void {
    const path = `/api/shared/${encodeURIComponent(at.path[1] ?? '')}`;
    this.page.title(t`Shared`);
    this.page.strip();
    this.page.board.show({ pos: initial() });
    void this.latest.run(
      signal => fresh<Shared>(path, signal),
      shared => {
        this.tree = shared.kind === 'board' ? treeOfGame(shared.game) : treeOfNodes(shared.nodes, () => {});
        this.page.title(shared.name);
        fill(
          this.head,
          h('h1', null, shared.name),
          h(
            'p',
            { class: 'quiet' },
            shared.kind === 'board'
              ? t`A board that somebody shares with you. A copy is yours to change.`
              : t`A notebook that somebody shares with you. A copy is yours to change.`,
          ),
          h(
            'div',
            { class: 'actions' },
            button(t`Keep a copy`, () => this.keep(path), { class: 'primary' }),
          ),
        );
        this.moves.draw(this.tree, this.tree.root);
        this.show(this.tree.root);
        const side = shared.kind === 'notebook' && shared.color === 'black' ? 'b' : null;
        if (side && !here().params.get('orient')) go(url(here().pathname, withParams(here().params, { orient: side })), true);
      },
      error =>
        fill(
          this.head,
          h('h1', null, t`Shared`),
          error.status === 404 ? note(h('p', null, error.message)) : failure(error, () => this.update(at)),
        ),
    );
  }

  private keep(path: string): Promise<void> {
    return this.latest.run(
      () => create<{ kind: string; id: number }>(path),
      made => go(made.kind === 'board' ? `/analysis/${made.id}` : `/n/${made.id}`),
      error => say(error.message),
    );
  }

  private show(node: Node): void {
    this.current = node;
    this.page.board.show({ pos: this.tree.position(node), last: node.uci, shapes: node.shapes });
    this.page.comment(node.after);
    this.moves.current(node);
  }

  step(by: -1 | 1 | 'first' | 'last'): void {
    const to = stepped(this.tree, this.current, by);
    if (to) this.show(to);
  }
  pgn(): string {
    return writePgn(this.tree);
  }
  position(): Position {
    return this.tree.position(this.current);
  }
  leave(): void {
    this.latest.stop();
  }
}

export const VIEWS = { notebooks: NotebooksView, n: NotebookView, shared: SharedView, train: TrainView, analysis: AnalysisView };
