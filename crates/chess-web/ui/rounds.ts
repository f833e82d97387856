// In: the lines of a table with their games. Out: to which rounds its columns belong.

export interface Seat {
  game: string;
  round: string | null;
  date: string | null;
  /** the line of the opponent, from 1 */
  place: number | null;
  color: 'w' | 'b';
  score: number | null;
}

/** The rounds of the columns of a Swiss by the tag Round, which may begin with the sixth; nothing if a column has several. */
export function rounds(players: { results: string[]; games: Seat[] }[]): number[] | undefined {
  const found = Array.from(players[0]?.results ?? [], () => new Set<number>());
  for (const line of players) {
    const seats = [...line.games];
    line.results.forEach((text, at) => {
      for (const [, place, color] of text.matchAll(/(?:^| )(\d*)([wb]?)[^ ]+/g)) {
        const seat = takeSeat(seats, Number(place) || null, color);
        found[at].add(Number(/\d+/.exec(seat?.round ?? '')?.[0] ?? 0));
      }
    });
  }
  const numbers = found.map(of => (of.size === 1 ? [...of][0] : 0));
  return numbers.every((number, at) => number > (numbers[at - 1] ?? 0)) ? numbers : undefined;
}

/** Takes the first game against a line. */
export function takeSeat(games: Seat[], place: number | null, color: string): Seat | undefined {
  const at = games.findIndex(seat => seat.place === place && (!color || seat.color === color));
  return at < 0 ? undefined : games.splice(at, 1)[0];
}
