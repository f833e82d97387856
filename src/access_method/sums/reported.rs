//! The groups of a report, by the attributes of its games: what the aggregate `reportGroups` returns for a query that groups by
//! ratings and dates alone.
//!
//! Takes games, one by one; returns groups for each continuation.

use chess_core::GameResult;
use chess_core::facts::groups::{Groups, Sample};
use chess_core::facts::sums::Summand;
use chess_index::attributes::Value;

use crate::access_method::sums::asked::Played;
use crate::access_method::sums::node::plan::{Report, ResultColumn};
use crate::functions::report_groups;

/// The results of [`ResultColumn::codes`].
const RESULTS: [GameResult; 4] = [GameResult::Draw, GameResult::WhiteWins, GameResult::BlackWins, GameResult::Unknown];

/// The groups so far.
pub struct Reported {
    report: Report,
    result: ResultColumn,
    /// By continuation.
    groups: Vec<Option<Groups>>,
}

impl Reported {
    /// No games.
    pub fn new(report: Report, result: ResultColumn) -> Reported {
        Reported { report, result, groups: Vec::new() }
    }

    /// Adds a game, whose attributes are `value`.
    pub fn add(&mut self, played: Played, value: impl Fn(usize) -> Value) {
        let played = usize::from(played);
        if self.groups.len() <= played {
            self.groups.resize_with(played + 1, || None);
        }
        let groups = self.groups[played].get_or_insert_with(|| no_groups(&self.report));
        let code = value(self.result.column);
        let known = self.result.codes.iter().position(|known| known.is_some() && *known == code);
        let summand =
            Summand::new(known.map(|known| RESULTS[known]), value(self.report.white), value(self.report.black));
        let until = value(self.report.last).map(|last| match last {
            // The days of the type that are not finite.
            i32::MIN | i32::MAX => last,
            day => day.saturating_add(self.report.until_last),
        });
        groups.add(&Sample {
            result: None,
            summand,
            id: None,
            from: value(self.report.first),
            until,
            plies: 0,
            white: None,
            black: None,
            time_control: None,
            facts: None,
            termination: None,
            opening: None,
            is_found: true,
            is_annotated: false,
            is_old: false,
        });
    }

    /// The groups of each continuation that has games.
    pub fn into_groups(self) -> impl Iterator<Item = (Played, Groups)> {
        (0..=Played::MAX).zip(self.groups).filter_map(|(played, groups)| Some((played, groups?)))
    }
}

/// The groups of a report without games.
pub fn no_groups(report: &Report) -> Groups {
    Groups::new(report.wanted, 0, report_groups::limit())
}
