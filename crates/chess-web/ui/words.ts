// In: texts in English, as they stand in the code. Out: the same in the language of the page.
//
// The English text is the key, `{0}`, `{1}` … stand for what is put in. The server gives the page the table of its language before
// app.js. A text that the table lacks is shown in English. What follows `|` tells texts apart that are the same in English.

/** The languages of the page; each but the first has a table in languages/. */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'pl', 'ru'];

type Forms = Partial<Record<Intl.LDMLPluralRule, string>>;
/** By the keys that `keyOf` makes; under the empty one the language. */
const TABLE = (globalThis as { WORDS?: Record<string, string | Forms> }).WORDS ?? {};
export const language = (TABLE[''] as string) ?? 'en';

/** Tables have this instead of the English text, which would make them twice as large. */
export function keyOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0)!, 0x01000193);
  return ((hash >>> 0) % 0x1000000).toString(36);
}

const found = (text: string): string | Forms => TABLE[keyOf(text)] ?? text.replace(/\|.*/, '');
const joined = (parts: TemplateStringsArray): string => parts.reduce((text, part, i) => `${text}{${i - 1}}${part}`);
const put = (text: string, values: unknown[]): string => text.replace(/\{(\d)\}/g, (_, i) => String(values[i]));

/** A text. */
export const t = (parts: TemplateStringsArray, ...values: (string | number)[]): string =>
  put(found(joined(parts)) as string, values);

/** A text with elements in it. */
export const rich = <T>(parts: TemplateStringsArray, ...values: T[]): (string | T)[] =>
  (found(joined(parts)) as string).split(/\{(\d)\}/).map((part, i) => (i % 2 ? values[Number(part)] : part));

/** 75642 becomes 75 642, with a narrow space. */
export const count = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f');

let rules: Intl.PluralRules | undefined;
/** A text about a number, which is `{0}` in it; `many` is the key. */
export function plural(n: number, one: string, many: string, ...values: (string | number)[]): string {
  const forms = found(many);
  rules ??= new Intl.PluralRules(language);
  const form = typeof forms === 'string' ? (n === 1 ? one : forms) : (forms[rules.select(n)] ?? forms.other!);
  return put(form, [count(n), ...values]);
}

const POINT = (1.5).toLocaleString(language)[1];
/** A word of the server, such as the name of a phase; languages/served.json lists them. */
export const served = (word: string): string => (TABLE[keyOf(word)] as string) ?? word;

/** One or another, or a third. */
export const either = (words: string[]): string => words.reduce((all, word) => t`${all} or ${word}`);

/** How many games. */
export const games = (n: number): string => plural(n, '1 game', '{0} games');

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A number with the given digits after the point, or comma. */
export const decimal = (n: number, digits: number): string => n.toFixed(digits).replace('.', POINT);
