//! Engines with every kind of fault: the outcome, and that no process is left.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use chess_core::Board;
use chess_core::board::fen;
use chess_uci::{Analysis, Engine, EngineError, Failure, Limit, Root, Score, Settings, Standing, Supervisor};

/// Timeout for events that happen, generous because the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(600);
/// Timeout for events that never happen, after one that does.
const IN_VAIN: Duration = Duration::from_secs(10);

/// A directory for each fake engine.
struct Fake {
    folder: PathBuf,
    fault: String,
}

impl Fake {
    /// Creates a script that sets the fault, because tests share one environment.
    fn new(fault: &str) -> Fake {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("chess-uci-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake-engine.pl");
        let script = format!(
            "#!/bin/sh\nexport FAKE_FAULT='{fault}' FAKE_LOG='{0}/log' FAKE_MARK='{0}/mark'\necho $$ >>'{0}/ids'\nexec perl '{1}'\n",
            folder.display(),
            engine.display()
        );
        // Linux executes no file that is open for writing, as what this process has open is in those that other tests are
        // starting: another process writes it.
        fs::write(folder.join("text"), script).unwrap();
        let install = Command::new("install").args(["-m", "755", "text", "engine"]).current_dir(&folder).status();
        assert!(install.unwrap().success());
        Fake { folder, fault: fault.to_owned() }
    }

    fn settings(&self) -> Settings {
        let mut settings = Settings::new(self.folder.join("engine").to_str().unwrap());
        // Events that happen may take minutes on a busy machine. The shorter timeout expires in every run, so it must
        // cover only the events before.
        settings.start = match self.fault.as_str() {
            "says-nothing" | "ignores-everything" | "never-ready" | "leaves-a-child" => IN_VAIN,
            _ => PATIENCE,
        };
        settings
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// Waits until all processes have ended; returns their number.
    fn ended(&self) -> usize {
        let ids = fs::read_to_string(self.folder.join("ids")).unwrap_or_default();
        let deadline = Instant::now() + PATIENCE;
        for id in ids.split_whitespace() {
            while lives(id) {
                assert!(Instant::now() < deadline, "process {id} has not ended");
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        ids.split_whitespace().count()
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Whether a process runs. Zombies do not count.
fn lives(id: &str) -> bool {
    let state = Command::new("ps").args(["-o", "stat=", "-p", id]).output().unwrap();
    let state = String::from_utf8_lossy(&state.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

fn root(board: &Board) -> Root {
    match Standing::of(board).unwrap() {
        Standing::Open(root) => *root,
        Standing::Over(_) => panic!(),
    }
}

const NODES: Limit = Limit::Nodes(1000);

/// Searches the start position with all options.
fn search(fake: &Fake) -> Result<Analysis, Failure> {
    let mut supervisor = Supervisor::new(fake.settings());
    let deadline = match fake.fault.as_str() {
        "hangs" | "floods" | "floods-one-line" => Duration::from_millis(700),
        "once-hangs" | "until-stopped" => IN_VAIN,
        _ => PATIENCE,
    };
    supervisor.search(&root(&Board::default()), NODES, 1, true, Some(deadline), &|| false)
}

#[test]
fn an_engine_without_a_fault() {
    let fake = Fake::new("");
    let mut settings = fake.settings();
    settings.options = vec![("hash".into(), "32".into()), ("Style".into(), "Very Wild".into())];
    let mut engine = Engine::start(&settings).unwrap();
    assert_eq!(engine.name(), "Fake 1");
    let two =
        engine.search(&root(&Board::default()), NODES, 2, PATIENCE, |_| std::ops::ControlFlow::Continue(())).unwrap();
    assert_eq!((two.best.as_str(), two.depth, two.seldepth, two.nodes, two.time_ms), ("e2e4", 7, 9, 60, 2));
    let scores: Vec<_> = two.variations.iter().map(|line| (line.score, line.moves.join(" "))).collect();
    // The last score is only a bound, and the second move of the first line is illegal: both are ignored.
    assert_eq!(scores, [(Score::Cp(30), "e2e4".to_owned()), (Score::Mate(-4), "d2d4".to_owned())]);
    drop(engine);
    assert_eq!(fake.ended(), 1);
    let start = "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let told = format!(
        "uci\nsetoption name hash value 32\nsetoption name Style value Very Wild\nisready\n\
         setoption name MultiPV value 2\nisready\nposition {start}\ngo nodes 1000\nquit\n"
    );
    // An engine that exits too slowly is killed before it logs `quit`.
    assert_eq!(fake.log().trim_end_matches("quit\n"), told.trim_end_matches("quit\n"));
}

/// The fake engine has a hash table of 1 to 64 MiB, and no threads option.
#[test]
fn defaults_come_as_near_as_they_can() {
    for (number, taken) in [(16, 16), (128, 64), (0, 1)] {
        let fake = Fake::new("");
        let mut settings = fake.settings();
        settings.defaults = vec![("Hash".into(), number), ("Threads".into(), 1), ("Style".into(), 1)];
        assert!(Engine::start(&settings).is_ok());
        assert_eq!(fake.ended(), 1);
        assert!(
            fake.log().starts_with(&format!("uci\nsetoption name Hash value {taken}\nisready\n")),
            "{}",
            fake.log()
        );
    }
    // Values that the user has set are not adjusted.
    let fake = Fake::new("");
    let mut settings = fake.settings();
    settings.preferred = vec![("Hash".into(), "128".into())];
    assert_eq!(Engine::start(&settings).err(), Some(EngineError::OptionValue("Hash".into(), "128".into())));
    assert_eq!(fake.ended(), 1);
}

#[test]
fn options_are_checked() {
    let with = |name: &str, value: &str| {
        let fake = Fake::new("");
        let mut settings = fake.settings();
        settings.options = vec![(name.into(), value.into())];
        let result = Supervisor::new(settings).engine(&|| false).err().map(|failure| failure.to_string());
        assert_eq!(fake.ended(), 1, "a setting that cannot be is tried once");
        assert!(!fake.log().contains("setoption") || result.is_none());
        result
    };
    assert_eq!(with("Hash", "64"), None);
    assert_eq!(with("Clear Hash", ""), None);
    assert_eq!(with("Hash", "65").as_deref(), Some("does not take \"65\" for its option \"Hash\""));
    assert_eq!(with("Skill", "1").as_deref(), Some("has no option \"Skill\""));
    for (name, value) in [("Hash", "x"), ("UCI_Chess960", "1"), ("Style", "Odd"), ("Style", "Quiet\nquit")] {
        assert!(with(name, value).is_some(), "{name} {value}");
    }
}

#[test]
fn no_engine_at_all() {
    let start = |program: &str| {
        let mut settings = Settings::new(program);
        settings.start = if program == "cat" { IN_VAIN } else { PATIENCE };
        Engine::start(&settings).map(|_| ()).unwrap_err()
    };
    assert_eq!(start("/no/such/engine"), EngineError::NotFound);
    assert_eq!(start("no-such-engine"), EngineError::NotFound);
    assert_eq!(start("/etc"), EngineError::NotFound);
    assert!(matches!(start("/etc/passwd"), EngineError::Died(_, tail) if tail.contains("ermission denied")));
    assert!(matches!(start("true"), EngineError::Died(status, _) if status == "exit status: 0"));
    // It echoes its input.
    assert_eq!(start("cat"), EngineError::NotUci("uci".into()));
}

#[test]
fn faults_at_the_start() {
    let result = |fault: &str| {
        let fake = Fake::new(fault);
        let result = search(&fake).unwrap_err();
        assert_eq!(fake.ended(), 3, "{fault}: it is started three times");
        match result {
            Failure::Engine(error) => error,
            other => panic!("{fault}: {other:?}"),
        }
    };
    let died = EngineError::Died("exit status: 3".into(), "cannot open network file".into());
    // In parallel, since they mostly wait.
    std::thread::scope(|scope| {
        for (fault, error) in [
            ("dies-at-start", died),
            ("says-nothing", EngineError::NotUci(String::new())),
            ("ignores-everything", EngineError::NotUci(String::new())),
            ("never-ready", EngineError::Late("readyok")),
            ("floods-at-start", EngineError::NotUci("a flood".into())),
        ] {
            scope.spawn(move || assert_eq!(result(fault), error));
        }
    });
}

#[test]
fn faults_while_it_searches() {
    for (fault, expected) in [
        ("hangs", EngineError::Late("bestmove")),
        ("floods", EngineError::Floods),
        ("floods-one-line", EngineError::Late("bestmove")),
        ("illegal", EngineError::IllegalMove("e1e8".into())),
        ("none", EngineError::NoMove),
        ("no-score", EngineError::NoScore),
    ] {
        let fake = Fake::new(fault);
        let result = search(&fake).unwrap_err();
        // Reading the flood may be slower than the deadline.
        let is_late_flood = fault == "floods" && result == Failure::Position(EngineError::Late("bestmove"));
        assert!(result == Failure::Position(expected) || is_late_flood, "{fault}: {result:?}");
        assert_eq!(fake.ended(), 2, "{fault}: it is tried twice");
    }
    let fake = Fake::new("dies");
    let Failure::Position(EngineError::Died(status, tail)) = search(&fake).unwrap_err() else { panic!() };
    assert!(status.starts_with("signal: 11"), "{status}");
    // An incomplete line is not reported.
    assert!(!tail.contains("score cp 3"), "{tail}");
}

#[test]
fn a_move_without_a_score_is_one_where_only_the_move_is_needed() {
    let fake = Fake::new("no-score");
    let mut supervisor = Supervisor::new(fake.settings());
    let analysis = supervisor.search(&root(&Board::default()), NODES, 0, true, None, &|| false).unwrap();
    assert_eq!((analysis.best.as_str(), analysis.variations.len()), ("e2e4", 0));
    drop(supervisor);
    assert_eq!(fake.ended(), 1);
}

#[test]
fn what_happens_once_costs_a_new_start() {
    for fault in ["once-hangs", "once-dies"] {
        let fake = Fake::new(fault);
        let analysis = search(&fake).unwrap();
        assert_eq!((analysis.best.as_str(), analysis.stopped), ("e2e4", false), "{fault}");
        assert_eq!(fake.ended(), 2, "{fault}");
    }
}

#[test]
fn three_failures_in_a_row_are_the_engine_s() {
    let fake = Fake::new("dies");
    let mut supervisor = Supervisor::new(fake.settings());
    let mut ask = || supervisor.search(&root(&Board::default()), NODES, 1, false, None, &|| false);
    assert!(matches!(ask(), Err(Failure::Position(_))));
    assert!(matches!(ask(), Err(Failure::Engine(_))));
    assert_eq!(fake.ended(), 3);
}

#[test]
fn a_score_without_moves_takes_no_moves_away() {
    let fake = Fake::new("ends-without-moves");
    let analysis = search(&fake).unwrap();
    assert_eq!((analysis.depth, analysis.variations[0].score), (7, Score::Cp(30)));
    assert_eq!(analysis.variations[0].moves, ["e2e4", "e7e5"]);
}

#[test]
fn half_lines_are_put_together() {
    let fake = Fake::new("half-lines");
    let analysis = search(&fake).unwrap();
    assert_eq!((analysis.best.as_str(), analysis.depth, analysis.nodes), ("e2e4", 3, 7));
    assert_eq!(analysis.variations[0].moves, ["e2e4", "e7e5"]);
}

#[test]
fn a_search_that_is_late_is_stopped_and_kept() {
    let fake = Fake::new("until-stopped");
    let analysis = search(&fake).unwrap();
    assert!(analysis.stopped);
    assert_eq!((analysis.depth, analysis.variations[0].score), (9, Score::Cp(31)));
    assert_eq!(fake.ended(), 1);
    // The caller can stop the search, too.
    let fake = Fake::new("until-stopped");
    let mut engine = Engine::start(&fake.settings()).unwrap();
    let visit = |seen: &Analysis| match seen.depth {
        9 => std::ops::ControlFlow::Break(()),
        _ => std::ops::ControlFlow::Continue(()),
    };
    let analysis = engine.search(&root(&Board::default()), Limit::Depth(30), 1, PATIENCE, visit).unwrap();
    assert!(analysis.stopped && analysis.depth == 9);
}

#[test]
fn a_search_is_broken_off_if_that_is_wanted() {
    for (fault, starts) in [("until-stopped", 1), ("hangs", 1)] {
        let fake = Fake::new(fault);
        let mut supervisor = Supervisor::new(fake.settings()).breaking_off();
        let searches = || fake.log().contains("go nodes");
        let broken_off = supervisor.search(&root(&Board::default()), NODES, 1, false, Some(PATIENCE), &searches);
        assert_eq!(broken_off, Err(Failure::Stopped), "{fault}");
        drop(supervisor);
        assert_eq!(fake.ended(), starts, "{fault}");
    }
}

#[test]
fn chess960_is_asked_of_those_who_know_it() {
    let board = fen::read("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1").unwrap();
    let fake = Fake::new("no-960");
    let mut supervisor = Supervisor::new(fake.settings());
    let result = supervisor.search(&root(&board), NODES, 1, false, None, &|| false);
    assert_eq!(result, Err(Failure::Position(EngineError::NoChess960)));
    assert!(!fake.log().contains("position"));
    assert_eq!(supervisor.search(&root(&Board::default()), NODES, 1, false, None, &|| false).unwrap().best, "e2e4");
    let fake = Fake::new("");
    let mut supervisor = Supervisor::new(fake.settings());
    for _ in 0..2 {
        // its move is illegal there
        let _ = supervisor.search(&root(&board), NODES, 1, false, None, &|| false);
    }
    let told = fake.log();
    assert!(told.contains("setoption name UCI_Chess960 value true\nisready\nposition fen 1r2k1r1/"), "{told}");
}

#[test]
fn a_stop_is_heard_between_starts() {
    let fake = Fake::new("dies-at-start");
    let mut supervisor = Supervisor::new(fake.settings());
    let asked = std::cell::Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > 1
    };
    assert_eq!(supervisor.engine(&stop).map(|_| ()), Err(Failure::Stopped));
    assert_eq!(fake.ended(), 1);
}

/// An engine that ignores the end of its input, with a child process that keeps its output open.
#[test]
fn nothing_is_left() {
    let fake = Fake::new("stays");
    let engine = Engine::start(&fake.settings()).unwrap();
    drop(engine);
    assert_eq!(fake.ended(), 1);
    let fake = Fake::new("leaves-a-child");
    assert!(Engine::start(&fake.settings()).is_err());
    fake.ended();
    let group = fs::read_to_string(fake.folder.join("ids")).unwrap();
    let left = || Command::new("pgrep").args(["-r", "R,S,D", "-g", group.trim()]).output().unwrap().stdout;
    let deadline = Instant::now() + PATIENCE;
    while !left().is_empty() {
        assert!(Instant::now() < deadline, "a child process outlives the engine");
        std::thread::sleep(Duration::from_millis(10));
    }
}
