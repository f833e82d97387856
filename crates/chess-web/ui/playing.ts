// Two things that playing on needs. The positions of a game from its start go in, and how the rules have ended it comes out. Moves
// go in with how often each was played, and one of them comes out, drawn by these numbers.
import { epd, readFen } from './position';
import { t } from './words';

/** Half-moves without a capture or a pawn move after which the game is drawn. */
const FIFTY = 100;

/** How the game has ended; nothing if it goes on. The last position decides; the earlier ones count as repetitions. */
export function ending(fens: string[]): { text: string; result: string } | undefined {
  const last = fens.at(-1)!;
  const pos = readFen(last).pos;
  if (!pos) return undefined;
  const drawn = (text: string) => ({ text, result: '1/2-1/2' });
  if (pos.isCheckmate())
    return pos.turn === 'white'
      ? { text: t`Checkmate, Black wins.`, result: '0-1' }
      : { text: t`Checkmate, White wins.`, result: '1-0' };
  if (pos.isStalemate()) return drawn(t`Stalemate.`);
  if (pos.isInsufficientMaterial()) return drawn(t`A draw: nobody can mate.`);
  if (pos.halfmoves >= FIFTY) return drawn(t`A draw by the fifty-move rule.`);
  if (fens.filter(fen => epd(fen) === epd(last)).length >= 3) return drawn(t`A draw: the position has arisen three times.`);
  return undefined;
}

/** The row that a number from 0 to 1 draws, each as likely as its games are many; none without games. */
export function drawnBy<T extends { games: number }>(rows: T[], at: number): T | undefined {
  let left = at * rows.reduce((sum, row) => sum + row.games, 0);
  for (const row of rows) {
    left -= row.games;
    if (left < 0) return row;
  }
  return undefined;
}
