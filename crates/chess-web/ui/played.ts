// In: a move of a game that is being read. Out: the moves that all games of the database played in its position, each a link to
// the explorer. Filters do not apply, because the index counts all games at once and with filters each position would need a
// search. The server is not asked while the list is folded, or while the visitor goes through the moves quickly.
import { url } from './address';
import { type Explorer, get, known, Latest } from './api';
import { fill, h } from './dom';
import { bar } from './explorer';
import { count } from './format';
import { ofBrowser } from './storage';
import { type Node, placeOf, type Tree } from './tree';
import { plural, t } from './words';

/** How many moves are told; the explorer has all. */
const MOST = 6;
/** Milliseconds for which a move stands on the board before the server is asked. */
const REST = 250;

export class Played {
  private body = h('div', { class: 'scrolls', tabindex: '0', role: 'region', 'aria-label': t`What was played here` });
  readonly node = h(
    'details',
    {
      class: 'played-here',
      on: {
        toggle: () => {
          this.folds();
          this.ask();
        },
      },
    },
    h('summary', { on: { click: () => ofBrowser.set('played', this.node.open ? 'closed' : 'open') } }, t`What was played here`),
    this.body,
  );
  private latest = new Latest();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private at: { tree: Tree; node: Node } | undefined;
  private asked = '';
  private mayAsk = false;

  /** `folds` is called when the list has taken room from the moves, or has given it back. */
  constructor(private folds: () => void) {
    // The list is open before its moves arrive, so that the moves of the game do not jump.
    this.node.open = ofBrowser.get('played') !== 'closed';
  }

  show(tree: Tree, node: Node): void {
    const first = !this.at;
    this.node.hidden = false;
    this.at = { tree, node };
    clearTimeout(this.timer);
    if (first)
      void this.latest.run(
        known,
        ({ features }) => {
          this.mayAsk = true;
          // Without an index every position needs a search, so the list stays closed until the visitor opens it.
          if (!features?.positionsIndexed && !ofBrowser.get('played')) this.node.open = false;
          this.ask();
        },
        () => {},
      );
    else this.timer = setTimeout(() => this.ask(), REST);
  }

  private ask(): void {
    if (!this.node.open || !this.at || !this.mayAsk) return;
    const { tree, node } = this.at;
    const question = url('/api/explorer', placeOf(tree, node));
    if (question === this.asked) return;
    void this.latest.run(
      signal => get<Explorer>(question, signal),
      answer => {
        this.asked = question;
        this.draw(answer, tree, node);
      },
      error => {
        this.asked = '';
        fill(this.body, h('p', { class: 'quiet' }, error.message));
      },
    );
  }

  private draw(answer: Explorer, tree: Tree, node: Node): void {
    const moves = [...answer.moves].sort((a, b) => b.games - a.games);
    const own = node.children[0];
    // the move of this game is shown, however rare it is
    const told = moves.filter((move, i) => i < MOST || move.uci === own?.uci);
    const all = moves.length
      ? plural(answer.games, 'In this position there was 1 game.', 'In this position there were {0} games.')
      : plural(
          answer.games,
          'In this position there was 1 game, which ended here.',
          'In this position there were {0} games, which ended here.',
        );
    fill(
      this.body,
      h(
        'table',
        { class: 'figures' },
        h('caption', { class: 'unseen' }, t`What was played here`),
        h(
          'thead',
          { class: 'unseen' },
          h('tr', null, ...[t`Move`, t`Games`, t`Results`].map(head => h('th', { scope: 'col' }, head))),
        ),
        h(
          'tbody',
          null,
          ...told.map(move =>
            h(
              'tr',
              { class: move.uci === own?.uci ? 'own' : null },
              h(
                'th',
                { scope: 'row' },
                h(
                  'a',
                  {
                    href: url('/', placeOf(tree, node, move.uci)),
                    title: move.uci === own?.uci ? t`The move of this game` : null,
                  },
                  move.san,
                ),
              ),
              h('td', null, count(move.games)),
              h('td', { class: 'bar' }, bar(move.white, move.draws, move.black)),
            ),
          ),
        ),
      ),
      h('p', { class: 'quiet' }, all, ' ', h('a', { href: url('/', placeOf(tree, node)) }, t`Explore`)),
    );
  }

  stop(): void {
    clearTimeout(this.timer);
    this.latest.stop();
    this.at = undefined;
    this.asked = '';
    fill(this.body);
    this.node.hidden = true;
  }
}
