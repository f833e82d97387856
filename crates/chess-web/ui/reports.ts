// The views of players, openings, endings and tournaments. They share the tables of reports, so app.js loads them as one file.
import { EndingsView } from './endings';
import { OpeningView } from './opening';
import { OpeningsView } from './openings';
import { PlayerView } from './player';
import { TournamentView } from './tournament';

export const VIEWS = {
  openings: OpeningsView,
  opening: OpeningView,
  endings: EndingsView,
  player: PlayerView,
  tournament: TournamentView,
};
