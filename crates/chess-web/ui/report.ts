// In: the rows of a report, which are asked for in groups of sections. Out: tables and charts that come as they are answered, one
// group after the other, of one subject or of two side by side; and all of it as Markdown.
import { url, withParams } from './address';
import { type ApiError, get, Latest } from './api';
import { button, type Child, copy, fill, h, openDialog, s } from './dom';
import { bar, OUTCOMES } from './explorer';
import { count, moveNumber } from './format';
import { legal, type Position, step, typed } from './position';
import { beyond, outcomes, percent, type Row } from './rows';
import { failure, sqlLink } from './view';
import { games, plural, t } from './words';

export interface Answer {
  rows: Row[];
  sql: string;
  opening?: { eco: string; name: string } | null;
}

/** A part of the report: the sections that it needs, and what it shows of their rows; nothing if there is nothing to show. */
export interface Group {
  title: string;
  sections: string;
  /** the length of lists; 0 for a report that has none */
  count?: number;
  draw(of: (section: string) => Row[], subject: number): Child[];
}

export const outcomeBar = (row: Row): HTMLElement => bar(...outcomes(row), OUTCOMES);
export const resultBar = ({ white, draws, black }: Row): HTMLElement => bar(white, draws, black);

export interface Column {
  head: string;
  cell: (row: Row) => Child;
  title?: string;
  class?: string;
}

/** A table of rows, the first column of which names them; nothing without rows. */
export function table(caption: string, rows: Row[], columns: Column[]): HTMLElement | null {
  if (!rows.length) return null;
  return h(
    'table',
    { class: 'figures' },
    h('caption', null, caption),
    h('thead', null, h('tr', null, ...columns.map(c => h('th', { scope: 'col', title: c.title, class: c.class }, c.head)))),
    h(
      'tbody',
      null,
      ...rows.map(row =>
        h(
          'tr',
          null,
          ...columns.map((c, i) =>
            i ? h('td', { class: c.class }, c.cell(row)) : h('th', { scope: 'row', class: c.class }, c.cell(row)),
          ),
        ),
      ),
    ),
  );
}

export const GAMES: Column = { head: t`Games`, cell: row => count(row.games) };
export const SCORE: Column = { head: t`Score`, title: t`Points, in percent`, cell: row => percent(row.score) };
export const BEYOND: Column = {
  head: '±',
  title: t`Percent of the points above or below what the ratings promise`,
  cell: beyond,
  class: 'beyond',
};
export const SHARE: Column = {
  head: t`Share|column`,
  title: t`Percent of the games`,
  cell: row => percent(row.detail.share),
  class: 'share',
};
export const LAST: Column = { head: t`Last`, cell: row => row.detail.last?.slice(0, 4) ?? '', class: 'last' };
export const PERFORMANCE: Column = {
  head: t`Perf`,
  title: t`Performance rating`,
  cell: row => (row.detail.performance ? Math.round(row.detail.performance) : ''),
  class: 'perf',
};

/** Facts as a list of names and values; those without a value are left out. */
export const facts = (...pairs: [string, Child][]): HTMLElement =>
  h(
    'dl',
    { class: 'summary' },
    ...pairs.flatMap(([name, value]) => (value ? [h('div', null, h('dt', null, name), h('dd', null, value))] : [])),
  );

/** The score of all games, and what the ratings promise. */
export const scores = (head: string, { score, expected, detail }: Row, [won, drawn, lost]: number[]): [string, Child][] => [
  [head, score !== null && t`${percent(score)} %: ${count(won)} won, ${count(drawn)} drawn, ${count(lost)} lost`],
  [
    t`By ratings`,
    expected !== null &&
      plural(
        detail.rated,
        '{1} % of 1 game; scored {2} %',
        '{1} % of {0} games; scored {2} %',
        percent(expected),
        percent(detail.rated_score),
      ),
  ],
];

/** A column for each year, from its parts of three kinds, and a line of one value over them. */
export function years(rows: Row[], parts: (row: Row) => number[], line: (row: Row) => number | null, said: string): Child {
  const dated = rows.filter(row => row.item !== 'unknown');
  if (dated.length < 2) return null;
  const [first, last] = [Number(dated[0].item), Number(dated.at(-1)!.item)];
  const sum = (row: Row) => parts(row).reduce((a, b) => a + b, 0);
  const most = Math.max(...dated.map(sum)) || 1;
  const width = last - first + 1;
  const columns = Array.from({ length: width }, () => h('i'));
  const values: [number, number][] = [];
  for (const row of dated) {
    const at = Number(row.item) - first;
    columns[at].title = `${row.item}: ${games(row.games)}`;
    parts(row).forEach((part, i) => {
      const box = h('b', { class: ['won', 'drawn', 'lost'][i] });
      box.style.height = `${(100 * part) / most}%`;
      columns[at].append(box);
    });
    const value = line(row);
    if (value) values.push([at + 0.5, value]);
  }
  const [low, high] = [Math.min(...values.map(v => v[1])) - 1, Math.max(...values.map(v => v[1])) + 1];
  const points = values.map(([x, y]) => `${x},${(100 - (100 * (y - low)) / (high - low)).toFixed(1)}`);
  return h(
    'figure',
    { class: 'years' },
    h(
      'div',
      { class: 'plot', role: 'img', 'aria-label': said },
      ...columns,
      values.length > 1
        ? s('svg', { viewBox: `0 0 ${width} 100`, preserveAspectRatio: 'none' }, s('path', { d: `M${points.join(' L')}` }))
        : null,
    ),
    h(
      'div',
      { class: 'axis', 'aria-hidden': 'true' },
      ...[...new Set([first, Math.round((first + last) / 2), last])].map(y => h('span', null, y)),
    ),
    h('figcaption', null, said),
  );
}

/** Figures that stand below a chart, which says the same. */
export const folded = (what: string, content: HTMLElement | null): Child =>
  content && h('details', null, h('summary', null, what), content);

/** The lines of a tree, each below the move before it, down to some half-moves. */
export function tree(
  caption: string,
  rows: Row[],
  from: Position,
  link: (play: string) => string,
  draw: (row: Row) => HTMLElement,
  columns: Column[],
): Child {
  const below = new Map<string, Row[]>();
  for (const row of rows) below.set(row.detail.parent, [...(below.get(row.detail.parent) ?? []), row]);
  const before = (from.fullmoves - 1) * 2 + (from.turn === 'black' ? 1 : 0);
  const places = new Map<Row, string>();
  const listed: Row[] = [];
  let deepest = 0;
  const list = (parent: string, pos: Position, play: string, plies: number): void => {
    for (const row of (below.get(parent) ?? []).sort((a, b) => b.games - a.games)) {
      deepest = Math.max(deepest, row.detail.ply);
      if (row.detail.ply > plies) continue;
      const move = typed(pos, row.detail.move);
      if (!move) continue;
      const next = step(pos, move);
      const way = play ? `${play},${next.step.uci}` : next.step.uci;
      places.set(row, way);
      listed.push(row);
      list(row.item, next.after, way, plies);
    }
  };
  const place = h('div');
  const show = (plies: number) => {
    listed.length = deepest = 0;
    list('', from, '', plies);
    const name = (row: Row) => {
      const text = h('a', { href: link(places.get(row)!) }, `${moveNumber(before + row.detail.ply)} ${row.detail.move}`);
      text.style.marginLeft = `${(row.detail.ply - 1) * 0.7}rem`;
      return text;
    };
    const drawn = table(caption, listed, [
      { head: t`Move`, cell: name, class: 'move-name' },
      ...columns.slice(0, 2),
      { head: t`Results`, cell: draw, class: 'bar' },
      ...columns.slice(2),
    ]);
    fill(
      place,
      drawn,
      drawn && deepest > 4
        ? button(plies < deepest ? t`Longer lines` : t`Shorter lines`, () => show(plies < deepest ? 99 : 4), { class: 'plain' })
        : null,
    );
  };
  show(4);
  return place;
}

/** A line of a report, which has its moves in SAN: in UCI, and with their numbers; moves that are not legal end it. */
export function lineOf(from: Position, sans: string): { play: string; text: string } {
  let pos = from;
  const play: string[] = [];
  const said: string[] = [];
  for (const san of sans.split(' ').filter(Boolean)) {
    const move = typed(pos, san);
    if (!move) break;
    const ply = (pos.fullmoves - 1) * 2 + (pos.turn === 'white' ? 1 : 2);
    const next = step(pos, move);
    said.push(!said.length || ply % 2 ? `${moveNumber(ply)} ${san}` : san);
    play.push(next.step.uci);
    pos = next.after;
  }
  return { play: play.join(','), text: said.join(' ') };
}

/** The position after moves in UCI; `undefined` if one is not legal. */
export function after(from: Position, play: string[]): Position | undefined {
  const pos = from.clone();
  for (const uci of play) {
    const move = legal(pos, uci);
    if (!move) return undefined;
    pos.play(move);
  }
  return pos;
}

export class Report {
  readonly node = h('div', { class: 'report' });
  private progress = h('div', { class: 'progress', role: 'status' });
  private latest = new Latest();
  private parts: { section: HTMLElement; head: HTMLElement; slots: HTMLElement[] }[];

  /** `questions` are those about one or two subjects: the path and all parameters but the sections. */
  constructor(
    private groups: Group[],
    private questions: { path: string; params: URLSearchParams; name?: string }[],
    private came: (answer: Answer, subject: number, group: number) => void = () => {},
  ) {
    this.parts = groups.map(group => {
      const slots = questions.map(({ name }) => h('div', { class: 'slot', 'data-name': name }));
      const head = h('div', { class: 'group-head' }, h('h2', null, group.title));
      return {
        section: h('section', { 'aria-label': group.title, hidden: true }, head, h('div', { class: 'pair' }, ...slots)),
        head,
        slots,
      };
    });
    fill(this.node, this.progress, ...this.parts.map(part => part.section));
  }

  run(at = 0): void {
    const { groups, questions } = this;
    const group = groups[at];
    if (!group) {
      fill(this.progress);
      return;
    }
    fill(
      this.progress,
      t`Part ${at + 1} of ${groups.length}: ${group.title}`,
      h('progress', { max: groups.length, value: at, 'aria-label': t`Report` }),
      button(t`Cancel`, () => {
        this.latest.stop();
        fill(
          this.progress,
          t`Cancelled.`,
          button(t`Go on`, () => this.run(at)),
        );
      }),
    );
    void this.latest.run(
      async signal => {
        const answers: Answer[] = [];
        for (const { path, params } of questions) {
          const asked = withParams(params, {
            sections: group.sections,
            count: group.count === 0 ? null : String(group.count ?? 12),
          });
          answers.push(await get<Answer>(url(path, asked), signal));
        }
        return answers;
      },
      answers => {
        this.draw(at, answers);
        this.run(at + 1);
      },
      (error: ApiError) => {
        const failed = failure(error, () => this.run(at));
        // what takes too long does not keep the other parts away
        if (error.status === 504) {
          const { section, slots } = this.parts[at];
          section.hidden = false;
          fill(slots[0], failed);
          this.run(at + 1);
        } else fill(this.progress, failed);
      },
    );
  }

  private draw(at: number, answers: Answer[]): void {
    const { section, head, slots } = this.parts[at];
    answers.forEach((answer, subject) => {
      this.came(answer, subject, at);
      const of = (name: string) => answer.rows.filter(row => row.section === name);
      const { name } = this.questions[subject];
      const drawn = this.groups[at].draw(of, subject).filter(Boolean);
      fill(slots[subject], name && h('h3', null, name), ...(drawn.length ? drawn : [h('p', { class: 'quiet' }, t`Nothing.`)]));
      if (drawn.length) section.hidden = false;
    });
    fill(head, h('h2', null, this.groups[at].title), sqlLink(answers.map(answer => answer.sql).join('\n\n')));
  }

  stop(): void {
    this.latest.stop();
  }
}

/** What a view says, in Markdown: headings, facts, tables and sentences. */
export function markdown(view: HTMLElement): string {
  const text = (node: Element | null) =>
    (node?.textContent ?? '')
      .replace(/[\s\u202f\u2009]+/g, ' ')
      .replace(/([\\|*_`<[])/g, '\\$1')
      .trim();
  const cell = (node: Element) => {
    const picture = node.querySelector('[role=img]');
    return picture ? picture.getAttribute('aria-label')! : text(node);
  };
  const lines: string[] = [];
  for (const node of view.querySelectorAll<HTMLElement>('h1, h2, h3, dl.summary > div, figcaption, .says, table')) {
    if (node.closest('[hidden]')) continue;
    if (node instanceof HTMLTableElement) {
      const rows = [...node.rows].map(row => `| ${[...row.cells].map(cell).join(' | ')} |`);
      rows.splice(1, 0, `|${' --- |'.repeat(node.rows[0].cells.length)}`);
      lines.push(...(node.caption ? [`**${text(node.caption)}**`] : []), rows.join('\n'));
    } else if (node.localName === 'div') lines.push(`- ${text(node.firstElementChild)}: ${text(node.lastElementChild)}`);
    else lines.push(`${/^h/.test(node.localName) ? `${'#'.repeat(Number(node.localName[1]))} ` : ''}${text(node)}`);
  }
  return `${lines.join('\n\n').replace(/^(- .*)\n\n(?=- )/gm, '$1\n')}\n`;
}

/** The parts that the visitor has left out on paper; the next report is asked for without them, too. */
const leftOut = new Set<string>();

/** Prints a view. Of several parts one chooses. */
function printParts(view: HTMLElement): void {
  const name = (part: Element) => part.getAttribute('aria-label')!;
  const parts = [...view.querySelectorAll('section[aria-label]:not([hidden])')];
  if (parts.length < 2) {
    print();
    return;
  }
  const boxes = parts.map(part => h('input', { type: 'checkbox', checked: !leftOut.has(name(part)) }));
  const run = () => {
    dialog.close();
    parts.forEach((part, at) => {
      leftOut[boxes[at].checked ? 'delete' : 'add'](name(part));
      part.classList.toggle('unprinted', !boxes[at].checked);
    });
    // the browser's own command prints all parts, so the choice must not outlast this print
    const whole = () => {
      for (const part of parts) part.classList.remove('unprinted');
    };
    addEventListener('afterprint', whole, { once: true });
    print();
  };
  const dialog = openDialog(
    t`Print`,
    {},
    h('ul', { class: 'to-print' }, ...parts.map((part, at) => h('li', null, h('label', null, boxes[at], ` ${name(part)}`)))),
    h('div', { class: 'actions' }, button(t`Print these parts`, run, { class: 'primary' })),
  );
}

/** Buttons of every report. */
export const paper = (view: () => HTMLElement): HTMLElement[] => [
  button(t`Print`, () => printParts(view())),
  button(t`Markdown`, () => copy(markdown(view()), t`Markdown`), { title: t`Copy the report as Markdown` }),
];
