// In: the text of a file that "Download all" made. Out: its notebooks with what training
// remembers of them, boards and filters, or an error that says what is wrong.
// Only the shape of the file is checked here: moves, names and lengths are checked by the server when it saves them.
import type { NewMove, Remembered } from './sessions';
import { t } from './words';

export interface SavedNotebook {
  name: string;
  color: string | null;
  fen: string;
  note: string;
  moves: NewMove[];
  /** missing without answers in training, and in older files */
  training?: Remembered[];
}
export interface Saved {
  /** the version of the format */
  chess: 1;
  notebooks: SavedNotebook[];
  boards: { name: string; pgn: string }[];
  filters: { name: string; url: string }[];
}

/** The largest file, in bytes: no visitor can save more in a day. */
export const SAVED_MOST = 64 << 20;

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

export function readSaved(text: string): Saved {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw new Error(t`the file is not JSON`);
  }
  if (!isObject(file) || file.chess !== 1) throw new Error(t`the file was not made by “Download all”`);
  const listed = (of: Json, name: string): Json[] => {
    const list = of[name];
    if (!Array.isArray(list) || !list.every(isObject)) throw new Error(t`“${name}” is not a list of objects`);
    return list;
  };
  const text_ = (of: Json, name: string): string => {
    const value = of[name];
    if (typeof value !== 'string') throw new Error(t`“${name}” is not a text`);
    return value;
  };
  const move = (of: Json, place: number): NewMove => {
    const { parent, glyphs } = of;
    const isBefore = Number.isInteger(parent) && (parent as number) >= 0 && (parent as number) < place;
    if (parent !== null && !isBefore) throw new Error(t`move ${place + 1} has no move before it`);
    if (!Array.isArray(glyphs) || !glyphs.every(glyph => Number.isInteger(glyph) && glyph >= 0 && glyph < 256))
      throw new Error(t`“glyphs” is not a list of numbers up to 255`);
    return { parent: parent as number | null, uci: text_(of, 'uci'), note: text_(of, 'note'), glyphs };
  };
  const number = (of: Json, name: string): number => {
    const value = of[name];
    if (typeof value !== 'number') throw new Error(t`“${name}” is not a number`);
    return value;
  };
  const remembered = (of: Json): Remembered => ({
    position: text_(of, 'position'),
    stability: number(of, 'stability'),
    difficulty: number(of, 'difficulty'),
    answered: number(of, 'answered'),
    days: number(of, 'days'),
  });
  return {
    chess: 1,
    notebooks: listed(file, 'notebooks').map(of => ({
      name: text_(of, 'name'),
      color: of.color === null ? null : text_(of, 'color'),
      fen: text_(of, 'fen'),
      note: text_(of, 'note'),
      moves: listed(of, 'moves').map(move),
      ...(of.training === undefined ? {} : { training: listed(of, 'training').map(remembered) }),
    })),
    boards: listed(file, 'boards').map(of => ({ name: text_(of, 'name'), pgn: text_(of, 'pgn') })),
    filters: listed(file, 'filters').map(of => ({ name: text_(of, 'name'), url: text_(of, 'url') })),
  };
}
