// In: a position. Out: a small board that only shows it: on paper, and beside a list.
import { makeSquare } from 'chessops/util';
import { h } from './dom';
import { inWords, type Position } from './position';

export function diagram(pos: Pick<Position, 'board'>, orientation: 'white' | 'black' = 'white'): HTMLElement {
  const squares = h('cg-board' as 'div');
  for (const [square, piece] of pos.board) {
    const [file, rank] = [square & 7, square >> 3];
    const [x, y] = orientation === 'white' ? [file, 7 - rank] : [7 - file, rank];
    const shown = h('piece' as 'i', { class: `${piece.color} ${piece.role}`, 'data-square': makeSquare(square) });
    shown.style.left = `${12.5 * x}%`;
    shown.style.top = `${12.5 * y}%`;
    squares.append(shown);
  }
  return h('div', { class: 'diagram cg-wrap', role: 'img', 'aria-label': inWords(pos) }, squares);
}
