//! Security check of each program before it uses tables: does code of other roles run with its rights?
//!
//! In: a schema, the names in it that the program uses, and the purpose. Out: the reason for a refusal, if there is
//! one.
//!
//! The owner of a table can attach triggers and rules, the owner of a function can change its body, and the owner of a
//! domain can change its constraints. All of that runs in the session of the role that uses the table. So every object
//! that the program uses, directly or through dependencies, must belong to the role that has logged in, to a superuser, or
//! to the role that the user names. `door.sql` follows PostgreSQL's dependencies, to objects of all kinds but those of
//! which it says why they are harmless.
//!
//! Code is dangerous even if the server runs it as another role. When a row is deleted, the server queries the tables that
//! refer to it as the owners of these tables; but what code of theirs leaves in the session, such as a deferred trigger or a
//! `search_path`, takes effect later, when the session runs as the program's own role. So tables with foreign keys to those that a program writes must belong to trusted roles as well.
//!
//! Programs that write are always checked. Programs that only read are checked if their role is powerful: a superuser, or one
//! whose attributes or predefined roles let code do more than use the tables that the role owns or may read.
//!
//! # Between the check and the use
//!
//! PostgreSQL has no lock on functions, types and schemas that would hold from the check to the use. None is needed:
//! objects that pass belong to trusted roles, so nobody else can change or replace them or create triggers on them. A
//! role may have created a trigger in a transaction that has not ended, and may have lost the right to do so since. Nobody
//! sees that trigger yet; but the transaction holds a lock on the table, which the check finds. A program creates its own
//! objects with plain CREATE, which fails if another role created them first, and checks them again before the commit.
//!
//! SQL that the user has written may name what is in the schemas of the path. [`users_path`] waits until nobody can have created
//! anything there unseen.

use std::fmt;
use std::thread;
use std::time::Instant;

use anyhow::{Result, bail};
use postgres::types::Type;
use postgres::{GenericClient, Row};

use crate::locks::{FIRST_PAUSE, LONGEST_PAUSE, PATIENCE};

/// A query that begins with the roles whose code may run in the session.
macro_rules! about_roles {
    ($file:literal) => {
        concat!(
            "WITH RECURSIVE ",
            include_str!("powers.sql"),
            ",\n",
            include_str!("roles.sql"),
            "\n",
            include_str!($file)
        )
    };
}

/// The query: no row if the program may proceed, otherwise a row for [`Refusal::new`]. Its parameters are
/// [`Purpose::owner`], the schema, the names in it (an array), and [`Purpose::word`]. It needs [`SAFE_PATH`].
pub const CHECK: &str = about_roles!("door.sql");
const PATH: &str = about_roles!("path.sql");
const OTHERS: &str = about_roles!("others.sql");
/// The query for a foreign server; its parameters are [`Purpose::owner`] and the name.
pub(crate) const SERVER: &str = about_roles!("foreign_server.sql");

/// A part of a query: `powers (role)`, the roles that are powerful by themselves.
pub const POWERS: &str = include_str!("powers.sql");

/// Restricts unqualified names to PostgreSQL's own objects.
pub const SAFE_PATH: &str = "SET search_path = pg_catalog, pg_temp";

/// The intended use of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose<'a> {
    /// The program only reads. It trusts the role, if there is one.
    Read(Option<&'a str>),
    /// The program writes or creates something. It trusts the role, if there is one.
    Write(Option<&'a str>),
}

impl Purpose<'_> {
    /// The purpose as a parameter of the query.
    pub fn word(&self) -> &'static str {
        match self {
            Purpose::Read(_) => "read",
            Purpose::Write(_) => "write",
        }
    }

    /// The trusted role as a parameter of the query.
    pub fn owner(&self) -> &str {
        let (Purpose::Read(owner) | Purpose::Write(owner)) = self;
        owner.unwrap_or_default()
    }

    /// How often the query must be asked. A query sees the catalogs as they were when it began, but the locks as they are when
    /// it comes to them, so it misses a transaction that commits between these two moments. A second query sees what that one
    /// has committed. It misses no other: a transaction could get its lock only before the first query saw that the right to it
    /// was gone.
    pub fn times(&self) -> usize {
        match self {
            Purpose::Read(_) => 1,
            Purpose::Write(_) => 2,
        }
    }
}

/// The reason why a program must not proceed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The role to be trusted does not exist.
    NoRole(String),
    /// An object belongs to an untrusted role.
    Owner {
        /// The object, such as `function chess.mean_elo(integer,integer)`.
        thing: String,
        /// Its owner.
        role: String,
        /// The object that uses it, such as `trigger t on table chess.games`.
        used_by: Option<String>,
    },
    /// An untrusted role may create triggers on a table.
    Trigger {
        /// The table.
        thing: String,
        /// The role, or PUBLIC.
        role: String,
    },
    /// An untrusted role may create foreign keys to a table.
    References {
        /// The table.
        thing: String,
        /// The role, or PUBLIC.
        role: String,
    },
    /// An untrusted role has a lock on a table, as it would to create a trigger or a foreign key.
    Changing {
        /// The table.
        thing: String,
        /// The role.
        role: String,
    },
    /// An object is of a kind that `door.sql` does not know, because a later PostgreSQL has added it.
    Unknown(String),
}

impl Refusal {
    /// Takes a row of [`CHECK`].
    pub fn new(row: &Row) -> Refusal {
        let (kind, thing, role): (&str, String, String) = (row.get(0), row.get(1), row.get(2));
        match kind {
            "role" => Refusal::NoRole(role),
            "trigger" => Refusal::Trigger { thing, role },
            "references" => Refusal::References { thing, role },
            "changing" => Refusal::Changing { thing, role },
            "unknown" => Refusal::Unknown(thing),
            _ => Refusal::Owner { thing, role, used_by: row.get(3) },
        }
    }

    /// Advice for the user.
    pub fn advice(&self, purpose: Purpose<'_>) -> String {
        match (self, purpose) {
            (Refusal::NoRole(_), _) => "--owner names the role that owns the tables".to_owned(),
            (Refusal::Trigger { role, .. }, _) => format!("REVOKE TRIGGER on it from {role}"),
            (Refusal::References { role, .. }, _) => format!("REVOKE REFERENCES on it from {role}"),
            (Refusal::Unknown(_), _) => "drop it, or take a later version".to_owned(),
            (Refusal::Changing { .. }, _) => "try again when its transaction has ended".to_owned(),
            (Refusal::Owner { role, .. }, Purpose::Write(_)) => {
                format!(
                    "log in as {role} if these are that role's things, trust all who can become it with --owner {role}, \
                     or choose another schema or database"
                )
            }
            (Refusal::Owner { role, .. }, Purpose::Read(_)) => {
                format!("log in as a role that may only read, or trust the owner with --owner {role}")
            }
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoRole(role) => write!(f, "role \"{role}\" does not exist"),
            Refusal::Owner { thing, role, used_by } => {
                write!(f, "{thing} belongs to {role}, whose code would run with your rights")?;
                match used_by {
                    Some(used_by) => write!(f, " ({used_by} uses it)"),
                    None => Ok(()),
                }
            }
            Refusal::Trigger { thing, role } => {
                write!(f, "{role} may create triggers on {thing}, which would run with your rights")
            }
            Refusal::References { thing, role } => {
                write!(f, "{role} may create foreign keys to {thing}, by which code would run with your rights")
            }
            Refusal::Changing { thing, role } => {
                write!(f, "{role} changes {thing} in a transaction, so that its code would run with your rights")
            }
            Refusal::Unknown(thing) => {
                write!(f, "{thing} is of a kind that this version does not know, whose code would run with your rights")
            }
        }
    }
}

/// Refuses a schema if using `names` in it is not safe for this purpose.
///
/// # Errors
///
/// The reason, with advice.
pub fn check(client: &mut impl GenericClient, schema: &str, names: &[&str], purpose: Purpose<'_>) -> Result<()> {
    let mut question = client.transaction()?;
    // compiling the query with JIT takes the server a hundred times as long as running it
    question.batch_execute("SET LOCAL jit = off")?;
    let statement = question.prepare_typed(CHECK, &[Type::TEXT, Type::TEXT, Type::TEXT_ARRAY, Type::TEXT])?;
    let mut row = None;
    for _ in 0..purpose.times() {
        row = question.query_opt(&statement, &[&purpose.owner(), &schema, &names, &purpose.word()])?;
        if row.is_some() {
            break;
        }
    }
    question.rollback()?;
    let Some(row) = row else { return Ok(()) };
    let refusal = Refusal::new(&row);
    bail!("{refusal}: {}", refusal.advice(purpose))
}

/// The names that follow one of these marks in scripts: the names that a program uses.
pub fn names<'s>(scripts: impl IntoIterator<Item = &'s str>, marks: &[&str]) -> Vec<&'s str> {
    let mut names = Vec::new();
    for script in scripts {
        for mark in marks {
            for rest in script.split(mark).skip(1) {
                let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
                names.push(&rest[..end.unwrap_or(rest.len())]);
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    names.retain(|name| !name.is_empty());
    names
}

/// Sets the session to the `search_path` of its user, for SQL that the user has written. If the role is powerful, schemas in
/// which other roles have functions, operators, types, tables or views, or may create some, are left out, unless those roles are
/// trusted for this purpose; `report` is called for each, and for transactions that are waited for.
pub fn users_path(client: &mut impl GenericClient, purpose: Purpose<'_>, mut report: impl FnMut(&str)) -> Result<()> {
    client.batch_execute("SET search_path TO DEFAULT")?;
    let row = client.query_one("SELECT pg_catalog.current_schemas(false)::pg_catalog.text[]", &[])?;
    let mut schemas: Vec<String> = row.get(0);
    client.batch_execute(SAFE_PATH)?;
    let mut path: Option<String> = None;
    // A transaction under way may have created something by a right that its role has lost since, and nobody sees it yet. Those
    // that begin after the first look have no such right in the schemas that it leaves.
    for look in 0..2 {
        let row = client.query_one(PATH, &[&purpose.owner(), &schemas])?;
        let left_out: Vec<String> = row.get(1);
        path = row.get(0);
        schemas.retain(|schema| !left_out.contains(schema));
        for schema in left_out {
            report(&format!(
                "schema {schema} is left out of the search path: others have functions or tables in it, or may create some"
            ));
        }
        if path.is_none() || schemas.is_empty() {
            break;
        }
        if look == 0 {
            wait_for_others(client, purpose, &mut report)?;
        }
    }
    Ok(client.batch_execute(&match path {
        Some(path) => format!("SET search_path = {path}"),
        None => "SET search_path TO DEFAULT".to_owned(),
    })?)
}

/// Waits until the transactions of untrusted roles have ended that are under way now.
fn wait_for_others(client: &mut impl GenericClient, purpose: Purpose<'_>, report: &mut impl FnMut(&str)) -> Result<()> {
    let (began, mut pause, mut is_said) = (Instant::now(), FIRST_PAUSE, false);
    let mut ids: Option<Vec<String>> = None;
    loop {
        let rows = client.query(OTHERS, &[&purpose.owner(), &ids])?;
        let Some(first) = rows.first() else { return Ok(()) };
        if !is_said && began.elapsed() > PATIENCE {
            let who: &str = first.get(1);
            report(&format!("a transaction may have created what your SQL would call: waiting for its end ({who})"));
            is_said = true;
        }
        ids = Some(rows.iter().map(|row| row.get(0)).collect());
        thread::sleep(pause);
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_scripts() {
        let scripts =
            ["CREATE TABLE {schema}.games (x {chess}.y); SELECT {schema}.f(a), '{literal}.g' || '{schema}.'", ""];
        assert_eq!(names(scripts, &["{schema}.", "{literal}."]), ["f", "g", "games"]);
    }

    #[test]
    fn refusals() {
        let owner = |used_by: Option<&str>| Refusal::Owner {
            thing: "function f()".into(),
            role: "mallory".into(),
            used_by: used_by.map(Into::into),
        };
        let text = "function f() belongs to mallory, whose code would run with your rights";
        assert_eq!(owner(None).to_string(), text);
        assert_eq!(owner(Some("view v")).to_string(), format!("{text} (view v uses it)"));
    }
}
