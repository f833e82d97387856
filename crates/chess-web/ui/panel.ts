// In: the question of an address. Out: a head and a body for its answer, which are drawn again only for another question.
import { fill, h } from './dom';
import { redrawFilters } from './filters';
import { initial, type Position } from './position';
import { emptyDatabase, type Page } from './view';

export abstract class Panel {
  protected head = h('div', { class: 'panel-head' });
  protected body = h('div');
  readonly node: HTMLElement;
  /** the question whose answer is shown or awaited */
  protected asked = '';

  constructor(
    protected page: Page,
    ...classes: string[]
  ) {
    this.node = h('div', { class: ['view', ...classes].join(' ') }, this.head, this.body);
  }

  /** Whether the panel is to be drawn: there are games, and it is not drawn for this question yet. */
  protected isNew(question: string, title: string): boolean {
    if (this.page.status && !this.page.status.games) {
      this.leave();
      this.asked = '';
      fill(this.head, h('h1', null, title));
      fill(this.body, emptyDatabase(this.page.status));
      return false;
    }
    if (question === this.asked && this.body.hasChildNodes()) {
      redrawFilters(this.head);
      return false;
    }
    this.asked = question;
    this.leave();
    return true;
  }

  step(_by: -1 | 1 | 'first' | 'last'): void {}
  position(): Position {
    return initial();
  }
  abstract leave(): void;
}
