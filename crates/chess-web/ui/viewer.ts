// In: the id of a game. Out: its moves with comments, variations, glyphs and clocks, and links to other views.
import { type Address, CRITERIA, go, here, only, rename, url, withFilters } from './address';
import { get, has, known, Latest, type Novelty, type Pattern, storedGame, type WholeGame } from './api';
import { button, type Child, copy, fill, h, iconButton, say } from './dom';
import { date, result } from './format';
import { moreOf, near, type Origin, origin } from './games';
import { Strip } from './graph';
import { Played } from './played';
import { fenOf, initial, type Move, materialOf, type Position } from './position';
import { begun } from './sessions';
import { Moves, type Node, placeOf, showFound, type Tree, thinkTimes, treeOfGame, writePgn } from './tree';
import { failure, type Page, sqlLink, toReport, type View } from './view';
import { WholeAnalysis } from './whole';
import { plural, t } from './words';

export class GameView implements View {
  private head = h('div', { class: 'panel-head' });
  private body = h('div', { class: 'game-body scrolls' });
  private played = new Played(() => this.current && this.moves.current(this.current));
  readonly node = h('div', { class: 'view game' }, this.head, this.body, this.played.node);
  private moves = new Moves(node => this.show(node, true));
  private strip = new Strip();
  private latest = new Latest();
  private squares = new Latest();
  private novelty = new Latest();
  /** the question that the address asks, and the one whose game is shown until the answer is there */
  private asked = '';
  private shown = '';
  private whole: WholeGame | undefined;
  private list: Origin | undefined;
  /** its place in the list, from 0; -1 if it is not of the list */
  private listed = -1;
  private further = new Latest();
  private tree: Tree | undefined;
  private current: Node | undefined;
  private matches: number[] = [];
  private analysis = new WholeAnalysis(() => this.renew());
  private corrections = new Latest();
  private corrected = { correct: h('span'), told: h('p', { class: 'facts' }) };

  constructor(private page: Page) {}

  private renew(): void {
    this.ask(this.asked);
  }

  update(at: Address): void {
    const id = at.path[1] ?? '';
    const criteria = only(at.params, CRITERIA);
    const question = url(`/api/games/${encodeURIComponent(id)}`, criteria);
    if (question === this.shown) {
      if (question !== this.asked) this.latest.stop();
      this.asked = question;
      this.page.strip(this.strip.node);
      const node = this.fromHash(at.hash);
      if (node !== this.current) this.show(node, false);
      else this.place(node);
      return;
    }
    if (!this.tree) this.clear();
    this.ask(question);
  }

  private ask(question: string): void {
    this.asked = question;
    void this.latest.run(
      signal => storedGame(question, signal),
      game => {
        this.shown = question;
        this.draw(game, here());
      },
      error => {
        this.clear();
        fill(this.head, h('h1', null, error.status === 404 ? t`There is no such game` : t`Game`));
        fill(
          this.body,
          failure(error, () => this.ask(question)),
        );
      },
    );
  }

  /** Shows no game. */
  private clear(): void {
    this.stop();
    this.shown = '';
    this.whole = this.tree = this.current = undefined;
    this.page.title(t`Game`);
    this.page.strip();
    this.page.comment('');
    this.page.board.show({ pos: initial() });
  }

  private fromHash(hash: string): Node {
    const tree = this.tree!;
    if (/^n\d+$/.test(hash)) return tree.nodes[Number(hash.slice(1))] ?? tree.root;
    const line = tree.mainline();
    return line[Math.max(0, Math.min(line.length - 1, Number(hash) || 0))];
  }

  private draw(game: WholeGame, at: Address): void {
    this.whole = game;
    const tree = treeOfGame(game.game);
    this.tree = tree;
    const line = tree.mainline();
    game.moves.forEach((move, i) => {
      const node = line[i + 1];
      if (!node) return;
      if (node.clock === undefined && move.clock !== null && move.clock !== undefined) node.clock = move.clock / 10;
      if (move.mistake && !node.nags.some(nag => nag <= 6)) node.mistake = move.mistake;
    });
    showFound(tree, game, line);
    this.matches = [...(game.matches ?? [])].sort((a, b) => a - b);
    const tags = tree.headers;
    const tag = (name: string) => (/^[?-]?$/.test(tags.get(name) ?? '') ? '' : tags.get(name)!);
    thinkTimes(tree, tag('TimeControl'));
    const player = (color: 'White' | 'Black') =>
      h(
        'span',
        { class: `player ${color.toLowerCase()}` },
        h('a', tag(color) ? toReport('player', tag(color), t`Report on ${tag(color)}`) : null, tag(color) || '?'),
        tag(`${color}Elo`) ? h('span', { class: 'elo' }, tag(`${color}Elo`)) : null,
      );
    const event = tag('Event');
    const facts: Child[] = [
      event && h('a', toReport('tournament', event, t`The table of this event`, new URLSearchParams({ game: game.id })), event),
      tag('Round') && t`round ${tag('Round')}`,
      tag('Site'),
      date(tag('Date')),
      tag('TimeControl'),
      tag('Annotator') && t`annotated by ${tag('Annotator')}`,
    ].filter(Boolean);
    const eco = tag('ECO') || game.opening?.eco;
    const opening = tag('Opening') || game.opening?.name;
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
    const folds = tree.nodes.some(node => node.children.length > 1);
    fill(
      this.head,
      this.neighbours(game.id),
      h(
        'h1',
        { class: 'players' },
        player('White'),
        h('span', { class: 'result' }, result(tags.get('Result') ?? '*')),
        player('Black'),
      ),
      h('p', { class: 'facts' }, ...facts.flatMap((fact, i) => [i ? ' · ' : null, fact])),
      eco || opening
        ? h(
            'p',
            { class: 'facts' },
            h('span', { class: 'eco' }, eco),
            ' ',
            h('a', toReport('opening', game.opening?.name ?? eco!, null), opening ?? (has('openingReports') ? t`Report` : null)),
          )
        : null,
      others.length
        ? h(
            'details',
            { class: 'tags' },
            h('summary', null, t`More tags`),
            h('dl', null, ...others.flatMap(([name, value]) => [h('dt', null, name), h('dd', null, value)])),
          )
        : null,
      h(
        'div',
        { class: 'actions' },
        button(t`Find this position`, () => this.explore()),
        button(t`Similar positions`, () => go(near(fenOf(this.position()), here().params))),
        button(t`Same material`, () => go(withFilters('/search', { material: materialOf(this.position()) }))),
        button(t`Analyze`, () => this.analyse()),
        this.corrected.correct,
        button(t`Copy PGN`, () => copy(game.pgn, 'PGN')),
        h(
          'a',
          { class: 'button', href: `/api/games/${encodeURIComponent(game.id)}/pgn`, download: `${game.id}.pgn` },
          t`Download`,
        ),
        button(t`Print`, () => print()),
        folds ? this.folding() : null,
        sqlLink(game.sql),
      ),
      this.matches.length ? this.matchBar() : null,
    );
    fill(
      this.body,
      game.error || tree.problem
        ? h('p', { class: 'note' }, t`Shown as far as it can be read: ${game.error ?? tree.problem}.`)
        : null,
      this.corrected.told,
      this.analysis.node,
      this.moves.node,
    );
    this.analysis.show(game);
    this.askCorrections(game);
    this.moves.draw(tree, tree.root, new Set(this.matches));
    this.body.scrollTop = 0;
    this.strip.draw(
      line.map(node => ({ eval: node.eval ?? node.found, clock: node.clock })),
      ply => this.show(line[ply], true),
    );
    this.page.strip(this.strip.node);
    const hash = at.hash || (this.matches.length ? String(this.matches[0]) : '');
    this.show(this.fromHash(hash), !at.hash && !!hash);
    this.askNovelty(game);
  }

  /** Offers to correct the game, and to undo its last change, where visitors may. */
  private askCorrections(game: WholeGame): void {
    const { corrected } = this;
    for (const place of Object.values(corrected)) fill(place);
    void this.corrections.run(
      async signal => {
        const { features } = await known(signal);
        if (features?.upload) await (await import('./store')).showCorrections(game, corrected, () => this.renew(), signal);
      },
      () => {},
      // the game can be read without
      () => {},
    );
  }

  /** Marks the half-move by which the game left what had been played before, once the server knows it. */
  private askNovelty(game: WholeGame): void {
    const { tree } = this;
    void this.novelty.run(
      signal => get<Novelty>(`/api/games/${encodeURIComponent(game.id)}/novelty`, signal),
      ({ ply, compared }) => {
        const node = ply && tree === this.tree ? tree?.mainline()[ply] : undefined;
        if (!node || !compared) return;
        node.novelty = compared;
        this.moves.mark(node);
      },
      // the game can be read without the mark, so a failure is not shown
      () => {},
    );
  }

  /** The way to the neighbours of a game in the list that the visitor came from, and back to the list. */
  private neighbours(id: string): HTMLElement | null {
    const list = origin();
    const place = list?.games.findIndex(link => link.split(/[?#]/)[0] === `/game/${id}`) ?? -1;
    this.list = list;
    this.listed = place;
    if (!list || place < 0) return null;
    const step = (by: -1 | 1, label: string) =>
      iconButton(by < 0 ? 'back' : 'forward', label, () => this.game(by), {
        disabled: !list.games[place + by] && (by < 0 || !list.more),
      });
    return h(
      'div',
      { class: 'neighbours' },
      h('a', { href: list.back }, t`Back to the list`),
      step(-1, t`Previous game ([)`),
      h('span', null, list.more ? t`${place + 1} of ${list.games.length} or more` : t`${place + 1} of ${list.games.length}`),
      step(1, t`Next game (])`),
    );
  }

  game(by: -1 | 1): void {
    const { list, listed } = this;
    if (!list || listed < 0) return;
    const to = list.games[listed + by];
    if (to) go(to);
    else if (by > 0 && list.more)
      void this.further.run(
        signal => moreOf(list, signal),
        longer => longer.games[listed + 1] && go(longer.games[listed + 1]),
        error => say(error.message),
      );
  }

  private folding(): HTMLElement {
    let folded = false;
    const toggle = button(t`Fold variations`, () => {
      folded = !folded;
      this.moves.foldAll(folded);
      toggle.textContent = folded ? t`Unfold variations` : t`Fold variations`;
    });
    return toggle;
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
      h('span', null, plural(n, 'Found once', 'Found {0} times')),
      iconButton('back', t`Previous match`, () => go(-1)),
      iconButton('forward', t`Next match`, () => go(1)),
    );
  }

  private show(node: Node, push: boolean): void {
    this.current = node;
    // While another game is awaited, the address already belongs to that one and must not change.
    if (push && this.asked === this.shown) {
      const hash = this.tree!.isMain(node) ? String(node.ply || '') : `n${node.id}`;
      rename(url(here().pathname, here().params, hash));
    }
    this.place(node);
    // This comes first, because it takes room from the moves.
    this.played.show(this.tree!, node);
    this.moves.current(node);
    const main = this.tree!.pathTo(node)
      .filter(n => this.tree!.isMain(n))
      .at(-1)!;
    this.strip.current(main.ply);
    this.page.comment(node.after || (node.parent ? '' : (node.children[0]?.before ?? '')));
    this.markMatch(node);
  }

  private place(node: Node): void {
    this.page.board.show({
      pos: this.tree!.position(node),
      last: node.uci,
      played: move => this.play(move),
      shapes: node.shapes,
      // they go on to a board of analysis
      drawn: shapes => {
        node.shapes = shapes;
      },
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
    go(withFilters('/', placeOf(tree, current)));
  }

  private analyse(): void {
    const { tree, current, whole } = this;
    if (!tree || !current || !whole) return;
    const main = tree.pathTo(current).filter(n => tree.isMain(n));
    begun({ game: whole.id, pgn: writePgn(tree), path: tree.pathTo(current).flatMap(n => n.uci || []) });
    go(withFilters('/analysis', { game: whole.id }, String(main.at(-1)!.ply || '')));
  }

  pgn(): string {
    return this.whole?.pgn ?? '';
  }
  position(): Position {
    return this.tree && this.current ? this.tree.position(this.current) : initial();
  }
  leave(): void {
    this.latest.stop();
    this.stop();
  }
  /** Stops all that is about the game that is shown. */
  private stop(): void {
    this.squares.stop();
    this.novelty.stop();
    this.played.stop();
    this.further.stop();
    this.analysis.stop();
    this.corrections.stop();
  }
}
