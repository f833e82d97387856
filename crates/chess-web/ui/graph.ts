// In: the evaluations and clocks of a game's half-moves. Out: a graph in SVG; a click on it selects a half-move.
import { fill, h, s } from './dom';
import { clock, type Score, score } from './format';
import { t } from './words';

export interface Point {
  eval?: Score;
  clock?: number;
}

/** White's expected score, from 0 to 1, by the formula of https://lichess.org/page/accuracy. */
export function expectation(e: Score): number {
  if (e.mate !== undefined) return e.mate > 0 ? 1 : 0;
  return 1 / (1 + Math.exp(-0.00368208 * Math.max(-1500, Math.min(1500, e.cp ?? 0))));
}

const HEIGHT = 100;

export class Strip {
  readonly node = h('div', { class: 'strip' });
  private cursor: SVGElement | undefined;
  private caption = h('p', { class: 'caption' });
  private points: Point[] = [];
  private evals = false;
  private clocks = false;

  /** Draws the points, one for each half-move from 0; hides the graph if there are no values. */
  draw(points: Point[], select: (ply: number) => void): void {
    this.points = points;
    this.evals = points.some(p => p.eval);
    this.clocks = points.some(p => p.clock !== undefined);
    const { evals, clocks } = this;
    this.node.replaceChildren();
    this.cursor = undefined;
    this.node.hidden = points.length < 2 || (!evals && !clocks);
    if (this.node.hidden) return;
    const width = points.length - 1;
    const parts: SVGElement[] = [];
    if (evals) {
      let y = HEIGHT / 2;
      const line = points.map((p, i) => {
        if (p.eval) y = HEIGHT * (1 - expectation(p.eval));
        return `${i},${y.toFixed(1)}`;
      });
      parts.push(
        s('path', { class: 'white-side', d: `M0,${HEIGHT} L${line.join(' L')} L${width},${HEIGHT} Z` }),
        s('path', { class: 'middle', d: `M0,${HEIGHT / 2} H${width}` }),
        s('path', { class: 'eval', d: `M${line.join(' L')}` }),
      );
    }
    if (clocks) {
      const most = Math.max(1, ...points.map(p => p.clock ?? 0));
      for (const side of [1, 0]) {
        const line = points.flatMap((p, i) =>
          p.clock !== undefined && i % 2 === side ? [`${i},${(HEIGHT - 4 - (HEIGHT - 8) * (p.clock / most)).toFixed(1)}`] : [],
        );
        if (line.length > 1) parts.push(s('path', { class: side ? 'clock white' : 'clock black', d: `M${line.join(' L')}` }));
      }
    }
    this.cursor = s('path', { class: 'cursor', d: `M0,0 V${HEIGHT}` });
    const label = evals ? (clocks ? t`Graph of evaluation and clocks` : t`Graph of evaluation`) : t`Graph of clocks`;
    const picture = s(
      'svg',
      { viewBox: `0 0 ${width} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
      ...parts,
      this.cursor,
    );
    const at = (event: MouseEvent) => {
      const box = picture.getBoundingClientRect();
      return Math.max(0, Math.min(width, Math.round(((event.clientX - box.left) / box.width) * width)));
    };
    picture.addEventListener('click', event => select(at(event)));
    this.node.append(picture, this.caption);
  }

  current(ply: number): void {
    this.cursor?.setAttribute('transform', `translate(${Math.min(ply, this.points.length - 1)} 0)`);
    const point = this.points[ply];
    const other = this.points[ply - 1];
    const [white, black] = ply % 2 ? [point, other] : [other, point];
    // also the legend: each value has the colour of its line
    const value = (name: string, key: string, text: string | undefined) =>
      h('span', null, h('i', { class: `key ${key}`, 'aria-hidden': 'true' }), name, ' ', h('b', null, text ?? '–'));
    fill(
      this.caption,
      this.evals ? value(t`Evaluation`, 'eval', point?.eval && score(point.eval)) : null,
      this.clocks ? value(t`White’s clock`, 'white', white?.clock === undefined ? undefined : clock(white.clock)) : null,
      this.clocks ? value(t`Black’s clock`, 'black', black?.clock === undefined ? undefined : clock(black.clock)) : null,
    );
  }
}
