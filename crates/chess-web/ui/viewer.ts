// In: the id of a game. Out: its moves with comments, variations, glyphs and clocks, and links to other views.
import { type Address, CRITERIA, go, here, only, url, withParams } from './address';
import { get, Latest, type Pattern, type WholeGame } from './api';
import { button, copy, fill, h, iconButton } from './dom';
import { date, result } from './format';
import { Strip } from './graph';
import { epd, INITIAL_FEN, initial, type Move, materialOf, type Position } from './position';
import { Moves, type Node, readPgn, type Tree, writePgn } from './tree';
import { failure, type Page, sqlLink, type View } from './view';

export class GameView implements View {
  private head = h('div', { class: 'panel-head' });
  private body = h('div', { class: 'game-body' });
  readonly node = h('div', { class: 'view game' }, this.head, this.body);
  private moves = new Moves(node => this.show(node, true));
  private strip = new Strip();
  private latest = new Latest();
  private squares = new Latest();
  private asked = '';
  private game: WholeGame | undefined;
  private tree: Tree | undefined;
  private current: Node | undefined;
  private matches: number[] = [];

  constructor(private page: Page) {}

  update(at: Address): void {
    const id = at.path[1] ?? '';
    const criteria = only(at.params, CRITERIA);
    const question = url(`/api/games/${encodeURIComponent(id)}`, criteria);
    if (question === this.asked && this.tree) {
      this.page.strip(this.strip.node);
      const node = this.fromHash(at.hash);
      if (node !== this.current) this.show(node, false);
      else this.place(node);
      return;
    }
    this.asked = question;
    this.tree = undefined;
    this.page.title('Game');
    if (!this.game) this.page.board.show({ pos: initial() });
    void this.latest.run(
      signal => get<WholeGame>(question, signal),
      game => this.draw(game, at),
      error => {
        this.page.strip();
        fill(this.head, h('h1', null, error.status === 404 ? 'There is no such game' : 'Game'));
        fill(
          this.body,
          failure(error, () => this.update(here())),
        );
      },
    );
  }

  private fromHash(hash: string): Node {
    const tree = this.tree!;
    if (/^n\d+$/.test(hash)) return tree.nodes[Number(hash.slice(1))] ?? tree.root;
    const line = tree.mainline();
    return line[Math.max(0, Math.min(line.length - 1, Number(hash) || 0))];
  }

  private draw(game: WholeGame, at: Address): void {
    this.game = game;
    const tree = readPgn(game.pgn);
    this.tree = tree;
    const line = tree.mainline();
    game.moves.forEach((move, i) => {
      const node = line[i + 1];
      if (!node) return;
      if (node.clock === undefined && move.clock !== null && move.clock !== undefined) node.clock = move.clock / 10;
      if (move.mistake && !node.nags.some(nag => nag <= 6)) node.mistake = move.mistake;
      if (!node.eval && move.eval !== null && move.eval !== undefined) node.eval = { cp: move.eval.cp, mate: move.eval.mate };
    });
    this.matches = [...(game.matches ?? [])].sort((a, b) => a - b);
    const tags = new Map(game.tags.map(([name, value]) => [name, value]));
    const tag = (name: string) => (tags.get(name) && tags.get(name) !== '?' ? tags.get(name)! : '');
    const player = (color: 'White' | 'Black') =>
      h(
        'span',
        { class: `player ${color.toLowerCase()}` },
        h(
          'a',
          { href: url('/games', new URLSearchParams({ player: tag(color) })), title: `Games of ${tag(color)}` },
          tag(color) || '?',
        ),
        tag(`${color}Elo`) ? h('span', { class: 'elo' }, tag(`${color}Elo`)) : null,
      );
    const facts = [
      [tag('Event'), tag('Round') && `round ${tag('Round')}`].filter(Boolean).join(', '),
      tag('Site'),
      date(tag('Date')),
      tag('TimeControl'),
      tag('Annotator') && `annotated by ${tag('Annotator')}`,
    ].filter(Boolean);
    this.page.title(`${tag('White') || '?'} – ${tag('Black') || '?'}`);
    const known = new Set([
      'Event',
      'Site',
      'Date',
      'Round',
      'White',
      'Black',
      'Result',
      'WhiteElo',
      'BlackElo',
      'ECO',
      'Opening',
      'TimeControl',
      'Annotator',
      'FEN',
      'SetUp',
    ]);
    const others = game.tags.filter(([name]) => !known.has(name));
    fill(
      this.head,
      h(
        'h1',
        { class: 'players' },
        player('White'),
        h('span', { class: 'result' }, result(tags.get('Result') ?? '*')),
        player('Black'),
      ),
      h('p', { class: 'facts' }, ...facts.flatMap((fact, i) => [i ? ' · ' : null, fact])),
      tag('ECO') || tag('Opening')
        ? h('p', { class: 'facts' }, h('span', { class: 'eco' }, tag('ECO')), ' ', tag('Opening'))
        : null,
      others.length
        ? h(
            'details',
            { class: 'tags' },
            h('summary', null, 'More tags'),
            h('dl', null, ...others.flatMap(([name, value]) => [h('dt', null, name), h('dd', null, value)])),
          )
        : null,
      h(
        'div',
        { class: 'actions' },
        button('Find this position', () => this.explore()),
        button('Same material', () => go(url('/search', new URLSearchParams({ material: materialOf(this.position()) })))),
        button('Analyse', () => this.analyse()),
        button('Copy PGN', () => copy(game.pgn, 'PGN')),
        h(
          'a',
          { class: 'button', href: `/api/games/${encodeURIComponent(game.id)}/pgn`, download: `${game.id}.pgn` },
          'Download',
        ),
        sqlLink(game.sql),
      ),
      this.matches.length ? this.matchBar() : null,
    );
    fill(
      this.body,
      game.error || tree.problem
        ? h('p', { class: 'note' }, `Shown as far as it can be read: ${game.error ?? tree.problem}.`)
        : null,
      this.moves.node,
    );
    this.moves.draw(tree, tree.root, new Set(this.matches));
    this.strip.draw(
      line.map(node => ({ eval: node.eval, clock: node.clock })),
      ply => this.show(line[ply], true),
    );
    this.page.strip(this.strip.node);
    const hash = at.hash || (this.matches.length ? String(this.matches[0]) : '');
    this.show(this.fromHash(hash), !at.hash && !!hash);
  }

  private matchBar(): HTMLElement {
    const go = (by: number) => {
      const ply = this.current?.ply ?? 0;
      const next =
        by > 0
          ? (this.matches.find(m => m > ply) ?? this.matches[0])
          : ([...this.matches].reverse().find(m => m < ply) ?? this.matches.at(-1)!);
      this.show(this.tree!.mainline()[next], true);
    };
    const n = this.matches.length;
    return h(
      'div',
      { class: 'matches' },
      h('span', null, n === 1 ? 'Found once' : `Found ${n} times`),
      iconButton('back', 'Previous match', () => go(-1)),
      iconButton('forward', 'Next match', () => go(1)),
    );
  }

  private show(node: Node, push: boolean): void {
    this.current = node;
    if (push) {
      const hash = this.tree!.isMain(node) ? String(node.ply || '') : `n${node.id}`;
      history.replaceState(null, '', url(location.pathname, here().params, hash));
    }
    this.place(node);
    this.moves.current(node);
    const main = this.tree!.pathTo(node)
      .filter(n => this.tree!.isMain(n))
      .at(-1)!;
    this.strip.current(main.ply);
    this.markMatch(node);
  }

  private place(node: Node): void {
    this.page.board.show({
      pos: this.tree!.position(node),
      last: node.uci,
      played: move => this.play(move),
      shapes: node.shapes,
    });
  }

  /** Marks the squares that the pattern matches here. */
  private markMatch(node: Node): void {
    const pattern = here().params.get('pattern');
    if (!pattern || !this.matches.includes(node.ply) || !this.tree!.isMain(node)) return;
    void this.squares.run(
      signal => get<Pattern>(url('/api/pattern', new URLSearchParams({ pattern, fen: node.fen })), signal),
      answer => this.current === node && this.page.board.mark(answer.squares ?? []),
      () => {},
    );
  }

  play(move: Move): void {
    const size = this.tree!.nodes.length;
    const next = this.tree!.play(this.current!, move);
    if (this.tree!.nodes.length > size) this.moves.draw(this.tree!, next, new Set(this.matches));
    this.show(next, true);
  }

  step(by: -1 | 1 | 'first' | 'last'): void {
    if (!this.tree || !this.current) return;
    let to: Node | undefined = this.current;
    if (by === -1) to = to.parent;
    else if (by === 1) to = to.children[0];
    else if (by === 'first') to = this.tree.root;
    else while (to!.children.length) to = to!.children[0];
    if (to && to !== this.current) this.show(to, true);
  }

  private explore(): void {
    const { tree, current } = this;
    if (!tree || !current) return;
    const path = tree
      .pathTo(current)
      .slice(1)
      .map(n => n.uci);
    const start = epd(tree.root.fen) === epd(INITIAL_FEN) ? null : tree.root.fen;
    go(url('/', withParams(new URLSearchParams(), { fen: start, play: path.join(',') })));
  }

  private analyse(): void {
    sessionStorage.setItem('analyse', writePgn(this.tree!));
    go('/analysis/new');
  }

  position(): Position {
    return this.tree && this.current ? this.tree.position(this.current) : initial();
  }
  leave(): void {
    this.latest.stop();
    this.squares.stop();
  }
}
