// Stands in the bundle for modules whose rules the page does not need: chessops/variant, because games of other rules are read as
// chess, as far as that goes, and chessground/premove, because nobody plays while the other side thinks.
import { Chess } from 'chessops/chess';
import type { Setup } from 'chessops/setup';

export const defaultPosition = (): Chess => Chess.default();
export const setupPosition = (_rules: string, setup: Setup) => Chess.fromSetup(setup);
export const premove = (): string[] => [];
