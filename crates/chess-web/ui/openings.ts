// In: a text, or nothing. Out: the openings that it names, and all of them as a tree of codes with counts and scores.
import { type Address, CONTENTS, FILTERS, only, url, withFilters } from './address';
import { get, has, Latest } from './api';
import { type Child, fill, h } from './dom';
import { bar } from './explorer';
import { filterBar } from './filters';
import { type OpeningLine, openingLines } from './find';
import { count } from './format';
import { initial, type Position } from './position';
import { failure, type Page, sqlLink, type View } from './view';
import { t } from './words';

interface Code {
  eco: string | null;
  name: string | null;
  games: number;
  white: number;
  draws: number;
  black: number;
}

const FAMILIES: Record<string, string> = {
  A: t`Flank openings`,
  B: t`Semi-open games: 1. e4 without 1… e5 and 1… e6`,
  C: t`Open games and the French`,
  D: t`Closed games: 1. d4 d5, and the Grünfeld`,
  E: t`Indian defences`,
};

export class OpeningsView implements View {
  private tree = h('div');
  private filters = h('div');
  private asked = '';
  private found = h('ul', { class: 'cards', 'aria-live': 'polite' });
  private latest = new Latest();
  private finding = new Latest();
  readonly node: HTMLElement;

  constructor(private page: Page) {
    const input = h('input', {
      id: 'opening-name',
      autocomplete: 'off',
      spellcheck: 'false',
      placeholder: t`Najdorf, or B90`,
      on: { input: () => this.find(input.value.trim()) },
    });
    this.node = h(
      'div',
      { class: 'view openings' },
      h(
        'div',
        { class: 'panel-head' },
        h('h1', null, t`Openings`),
        h('div', { class: 'field' }, h('label', { for: 'opening-name' }, t`Name or code`), input),
        this.filters,
      ),
      this.found,
      this.tree,
    );
  }

  update(at: Address): void {
    this.page.title(t`Openings`);
    this.page.strip();
    this.page.board.show({ pos: initial(), played: undefined });
    fill(this.filters, filterBar());
    const question = url('/api/openings', only(at.params, [...FILTERS, ...CONTENTS]));
    if (question !== this.asked) {
      this.asked = question;
      this.load();
    }
  }

  private find(text: string): void {
    if (text.length < 2) {
      this.finding.stop();
      fill(this.found);
      return;
    }
    void this.finding.run(
      signal => openingLines(text, signal),
      found => fill(this.found, found.length ? found.map(line) : h('li', null, t`No opening has this name. Try a part of it.`)),
      error => fill(this.found, h('li', { class: 'error' }, error.message)),
    );
  }

  private load(): void {
    void this.latest.run(
      signal => get<{ codes: Code[]; sql: string }>(this.asked, signal),
      ({ codes, sql }) => {
        const of = (prefix: string) => codes.filter(code => code.eco?.startsWith(prefix));
        fill(
          this.tree,
          ...Object.entries(FAMILIES).map(([letter, name]) =>
            level(letter, name, of(letter), () =>
              of(letter).map(code =>
                level(code.eco!, code.name ?? '', [code], async () => (await openingLines(code.eco!)).map(line)),
              ),
            ),
          ),
          sqlLink(sql),
        );
      },
      error =>
        fill(
          this.tree,
          failure(error, () => this.load()),
        ),
    );
  }

  step(): void {}
  position(): Position {
    return initial();
  }
  rows(): HTMLElement[] {
    return [...this.node.querySelectorAll<HTMLElement>('.cards a, summary')].filter(row => row.offsetParent);
  }
  leave(): void {
    this.latest.stop();
    this.finding.stop();
  }
}

/** A line of moves with a name, which leads to the explorer. */
const line = ({ eco, name, play }: OpeningLine): HTMLElement =>
  h(
    'li',
    null,
    h('span', { class: 'eco' }, eco),
    h('a', { href: withFilters('/', { play }) }, name),
    has('openingReports') ? h('a', { class: 'quiet', href: withFilters('/opening', { play }) }, t`report`) : null,
    h('a', { class: 'quiet', href: withFilters('/games', { opening: name }) }, t`games`),
  );

/** A part of the tree: its games, their results, and what is in it once it is opened. */
function level(code: string, name: string, codes: Code[], inside: () => Child[] | Promise<Child[]>): HTMLElement {
  const sum = (pick: (code: Code) => number) => codes.reduce((all, code) => all + pick(code), 0);
  const content = h('ul');
  const details = h(
    'details',
    {
      on: {
        toggle: async () => {
          if (!details.open || content.hasChildNodes()) return;
          const all = h('a', { href: withFilters('/games', { eco: code }) }, t`All games of ${code}`);
          fill(content, h('li', null, h('span'), all), ...(await inside()));
        },
      },
    },
    h(
      'summary',
      null,
      h('span', { class: 'eco' }, code),
      h('span', null, name),
      bar(
        sum(c => c.white),
        sum(c => c.draws),
        sum(c => c.black),
      ),
      h('span', { class: 'total' }, count(sum(c => c.games))),
    ),
    content,
  );
  return details;
}
