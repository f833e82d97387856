// In: a position, and squares to mark. Out: a small board that only shows it: on paper, and in a list or beside it.
import { makeSquare } from 'chessops/util';
import { h } from './dom';
import { inWords, type Position } from './position';

export function diagram(
  pos: Pick<Position, 'board'>,
  orientation: 'white' | 'black' = 'white',
  marked: Iterable<number> = [],
): HTMLElement {
  const squares = h('cg-board' as 'div');
  const put = (tag: string, square: number, name: string) => {
    const [file, rank] = [square & 7, square >> 3];
    const [x, y] = orientation === 'white' ? [file, 7 - rank] : [7 - file, rank];
    const shown = h(tag as 'i', { class: name, 'data-square': makeSquare(square) });
    shown.style.left = `${12.5 * x}%`;
    shown.style.top = `${12.5 * y}%`;
    squares.append(shown);
  };
  for (const square of marked) put('square', square, 'matched');
  for (const [square, piece] of pos.board) put('piece', square, `${piece.color} ${piece.role}`);
  return h('div', { class: 'diagram cg-wrap', role: 'img', 'aria-label': inWords(pos) }, squares);
}
