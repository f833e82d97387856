// In: a notebook and whose games count. Out: where these games left it, and what it does not answer, in tables whose lines lead to
// the positions on the board.
import { here, url, withParams } from './address';
import { ApiError, get, Latest } from './api';
import { button, type Child, fill, h, submitted } from './dom';
import { completed } from './filters';
import { count } from './format';
import { epd, fenOf, readFen } from './position';
import type { NotebookHead } from './sessions';
import type { Node, Tree } from './tree';
import { failure, note, sqlLink, waiting } from './view';

interface Checked {
  totals: Record<'followed' | 'left' | 'opponent left' | 'not reached', number>;
  positions: {
    status: string;
    fen: string;
    played: string;
    expected: string[];
    games: number;
    score: number | null;
    last: { id: string; ply: number };
  }[];
  sql: string | null;
}
interface Gaps {
  gaps: {
    kind: 'missing' | 'unanswered' | 'conflict' | 'unreached';
    fen: string;
    line: string | null;
    move: string | null;
    probability: number;
    games: number | null;
    score: number | null;
  }[];
  sql: string | null;
}

const KINDS = {
  missing: 'is not answered',
  unanswered: 'your move is missing',
  conflict: 'is one of several moves of yours',
  unreached: 'nobody has played it',
};
/** The parameters of the page that say which games count; the first one only for the check. */
const ASKED = ['player', 'opponent', 'rating', 'since'];
const percent = (share: number | null): string => (share === null ? '' : `${Math.round(share * 100)} %`);

export class Comparison {
  private answer = h('div', { class: 'compared' });
  private latest = new Latest();
  /** by the fields of a FEN that make two positions the same */
  private places = new Map<string, Node>();
  readonly node = h('details', { class: 'comparison' }, h('summary', null, 'Compare with the games'));

  /** `to` shows a node, `play` adds a move to it. */
  constructor(
    private to: (node: Node) => void,
    private play: (node: Node, san: string) => void,
  ) {}

  draw(book: NotebookHead, tree: Tree): void {
    this.latest.stop();
    this.places = new Map(tree.nodes.map(node => [epd(node.fen), node]));
    const { params } = here();
    const value = (name: string) => params.get(name) ?? '';
    const field = (name: string, label: string, props: Record<string, unknown>) =>
      h(
        'div',
        { class: 'field' },
        h('label', { for: name }, label),
        h('input', { id: name, name, value: value(name), autocomplete: 'off', ...props }),
      );
    const form = h(
      'form',
      { class: 'filter-form', on: { submit: submitted(() => this.ask<Checked>(book, 'check', form, true)) } },
      completed('player', 'Your name in the games', value('player'), 'players', 'Any spelling'),
      completed('opponent', 'Against', value('opponent'), 'players', 'Anybody'),
      field('rating', 'Average rating', { placeholder: '2000-2400', pattern: '\\d{0,4}-\\d{0,4}' }),
      field('since', 'Played since', { placeholder: '2015', pattern: '\\d{4}(-\\d\\d){0,2}' }),
      h(
        'div',
        { class: 'actions' },
        h('button', { type: 'submit', class: 'primary' }, 'Check the games'),
        button('Find gaps', () => form.reportValidity() && this.ask<Gaps>(book, 'gaps', form, false)),
      ),
    );
    fill(this.answer);
    fill(
      this.node,
      h('summary', null, 'Compare with the games'),
      book.color ? form : note(h('p', null, 'A repertoire is for one side: choose the colour of this notebook.')),
      this.answer,
    );
  }

  /** Asks the server; the filters stay in the address. */
  private ask<T extends Checked | Gaps>(book: NotebookHead, path: 'check' | 'gaps', form: HTMLFormElement, check: boolean): void {
    const data = new FormData(form);
    const asked = Object.fromEntries(ASKED.map(name => [name, String(data.get(name) ?? '').trim()]));
    const page = url(location.pathname, withParams(here().params, asked), here().hash);
    history.replaceState(null, '', page);
    const params = withParams(new URLSearchParams(), { ...asked, player: check ? asked.player : null });
    const again = () => this.ask<T>(book, path, form, check);
    waiting(this.answer, () => this.latest.stop(), again);
    void this.latest.run(
      signal => get<T>(url(`/api/notebooks/${encodeURIComponent(book.id)}/${path}`, params), signal),
      found => fill(this.answer, 'totals' in found ? this.checked(found, book) : this.gaps(found)),
      error =>
        fill(
          this.answer,
          failure(
            error.status === 504 ? new ApiError(504, 'This takes too long.', 0, 'Name a player, ratings or years.') : error,
            again,
          ),
        ),
    );
  }

  /** The moves to a position, which lead to it on the board. */
  private line(fen: string, words?: string | null): Child {
    const pos = readFen(fen).pos;
    const node = pos && this.places.get(epd(fenOf(pos)));
    if (!node) return words ?? fen;
    const path: string[] = [];
    for (let at: Node | undefined = node; at?.parent; at = at.parent) path.unshift(at.san);
    return button(path.slice(-6).join(' ') || 'Start', () => this.to(node), { class: 'plain', title: path.join(' ') });
  }

  private checked({ totals, positions, sql }: Checked, book: NotebookHead): Child[] {
    const all = Object.values(totals).reduce((sum, games) => sum + games, 0);
    const side = (status: string, caption: string) => {
      const rows = positions.filter(row => row.status === status);
      return this.table(
        caption,
        ['Position', 'Played', 'In the notebook', 'Games', 'Score'],
        rows.map(row => [
          this.line(row.fen),
          row.played,
          row.expected.join(', '),
          h('a', { href: `/game/${row.last.id}#${row.last.ply}`, title: 'The latest of these games' }, count(row.games)),
          percent(row.score),
        ]),
      );
    };
    return [
      h(
        'p',
        { role: 'status' },
        all
          ? `${count(all)} games with ${book.color === 'black' ? 'Black' : 'White'}: ${count(totals.followed)} followed the notebook, ` +
              `${count(totals.left)} left it by the player’s own move, ${count(totals['opponent left'])} by the opponent’s, ` +
              `${count(totals['not reached'])} never reached it.`
          : 'No games: the player may have another name, or other filters may find some.',
        ' ',
        sqlLink(sql),
      ),
      side('left', 'Left by the player'),
      side('opponent left', 'Left by opponents'),
    ];
  }

  private gaps({ gaps, sql }: Gaps): Child[] {
    return [
      h('p', { role: 'status' }, gaps.length ? 'The likeliest first.' : 'No gaps.', ' ', sqlLink(sql)),
      this.table(
        'Gaps',
        ['Position', 'Move', '', 'Likely', 'Games', 'Score'],
        gaps.map(gap => {
          const pos = readFen(gap.fen).pos;
          const node = pos && this.places.get(epd(fenOf(pos)));
          const move =
            gap.move && node && gap.kind === 'missing'
              ? button(gap.move, () => this.play(node, gap.move!), { class: 'plain', title: 'Add it to the notebook' })
              : gap.move;
          return [
            this.line(gap.fen, gap.line),
            move,
            KINDS[gap.kind],
            percent(gap.probability),
            gap.games === null ? '' : count(gap.games),
            percent(gap.score),
          ];
        }),
      ),
    ];
  }

  private table(caption: string, heads: string[], rows: Child[][]): HTMLElement | null {
    if (!rows.length) return null;
    return h(
      'div',
      { class: 'wide-table' },
      h(
        'table',
        { class: 'figures' },
        h('caption', null, caption),
        h('thead', null, h('tr', null, ...heads.map(head => h(head ? 'th' : 'td', head ? { scope: 'col' } : null, head)))),
        h(
          'tbody',
          null,
          ...rows.map(([first, ...cells]) =>
            h('tr', null, h('th', { scope: 'row' }, first), ...cells.map(cell => h('td', null, cell))),
          ),
        ),
      ),
    );
  }

  leave(): void {
    this.latest.stop();
  }
}
