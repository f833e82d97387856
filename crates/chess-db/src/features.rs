//! What a schema over several servers lacks. In: a feature that needs all games, or tables, on one server. Out: its name for
//! programs, and a sentence for people that says why it is missing and where it is.
//!
//! Programs ask here before they query, and `refusing.sql` gives the same sentences to whoever calls the functions in SQL:
//! so nobody is told of a missing table where nothing is missing.

/// A part of a schema that one over several servers does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Reports on players. Each server has numbers of its own for the same opponent.
    PlayerReports,
    /// Reports on openings, which sum all games that reach a position by players and years.
    OpeningReports,
    /// Reports on endings, which need what engines and tables have said of the games.
    EndingReports,
    /// Tournaments and their crosstables: a player would have a line for each server.
    Tournaments,
    /// Puzzles, which stay beside the analyses they come from.
    Puzzles,
    /// Files, by which games are added and removed.
    Uploads,
}

impl Feature {
    /// All of them.
    pub const ALL: [Feature; 6] = [
        Feature::PlayerReports,
        Feature::OpeningReports,
        Feature::EndingReports,
        Feature::Tournaments,
        Feature::Puzzles,
        Feature::Uploads,
    ];

    /// The name in `/api/status`.
    pub fn name(self) -> &'static str {
        match self {
            Feature::PlayerReports => "playerReports",
            Feature::OpeningReports => "openingReports",
            Feature::EndingReports => "endingReports",
            Feature::Tournaments => "tournaments",
            Feature::Puzzles => "puzzles",
            Feature::Uploads => "upload",
        }
    }

    /// The SQL functions that a schema over several servers has, but that only say what is missing.
    pub(crate) fn functions(self) -> &'static [&'static str] {
        match self {
            Feature::PlayerReports => &["player_report"],
            Feature::OpeningReports => &["opening_report"],
            Feature::EndingReports => &["ending_report"],
            Feature::Tournaments => &["tournaments", "crosstable", "team_crosstable"],
            Feature::Puzzles | Feature::Uploads => &[],
        }
    }

    /// Why a schema over several servers lacks this.
    pub fn reason(self) -> &'static str {
        match self {
            Feature::PlayerReports => "over several servers there are no reports on players",
            Feature::OpeningReports => "over several servers there are no reports on openings",
            Feature::EndingReports => "over several servers there are no reports on endings",
            Feature::Tournaments => "over several servers there are no crosstables",
            Feature::Puzzles => "over several servers there are no puzzles",
            Feature::Uploads => "over several servers games are neither added nor removed",
        }
    }

    /// What to do instead.
    pub fn alternative(self) -> &'static str {
        match self {
            Feature::Uploads => "add them to one of the servers, or remove them there",
            Feature::PlayerReports | Feature::OpeningReports | Feature::EndingReports | Feature::Tournaments => {
                "each server has those of its own games: ask it, or load the games into one database"
            }
            Feature::Puzzles => "each server has those of its own games: ask it",
        }
    }
}
