// In: a notebook. Out: its positions, one after the other as they are due; the visitor's moves, and what the notebook has there.
import { type Address, go, here, url, withParams } from './address';
import { ApiError, away, type Explorer, fresh, get, Latest, send } from './api';
import type { DrawShape, Key } from './board';
import { button, type Child, fill, h } from './dom';
import { bar } from './explorer';
import { count } from './format';
import { treeOfNodes } from './nodes';
import { epd, initial, legal, type Move, type Position, squaresOf, step, uciOf } from './position';
import { keepAnswer, type Notebook, notebooks, randomKey, storeAnswers } from './sessions';
import { type Node, Tree } from './tree';
import { failure, foreign, note, type Page, type View } from './view';
import { either, language, plural, t } from './words';

interface Training {
  total: number;
  due: number;
  new: number;
  next: { node: number } | null;
  /** the nodes that are asked, the next one first */
  queue: number[];
  soonest: string | null;
}
interface Answered {
  right: boolean;
  moves: string[];
  /** null without the network */
  days: number | null;
  training: Training;
}

const days = (n: number): string => (n === 1 ? t`tomorrow` : plural(n, 'in {0} day', 'in {0} days'));

export class TrainView implements View {
  private head = h('div', { class: 'panel-head' });
  private body = h('div', { class: 'training' });
  readonly node = h('div', { class: 'view train' }, this.head, this.body);
  private latest = new Latest();
  private asking = new Latest();
  private id = '';
  private book: Notebook | undefined;
  private tree = new Tree(initial());
  private byId = new Map<number, Node>();
  /** the position that waits for an answer */
  private at: Node | undefined;
  private reveal = button(t`Show the answer`, () => this.answer(null));
  private training: Training | undefined;
  /** the server did not take the last answer */
  private away = false;
  /** another window has added the position that is asked */
  private renewed = false;

  constructor(private page: Page) {}

  update(at: Address): void {
    const id = at.path[1] ?? '';
    this.page.strip();
    this.page.title(t`Training`);
    if (id === this.id && this.book) return;
    this.id = id;
    this.page.board.show({ pos: initial() });
    void this.latest.run(
      signal => Promise.all([notebooks.read(id), fresh<Training>(`/api/notebooks/${encodeURIComponent(id)}/training`, signal)]),
      ([book, training]) => {
        this.book = book;
        this.away = false;
        this.byId.clear();
        this.tree = treeOfNodes(book.nodes, (node, stored) => this.byId.set(stored.id, node));
        if (book.color === 'black' && !here().params.get('orient'))
          go(url(here().pathname, withParams(here().params, { orient: 'b' })), true);
        this.ask(training);
      },
      error => this.failed(error, () => this.update(at)),
    );
  }

  private failed(error: ApiError, again: () => void): void {
    fill(this.head, h('h1', null, t`Training`));
    const missing = error.status === 404 && !this.book;
    fill(
      this.body,
      missing
        ? foreign(t`A notebook opens only on its owner’s devices, until it is deleted there.`, t`This server saves no notebooks.`)
        : failure(error, again),
      h('p', null, h('a', { href: missing ? '/notebooks' : `/n/${this.id}` }, missing ? t`All notebooks` : t`To the notebook`)),
    );
  }

  private drawHead({ due, total, new: fresh }: Training): void {
    fill(
      this.head,
      h('h1', null, t`Training: ${this.book!.name}`),
      h(
        'p',
        { class: 'quiet' },
        [t`${count(due)} due`, t`${count(fresh)} new`, plural(total, '{0} position', '{0} positions'), ''].join(' · '),
        h('a', { href: `/n/${this.id}` }, t`To the notebook`),
      ),
    );
  }

  /** Shows the next position and waits for a move. */
  private ask(training: Training): void {
    this.asking.stop();
    this.drawHead(training);
    this.training = training;
    this.at = training.next ? this.byId.get(training.next.node) : undefined;
    if (!this.at && training.next && !this.renewed) {
      this.renewed = true;
      this.book = undefined;
      this.update(here());
      return;
    }
    this.renewed = false;
    if (!this.at) {
      this.page.board.show({ pos: initial(), shapes: [] });
      fill(this.body, this.nothing(training));
      return;
    }
    const node = this.at;
    this.reveal.disabled = false;
    this.page.board.show({ pos: this.tree.position(node), last: node.uci, played: move => this.play(move), shapes: [] });
    fill(
      this.body,
      this.line(node),
      h('p', { role: 'status', class: 'prompt' }, t`What does your notebook play here?`),
      h('div', { class: 'actions' }, this.reveal),
    );
  }

  private nothing({ total, soonest }: Training): Child {
    // as the browser's user writes the language, such as en-GB
    const locale = navigator.languages.find(one => one.split('-')[0] === language) ?? language;
    const when = soonest && new Date(soonest).toLocaleDateString(locale, { dateStyle: 'long' });
    if (this.away) {
      const again = () => {
        this.book = undefined;
        void this.latest.run(
          storeAnswers,
          () => this.update(here()),
          () => {},
        );
      };
      return note(
        h('p', { role: 'status' }, t`No more positions are loaded. Your answers are stored when the server answers again.`),
        button(t`Try again`, again),
      );
    }
    return note(
      h('p', { role: 'status' }, total ? t`Nothing is due.` : t`This notebook has no moves for its side yet.`),
      when ? h('p', null, t`The next position is due on ${when}.`) : null,
      total
        ? button(
            t`Begin from scratch`,
            () =>
              confirm(t`Forget all answers about this notebook?`) &&
              void this.latest.run(
                () => send<Training>('DELETE', this.path()),
                found => this.ask(found),
                error => this.failed(error, () => this.update(here())),
              ),
            { class: 'plain' },
          )
        : null,
    );
  }

  private path(): string {
    return `/api/notebooks/${encodeURIComponent(this.id)}/training`;
  }

  /** The moves to the position. */
  private line(node: Node): HTMLElement {
    const moves = this.tree.pathTo(node).slice(1);
    const words = moves.map((n, i) => `${i === 0 || (n.ply + this.tree.offset) % 2 ? `${this.tree.number(n)} ` : ''}${n.san}`);
    return h('p', { class: 'trained-line' }, words.join(' ') || t`The start of the notebook`);
  }

  play(move: Move): void {
    if (this.at) this.answer(uciOf(this.tree.position(this.at), move));
  }

  /** Takes the move, or that the visitor does not know it: one answer to each question. */
  private answer(uci: string | null): void {
    const node = this.at;
    if (!node) return;
    this.at = undefined;
    this.reveal.disabled = true;
    this.send(node, uci, randomKey());
  }

  /** Sends an answer; sent again, it has the same key. */
  private send(node: Node, uci: string | null, key: string): void {
    const stored = [...this.byId].find(([, known]) => known === node)![0];
    const pos = this.tree.position(node);
    this.page.board.show({ pos, last: node.uci, shapes: [] });
    void this.latest.run(
      async () => {
        try {
          // Earlier answers are sent first, because each interval follows from the answer before.
          this.away = !(await storeAnswers());
          if (!this.away)
            return await send<Answered>('POST', this.path(), uci ? { node: stored, uci, key } : { node: stored, key });
        } catch (error) {
          if (!(error instanceof ApiError && away(error))) throw error;
          this.away = true;
        }
        return this.judged(node, stored, uci, key);
      },
      found => this.answered(node, uci, found),
      error => this.failed(error, () => this.send(node, uci, key)),
    );
  }

  /** Keeps an answer until the server can be reached, and judges it by the notebook as it was loaded. */
  private judged(node: Node, stored: number, uci: string | null, key: string): Answered {
    keepAnswer({ path: this.path(), node: stored, uci, at: Date.now(), key });
    // The same position may stand in several lines of the notebook; the moves of all of them are right.
    const same = this.tree.nodes.filter(other => epd(other.fen) === epd(node.fen));
    const moves = [...new Set(same.flatMap(other => other.children.map(child => child.uci)))];
    const right = uci !== null && moves.includes(uci);
    const { due, new: fresh, queue, ...rest } = this.training!;
    const others = queue.filter(id => id !== stored);
    const left = right ? others : [...others, stored];
    const wasDue = due > 0;
    const training = {
      ...rest,
      due: due + (right ? 0 : 1) - (wasDue ? 1 : 0),
      new: fresh - (wasDue ? 0 : 1),
      queue: left,
      next: left.length ? { node: left[0] } : null,
    };
    return { right, moves, days: null, training };
  }

  private answered(node: Node, uci: string | null, { right, moves, days: interval, training }: Answered): void {
    const pos = this.tree.position(node);
    const san = (of: string) => {
      const move = legal(pos, of);
      return move ? step(pos, move).step.san : of;
    };
    const arrow = (of: string, brush: string): DrawShape => {
      const [orig, dest] = squaresOf(of) as Key[];
      return { orig, dest, brush };
    };
    const wrong = uci && !right ? [arrow(uci, 'red')] : [];
    const played = right && uci ? legal(pos, uci) : undefined;
    const shown = played ? step(pos, played).after : pos;
    this.page.board.show({
      pos: shown,
      last: played && uci ? uci : node.uci,
      shapes: played ? [] : [...moves.map(move => arrow(move, 'green')), ...wrong],
    });
    this.drawHead(training);
    const others = moves.filter(move => move !== uci).map(san);
    const said = right
      ? [
          t`Right: ${san(uci!)}.`,
          interval === null ? t`It is stored when the server answers again.` : t`It is asked again ${days(interval)}.`,
          ...(others.length ? [t`The notebook also has ${others.join(', ')}.`] : []),
        ].join(' ')
      : uci
        ? t`Not ${san(uci)}: the notebook plays ${either(moves.map(san))}. It is asked again at the end.`
        : t`The notebook plays ${either(moves.map(san))}. It is asked again at the end.`;
    const replies = node.children.filter(child => moves.includes(child.uci));
    const games = h('div', { class: 'compared' });
    const go = button(t`Next`, () => this.ask(training), { class: 'primary' });
    fill(
      this.body,
      this.line(node),
      h('p', { role: 'status', class: right ? 'prompt right' : 'prompt error' }, said),
      ...replies.filter(child => child.after).map(child => h('p', null, `${child.san}: ${child.after}`)),
      node.after ? h('p', { class: 'quiet' }, node.after) : null,
      h('div', { class: 'actions' }, go),
      games,
    );
    go.focus();
    this.played(node, games);
  }

  /** What people play in the position. */
  private played(node: Node, place: HTMLElement): void {
    void this.asking.run(
      signal => get<Explorer>(url('/api/explorer', new URLSearchParams({ fen: node.fen })), signal),
      ({ moves, games }) => {
        if (!moves.length) return;
        fill(
          place,
          h(
            'table',
            { class: 'figures' },
            h('caption', null, plural(games, 'What was played here, in {0} game', 'What was played here, in {0} games')),
            h(
              'thead',
              null,
              h('tr', null, ...[t`Move`, t`Games`, t`White · draw · Black`].map(head => h('th', { scope: 'col' }, head))),
            ),
            h(
              'tbody',
              null,
              ...moves
                .slice(0, 6)
                .map(m =>
                  h(
                    'tr',
                    null,
                    h('th', { scope: 'row' }, m.san),
                    h('td', null, count(m.games)),
                    h('td', { class: 'bar' }, bar(m.white, m.draws, m.black)),
                  ),
                ),
            ),
          ),
        );
      },
      () => {},
    );
  }

  step(): void {}
  position(): Position | undefined {
    return this.at && this.tree.position(this.at);
  }
  leave(): void {
    this.latest.stop();
    this.asking.stop();
  }
}
