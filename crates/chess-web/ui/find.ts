// In: any words. Out: the field in the head of the page, which finds players, openings, tournaments and places by any spelling
// and leads to them.
import { go, pageOf, url } from './address';
import { get } from './api';
import { type Choice, combobox, played } from './combobox';
import { h, openDialog, say } from './dom';
import { suggestions } from './names';
import { t } from './words';

export interface OpeningLine {
  eco: string;
  name: string;
  play: string;
}
interface Place extends Choice {
  href: string;
}

/** The openings that a text names, those with the fewest moves first. */
export const openingLines = async (text: string, signal?: AbortSignal): Promise<OpeningLine[]> =>
  (await get<{ openings: OpeningLine[] }>(url('/api/openings', new URLSearchParams({ prefix: text })), signal)).openings;

/** How many of each kind are listed. */
const OF_EACH = 5;

const words = (text: string): string[] =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** 2 if a name has all words of a text, 1 if it has words that begin with them, else 0. */
function fit(text: string[], name: string): number {
  const has = words(name);
  if (text.every(word => has.includes(word))) return 2;
  return text.every(word => has.some(other => other.startsWith(word))) ? 1 : 0;
}

/** What a text can mean, the best of each kind; the kind whose best one fits best comes first. */
async function find(text: string): Promise<Place[]> {
  const params = (name: string, value: string) => new URLSearchParams({ [name]: value });
  const answers = await Promise.allSettled([
    suggestions('players', text).then(({ found }) =>
      found.map(one => ({ name: one.name, beside: played(one) ?? t`player`, href: pageOf('player', one.name) })),
    ),
    openingLines(text).then(found =>
      found.map(({ eco, name, play }) => ({ name, beside: eco, href: url('/', params('play', play)) })),
    ),
    suggestions('events', text).then(({ found }) =>
      found.map(({ name }) => ({ name, beside: t`tournament`, href: pageOf('tournament', name) })),
    ),
    suggestions('sites', text).then(({ found }) =>
      found.map(({ name }) => ({ name, beside: t`place`, href: url('/games', params('site', name)) })),
    ),
  ]);
  // one kind that cannot be told leaves the others
  const kinds = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : []));
  if (!kinds.length) throw (answers[0] as PromiseRejectedResult).reason;
  const asked = words(text);
  // a code of an opening is in no name
  const best = (places: Place[]) => Math.max(0, ...places.map(({ name, beside }) => fit(asked, `${name} ${beside}`)));
  return kinds
    .filter(places => places.length)
    .sort((one, other) => best(other) - best(one))
    .flatMap(places => places.slice(0, OF_EACH));
}

/** A field that finds everything; `left` is called when it has led somewhere, and with Escape. */
function field(id: string, left: () => void): { input: HTMLInputElement; node: HTMLElement } {
  const label = t`Find a player, an opening, a tournament`;
  const { input, node } = combobox<Place>(
    id,
    label,
    async text => {
      const found = await find(text);
      if (!found.length) say(t`Nothing is called “${text}”`);
      return found;
    },
    ({ href }) => {
      input.value = '';
      left();
      go(href);
    },
    true,
    { type: 'search', placeholder: t`Find`, 'aria-label': label, title: `${label} (.)` },
  );
  input.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    input.value = '';
    left();
  });
  return { input, node };
}

const head = field('find', () => head.input.blur());
/** The field in the head of the page; narrow screens have no room for it. */
export const finder = h('search', { class: 'finder' }, head.node);

/** Goes to the field; where the head has none, it is in a window. */
export function showFinder(): void {
  if (finder.offsetParent) {
    head.input.focus();
    return;
  }
  const { input, node } = field('find-in-window', () => dialog.close());
  const dialog = openDialog(t`Find`, { class: 'find' }, node);
  input.focus();
}
