//! Partitions the table of games: turns a layout that the user names into statements.
//!
//! The table from `tables.sql` is the model: a partitioned table LIKE it replaces it, so that columns are defined once.
//! PostgreSQL has no unique constraints without the partition key; where one is impossible, a plain index replaces it.

use std::str::FromStr;

use anyhow::{Error, Result, bail};
use postgres::Transaction;

/// The maximum number of partitions.
const MOST: u16 = 1000;

/// How games are distributed over partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// By a hash of `id`, over this number of partitions.
    Id(u16),
    /// By a hash of `game`: equal games are in one partition.
    Game(u16),
    /// By source. Each of the first sources, up to this number, has its own partition; all others share one.
    Source(u16),
    /// By the first day that the date can mean. A partition starts at each of these days; games without a date have
    /// their own.
    Date(Vec<String>),
    /// By months, each with its own partition. All other games share one. Months are counted from the year 0.
    Month(i32, i32),
    /// By opening. A partition starts at each of these openings.
    Opening(Vec<String>),
}

impl FromStr for Layout {
    type Err = Error;

    /// Parses `id:8`, `game:8`, `source:12`, `date:2000-01-01,2010-01-01`, `month:2016-01..2025-12` or `opening:1. d4,1. e4`.
    fn from_str(text: &str) -> Result<Layout> {
        let (kind, values) = text.split_once(':').unwrap_or((text, ""));
        let number = || match values.parse() {
            Ok(number @ 1..=MOST) => Ok(number),
            _ => Err(anyhow::anyhow!("{kind} needs a number of partitions from 1 to {MOST}, such as {kind}:8")),
        };
        let list = |example: &str| {
            let list: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
            match list.iter().any(String::is_empty) || list.len() >= MOST.into() {
                true => bail!("{kind} needs the places where partitions begin, such as {kind}:{example}"),
                false => Ok(list),
            }
        };
        Ok(match kind {
            "id" => Layout::Id(number()?),
            "game" => Layout::Game(number()?),
            "source" => Layout::Source(number()?),
            "date" => Layout::Date(list("2000-01-01,2010-01-01")?),
            "month" => match values.split_once("..").map(|(first, last)| (month(first), month(last))) {
                Some((Some(first), Some(last))) if (first..first + i32::from(MOST)).contains(&last) => {
                    Layout::Month(first, last)
                }
                _ => {
                    bail!("month needs the first and the last of at most {MOST} months, such as month:2016-01..2025-12")
                }
            },
            "opening" => Layout::Opening(list("1. d4,1. e4")?),
            _ => bail!("no such layout: {kind}; there are id, game, source, date, month and opening"),
        })
    }
}

impl Layout {
    /// Replaces the empty table `games` of a schema by a partitioned one. Both names are quoted.
    pub(crate) fn apply(&self, transaction: &mut Transaction<'_>, schema: &str, extension: &str) -> Result<()> {
        let games = format!("{schema}.games");
        let key = match self {
            Layout::Id(_) => "HASH (id)",
            Layout::Game(_) => "HASH (game)",
            Layout::Source(_) => "LIST (source_id)",
            Layout::Date(_) | Layout::Month(..) => "RANGE (lower(dates))",
            Layout::Opening(_) => "RANGE (game)",
        };
        transaction.batch_execute(&format!(
            include_str!("partitioned.sql"),
            schema = schema,
            games = games,
            key = key
        ))?;
        let (id, place) = ("id", "source_id, source_offset");
        let (unique_id, unique_place) = (matches!(self, Layout::Id(_)), matches!(self, Layout::Source(_)));
        for (number, bounds) in self.bounds(transaction, extension)?.iter().enumerate() {
            let name = match self {
                _ if bounds == "DEFAULT" => "rest".to_owned(),
                Layout::Month(first, _) => year_and_month(first + number as i32, '_'),
                _ => (number + 1).to_string(),
            };
            let partition = format!("{schema}.games_{name}");
            transaction.batch_execute(&format!("CREATE TABLE {partition} PARTITION OF {games} {bounds}"))?;
            if !unique_id {
                // without a key, a publication of all tables would make UPDATE and DELETE fail
                transaction.batch_execute(&format!("ALTER TABLE {partition} REPLICA IDENTITY FULL"))?;
            }
        }
        transaction.batch_execute(&match unique_id {
            true => format!("ALTER TABLE {games} ADD PRIMARY KEY ({id})"),
            false => format!("CREATE INDEX games_id_idx ON {games} ({id})"),
        })?;
        transaction.batch_execute(&match unique_place {
            true => format!("ALTER TABLE {games} ADD UNIQUE ({place})"),
            false => format!("CREATE INDEX games_source_id_source_offset_idx ON {games} ({place})"),
        })?;
        Ok(())
    }

    /// The bounds of each partition, in SQL.
    fn bounds(&self, transaction: &mut Transaction<'_>, extension: &str) -> Result<Vec<String>> {
        let quoted = |value: &str| format!("'{}'", value.replace('\'', "''"));
        Ok(match self {
            Layout::Id(all) | Layout::Game(all) => {
                (0..*all).map(|n| format!("FOR VALUES WITH (MODULUS {all}, REMAINDER {n})")).collect()
            }
            Layout::Source(all) => {
                let each = (1..=*all).map(|n| format!("FOR VALUES IN ({n})"));
                each.chain(["DEFAULT".to_owned()]).collect()
            }
            Layout::Date(days) => {
                let query =
                    "SELECT quote_literal(day) FROM (SELECT DISTINCT unnest($1::text[])::date AS day) d ORDER BY day";
                let rows = transaction.query(query, &[days])?;
                let mut all = ranges(rows.iter().map(|row| row.get(0)).collect());
                all.push("DEFAULT".to_owned());
                all
            }
            Layout::Month(first, last) => {
                let begin = |month| format!("('{}-01')", year_and_month(month, '-'));
                let each =
                    (*first..=*last).map(|month| format!("FOR VALUES FROM {} TO {}", begin(month), begin(month + 1)));
                each.chain(["DEFAULT".to_owned()]).collect()
            }
            Layout::Opening(openings) => {
                let values: Vec<String> =
                    openings.iter().map(|opening| format!("({}::{extension}.chessgame)", quoted(opening))).collect();
                let query = format!(
                    "SELECT quote_literal(opening::text) FROM (SELECT DISTINCT {extension}.openinglowerbound(o) AS opening \
                     FROM (VALUES {}) AS v (o)) d ORDER BY opening",
                    values.join(", ")
                );
                let rows = transaction.query(&query, &[])?;
                ranges(rows.iter().map(|row| row.get(0)).collect())
            }
        })
    }
}

/// The number of a month such as 2016-01, counted from the year 0.
fn month(text: &str) -> Option<i32> {
    let (year, month) = text.trim().split_once('-')?;
    if !year.bytes().chain(month.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (year, month) = match (year.len(), month.len()) {
        (4, 2) => (year.parse::<u16>().ok()?, month.parse::<u8>().ok()?),
        _ => return None,
    };
    (year > 0 && (1..=12).contains(&month)).then(|| i32::from(year) * 12 + i32::from(month) - 1)
}

/// A month, with this sign after the year.
fn year_and_month(month: i32, sign: char) -> String {
    format!("{:04}{sign}{:02}", month / 12, month % 12 + 1)
}

/// Consecutive ranges with these boundaries.
fn ranges(places: Vec<String>) -> Vec<String> {
    let begins = ["MINVALUE".to_owned()].into_iter().chain(places.iter().cloned());
    let ends = places.iter().cloned().chain(["MAXVALUE".to_owned()]);
    begins.zip(ends).map(|(begin, end)| format!("FOR VALUES FROM ({begin}) TO ({end})")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_layouts() {
        assert_eq!("id:4".parse::<Layout>().unwrap(), Layout::Id(4));
        assert_eq!("game:1000".parse::<Layout>().unwrap(), Layout::Game(1000));
        assert_eq!("source:1".parse::<Layout>().unwrap(), Layout::Source(1));
        let days = vec!["2000-01-01".to_owned(), "2010-01-01".to_owned()];
        assert_eq!("date:2000-01-01, 2010-01-01".parse::<Layout>().unwrap(), Layout::Date(days));
        let openings = vec!["1. e4".to_owned(), "1. d4 d5".to_owned()];
        assert_eq!("month:2016-01..2025-12".parse::<Layout>().unwrap(), Layout::Month(2016 * 12, 2025 * 12 + 11));
        assert_eq!("month:2016-02..2016-02".parse::<Layout>().unwrap(), Layout::Month(2016 * 12 + 1, 2016 * 12 + 1));
        assert_eq!(
            (year_and_month(2016 * 12 + 11, '_'), year_and_month(2017 * 12, '-')),
            ("2016_12".into(), "2017-01".into())
        );
        assert_eq!("opening:1. e4,1. d4 d5".parse::<Layout>().unwrap(), Layout::Opening(openings));
        for wrong in
            ["", "id", "id:", "id:0", "id:1001", "id:-1", "game:four", "date", "date:", "opening:1. e4,", "year:4"]
        {
            assert!(wrong.parse::<Layout>().is_err(), "{wrong}");
        }
        for wrong in [
            "2016-01",
            "2016-02..2016-01",
            "2016-00..2016-01",
            "2016-13..2017-01",
            "1900-01..1983-05",
            "0000-01..0000-02",
            "+016-01..2016-02",
            "+016-01..+016-02",
            "2016-+1..2016-+2",
        ] {
            let wrong = format!("month:{wrong}");
            assert!(wrong.parse::<Layout>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn stretches() {
        let places = vec!["'a'".to_owned(), "'b'".to_owned()];
        let all = [
            "FOR VALUES FROM (MINVALUE) TO ('a')",
            "FOR VALUES FROM ('a') TO ('b')",
            "FOR VALUES FROM ('b') TO (MAXVALUE)",
        ];
        assert_eq!(ranges(places), all);
    }
}
