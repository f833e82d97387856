// In: rows of a report. Out: what they say, in numbers and words.
import { served, t } from './words';

export interface Row {
  section: string;
  item: string;
  games: number;
  white: number;
  draws: number;
  black: number;
  score: number | null;
  expected: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: each section has members of its own
  detail: any;
}

export const percent = (part: number | null | undefined): string =>
  part === null || part === undefined ? '' : String(Math.round(100 * part));
const signed = (n: number): string => `${n < 0 ? '−' : n > 0 ? '+' : ''}${Math.abs(n)}`;
/** Points above what the ratings promise, in percent. */
export const beyond = ({ expected, detail }: Row): string =>
  expected === null || (detail?.rated_score ?? null) === null ? '' : signed(Math.round(100 * (detail.rated_score - expected)));

/** [1200,1300) as 1200 to 1299. */
export function range(item: string): string {
  const found = /^[[(](-?\d*),(-?\d*)\)$/.exec(item);
  if (!found) return served(item);
  const [from, to] = [found[1], found[2] && String(Number(found[2]) - 1)].map(bound => bound.replace('-', '−'));
  return from && to ? t`${from} to ${to}` : from ? t`${from} or more` : t`${to} or less`;
}

/** Rows that tell nothing apart are none. */
export const known = (rows: Row[]): Row[] => (rows.some(row => row.item !== 'unknown') ? rows : []);

/** Won, drawn and lost games of the player whom a row is about, who had either colour. */
export function outcomes({ white, draws, black, score }: Row): [number, number, number] {
  const decided = white + draws + black;
  const won = Math.round((score ?? 0) * decided - draws / 2);
  return [won, draws, decided - draws - won];
}
