// In: FEN, moves as UCI or SAN. Out: positions, legal moves and their names, by the rules of chessops.
import { Chess, castlingSide, normalizeMove } from 'chessops/chess';
import { INITIAL_FEN, makeFen, parseFen } from 'chessops/fen';
import { makeSan, parseSan } from 'chessops/san';
import type { SquareSet } from 'chessops/squareSet';
import type { Move, Role } from 'chessops/types';
import { isNormal } from 'chessops/types';
import { makeSquare, makeUci, parseUci, squareFile, squareRank } from 'chessops/util';
import { capital, t } from './words';

export type { Move };
export { INITIAL_FEN };
export type Position = Chess;

export const initial = (): Position => Chess.default();
export const fenOf = (pos: Position): string => makeFen(pos.toSetup());

/** The fields of a FEN that make two positions the same: placement, side, castling rights and en passant. */
export const epd = (fen: string): string => fen.split(' ').slice(0, 4).join(' ');

const WHY: Record<string, string> = {
  ERR_BOARD: t`the placement is wrong`,
  ERR_TURN: t`the side to move must be w or b`,
  ERR_CASTLING: t`the castling rights are wrong`,
  ERR_EP_SQUARE: t`the en passant square is wrong`,
  ERR_HALFMOVES: t`the half-move clock is wrong`,
  ERR_FULLMOVES: t`the move number is wrong`,
  ERR_EMPTY: t`the board is empty`,
  ERR_KINGS: t`each side needs one king`,
  ERR_OPPOSITE_CHECK: t`the side that is not to move is in check`,
  ERR_PAWNS_ON_BACKRANK: t`a pawn stands on the first or last rank`,
};

/** Reads FEN or EPD; underscores count as spaces. */
export function readFen(text: string): { pos?: Position; error?: string } {
  return parseFen(text.trim().replace(/[_\s]+/g, ' ')).unwrap(
    setup =>
      Chess.fromSetup(setup).unwrap(
        pos => ({ pos }),
        error => ({ error: WHY[error.message] ?? t`this position is not legal` }),
      ),
    error => ({ error: WHY[error.message] ?? t`this is not a FEN` }),
  );
}

/** A move in UCI. Castling is e1g1, or the king's move to its rook if king or rook start on other squares. */
export function uciOf(pos: Position, move: Move): string {
  const side = castlingSide(pos, move);
  if (side && isNormal(move) && squareFile(move.from) === 4) {
    const rook = pos.castles.rook[pos.turn][side];
    if (rook !== undefined && (squareFile(rook) === 0 || squareFile(rook) === 7)) {
      return makeSquare(move.from) + (side === 'a' ? 'c' : 'g') + (squareRank(move.from) + 1);
    }
  }
  return makeUci(normalizeMove(pos, move));
}

export function legal(pos: Position, uci: string): Move | undefined {
  const parsed = parseUci(uci);
  if (!parsed) return undefined;
  const move = normalizeMove(pos, parsed);
  return pos.isLegal(move) ? move : undefined;
}

/** Reads a typed move: UCI, or SAN, also with small letters and zeros. */
export function typed(pos: Position, text: string): Move | undefined {
  const word = text
    .trim()
    .replace(/^\d+\.+\s*/, '')
    .replace(/0/g, 'O')
    .replace(/[!?]+$/, '');
  if (!word) return undefined;
  const candidates = [word, word.replace(/^o-o(-o)?$/i, m => m.toUpperCase())];
  if (/^[nbrqk]/.test(word)) candidates.push(word[0].toUpperCase() + word.slice(1));
  for (const candidate of candidates) {
    const move = parseSan(pos, candidate);
    if (move) return move;
  }
  return legal(pos, text.trim().toLowerCase());
}

export interface Step {
  uci: string;
  san: string;
  fen: string;
}

export function step(pos: Position, move: Move): { after: Position; step: Step } {
  const normal = normalizeMove(pos, move);
  const uci = uciOf(pos, normal);
  const san = makeSan(pos, normal);
  const after = pos.clone();
  after.play(normal);
  return { after, step: { uci, san, fen: fenOf(after) } };
}

/** The squares of a move. */
export const squaresOf = (uci: string): string[] => [uci.slice(0, 2), uci.slice(2, 4)];

/** The names of a piece: one and several of either colour, White's and Black's. */
const NAMES: Record<Role, { one: string; many: string; white: string; black: string }> = {
  king: { one: t`king`, many: t`kings`, white: t`white king`, black: t`black king` },
  queen: { one: t`queen`, many: t`queens`, white: t`white queen`, black: t`black queen` },
  rook: { one: t`rook`, many: t`rooks`, white: t`white rook`, black: t`black rook` },
  bishop: { one: t`bishop`, many: t`bishops`, white: t`white bishop`, black: t`black bishop` },
  knight: { one: t`knight`, many: t`knights`, white: t`white knight`, black: t`black knight` },
  pawn: { one: t`pawn`, many: t`pawns`, white: t`white pawn`, black: t`black pawn` },
};
export const ROLES = Object.keys(NAMES) as Role[];
export const roleName = (role: Role): string => NAMES[role].one;
export const pieceName = (role: Role, color: 'white' | 'black'): string => NAMES[role][color];

/** Each piece with its square, White's first, the strongest first. */
export const pieceNames = (pos: Position): { square: string; name: string }[] =>
  (['white', 'black'] as const).flatMap(color =>
    ROLES.flatMap(role =>
      [...pos.board.pieces(color, role)].map(square => ({ square: makeSquare(square), name: capital(pieceName(role, color)) })),
    ),
  );

/** The position in words, for screen readers. */
export function inWords(pos: Pick<Position, 'board'>): string {
  const side = (color: 'white' | 'black') =>
    ROLES.flatMap(role => {
      const squares = [...pos.board.pieces(color, role)].map(makeSquare);
      return squares.length ? [`${NAMES[role][squares.length > 1 ? 'many' : 'one']} ${squares.join(' ')}`] : [];
    }).join(', ') || t`nothing`;
  return t`White: ${side('white')}. Black: ${side('black')}.`;
}

export const toMove = (color: 'white' | 'black'): string => (color === 'white' ? t`White to move` : t`Black to move`);

export function stateInWords(pos: Position): string {
  const white = pos.turn === 'white';
  if (pos.isCheckmate()) return white ? t`Checkmate, Black wins` : t`Checkmate, White wins`;
  if (pos.isStalemate()) return t`Stalemate`;
  if (pos.isCheck()) return white ? t`White to move, in check` : t`Black to move, in check`;
  return toMove(pos.turn);
}

/** The material of a board: KRPPvKR, strongest pieces first. */
export function materialOf(pos: Position | { board: Position['board'] }): string {
  const letters: [Role, string][] = [
    ['king', 'K'],
    ['queen', 'Q'],
    ['rook', 'R'],
    ['bishop', 'B'],
    ['knight', 'N'],
    ['pawn', 'P'],
  ];
  const side = (color: 'white' | 'black') =>
    letters.map(([role, letter]) => letter.repeat((pos.board.pieces(color, role) as SquareSet).size())).join('');
  return `${side('white')}v${side('black')}`;
}
