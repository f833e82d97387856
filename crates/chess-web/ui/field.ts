// In: files of games. Out: a field for games, with their text.
import { h } from './dom';

/** The text of a file: UTF-16 with a mark at its beginning, UTF-8, or windows-1252. */
export function textOf(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes);
  const marked = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : '';
  if (marked) return new TextDecoder(marked).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** A field for games as PGN, which also takes the files that are dropped on its dialog. */
export const pgnField = (rows: number, text = ''): HTMLTextAreaElement =>
  h('textarea', { class: 'code pgn', rows, 'aria-label': 'PGN', value: text });

/** Puts the text of files into a field. */
export async function fillFrom(field: HTMLTextAreaElement, files: File[]): Promise<void> {
  const texts = await Promise.all(files.map(async file => textOf(await file.arrayBuffer())));
  if (texts.length) field.value = texts.join('\n');
}
