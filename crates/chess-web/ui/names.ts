// In: names of players, events and places as visitors write them. Out: the names that the database has for them; what to say
// about a name that nobody has.
import { get } from './api';
import { button, type Child, fill, h } from './dom';
import { count } from './format';
import { rich, t } from './words';

export interface Suggestion {
  name: string;
  games?: number;
  /** how well a player fits what was typed: from 0.9 on all of its words do, given names at least in their first letters */
  score?: number;
}
export interface Suggestions {
  found: Suggestion[];
  /** the text is a name, letter by letter */
  known: boolean;
}

/** Several names stand with | between them. */
export const namesIn = (text: string): string[] =>
  text
    .split('|')
    .map(name => name.trim())
    .filter(Boolean);

/** Names that match what was typed, by any spelling, the best ones first. */
export async function suggestions(path: string, text: string): Promise<Suggestions> {
  const answer = await get<Record<string, unknown[]>>(`/api/${path}?prefix=${encodeURIComponent(text)}`);
  const named = (found: unknown) => (typeof found === 'string' ? found : (found as { name: string }).name);
  const of = (list: string, at: number) => answer[list]?.[at] as number | undefined;
  const found = answer[path]
    .slice(0, 20)
    .map((one, at) => ({ name: named(one), games: of('games', at), score: of('scores', at) }));
  return { found, known: (answer.known as unknown) === true };
}

const nobody = (name: string): string => t`No player is called “${name}”.`;
/** The parameters that name somebody or something, the path that knows these names, and what to say of one that it lacks. */
const NAMED: [string, string, (name: string) => string][] = [
  ['player', 'players', nobody],
  ['white', 'players', nobody],
  ['black', 'players', nobody],
  ['opponent', 'players', nobody],
  ['event', 'events', name => t`No event is called “${name}”.`],
  ['site', 'sites', name => t`No place is called “${name}”.`],
];
/** How many names of a parameter are looked for. */
const ASKED = 5;
/** How many other names are offered. */
const OFFERED = 5;
/** From this score on a player may be the same one under a shorter or longer name. */
const ALIKE = 0.9;

interface Doubt {
  field: string;
  missing: (name: string) => string;
  name: string;
  known: boolean;
  others: Suggestion[];
  /** the parameter with another name in the place of this one, or beside it */
  value: (other: string) => string;
}

/** The names among the parameters that nobody has, or that somebody may have in other forms, too. */
async function doubts(params: URLSearchParams): Promise<Doubt[]> {
  const asked = NAMED.flatMap(([field, path, missing]) => {
    const all = path === 'players' ? namesIn(params.get(field) ?? '') : [params.get(field)?.trim() ?? ''].filter(Boolean);
    return all.slice(0, ASKED).map(async (name, at): Promise<Doubt> => {
      // an error is told by the answer to which the names belong
      const { found, known } = await suggestions(path, name).catch(() => ({ found: [], known: true }));
      const isAlike = ({ score = 0 }: Suggestion) => !known || (score >= ALIKE && /[\s,]\s*\p{L}/u.test(name));
      const others = found.filter(other => other.name !== name && !all.includes(other.name) && isAlike(other)).slice(0, OFFERED);
      const value = (other: string) => (known ? [...all, other] : all.map((one, i) => (i === at ? other : one))).join('|');
      return { field, missing, name, known, others, value };
    });
  });
  return (await Promise.all(asked)).filter(({ known, others }) => !known || others.length);
}

function said({ field, missing, name, known, others, value }: Doubt, take: (field: string, value: string) => void): HTMLElement {
  const offer = others.flatMap((other, at) => [
    at ? ', ' : null,
    button(other.name, () => take(field, value(other.name)), { class: 'plain' }),
    other.games === undefined ? null : ` (${count(other.games)})`,
  ]);
  if (known) return h('p', { class: 'quiet' }, rich<Child>`${name} may also be written ${offer}`);
  return h('p', { role: 'status' }, missing(name), others.length ? [' ', rich<Child>`Did you mean ${offer}?`] : null);
}

/**
 * Says of each name among the parameters that nobody has which ones may be meant, and offers other forms of those that are
 * known; `take` gets the parameter with the name that was chosen. Empty where there is nothing to say.
 */
export function meant(params: URLSearchParams, take: (field: string, value: string) => void): HTMLElement {
  const place = h('div', { class: 'meant' });
  void doubts(params).then(all => fill(place, ...all.map(one => said(one, take))));
  return place;
}

/** The same, only where there is a name that nobody has. */
export async function unknown(
  params: URLSearchParams,
  take: (field: string, value: string) => void,
): Promise<HTMLElement | undefined> {
  const all = (await doubts(params)).filter(({ known }) => !known);
  return all.length ? h('div', { class: 'meant' }, ...all.map(one => said(one, take))) : undefined;
}
