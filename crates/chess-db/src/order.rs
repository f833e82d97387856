//! By what games are listed, the best first: expressions in SQL for the table of games `g` go out. Games of equal value follow
//! each other by their number, the highest first. The indexes of [`schema`](crate::schema) have them as they stand here.
//!
//! They are without `coalesce`, which postgres_fdw does not send: another server would return all games to be sorted here.

/// The sum of both ratings; one that is unknown counts as 0.
pub const RATINGS: &str = "(CASE WHEN g.white_elo IS NULL THEN 0 ELSE g.white_elo END::bigint \
                           + CASE WHEN g.black_elo IS NULL THEN 0 ELSE g.black_elo END)";
/// The first day that the date can mean; games without one come last.
pub const LATEST: &str = "(CASE WHEN lower(g.dates) IS NULL THEN '-infinity' ELSE lower(g.dates) END)";
