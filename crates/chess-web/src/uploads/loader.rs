//! Runs `chess-pgn`: arguments go in; the job gets each line of its JSON, and how it ended.

use std::future::pending;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use axum::http::StatusCode;
use chess_db::schema::Schema;
use serde_json::Value as Json_;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

use crate::failure::{Failure, Outcome};
use crate::http::places::{Budget, Place};
use crate::uploads::job::{Job, Stage};

/// Address space of the loader in KiB, whatever a hostile file asks for. It uses a fraction of that.
const MEMORY: &str = "4194304";
/// Sets a limit where the system has one, and becomes the loader.
const LIMITED: &str = "ulimit -v \"$0\" 2>/dev/null; exec \"$@\"";

/// Asks a process to end.
const INTERRUPT: &str = "kill -INT \"$0\"";

/// How long a load or an analysis goes on while another address waits for its place; a load longer only if it has stored
/// nothing new by then.
const SLICE: Duration = Duration::from_secs(20);
/// How long an analysis that gives way may take to store what it has found.
const LEAVING: Duration = Duration::from_secs(10);
/// How long the loader may take to replace a game, which waits for whoever changes it at the same time.
const REPLACING: Duration = Duration::from_secs(60);

/// What a run does when another address waits for its place.
#[derive(Clone, Copy)]
enum Turn<'a> {
    /// It goes on.
    Stays,
    /// A load is killed: it stores in transactions, and its next run goes on behind them.
    Load(&'a Place),
    /// An analysis is interrupted, and stores what it has found. Its next run finds that.
    Analysis(&'a Place),
}

/// How a run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It has done its work.
    Done,
    /// It has failed, or was cancelled.
    Failed,
    /// It was broken off for another address: the next run goes on behind what it has stored.
    GaveWay,
}

/// What a file of an archive counts at least, in bytes: its rows, and what is remembered of it.
const MEMBER: u64 = 64 << 10;
/// What an analysis of a position counts, in bytes: its row.
pub const FINDING: u64 = 1 << 10;

/// The loader, the database that it writes to, and how much it may write there.
pub struct Loader {
    program: PathBuf,
    database: Option<String>,
    schema: String,
    /// A role that the loader trusts, too.
    owner: Option<String>,
    /// Bytes that each address may have stored.
    stored: Budget,
}

impl Loader {
    /// The loader `program`, or `chess-pgn` beside this program, or in PATH. It stores `daily` bytes a day for an address.
    ///
    /// # Errors
    ///
    /// It cannot be run, or is of another version.
    pub fn new(program: Option<&Path>, database: Option<String>, schema: &Schema, daily: f64) -> Result<Loader> {
        let beside = || Some(std::env::current_exe().ok()?.with_file_name("chess-pgn")).filter(|path| path.exists());
        let program = program.map(Path::to_owned).or_else(beside).unwrap_or_else(|| "chess-pgn".into());
        let asked = std::process::Command::new(&program).arg("--version").output();
        let said = asked.with_context(|| format!("--upload needs the loader, {}", program.display()))?;
        let (said, wanted) = (String::from_utf8_lossy(&said.stdout), concat!("chess-pgn ", env!("CARGO_PKG_VERSION")));
        if said.trim() != wanted {
            bail!("--upload needs {wanted}: {} is {:?}", program.display(), said.trim());
        }
        Ok(Loader {
            program,
            database,
            schema: schema.name.clone(),
            owner: schema.owner.clone(),
            stored: Budget::daily(daily),
        })
    }

    /// Counts bytes that are stored for an address.
    ///
    /// # Errors
    ///
    /// 429 if they are too many in a day.
    pub fn stores(&self, address: IpAddr, bytes: u64) -> Outcome<()> {
        match self.stored.takes(address, bytes as f64) {
            true => Ok(()),
            false => {
                let error = "this address has sent too much today; try again tomorrow";
                let failure = Failure::new(StatusCode::TOO_MANY_REQUESTS, error);
                Err(failure.hint("chess-web --upload-daily sets how much").tomorrow())
            }
        }
    }

    /// Counts bytes that have been stored for an address already.
    pub fn has_stored(&self, address: IpAddr, bytes: u64) {
        self.stored.owes(address, bytes as f64);
    }

    /// Takes a source that was made for a job. The first one was counted with what was sent; each further one of an archive
    /// counts as well, and ends the job if it is too much.
    fn makes(&self, job: &Job, source: i32) {
        if job.makes(source) > 1
            && let Err(failure) = self.stores(job.owner.address, MEMBER)
        {
            job.breaks_off(failure.error);
        }
    }

    /// A command, with as many KiB of address space for it and for what it starts; `None`: as many as this program.
    fn command(&self, subcommand: &str, memory: Option<&str>) -> Command {
        let mut command = match memory {
            Some(memory) => {
                let mut command = Command::new("sh");
                command.args(["-c", LIMITED, memory]).arg(&self.program);
                command
            }
            None => Command::new(&self.program),
        };
        command.args([subcommand, "--schema", &self.schema]);
        if let Some(owner) = &self.owner {
            command.args(["--owner", owner]);
        }
        if let Some(database) = &self.database {
            command.args(["--database", database]);
        }
        command.stdin(Stdio::null()).kill_on_drop(true);
        command
    }

    /// Loads a file of a directory. With `index`, creates the indexes afterwards. Of an unpacked file, `most` MiB are read.
    /// It gives way to others who wait for the place.
    pub async fn load(&self, job: &Job, place: &Place, directory: &Path, name: &str, index: bool, most: u64) -> Ended {
        let mut command = self.command("load", Some(MEMORY));
        command.args(["--json", "--apart", "--clocks", "--evals", "--most", &most.to_string()]);
        if index {
            command.arg("--index");
        }
        command.arg("--").arg(name).current_dir(directory);
        job.goes_on(Stage::Loading);
        let ended = self.run(job, command, Turn::Load(place)).await;
        match ended {
            Ended::Done => job.goes_on(Stage::Done),
            Ended::Failed => job.fails("the games could not be loaded to the end; the log of chess-web says why"),
            Ended::GaveWay => job.pauses(),
        }
        ended
    }

    /// Removes a source with its games.
    pub async fn unload(&self, job: &Job, source: i32) {
        let mut command = self.command("unload", Some(MEMORY));
        command.args(["--source", &source.to_string()]);
        job.goes_on(Stage::Removing);
        match self.run(job, command, Turn::Stays).await {
            Ended::Done => job.goes_on(Stage::Done),
            _ => job.fails("the games could not be removed; the log of chess-web says why"),
        }
    }

    /// Replaces a game as the arguments say, by `pgn`. Returns what the loader reports; `None` if it reports nothing, or
    /// takes too long.
    pub async fn replace(&self, game: i64, arguments: &[&str], pgn: &str) -> Option<Json_> {
        let mut command = self.command("replace", Some(MEMORY));
        command.args(["--json", "--game", &game.to_string()]).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let work = async {
            let mut child = command.spawn()?;
            if let Some(mut input) = child.stdin.take() {
                // a loader that has ended reports why
                let _ = input.write_all(pgn.as_bytes()).await;
            }
            child.wait_with_output().await
        };
        match timeout(REPLACING, work).await {
            Ok(Ok(output)) => serde_json::from_slice(&output.stdout).ok(),
            Ok(Err(error)) => {
                tracing::error!("{}: {error}", self.program.display());
                None
            }
            Err(_) => {
                tracing::error!("game {game} was not replaced: after {} s it was still locked", REPLACING.as_secs());
                None
            }
        }
    }

    /// Has an engine go through the games of a job, by the arguments that name it; their mistakes become puzzles. It gives way to
    /// others who wait for the place.
    pub async fn analyze(&self, job: &Job, place: &Place, engine: &[String]) -> Ended {
        // the engine takes what memory its options say, and the games are stored ones
        let games: Vec<String> = job.games.iter().map(i64::to_string).collect();
        let mut command = self.command("analyze", None);
        command
            .args(["--json", "--puzzles", "--workers", "1", "--where", &format!("id IN ({})", games.join(", "))])
            .args(engine);
        job.goes_on(Stage::Analyzing);
        let ended = self.run(job, command, Turn::Analysis(place)).await;
        match ended {
            Ended::Done => job.goes_on(Stage::Done),
            Ended::Failed => job.fails("the analysis did not come to its end; the log of chess-web says why"),
            Ended::GaveWay => job.goes_on(Stage::Waiting),
        }
        ended
    }

    /// Runs to the end, or until the job is cancelled, which kills the process, or gives way: it stores in transactions.
    async fn run(&self, job: &Job, mut command: Command, turn: Turn<'_>) -> Ended {
        let mut child = match command.stdout(Stdio::piped()).spawn() {
            Ok(child) => child,
            Err(error) => {
                tracing::error!("{}: {error}", self.program.display());
                return Ended::Failed;
            }
        };
        let Some(out) = child.stdout.take() else { return Ended::Failed };
        let mut lines = BufReader::new(out).lines();
        let process = child.id();
        let work = async {
            let mut is_done = false;
            while let Ok(Some(line)) = lines.next_line().await {
                let Ok(report) = serde_json::from_str::<Json_>(&line) else { continue };
                if let Some(source) = report["made"].as_i64() {
                    self.makes(job, source as i32);
                    continue;
                }
                if report["finishing"] == true {
                    job.goes_on(Stage::Finishing);
                    continue;
                }
                is_done |= report["done"] == true;
                job.reports(report);
            }
            let status = child.wait().await;
            // files that cannot be read are told in the report
            let is_done = if let Turn::Load(_) = turn { is_done } else { status.is_ok_and(|status| status.success()) };
            if is_done { Ended::Done } else { Ended::Failed }
        };
        tokio::pin!(work);
        tokio::select! {
            ended = &mut work => return ended,
            () = gives_way(job, turn) => (),
            () = job.cancelled() => return Ended::Failed,
        }
        if let Turn::Analysis(_) = turn
            && let Some(process) = process
        {
            // it has not been waited for, so the number is its own
            let asked = Command::new("sh").args(["-c", INTERRUPT, &process.to_string()]).status().await;
            if asked.is_ok() && timeout(LEAVING, work).await == Ok(Ended::Done) {
                return Ended::Done;
            }
        }
        Ended::GaveWay
    }
}

/// Returns when a load or an analysis gives way.
async fn gives_way(job: &Job, turn: Turn<'_>) {
    let (Turn::Load(place) | Turn::Analysis(place)) = turn else { return pending().await };
    let mut offer = place.offer();
    tokio::time::sleep(SLICE).await;
    offer.asked().await;
    // indexes are not made twice
    while matches!(turn, Turn::Load(_)) && (job.stage() != Stage::Loading || !job.has_progress()) {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
