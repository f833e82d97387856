//! The triggers on which the tables and views rely. In: the scripts that create them. Out: those that are missing or off, as
//! `pg_restore --disable-triggers` leaves them when it fails, with the statements that mend this.

use anyhow::Result;
use postgres::Client;

use super::{REPLACED, Schema};

/// How the statements of the scripts begin.
const CREATE: &str = "CREATE OR REPLACE TRIGGER ";

impl Schema {
    /// What is wrong with the triggers, and the statements that mend it.
    pub fn lacking_triggers(&self, client: &mut Client) -> Result<Vec<(String, String)>> {
        let (mut names, mut relations, mut kinds, mut statements) = (vec![], vec![], vec![], vec![]);
        for (name, relation, statement) in created() {
            names.push(name);
            relations.push(relation);
            kinds.push(if statement.contains(" INSTEAD OF ") { "v" } else { "r" });
            statements.push(statement);
        }
        let rows = client.query(include_str!("missing_triggers.sql"), &[&self.quoted, &names, &relations, &kinds])?;
        let lacking = |row: &postgres::Row| {
            let (remedy, missing): (Option<String>, Option<i32>) = (row.get(1), row.get(2));
            let create = missing.map(|place| self.creating(statements[place as usize]));
            (row.get(0), remedy.or(create).unwrap_or_default())
        };
        Ok(rows.iter().map(lacking).collect())
    }

    /// The statement that creates a trigger of the scripts, in one line.
    fn creating(&self, statement: &str) -> String {
        let words: Vec<&str> = statement.split_whitespace().collect();
        format!("{CREATE}{}", words.join(" ")).replace("{schema}", &self.quoted)
    }
}

/// The names of the triggers, their relations, and the statements without [`CREATE`].
fn created() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let statements = REPLACED.iter().flat_map(|script| script.split(CREATE).skip(1));
    statements.filter_map(|rest| {
        let (statement, _) = rest.split_once(';')?;
        let (name, _) = statement.split_once(' ')?;
        let relation = statement.split_once(" ON {schema}.")?.1.split_whitespace().next()?;
        Some((name, relation, statement))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trigger_of_the_scripts_is_known() {
        let triggers: Vec<_> = created().map(|(name, relation, _)| (name, relation)).collect();
        let all: usize = REPLACED.iter().map(|script| script.matches(" TRIGGER ").count()).sum();
        assert_eq!(triggers.len(), all, "{triggers:?}");
        assert!(triggers.contains(&("pgn_view_write", "pgn_view")) && triggers.contains(&("name_changed", "events")));
    }
}
