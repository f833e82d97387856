// Out: the views that app.js loads together, because they share the tables of reports.
import './main';
import { OpeningView } from './opening';
import { OpeningsView } from './openings';
import { PlayerView } from './player';
import { TournamentView } from './tournament';

export const VIEWS = { openings: OpeningsView, opening: OpeningView, player: PlayerView, tournament: TournamentView };
