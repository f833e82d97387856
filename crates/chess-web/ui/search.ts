// In: a position that the visitor sets up, or a material or pattern that is typed. Out: the games in which it occurs.

import { parseBoardFen } from 'chessops/fen';
import type { Color } from 'chessops/types';
import { type Address, CRITERIA, go, here, only, url, without, withParams } from './address';
import { type ApiError, fresh, Latest, type Pattern } from './api';
import type { Piece } from './board';
import { button, type Child, fill, h, submitted } from './dom';
import { filterBar } from './filters';
import { GameList, positionOf } from './games';
import { fenOf, initial, materialOf, type Position, pieceName, ROLES, readFen, toMove } from './position';
import { emptyDatabase, note, type Page, type View } from './view';
import { rich, t } from './words';

type Tab = 'position' | 'pieces' | 'material' | 'pattern';
const TABS: [Tab, string, string][] = [
  ['position', t`This position`, t`The same pieces on the same squares, the same side to move, castling rights and en passant.`],
  ['pieces', t`These pieces`, t`These pieces on these squares, whoever is to move.`],
  ['material', t`Material`, t`The pieces of both sides, on any squares: White’s, then v, then Black’s.`],
  ['pattern', t`Pattern`, t`Pieces on squares, pawn structure, attacks, moves, and sequences of these.`],
];
const EXAMPLES: [string, string][] = [
  ['Nd5 and not [bn] attacks d5', t`a knight on d5 that no minor piece can take`],
  ['KRP*vKRP* for 8', t`a rook ending that lasts`],
  ['flip(isolated(Pd))', t`an isolated queen’s pawn`],
  ['rxNc3 directly Pxc3', t`exchange sacrifice on c3`],
  ['K[b1,c1] and k[g8,h8]', t`castled on opposite sides`],
  ['flip(Bxph7 and check directly kxh7)', t`the Greek gift`],
  ['flip(Pd4 Pe3 pd5 pc6 and Pc = 0 and pe = 0)', t`the Carlsbad structure`],
  ['flip(Pc4 Pd4 and Pb = 0 and Pe = 0 and pc = 0 and pd = 0)', t`hanging pawns`],
  ['flip(Rx[bn] directly axR then within 2 R + 1 = r and [BN] = [bn] + 1 and Q = q for 8)', t`exchange sacrifice anywhere`],
];

export class SearchView implements View {
  private tabs = h('div', { class: 'tabs', role: 'group', 'aria-label': t`What to look for` });
  private form = h('form', { class: 'search-form', on: { submit: submitted(() => this.find()) } });
  private filters = h('div');
  private list = new GameList(() =>
    note(h('h2', null, t`No games found`), h('p', null, t`Try a wider search, or remove a filter.`)),
  );
  readonly node = h(
    'div',
    { class: 'view search' },
    h('div', { class: 'panel-head' }, h('h1', null, t`Search`), this.tabs, this.form, this.filters),
    this.list.node,
  );

  private tab: Tab = 'position';
  private placement = fenOf(initial()).split(' ')[0];
  private color: Color = 'white';
  private castling = 'KQkq';
  private passant = '-';
  private exact = false;
  private material = '';
  private pattern = '';
  private chosen: Piece | null | undefined;
  private palette = h('div', { class: 'palette' });
  private latest = new Latest();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private said = h('div', { class: 'pattern-said', 'aria-live': 'polite' });
  private fenField: HTMLInputElement | undefined;
  private fenSaid: HTMLElement | undefined;
  private first = true;
  /** the position that the search has begun with */
  private board = '';
  private drawn = '';

  constructor(private page: Page) {}

  update(at: Address): void {
    const params = at.params;
    const has = (name: string) => !!params.get(name);
    const tab: Tab = has('pattern')
      ? 'pattern'
      : has('material')
        ? 'material'
        : has('pieces')
          ? 'pieces'
          : has('fen') || has('play')
            ? 'position'
            : ((params.get('by') as Tab | null) ?? this.tab);
    if (TABS.some(([name]) => name === tab)) this.tab = tab;
    const board = params.get('board') ?? '';
    const begun = board !== this.board ? readFen(board).pos : undefined;
    this.board = board;
    const pos = positionOf(params) ?? begun;
    if (pos) {
      const [placement, turn, castling, passant] = fenOf(pos).split(' ');
      this.passant = passant;
      this.placement = placement;
      this.color = turn === 'b' ? 'black' : 'white';
      this.castling = castling === '-' ? '' : castling;
      if (begun) this.material = '';
    }
    if (has('pieces')) {
      this.placement = params.get('pieces')!;
      this.exact = has('exact');
    }
    if (has('material')) this.material = params.get('material')!;
    if (has('pattern')) this.pattern = params.get('pattern')!;
    this.page.title(t`Search`);
    this.page.strip(this.palette);
    this.drawPalette();
    this.page.board.edit(
      parseBoardFen(this.placement).isOk ? this.placement : '8/8/8/8/8/8/8/8',
      () => this.edited(),
      () => this.chosen,
    );
    // a change of the filters must not replace what the visitor is typing
    const drawn = `${this.tab} ${only(params, CRITERIA)}`;
    if (this.first || drawn !== this.drawn) this.drawForm();
    this.drawn = drawn;
    this.first = false;
    fill(this.filters, filterBar());
    if (this.page.status && !this.page.status.games) this.list.show(emptyDatabase(this.page.status));
    else if (CRITERIA.some(has)) this.list.update(params);
    else this.list.show();
  }

  private setTab(tab: Tab): void {
    if (tab === 'material' && !this.material) this.material = this.boardMaterial() ?? '';
    go(url('/search', withParams(without(here().params, [...CRITERIA, 'sort']), { by: tab })), true);
  }

  private boardMaterial(): string | undefined {
    return parseBoardFen(this.placement).unwrap(
      board => materialOf({ board } as unknown as Position),
      () => undefined,
    );
  }

  private drawForm(): void {
    fill(
      this.tabs,
      TABS.map(([name, text]) =>
        button(text, () => this.setTab(name), { class: 'tab', 'aria-pressed': this.tab === name ? 'true' : 'false' }),
      ),
    );
    const why = h('p', { class: 'quiet why' }, TABS.find(([name]) => name === this.tab)![2]);
    const submit = h('button', { type: 'submit', class: 'primary' }, t`Find games`);
    this.fenField = this.fenSaid = undefined;
    if (this.tab === 'position') {
      this.fenSaid = h('span', { class: 'error', role: 'status' });
      this.fenField = h('input', {
        id: 'fen',
        class: 'code',
        value: this.fen(),
        spellcheck: 'false',
        autocomplete: 'off',
        on: { input: () => this.unsay(), change: () => this.typedFen() },
      });
      const castle = (letter: string, label: string) =>
        h(
          'label',
          null,
          h('input', {
            type: 'checkbox',
            name: 'castling',
            value: letter,
            checked: this.castling.includes(letter),
            on: {
              change: (event: Event) => {
                const on = (event.target as HTMLInputElement).checked;
                this.castling = [...'KQkq'].filter(l => (l === letter ? on : this.castling.includes(l))).join('');
                this.checkFen();
              },
            },
          }),
          h('span', null, label),
        );
      fill(
        this.form,
        why,
        h(
          'div',
          { class: 'row' },
          h(
            'div',
            { class: 'choices', role: 'radiogroup', 'aria-label': t`Side to move` },
            ...(['white', 'black'] as Color[]).map(color =>
              h(
                'label',
                null,
                h('input', {
                  type: 'radio',
                  name: 'turn',
                  value: color,
                  checked: this.color === color,
                  on: {
                    change: () => {
                      this.color = color;
                      this.passant = '-';
                      this.checkFen();
                    },
                  },
                }),
                h('span', null, toMove(color)),
              ),
            ),
          ),
          h(
            'div',
            { class: 'choices', role: 'group', 'aria-label': t`Castling rights` },
            castle('K', t`White O-O`),
            castle('Q', 'O-O-O'),
            castle('k', t`Black O-O`),
            castle('q', 'O-O-O'),
          ),
        ),
        h('div', { class: 'field wide' }, h('label', { for: 'fen' }, 'FEN'), this.fenField, this.fenSaid),
        h('div', { class: 'actions' }, submit),
      );
      this.checkFen();
    } else if (this.tab === 'pieces') {
      this.fenSaid = h('span', { class: 'error', role: 'status' });
      this.fenField = h('input', {
        id: 'fen',
        class: 'code',
        value: this.placement,
        spellcheck: 'false',
        autocomplete: 'off',
        on: { input: () => this.unsay(), change: () => this.typedFen() },
      });
      fill(
        this.form,
        why,
        h('div', { class: 'field wide' }, h('label', { for: 'fen' }, t`Placement`), this.fenField, this.fenSaid),
        h(
          'div',
          { class: 'choices', role: 'radiogroup', 'aria-label': t`Other squares` },
          ...[false, true].map(exact =>
            h(
              'label',
              null,
              h('input', {
                type: 'radio',
                name: 'exact',
                checked: this.exact === exact,
                on: { change: () => (this.exact = exact) },
              }),
              h('span', null, exact ? t`other squares are empty` : t`other squares may hold anything`),
            ),
          ),
        ),
        h(
          'div',
          { class: 'actions' },
          submit,
          button(t`As a pattern`, () => this.asPattern(), { class: 'plain' }),
        ),
      );
    } else if (this.tab === 'material') {
      const input = h('input', {
        id: 'material',
        class: 'code',
        value: this.material,
        placeholder: 'KRPPvKR',
        spellcheck: 'false',
        autocomplete: 'off',
        on: { input: () => (this.material = input.value.trim()) },
      });
      fill(
        this.form,
        why,
        h('div', { class: 'field wide' }, h('label', { for: 'material' }, t`Material`), input),
        h(
          'div',
          { class: 'actions' },
          submit,
          button(
            t`From the board`,
            () => {
              this.material = this.boardMaterial() ?? '';
              input.value = this.material;
            },
            {
              class: 'plain',
            },
          ),
        ),
      );
    } else {
      const area = h('textarea', {
        id: 'pattern',
        class: 'code',
        rows: '2',
        spellcheck: 'false',
        autocomplete: 'off',
        value: this.pattern,
        on: {
          input: () => {
            this.pattern = area.value;
            clearTimeout(this.timer);
            this.timer = setTimeout(() => this.checkPattern(), 200);
          },
          keydown: (event: KeyboardEvent) => {
            if (event.key === 'Enter' && !event.shiftKey) {
              event.preventDefault();
              this.find();
            }
          },
        },
      });
      const take = (pattern: string) => {
        area.value = this.pattern = pattern;
        void this.checkPattern();
        area.focus();
      };
      fill(
        this.form,
        why,
        h('div', { class: 'field wide' }, h('label', { for: 'pattern' }, t`Pattern`), area),
        this.said,
        h(
          'div',
          { class: 'actions' },
          submit,
          button(t`From the board`, () => this.asPattern(), { class: 'plain' }),
        ),
        h(
          'div',
          { class: 'examples' },
          h('span', { class: 'quiet' }, t`For example`),
          ...EXAMPLES.map(([pattern, words]) => button(words, () => take(pattern), { class: 'chip', title: pattern })),
        ),
        this.language(area, take),
      );
      void this.checkPattern();
    }
  }

  /** All words of the language, once they are asked for. */
  private language(area: HTMLTextAreaElement, take: (pattern: string) => void): HTMLElement {
    const write = (form: string) => {
      area.setRangeText(form, area.selectionStart, area.selectionEnd, 'end');
      take(area.value);
    };
    const place = h('div');
    const show = () =>
      import('./language').then(
        ({ words }) => fill(place, words(write, take)),
        () => fill(place, h('p', { class: 'error' }, t`This cannot be loaded.`)),
      );
    return h(
      'details',
      { on: { toggle: () => place.hasChildNodes() || void show() } },
      h('summary', null, t`Words and examples`),
      place,
    );
  }

  private fen(): string {
    return `${this.placement} ${this.color[0]} ${this.castling || '-'} ${this.passant} 0 1`;
  }

  /** Shows under the field what is wrong with the position. */
  private checkFen(): boolean {
    if (this.tab !== 'position' || !this.fenField) return true;
    this.fenField.value = this.fen();
    const { error } = readFen(this.fen());
    this.fenSaid!.textContent = error ?? '';
    return !error;
  }

  /** Removes the error while the text is edited. If it went only when the button below is pressed, the button would move away. */
  private unsay(): void {
    this.fenSaid!.textContent = '';
  }

  /** The form as it is, with what belongs to the position now: a button that is being clicked must stay. */
  private refill(): void {
    for (const input of this.form.querySelectorAll('input')) {
      if (input.name === 'turn') input.checked = input.value === this.color;
      if (input.name === 'castling') input.checked = this.castling.includes(input.value);
    }
    this.checkFen();
  }

  /** Takes the position from the field; returns false, and shows the reason below it, if the text is not a position. */
  private typedFen(): boolean {
    const [placement, turn, castling, passant] = this.fenField!.value.trim()
      .replace(/[_\s]+/g, ' ')
      .split(' ');
    const problem = parseBoardFen(placement ?? '').unwrap(
      () => '',
      () => t`the placement is wrong`,
    );
    if (problem) {
      this.fenSaid!.textContent = problem;
      return false;
    }
    this.placement = placement;
    if (this.tab === 'position') {
      if (turn) this.color = turn === 'b' ? 'black' : 'white';
      if (castling) this.castling = castling === '-' ? '' : castling;
      this.passant = passant ?? '-';
      this.page.board.setPlacement(placement);
      const read = readFen(this.fenField!.value);
      this.refill();
      if (read.error) this.fenSaid!.textContent = read.error;
      return !read.error;
    }
    this.fenSaid!.textContent = '';
    this.page.board.setPlacement(placement);
    return true;
  }

  private edited(): void {
    this.placement = this.page.board.placement();
    this.passant = '-';
    if (this.tab === 'position') {
      // a castling right needs king and rook on their squares
      const at = (square: string) => {
        const rank = this.placement.split('/')[8 - Number(square[1])].replace(/\d/g, d => '.'.repeat(Number(d)));
        return rank[square.charCodeAt(0) - 97];
      };
      const home: Record<string, [string, string, string, string]> = {
        K: ['e1', 'K', 'h1', 'R'],
        Q: ['e1', 'K', 'a1', 'R'],
        k: ['e8', 'k', 'h8', 'r'],
        q: ['e8', 'k', 'a8', 'r'],
      };
      this.castling = [...this.castling]
        .filter(l => home[l] && at(home[l][0]) === home[l][1] && at(home[l][2]) === home[l][3])
        .join('');
      this.refill();
    } else if (this.tab === 'pieces' && this.fenField) {
      this.fenField.value = this.placement;
    } else if (this.tab === 'pattern') {
      void this.checkPattern();
    }
  }

  /** The pieces on the board as a pattern. Empty squares may hold anything. */
  private asPattern(): void {
    const squares: string[] = [];
    this.placement.split('/').forEach((rank, r) => {
      let file = 0;
      for (const letter of rank) {
        if (/\d/.test(letter)) file += Number(letter);
        else squares.push(`${letter === 'b' ? '[b]' : letter}${String.fromCharCode(97 + file++)}${8 - r}`);
      }
    });
    this.pattern = squares.join(' ');
    if (this.tab === 'pattern') {
      this.drawForm();
    } else {
      this.setTab('pattern');
    }
  }

  private async checkPattern(): Promise<void> {
    const pattern = this.pattern.trim();
    if (!pattern) {
      this.latest.stop();
      fill(this.said);
      this.page.board.mark([]);
      return;
    }
    const position = readFen(`${this.placement} ${this.color[0]} - - 0 1`).error
      ? undefined
      : `${this.placement} ${this.color[0]} ${this.castling || '-'} - 0 1`;
    await this.latest.run(
      signal => fresh<Pattern>(url('/api/pattern', withParams(new URLSearchParams({ pattern }), { fen: position })), signal),
      answer => {
        fill(
          this.said,
          h('p', { class: 'reads' }, rich<Child>`Reads as ${h('code', null, answer.canonical)}`),
          h(
            'p',
            { class: 'quiet' },
            answer.needsGame || answer.matches === null
              ? t`It describes moves or a sequence, so only games can match.`
              : answer.matches
                ? answer.squares.length
                  ? t`The board matches; its squares are marked.`
                  : t`The board matches.`
                : t`Not found in this position.`,
          ),
        );
        if (this.tab === 'pattern') this.page.board.mark(answer.squares ?? []);
      },
      error => fill(this.said, this.patternError(pattern, error)),
    );
  }

  /** The pattern with the place of the error marked. */
  private patternError(pattern: string, error: ApiError): HTMLElement {
    if (error.at === undefined) return h('p', { class: 'error' }, error.message);
    const letters = [...pattern];
    const at = Math.max(0, Math.min(letters.length, error.at));
    return h(
      'div',
      { class: 'error' },
      h(
        'p',
        { class: 'code place' },
        letters.slice(0, at).join(''),
        h('mark', null, letters[at] ?? '\u2423'),
        letters.slice(at + 1).join(''),
      ),
      h('p', null, error.message),
      error.hint ? h('p', { class: 'quiet' }, error.hint) : null,
    );
  }

  private find(): void {
    const params = without(here().params, [...CRITERIA, 'by', 'after', 'board']);
    const criterion: Record<string, string> = {};
    if (this.fenField && !this.typedFen()) return;
    if (this.tab === 'position') {
      if (!this.checkFen()) return;
      criterion.fen = this.fen();
    } else if (this.tab === 'pieces') Object.assign(criterion, { pieces: this.placement, exact: this.exact ? '1' : '' });
    else if (this.tab === 'material') criterion.material = this.material;
    else criterion.pattern = this.pattern.trim();
    if (!Object.values(criterion)[0]) return;
    go(url('/search', withParams(params, criterion)));
  }

  private drawPalette(): void {
    const pick = (piece: Piece | null, label: string) => {
      const pressed =
        this.chosen !== undefined &&
        (piece === null ? this.chosen === null : this.chosen?.role === piece.role && this.chosen?.color === piece.color);
      const toggle = () => {
        this.chosen = pressed ? undefined : piece;
        this.drawPalette();
      };
      return h(
        'button',
        {
          type: 'button',
          'aria-label': label,
          title: piece ? t`${label}: drag it, or choose it and click squares` : t`Remove pieces`,
          'aria-pressed': pressed ? 'true' : 'false',
          on: {
            mousedown: (event: Event) => piece && this.page.board.drag(piece, event),
            touchstart: (event: Event) => piece && this.page.board.drag(piece, event),
            // the board suppresses the click after a touch
            touchend: (event: TouchEvent) => {
              const touch = event.changedTouches[0];
              const under = document.elementFromPoint(touch.clientX, touch.clientY)?.closest('button');
              if (piece && under === event.currentTarget) toggle();
            },
            click: toggle,
          },
        },
        piece ? h('span', { class: 'cg-wrap' }, h('piece' as 'i', { class: `${piece.color} ${piece.role}` })) : '✕',
      );
    };
    const set = (placement: string) => () => {
      this.page.board.setPlacement(placement);
      if (placement.startsWith('rnbqkbnr')) this.castling = 'KQkq';
      this.edited();
    };
    fill(
      this.palette,
      h(
        'div',
        { class: 'pieces' },
        ...(['white', 'black'] as Color[]).flatMap(color => ROLES.map(role => pick({ role, color }, pieceName(role, color)))),
        pick(null, t`remove`),
      ),
      h(
        'div',
        { class: 'set' },
        button(t`Clear`, set('8/8/8/8/8/8/8/8'), { class: 'plain' }),
        button(t`Start position`, set('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR'), { class: 'plain' }),
        button(t`Kings only`, set('4k3/8/8/8/8/8/8/4K3'), { class: 'plain' }),
        button(t`Pawns only`, () => this.pawnsOnly(), {
          class: 'plain',
          title: t`Look for the pawns of this board, whatever else is there`,
        }),
      ),
    );
  }

  /** Leaves the pawns, which are looked for wherever the other pieces are. */
  private pawnsOnly(): void {
    const ranks = this.placement.split('/').map(rank => {
      const squares = rank.replace(/\d/g, d => '.'.repeat(Number(d))).replace(/[^Pp.]/g, '.');
      return squares.replace(/\.+/g, empty => String(empty.length));
    });
    this.placement = ranks.join('/');
    this.exact = false;
    this.page.board.setPlacement(this.placement);
    if (this.tab === 'pieces') this.edited();
    else this.setTab('pieces');
  }

  step(): void {}
  rows(): HTMLElement[] {
    return [...this.list.node.querySelectorAll<HTMLElement>('a.open')];
  }
  position(): Position | undefined {
    return readFen(this.fen()).pos;
  }
  leave(): void {
    clearTimeout(this.timer);
    this.latest.stop();
    this.list.stop();
  }
}
