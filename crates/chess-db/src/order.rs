//! SQL expressions by which lists of games are sorted, for the table of games `g`, the greatest first; ties are broken
//! by id, the highest first. The indexes of [`schema`](crate::schema) have exactly these expressions.
//!
//! They avoid `coalesce`: postgres_fdw would not send it, and another server would return all games to be sorted here.

/// The sum of both ratings. An unknown rating counts as 0.
pub const RATINGS: &str = "(CASE WHEN g.white_elo IS NULL THEN 0 ELSE g.white_elo END::bigint \
                           + CASE WHEN g.black_elo IS NULL THEN 0 ELSE g.black_elo END)";
/// The first day that the date can mean; games without one come last.
pub const LATEST: &str = "(CASE WHEN lower(g.dates) IS NULL THEN '-infinity' ELSE lower(g.dates) END)";
