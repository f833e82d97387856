// Stands in the bundle for chessops/variant: games of other rules are read as chess, as far as that goes.
import { Chess } from 'chessops/chess';
import type { Setup } from 'chessops/setup';

export const defaultPosition = (): Chess => Chess.default();
export const setupPosition = (_rules: string, setup: Setup) => Chess.fromSetup(setup);
