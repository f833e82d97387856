// In: what a visitor types, and who knows what it can mean. Out: a field with a list of that, from which one is chosen.

import { fill, h } from './dom';
import { type Suggestion, suggestions } from './names';
import { games as inWords } from './words';

/** What can be chosen: its name, and words beside it. */
export interface Choice {
  name: string;
  beside?: string;
}

/**
 * A field with a list that shows all that `find` finds for what is typed. Enter takes what is marked, at first the best one;
 * with `waits` also where the list has yet to come.
 */
export function combobox<T extends Choice>(
  id: string,
  label: string,
  find: (text: string) => Promise<T[]>,
  chosen: (choice: T) => void,
  waits: boolean,
  props: Record<string, unknown> = {},
): { input: HTMLInputElement; node: HTMLElement } {
  const list = h('ul', { id: `${id}-names`, class: 'completions', role: 'listbox', 'aria-label': label, hidden: true });
  let choices: T[] = [];
  let marked = 0;
  let timer: ReturnType<typeof setTimeout>;
  /** Enter was pressed before the list was there */
  let pressed = false;
  const mark = (at: number) => {
    marked = (at + choices.length) % choices.length;
    [...list.children].forEach((option, i) => void option.setAttribute('aria-selected', String(i === marked)));
    list.children[marked].scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', list.children[marked].id);
  };
  const show = (found: T[]) => {
    clearTimeout(timer);
    pressed = false;
    choices = found;
    list.hidden = !choices.length;
    input.setAttribute('aria-expanded', String(!list.hidden));
    input.removeAttribute('aria-activedescendant');
    fill(
      list,
      found.map((choice, i) =>
        h(
          'li',
          { id: `${id}-name-${i}`, role: 'option', on: { click: () => take(choice) } },
          h('span', { class: 'name' }, choice.name),
          choice.beside ? h('span', { class: 'quiet' }, choice.beside) : null,
        ),
      ),
    );
    if (choices.length) mark(0);
  };
  const take = (choice: T) => {
    show([]);
    chosen(choice);
  };
  const complete = async () => {
    const text = input.value.trim();
    if (text.length < 2) return show([]);
    try {
      const found = await find(text);
      if (input.value.trim() !== text || document.activeElement !== input) return;
      if (pressed && found.length) take(found[0]);
      else show(found);
    } catch {
      // without completion the field still works
      show([]);
    }
  };
  const input: HTMLInputElement = h('input', {
    id,
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-controls': `${id}-names`,
    'aria-expanded': 'false',
    autocomplete: 'off',
    spellcheck: 'false',
    on: {
      input: () => {
        clearTimeout(timer);
        pressed = false;
        timer = setTimeout(complete, 120);
      },
      blur: () => show([]),
      keydown: (event: KeyboardEvent) => {
        if (event.key === 'Enter' && list.hidden && waits) {
          clearTimeout(timer);
          pressed = true;
          void complete();
        } else if (list.hidden) return;
        else if (event.key === 'ArrowDown') mark(marked + 1);
        else if (event.key === 'ArrowUp') mark(marked - 1);
        else if (event.key === 'Enter') take(choices[marked]);
        else if (event.key === 'Escape') show([]);
        else return;
        event.preventDefault();
      },
    },
    ...props,
  });
  // a click must not take the focus away before it is heard
  list.addEventListener('mousedown', event => event.preventDefault());
  return { input, node: h('div', { class: 'completed' }, input, list) };
}

/** How many games a name has, in words. */
export const played = ({ games }: Suggestion): string | undefined => (games === undefined ? undefined : inWords(games));

/**
 * A field whose names are completed by the server, however they are spelt. Where the form has no other field, it is sent with
 * the name that is chosen.
 */
export function completed(id: string, label: string, value: string, path: string, placeholder = ''): HTMLElement {
  const find = async (text: string): Promise<Choice[]> => {
    const found = (await suggestions(path, text)).found;
    // there is nothing to choose
    return found[0]?.name === text ? [] : found.map(one => ({ name: one.name, beside: played(one) }));
  };
  const chosen = ({ name }: Choice) => {
    input.value = name;
    input.dispatchEvent(new Event('input', { bubbles: true }));
    if (input.form?.querySelectorAll('input').length === 1) input.form.requestSubmit();
  };
  const { input, node } = combobox(id, label, find, chosen, false, { name: id, value, placeholder });
  return h('div', { class: 'field' }, h('label', { for: id }, label), node);
}
