// In: names of elements, their properties and children. Out: elements.
// Text becomes text nodes and properties only, so that no name or comment of a game can become markup.

import { outer } from './address';
import { t } from './words';

export type Child = Node | string | number | null | undefined | false | Child[];
// biome-ignore lint/suspicious/noExplicitAny: the type of an event follows from its name, which is a key here
type Handler = (event: any) => void;
export interface Props {
  on?: Record<string, Handler>;
  [name: string]: unknown;
}

const AS_PROPERTY = new Set(['value', 'checked', 'disabled', 'hidden', 'selected', 'open', 'indeterminate']);

function set(element: Element, props: Props | null | undefined): void {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'on') {
      for (const [event, handler] of Object.entries(value as Record<string, Handler>)) element.addEventListener(event, handler);
    } else if (AS_PROPERTY.has(name)) {
      Object.assign(element, { [name]: value });
    } else if (/^(on|style$|srcdoc$|src$)/.test(name)) {
      throw new Error(`${name} cannot be set`);
    } else {
      // a link leads into this site, whatever a game's tags say
      if (name === 'href' && !/^(\/(?!\/)|#)/.test(String(value))) throw new Error('a link must be within the site');
      const text = value === true ? '' : String(value);
      element.setAttribute(name, name === 'href' && text.startsWith('/') ? outer(text) : text);
    }
  }
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props?: Props | null,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  set(element, props);
  append(element, children);
  return element;
}

export function s(tag: string, props?: Props | null, ...children: Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  set(element, props);
  append(element, children);
  return element;
}

export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

// Icons, as paths in a square of 24.
const PATHS = {
  flip: 'M7 4v13m0 0-3.5-3.5M7 17l3.5-3.5M17 20V7m0 0-3.5 3.5M17 7l3.5 3.5',
  first: 'M6 5v14M19 5l-9 7 9 7',
  back: 'M15 5l-8 7 8 7',
  forward: 'M9 5l8 7-8 7',
  last: 'M18 5v14M5 5l9 7-9 7',
  theme: 'M12 3a9 9 0 1 0 9 9c-5 2-11-3-9-9z',
  help: 'M8.5 9a3.5 3.5 0 1 1 5 3.2c-1 .5-1.5 1.2-1.5 2.3M12 18.5v.01',
  close: 'M6 6l12 12M18 6L6 18',
  plus: 'M12 5v14M5 12h14',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  up: 'M12 19V5m0 0-6 6m6-6 6 6',
  menu: 'M4 6h16M4 12h16M4 18h16',
  find: 'M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13M15.5 15.5l5 5',
} as const;
export type Icon = keyof typeof PATHS;

export function icon(name: Icon): SVGElement {
  return s('svg', { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' }, s('path', { d: PATHS[name] }));
}

/** A command that does not begin again before the promise that it returns has ended. */
function once(work: Handler): Handler {
  let busy = false;
  return event => {
    const ends: unknown = busy || work(event);
    if (!(ends instanceof Promise)) return;
    busy = true;
    void ends.finally(() => {
      busy = false;
    });
  };
}

/** A button with a picture; the label is read out and shown as a tooltip. */
export function iconButton(name: Icon, label: string, click: Handler, props: Props = {}): HTMLButtonElement {
  return h(
    'button',
    { type: 'button', class: 'icon-button', 'aria-label': label, title: label, on: { click: once(click) }, ...props },
    icon(name),
  );
}

/** A button that is pressed in vain while the promise of its command lasts, so that nothing is made twice. */
export function button(label: string, click: Handler, props: Props = {}): HTMLButtonElement {
  return h('button', { type: 'button', on: { click: once(click) }, ...props }, label);
}

/** What a key types; instead of a letter of another alphabet the Latin one, or the bracket, that is on the same key. */
export function latin({ key, code }: KeyboardEvent): string {
  // Names of keys have several letters, and Latin letters and signs come before this one.
  if (key.length > 1 || key < '\u0250') return key;
  const there = { BracketLeft: '[', BracketRight: ']' }[code] ?? /^Key(.)$/.exec(code)?.[1] ?? key;
  return key === key.toLowerCase() ? there.toLowerCase() : there;
}

let said: HTMLElement | undefined;
let hiding: ReturnType<typeof setTimeout> | undefined;
/** Puts the line of `say` into the topmost dialog: screen readers read nothing below it. */
function placeSaid(): HTMLElement {
  said ??= h('div', { class: 'said', role: 'status' });
  const place = dialogs().at(-1) ?? document.body;
  if (said.parentNode !== place) place.append(said);
  return said;
}
/** Shows a short line at the bottom of the page, and tells it to screen readers. */
export function say(text: string): void {
  const line = placeSaid();
  line.textContent = text;
  line.classList.add('shown');
  clearTimeout(hiding);
  hiding = setTimeout(() => line.classList.remove('shown'), 2500);
}

export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(t`${what} copied`);
  } catch {
    showText(what, text);
  }
}

/** Saves a text as a file of the visitor. */
export function download(name: string, text: string, type = 'application/x-chess-pgn'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name.replace(/[/\\]/g, ' ');
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Handles the submission of a form by the page itself. */
export const submitted = (work: () => void) => {
  const submit = once(work);
  return (event: Event) => {
    event.preventDefault();
    submit(event);
  };
};

/** The windows over the page, the topmost last. */
export const dialogs = (): HTMLDialogElement[] => [...document.querySelectorAll<HTMLDialogElement>('dialog[open]')];

/** A window over the page; Escape or a click beside it closes it. */
export function openDialog(title: string, props: Props, ...children: Child[]): HTMLDialogElement {
  const close = () => dialog.close();
  const dialog = h(
    'dialog',
    { 'aria-label': title, ...props },
    h('div', { class: 'dialog-head' }, h('h2', null, title), iconButton('close', t`Close`, close)),
    ...children,
  );
  dialog.addEventListener('close', () => {
    placeSaid();
    dialog.remove();
  });
  dialog.addEventListener('click', event => event.target === dialog && close());
  document.body.append(dialog);
  dialog.showModal();
  placeSaid();
  return dialog;
}

export function showText(title: string, text: string): void {
  const area = h('textarea', {
    class: 'code',
    readonly: true,
    rows: Math.min(18, text.split('\n').length + 1),
    'aria-label': title,
    value: text,
  });
  openDialog(
    title,
    { class: 'wide' },
    area,
    h(
      'div',
      { class: 'actions' },
      button(t`Copy`, () => copy(text, title), { class: 'primary' }),
    ),
  );
  area.select();
}
