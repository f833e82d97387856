//! The number of a server among several that share the games: sets it in every row of `games`, and in the ids to come.

use anyhow::{Context, Result, bail};
use postgres::Transaction;

use super::Schema;
use crate::shards::{game_id_offset, name_id_offset};

impl Schema {
    /// Sets the column `shard` of existing and future games to this number.
    pub(super) fn set_shard(&self, transaction: &mut Transaction<'_>, shard: i16) -> Result<()> {
        let schema = &self.quoted;
        let query = "SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attribute a \
                     JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
                     WHERE a.attrelid = to_regclass($1) AND a.attname = 'shard'";
        if let Some(row) = transaction.query_opt(query, &[&format!("{schema}.games")])? {
            let default: String = row.get(0);
            let digits: String = default.chars().filter(char::is_ascii_digit).collect();
            if digits.parse() != Ok(shard) {
                bail!("schema {} is shard {digits}, not {shard}", self.name);
            }
            return Ok(());
        }
        self.start_ids(transaction, shard)?;
        transaction
            .batch_execute(&format!(include_str!("make_shard.sql"), schema = schema, shard = shard))
            .with_context(|| format!("cannot make schema {} shard {shard}", self.name))
    }

    /// Makes the ids of games and names start in the range of this shard, unless there are rows already.
    fn start_ids(&self, transaction: &mut Transaction<'_>, shard: i16) -> Result<()> {
        let schema = &self.quoted;
        let counted = [
            ("games", game_id_offset(shard)),
            ("players", name_id_offset(shard)),
            ("events", name_id_offset(shard)),
            ("sites", name_id_offset(shard)),
            ("sources", name_id_offset(shard)),
        ];
        for (table, _) in counted {
            if transaction.query_opt(&format!("SELECT FROM {schema}.{table} LIMIT 1"), &[])?.is_some() {
                return Ok(());
            }
        }
        for (table, first) in counted {
            // whoever has created `games` by hand, with ids from elsewhere, must keep them distinct
            let query =
                "SELECT attidentity <> '' FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'id'";
            if !transaction.query_one(query, &[&format!("{schema}.{table}")])?.get::<_, bool>(0) {
                return Ok(());
            }
            transaction.batch_execute(&format!("ALTER TABLE {schema}.{table} ALTER id RESTART WITH {}", first + 1))?;
        }
        transaction.execute(&format!("INSERT INTO {schema}.info VALUES ('shard', $1)"), &[&shard.to_string()])?;
        Ok(())
    }
}
