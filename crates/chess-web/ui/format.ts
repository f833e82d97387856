// In: numbers, dates and results as the server sends them. Out: their text on the page.
import { t } from './words';

export { count } from './words';

/** Whole percentages that add up to 100: the largest remainders are rounded up. */
export function percentages(parts: number[]): number[] {
  const sum = parts.reduce((a, b) => a + b, 0);
  if (!sum) return parts.map(() => 0);
  const exact = parts.map(p => (100 * p) / sum);
  const whole = exact.map(Math.floor);
  const order = exact.map((e, i) => [e - whole[i], i]).sort((a, b) => b[0] - a[0]);
  for (let left = 100 - whole.reduce((a, b) => a + b, 0), i = 0; left > 0; left--, i++) whole[order[i][1]]++;
  return whole;
}

/** The mean of both ratings as the filter compares it: rounded down, and null unless both are known. */
export const meanRating = (white?: number | null, black?: number | null): number | null =>
  white! > 0 && black! > 0 ? Math.floor((white! + black!) / 2) : null;

/** A whole percentage; "<1" for a share that would be rounded to 0. */
export function share(part: number, whole: number): string {
  if (!whole) return '';
  const percent = Math.round((100 * part) / whole);
  return percent === 0 && part > 0 ? '<1' : String(percent);
}

export const result = (r: string): string => (r === '1/2-1/2' ? '½–½' : r === '1-0' ? '1–0' : r === '0-1' ? '0–1' : '∗');
export const resultWords: Record<string, string> = {
  '1-0': t`White wins`,
  '0-1': t`Black wins`,
  '1/2-1/2': t`drawn`,
  '*': t`without a result`,
};

/** The known parts of a date such as 1924.03.?? or 1924-03-23. */
export function date(d: string | null | undefined): string {
  if (!d) return '';
  const known = d.split(/[.-]/).filter(part => /\d/.test(part));
  return known.join('-');
}
export const year = (d: string | null | undefined): string => (d && /^\d{4}/.test(d) ? d.slice(0, 4) : '');

export const moveNumber = (ply: number): string => `${(ply + 1) >> 1}${ply % 2 ? '.' : '…'}`;

export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (n: number) => String(n).padStart(2, '0');
  return whole >= 3600
    ? `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
    : `${Math.floor(whole / 60)}:${two(whole % 60)}`;
}

/** Seconds that a move took: 4s, 1:05. */
export const thought = (seconds: number): string => (seconds < 59.5 ? t`${Math.round(seconds)}s` : clock(seconds));

export interface Score {
  cp?: number;
  mate?: number;
}
/** A score from White's side: +0.35, −1.20, #3, #−2. */
export function score(e: Score): string {
  if (e.mate !== undefined && e.mate !== null) return `#${e.mate < 0 ? '−' : ''}${Math.abs(e.mate)}`;
  const pawns = (e.cp ?? 0) / 100;
  return `${pawns < 0 ? '−' : '+'}${Math.abs(pawns).toFixed(2)}`;
}

export const NAGS: Record<number, [string, string]> = {
  1: ['!', t`good move`],
  2: ['?', t`mistake|glyph`],
  3: ['!!', t`brilliant move`],
  4: ['??', t`blunder|glyph`],
  5: ['!?', t`interesting move`],
  6: ['?!', t`dubious move`],
  7: ['□', t`only move`],
  10: ['=', t`equal`],
  11: ['=', t`equal`],
  13: ['∞', t`unclear`],
  14: ['⩲', t`White is slightly better`],
  15: ['⩱', t`Black is slightly better`],
  16: ['±', t`White is better`],
  17: ['∓', t`Black is better`],
  18: ['+−', t`White is winning`],
  19: ['−+', t`Black is winning`],
  22: ['⨀', t`zugzwang`],
  32: ['⟳', t`lead in development`],
  36: ['↑', t`with the initiative`],
  40: ['→', t`with an attack`],
  132: ['⇆', t`with counterplay`],
  146: ['N', t`novelty`],
};

/** The maximum number of characters in a name. */
const NAME = 200;
/** Turns a text into a name that the server accepts. */
export const asName = (text: string): string => [...text].slice(0, NAME).join('').trim();
