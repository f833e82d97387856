// In: the visitor's notebooks. Out: the list of them, and one of them: a tree of positions with notes, a repertoire.
import './main';
import { type Address, go, here, url, withParams } from './address';
import { type Explorer, get, Latest } from './api';
import { button, download, fill, h, iconButton } from './dom';
import { count } from './format';
import { epd, INITIAL_FEN, initial, legal, type Move, type Position, readFen, uciOf } from './position';
import { type Notebook, type NotebookNode, notebooks, Saver } from './sessions';
import { Moves, type Node, Tree, writePgn } from './tree';
import { failure, foreign, note, type Page, type View } from './view';

export class NotebooksView implements View {
  private list = h('div');
  readonly node = h(
    'div',
    { class: 'view notebooks' },
    h(
      'div',
      { class: 'panel-head' },
      h('h1', null, 'Notebooks'),
      h(
        'p',
        { class: 'quiet' },
        'A notebook is a tree of positions with your notes, such as a repertoire. It is kept in the database.',
      ),
    ),
    this.list,
  );
  private latest = new Latest();

  constructor(private page: Page) {}

  update(): void {
    this.page.title('Notebooks');
    this.page.strip();
    this.page.board.show({ pos: initial() });
    this.load();
  }

  private load(): void {
    void this.latest.run(
      () => notebooks.list(),
      all => {
        const name = h('input', {
          id: 'notebook-name',
          required: true,
          maxlength: '100',
          autocomplete: 'off',
          placeholder: 'My Najdorf',
        });
        const color = h(
          'select',
          { id: 'notebook-color' },
          h('option', { value: 'white' }, 'for White'),
          h('option', { value: 'black' }, 'for Black'),
          h('option', { value: '' }, 'for both'),
        );
        fill(
          this.list,
          all.length
            ? h(
                'ul',
                { class: 'cards' },
                ...all.map(book =>
                  h(
                    'li',
                    null,
                    h('a', { href: url(`/n/${encodeURIComponent(book.id)}`) }, book.name),
                    h(
                      'span',
                      { class: 'quiet' },
                      [
                        book.color && `for ${book.color === 'white' ? 'White' : 'Black'}`,
                        book.nodes > 1 && `${count(book.nodes - 1)} moves`,
                      ]
                        .filter(Boolean)
                        .join(' · '),
                    ),
                    iconButton('trash', `Delete ${book.name}`, () => {
                      if (confirm(`Delete the notebook “${book.name}” with all its notes?`))
                        void notebooks.remove(book.id).then(() => this.load());
                    }),
                  ),
                ),
              )
            : note(h('p', null, 'No notebooks yet. Name one, then play moves on its board.')),
          h(
            'form',
            {
              class: 'inline',
              on: {
                submit: (event: Event) => {
                  event.preventDefault();
                  void this.latest.run(
                    () => notebooks.create(name.value.trim(), color.value || null),
                    book => go(`/n/${encodeURIComponent(book.id)}`),
                    error => this.list.prepend(failure(error, () => this.load())),
                  );
                },
              },
            },
            h('label', { for: 'notebook-name' }, 'New notebook'),
            name,
            h('label', { for: 'notebook-color', class: 'unseen' }, 'For which side'),
            color,
            h('button', { type: 'submit', class: 'primary' }, 'Create'),
          ),
        );
      },
      error =>
        fill(
          this.list,
          failure(error, () => this.load()),
        ),
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
  }
}

export class NotebookView implements View {
  private head = h('div', { class: 'panel-head' });
  private side = h('div', { class: 'node-side' });
  private moves = new Moves(node => this.to(node));
  readonly node = h('div', { class: 'view notebook' }, this.head, this.side, this.moves.node);
  private latest = new Latest();
  private asking = new Latest();
  private state = h('span', { class: 'saving', role: 'status' });
  private saver = new Saver((state, message) => (this.state.textContent = state === 'failed' ? `not saved: ${message}` : state));
  private id = '';
  private book: Notebook | undefined;
  private tree: Tree | undefined;
  private stored = new Map<Node, NotebookNode>();
  private byId = new Map<number, Node>();
  private current: Node | undefined;
  private left = false;

  constructor(private page: Page) {}

  update(at: Address): void {
    const id = at.path[1] ?? '';
    if (id !== this.id || !this.tree) {
      this.id = id;
      this.load();
      return;
    }
    this.place(this.byId.get(Number(at.path[2])) ?? this.tree.root);
  }

  private load(): void {
    void this.latest.run(
      () => notebooks.read(this.id),
      book => {
        this.book = book;
        this.build(book);
        const at = here();
        if (book.color === 'black' && !at.params.get('orient'))
          go(url(location.pathname, withParams(at.params, { orient: 'b' })), true);
        else this.update(at);
      },
      error => {
        this.page.board.show({ pos: initial() });
        fill(this.head, h('h1', null, error.status === 404 ? 'You cannot open this notebook' : 'Notebook'));
        fill(
          this.side,
          error.status === 404 ? foreign('notebook') : failure(error, () => this.load()),
          h('p', null, h('a', { href: '/notebooks' }, 'All notebooks')),
        );
      },
    );
  }

  private build(book: Notebook): void {
    const root = book.nodes.find(n => n.parent === null);
    const tree = new Tree((root && readFen(root.fen).pos) || initial());
    this.tree = tree;
    this.stored.clear();
    this.byId.clear();
    if (root) this.remember(tree.root, root);
    for (const stored of book.nodes) {
      if (stored === root) continue;
      const parent = this.byId.get(stored.parent!);
      const move = parent && stored.uci ? legal(tree.position(parent), stored.uci) : undefined;
      if (parent && move) this.remember(tree.play(parent, move), stored);
    }
  }

  private remember(node: Node, stored: NotebookNode): void {
    this.stored.set(node, stored);
    this.byId.set(stored.id, node);
    node.after = stored.note;
    node.nags = stored.glyph ? [stored.glyph] : [];
  }

  private address(node: Node): string {
    const stored = this.stored.get(node);
    return url(node.parent && stored ? `/n/${this.id}/${stored.id}` : `/n/${this.id}`, here().params);
  }

  private to(node: Node): void {
    go(this.address(node), true);
  }

  private place(node: Node): void {
    const tree = this.tree!;
    this.current = node;
    this.page.strip();
    this.page.title(this.book!.name);
    this.page.board.show({ pos: tree.position(node), last: node.uci, played: move => this.play(move) });
    fill(
      this.head,
      h(
        'div',
        { class: 'opening' },
        h('h1', null, this.book!.name),
        h('span', { class: 'total' }, `${count(tree.nodes.length - 1)} moves`),
      ),
      h('p', { class: 'quiet' }, h('a', { href: '/notebooks' }, 'All notebooks'), ' · play a move on the board to add it'),
    );
    const area = h('textarea', {
      id: 'note',
      rows: '3',
      maxlength: '10000',
      value: node.after,
      placeholder: 'What to remember here',
      on: {
        input: () => {
          node.after = area.value;
          this.moves.comment(tree, node);
          const stored = this.stored.get(node);
          if (stored)
            this.saver.later(stored, () =>
              notebooks.write(this.id, stored.id, { glyph: node.nags[0] ?? null, note: area.value }),
            );
        },
      },
    });
    const played = h('span', { class: 'quiet played' });
    fill(
      this.side,
      h(
        'div',
        { class: 'field wide' },
        h('label', { for: 'note' }, node.parent ? `Note after ${tree.number(node)} ${node.san}` : 'Note on the start'),
        area,
      ),
      h(
        'div',
        { class: 'actions' },
        node.parent ? this.glyphs(node) : null,
        button('Explore', () => go(this.explorer(node))),
        button('Download', () => download(`${this.book!.name}.pgn`, this.pgn()), {
          title: 'The notebook as PGN, with its notes',
        }),
        node.parent ? button('Delete from here', () => this.cut(node), { class: 'plain' }) : null,
        this.state,
      ),
      played,
    );
    this.moves.draw(tree, node);
    this.gaps(node, played);
  }

  private explorer(node: Node): string {
    const start = this.tree!.root.fen;
    const params = new URLSearchParams();
    if (epd(start) !== epd(INITIAL_FEN)) params.set('fen', start);
    const play = this.tree!.pathTo(node)
      .slice(1)
      .map(n => n.uci)
      .join(',');
    if (play) params.set('play', play);
    return url('/', params);
  }

  /** The most frequent moves that the notebook does not have. */
  private gaps(node: Node, place: HTMLElement): void {
    const params = new URLSearchParams(this.explorer(node).split('?')[1] ?? '');
    void this.asking.run(
      signal => get<Explorer>(url('/api/explorer', params), signal),
      answer => {
        const known = new Set(node.children.map(c => c.uci));
        const missing = answer.moves.filter(m => !known.has(m.uci)).slice(0, 5);
        if (this.current !== node || !missing.length) return;
        fill(
          place,
          'Played, but missing here: ',
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

  private glyphs(node: Node): HTMLElement {
    const select = h('select', {
      'aria-label': 'Glyph',
      on: {
        change: () => {
          const glyph = Number(select.value) || null;
          node.nags = glyph ? [glyph] : [];
          const stored = this.stored.get(node);
          if (stored) this.saver.later(stored, () => notebooks.write(this.id, stored.id, { glyph, note: node.after }));
          this.moves.draw(this.tree!, node);
        },
      },
    });
    fill(
      select,
      [
        [0, 'no glyph'],
        [1, '!'],
        [2, '?'],
        [3, '!!'],
        [4, '??'],
        [5, '!?'],
        [6, '?!'],
      ].map(([value, text]) => h('option', { value, selected: (node.nags[0] ?? 0) === value }, text)),
    );
    return select;
  }

  play(move: Move): void {
    const tree = this.tree!;
    const parent = this.current!;
    const uci = uciOf(tree.position(parent), move);
    const there = parent.children.find(c => c.uci === uci);
    if (there) {
      this.to(there);
      return;
    }
    const stored = this.stored.get(parent);
    if (!stored) return;
    // a note that is typed now would be lost when the next node is shown
    this.side.querySelector<HTMLTextAreaElement>('#note')!.disabled = true;
    void this.saver.now().then(() =>
      this.latest.run(
        () => notebooks.add(this.id, stored.id, uci),
        made => {
          const node = tree.play(parent, move);
          this.remember(node, {
            ...made,
            parent: stored.id,
            uci,
            fen: node.fen,
            note: made.note ?? '',
            glyph: made.glyph ?? null,
          });
          if (!this.left) this.to(node);
        },
        error => {
          if (this.left) return;
          this.place(parent);
          this.side.prepend(failure(error, () => this.play(move)));
        },
      ),
    );
  }

  private cut(node: Node): void {
    const stored = this.stored.get(node);
    if (!stored || (node.children.length && !confirm(`Delete ${node.san} and all that follows it?`))) return;
    void this.latest.run(
      () => notebooks.cut(this.id, stored.id),
      () => {
        const parent = node.parent!;
        this.tree!.remove(node);
        this.to(parent);
      },
      error => this.side.prepend(failure(error, () => this.cut(node))),
    );
  }

  step(by: -1 | 1 | 'first' | 'last'): void {
    if (!this.current) return;
    let to: Node | undefined = this.current;
    if (by === -1) to = to.parent;
    else if (by === 1) to = to.children[0];
    else if (by === 'first') to = this.tree!.root;
    else while (to!.children.length) to = to!.children[0];
    if (to && to !== this.current) this.to(to);
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
    this.saver.stop();
    this.latest.stop();
    this.asking.stop();
  }
}

export const VIEWS = { notebooks: NotebooksView, n: NotebookView };
