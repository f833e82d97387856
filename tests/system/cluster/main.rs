//! Four servers and their coordinator (`make cluster`) answer 35 questions as one plain table without indexes does, and
//! the explorer and its page as those of one server. Generated games go in; the answers of both come out, with the number
//! of rows that travel between servers. A server that is down is an error, and never a part of the answer.
//!
//! It is one test, because its stories change the same servers one after the other.

mod explorer;
mod page;
mod questions;
mod refusals;

use std::fs;
use std::path::{Path, PathBuf};

use chess_system::{Client, Folder, Program, built, number, pg_config, read, repository, skip, tool};

/// How many servers hold games.
const NODES: u32 = 4;

/// The servers, and on the coordinator's a database "plain" that has the games of all of them.
struct Cluster {
    folder: Folder,
    /// The directory in which each server has its own.
    servers: PathBuf,
    files: Vec<String>,
    games: u32,
}

impl Cluster {
    fn start(games: u32) -> Cluster {
        let folder = Folder::new();
        shards(&folder, games, "start");
        let servers = fs::canonicalize(folder.path("cluster/servers")).unwrap();
        let shares = (1..=NODES).map(|n| String::from_utf8(read(folder.path(&format!("cluster/shares.{n}")))).unwrap());
        let files = shares.flat_map(|share| share.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
        Cluster { folder, servers, files, games }
    }

    /// The database in which all servers are one.
    fn all(&self) -> Client {
        Client::new(&self.servers.join("coordinator"), "chess")
    }

    /// The plain table.
    fn plain(&self) -> Client {
        Client::new(&self.servers.join("coordinator"), "plain")
    }

    /// The database of one server.
    fn node(&self, n: u32) -> Client {
        Client::new(&self.servers.join(format!("node{n}")), "chess")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        shards(&self.folder, self.games, "stop");
    }
}

fn shards(folder: &Folder, games: u32, command: &str) {
    tool(repository("scripts/shards.sh"))
        .arg(command)
        .env("CLUSTER", folder.path("cluster"))
        .env("GAMES", games.to_string())
        .env("NODES", NODES.to_string())
        .succeeds();
}

/// A file of SQL beside this one, by psql, because it has variables.
fn psql(client: &Client, file: &str, variables: &[(&str, &str)]) {
    let mut psql = client.psql();
    for (name, value) in variables {
        psql = psql.arg("-v").arg(format!("{name}={value}"));
    }
    psql.arg("-f").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("cluster").join(file)).succeeds();
}

/// The loader on a database.
fn pgn(client: &Client, words: &str) -> Program {
    client.program(built("chess-pgn")).words(words)
}

#[test]
#[ignore = "needs a server"]
fn four_servers_answer_as_one() {
    if !pg_config("sharedir").join("extension/postgres_fdw.control").exists() {
        return skip(
            "servers together: this server has no extension postgres_fdw",
            "in a PostgreSQL that is built from source: make -C contrib install",
        );
    }
    let cluster = Cluster::start(number("GAMES", 60_000));
    questions::one_plain_table(&cluster);
    questions::every_question_has_the_same_answer(&cluster);
    questions::few_rows_travel(&cluster);
    explorer::the_explorer_answers_from_the_indexes(&cluster);
    explorer::few_rows_travel(&cluster);
    explorer::pages_list_every_game_once(&cluster);
    explorer::roles_are_told_of_what_they_see(&cluster);
    explorer::games_come_and_go(&cluster);
    page::the_page_is_that_of_one_server(&cluster);
    page::a_path_answers_from_a_source(&cluster);
    refusals::programs_write_on_each_server_by_itself(&cluster);
    refusals::servers_that_cannot_be_one_schema(&cluster);
    questions::times(&cluster);
    page::an_address_is_found(&cluster);
    questions::a_server_that_is_down_is_an_error(&cluster);
}
