//! Exact values of positions with few men, from endgame tables in the format of Syzygy.
//!
//! Takes directories with tables (`KQvK.rtbw`, `KQvK.rtbz`) and boards; returns a [`Verdict`], `None` where no table
//! says anything, or a [`Fault`]. The tables are read by the crate shakmaty-syzygy.
//!
//! # Files that are not tables
//!
//! Anything may be in the directories. Small files are read as a whole, others with `pread`; none is mapped into memory, because a mapped file
//! that shrinks kills the process. A damaged file is a [`Fault`] of the positions that need it, also where its reader
//! panics; positions of other tables are answered.
//!
//! # Open files
//!
//! A table is opened when it is first needed, and stays open. There may be more than a thousand; when more than
//! [`MAX_OPEN`] are open, all are closed.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::FileExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chess_core::Board;
use chess_core::board::IllegalPosition;
use shakmaty::san::{SanPlus, Suffix};
use shakmaty::{CastlingMode, Chess, Move, Position};
use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};
use shakmaty_syzygy::{Material, ProbeError, SyzygyError, Tablebase};

/// The number of files that may be open at once.
const MAX_OPEN: usize = 100;

/// The size of files that are read as a whole, in bytes.
const SMALL: u64 = 1 << 18;

/// What the tables say of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// For the side to move: 2 won, 1 won but drawn by the fifty-move rule, 0 drawn, -1 lost but drawn by the fifty-move
    /// rule, -2 lost. As if a capture or a pawn move had just been made.
    pub wdl: i32,
    /// What only the tables of distances say; `None` if one of them is missing.
    pub line: Option<Line>,
}

/// Distances to the next capture or pawn move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Half-moves to the next capture, pawn move or mate in best play, with the sign of `wdl`; 0 if the position is
    /// drawn. Values beyond 100 are those of positions that the fifty-move rule draws. May be one too small, because
    /// most tables count moves, not half-moves.
    pub dtz: i32,
    /// The best moves in UCI, in the order of their text: those that keep the result, and of these the ones that win
    /// soonest or lose latest. None if the game is over.
    pub best: Vec<String>,
}

/// A legal move, and what the tables say of the position after it, for the side that moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveValue {
    /// The move in SAN, with a check or mate mark.
    pub san: String,
    /// The move in UCI.
    pub uci: String,
    /// Whether it is a capture or a pawn move, after which the fifty-move rule counts anew.
    pub is_zeroing: bool,
    /// As [`Verdict::wdl`], for the side that moves; `None` if no table says.
    pub wdl: Option<i32>,
    /// As [`Line::dtz`], for the side that moves; `None` if no table of distances says.
    pub dtz: Option<i32>,
    /// The table that is missing, if it has so few men that somebody may have made it.
    pub missing: Option<String>,
}

/// Nobody has made tables of more men, so none of them is missing.
const MOST_MEN: usize = 7;

/// Why a position that tables should know has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The rules of chess do not apply to the board.
    Illegal(IllegalPosition),
    /// A table cannot be read, or is damaged: its name and the reason.
    Table(String, String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Illegal(reason) => write!(f, "{reason}"),
            Fault::Table(name, reason) => write!(f, "the table {name} {reason}"),
        }
    }
}

impl std::error::Error for Fault {}

/// The reason for a fault of a file that does not decode.
const DAMAGED: &str = "is damaged";

/// The tables in some directories.
pub struct Tablebases {
    /// The files of tables, as found when the directories were read.
    files: Vec<PathBuf>,
    tables: Tablebase<Chess>,
    /// Tables that were refused by their size, by material, and why.
    refused: BTreeMap<String, Fault>,
    open: Arc<AtomicUsize>,
}

/// A directory that cannot be read.
#[derive(Debug)]
pub struct Unreadable {
    /// As it was named.
    pub directory: String,
    /// Why not.
    pub error: io::Error,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.directory, self.error)
    }
}

impl std::error::Error for Unreadable {}

impl fmt::Debug for Tablebases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tablebases").field("files", &self.files.len()).finish_non_exhaustive()
    }
}

impl Tablebases {
    /// Reads directories, separated by colons. Files that are not tables are ignored.
    ///
    /// # Errors
    ///
    /// A directory cannot be read.
    pub fn open(directories: &str) -> Result<Tablebases, Unreadable> {
        let mut files = Vec::new();
        for directory in directories.split(':').filter(|directory| !directory.is_empty()) {
            let named = |error| Unreadable { directory: directory.to_owned(), error };
            for entry in std::fs::read_dir(directory).map_err(named)? {
                let path = entry.map_err(named)?.path();
                if path.extension().is_some_and(|extension| extension == "rtbw" || extension == "rtbz") {
                    files.push(path);
                }
            }
        }
        // The last of two files for the same pieces counts: so does the first directory.
        files.reverse();
        let open = Arc::new(AtomicUsize::new(0));
        let mut tablebases =
            Tablebases { files, tables: Tablebase::new(), refused: BTreeMap::new(), open: Arc::clone(&open) };
        tablebases.close();
        Ok(tablebases)
    }

    /// The number of files of tables.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there are no tables.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The number of men of the largest table, which may be damaged.
    pub fn max_men(&self) -> usize {
        // a name has a letter for each man, and the "v" between the sides
        let refused = self.refused.keys().map(|name| name.len() - 1).max().unwrap_or(0);
        self.tables.max_pieces().max(refused)
    }

    /// Closes all files, and looks at their sizes again.
    fn close(&mut self) {
        self.tables =
            Tablebase::with_filesystem(Arc::new(Files { names: OsFilesystem::new(), open: Arc::clone(&self.open) }));
        self.refused.clear();
        for path in &self.files {
            let stem = normalized(&path.file_stem().unwrap_or_default().to_string_lossy());
            match self.tables.add_file(path) {
                Ok(()) => (),
                // another name than that of a table
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => (),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    self.refused.insert(stem, fault(path, DAMAGED));
                }
                Err(error) => {
                    self.refused.insert(stem, fault(path, &format!("cannot be read: {error}")));
                }
            }
        }
    }

    /// What the tables say of a board. `None` if the board has castling rights, which no table knows, or if a table is
    /// missing, for it or for what captures and promotions lead to.
    ///
    /// # Errors
    ///
    /// [`Fault`]
    pub fn probe(&mut self, board: &Board) -> Result<Option<Verdict>, Fault> {
        let position = board.position().map_err(Fault::Illegal)?;
        if position.castles().any() || position.board().occupied().count() > self.max_men().max(2) {
            return Ok(None);
        }
        let verdict = self.verdict(&position);
        if self.open.load(Ordering::Relaxed) > MAX_OPEN {
            self.close();
        }
        verdict
    }

    /// The legal moves of a board, the best first as [`Line::best`] has them, then those that no table values.
    ///
    /// # Errors
    ///
    /// [`Fault`]
    pub fn moves(&mut self, board: &Board) -> Result<Vec<MoveValue>, Fault> {
        let position = board.position().map_err(Fault::Illegal)?;
        let mut ranked = Vec::new();
        for played in position.legal_moves() {
            let value = self.move_value(&position, played)?;
            ranked.push((value.0, value.1.uci.clone(), value.1));
        }
        ranked.sort_unstable_by(|one, other| {
            (one.0.is_none(), &one.0, &one.1).cmp(&(other.0.is_none(), &other.0, &other.1))
        });
        if self.open.load(Ordering::Relaxed) > MAX_OPEN {
            self.close();
        }
        Ok(ranked.into_iter().map(|(_, _, value)| value).collect())
    }

    /// A move with its value, and its rank, if a table says what it is.
    fn move_value(&self, position: &Chess, played: Move) -> Result<(Option<Rank>, MoveValue), Fault> {
        let mut after = position.clone();
        let san = SanPlus::from_move_and_play_unchecked(&mut after, played);
        let (wdl, dtz) = match after.board().occupied().count() > self.max_men().max(2) {
            true => (Err(some_table(&Material::from_board(after.board()))), Err(None)),
            false => (
                self.known(&after, |tables| tables.probe_wdl_after_zeroing(&after))?.map(i32::from),
                self.known(&after, |tables| tables.probe_dtz(&after))?.map(|dtz| dtz.ignore_rounding().0),
            ),
        };
        let rank = wdl.as_ref().ok().map(|wdl| {
            let is_mate = matches!(san.suffix, Some(Suffix::Checkmate));
            rank(*wdl, dtz.as_ref().map_or(0, |dtz| *dtz), is_mate, played.is_zeroing())
        });
        let value = MoveValue {
            san: san.to_string(),
            uci: played.to_uci(CastlingMode::Standard).to_string(),
            is_zeroing: played.is_zeroing(),
            wdl: wdl.as_ref().ok().map(|wdl| -wdl),
            dtz: wdl.is_ok().then(|| dtz.as_ref().ok().map(|dtz| -dtz)).flatten(),
            missing: wdl.err().or(dtz.err()).flatten(),
        };
        Ok((rank, value))
    }

    fn verdict(&self, position: &Chess) -> Result<Option<Verdict>, Fault> {
        let Ok(wdl) = self.known(position, |tables| tables.probe_wdl_after_zeroing(position))? else {
            return Ok(None);
        };
        Ok(Some(Verdict { wdl: wdl.into(), line: self.known(position, |tables| line(tables, position))?.ok() }))
    }

    /// What the tables say. The inner error is the name of a table that is missing, or nothing where there can be none.
    fn known<T>(
        &self,
        position: &Chess,
        probe: impl FnOnce(&Tablebase<Chess>) -> Result<T, SyzygyError>,
    ) -> Result<Result<T, Option<String>>, Fault> {
        // A damaged table may make its reader panic.
        match catch_unwind(AssertUnwindSafe(|| probe(&self.tables))) {
            Ok(Ok(value)) => Ok(Ok(value)),
            Ok(Err(SyzygyError::Castling)) => Ok(Err(None)),
            Ok(Err(SyzygyError::TooManyPieces)) => self.missing(&Material::from_board(position.board())),
            Ok(Err(SyzygyError::MissingTable { material, .. })) => self.missing(&material),
            Ok(Err(SyzygyError::ProbeFailed { material, error, .. })) => Err(Fault::Table(
                name(&material),
                match *error {
                    ProbeError::Read { error } => format!("cannot be read: {error}"),
                    _ => DAMAGED.into(),
                },
            )),
            Err(_) => Err(Fault::Table(name(&Material::from_board(position.board())), DAMAGED.into())),
        }
    }

    /// The name of the table, unless it is there and was refused.
    fn missing<T>(&self, material: &Material) -> Result<Result<T, Option<String>>, Fault> {
        self.refused.get(&name(material)).map_or(Ok(Err(some_table(material))), |fault| Err(fault.clone()))
    }
}

/// The name of a table, by which its two spellings (KQvK and KvKQ) are one.
fn name(material: &Material) -> String {
    normalized(&material.to_string())
}

/// The name of a table that there may be somewhere.
fn some_table(material: &Material) -> Option<String> {
    // a name has a letter for each man, and the "v" between the sides
    Some(name(material)).filter(|name| name.len() <= MOST_MEN + 1)
}

/// The longer side of the name of a table goes first, and of two of one length the one with the stronger men.
fn normalized(name: &str) -> String {
    const STRENGTH: &str = "PNBRQK";
    let strength = |side: &str| (side.len(), side.chars().map(|man| STRENGTH.find(man)).collect::<Vec<_>>());
    match name.split_once('v') {
        Some((one, other)) if strength(one) < strength(other) => format!("{other}v{one}"),
        _ => name.to_owned(),
    }
}

/// A fault of a file.
fn fault(path: &Path, reason: &str) -> Fault {
    Fault::Table(path.file_name().unwrap_or_default().to_string_lossy().into_owned(), reason.into())
}

/// The distance of a position, and its best moves.
fn line(tables: &Tablebase<Chess>, position: &Chess) -> Result<Line, SyzygyError> {
    let dtz = tables.probe_dtz(position)?.ignore_rounding().0;
    let mut moves = Vec::new();
    for played in position.legal_moves() {
        moves.push((order(tables, position, played)?, played));
    }
    let least = moves.iter().map(|(order, _)| *order).min();
    let mut best: Vec<String> = moves
        .into_iter()
        .filter(|(order, _)| Some(*order) == least)
        .map(|(_, played)| played.to_uci(CastlingMode::Standard).to_string())
        .collect();
    best.sort_unstable();
    Ok(Line { dtz, best })
}

fn order(tables: &Tablebase<Chess>, position: &Chess, played: Move) -> Result<Rank, SyzygyError> {
    let mut after = position.clone();
    after.play_unchecked(played);
    let wdl = i32::from(tables.probe_wdl_after_zeroing(&after)?);
    let dtz = tables.probe_dtz(&after)?.ignore_rounding().0;
    Ok(rank(wdl, dtz, after.is_checkmate(), played.is_zeroing()))
}

/// The place of a move among others: the best move has the lowest rank.
type Rank = (i32, bool, bool, i32);

/// Ranks a move by the value of the position after it. A better result comes first. Of moves with the same result a mate comes
/// first, then the captures and pawn moves that win, because they restart the count of fifty moves. The distance to the next
/// one decides among the rest: the winner wants it short, the loser long.
fn rank(wdl: i32, dtz: i32, is_mate: bool, is_zeroing: bool) -> Rank {
    (wdl, !is_mate, wdl != 0 && is_zeroing != (wdl < 0), if wdl == 0 { 0 } else { -dtz })
}

/// Opens files, and counts those that are open.
struct Files {
    names: OsFilesystem,
    open: Arc<AtomicUsize>,
}

impl Filesystem for Files {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.names.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.names.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        let file = File::open(path)?;
        let contents = match file.metadata()?.len() {
            len @ 0..=SMALL => {
                let mut bytes = Vec::with_capacity(len as usize);
                file.take(SMALL).read_to_end(&mut bytes)?;
                Contents::Bytes(bytes)
            }
            _ => Contents::File(file),
        };
        self.open.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Table { contents, open: Arc::clone(&self.open) }))
    }
}

/// An open table.
struct Table {
    contents: Contents,
    open: Arc<AtomicUsize>,
}

enum Contents {
    /// All of a small file: a position takes hundreds of reads.
    Bytes(Vec<u8>),
    File(File),
}

impl RandomAccessFile for Table {
    fn read_at(&self, buf: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        match &self.contents {
            Contents::Bytes(bytes) => {
                let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default();
                let len = rest.len().min(buf.len());
                buf[..len].copy_from_slice(&rest[..len]);
                Ok(len)
            }
            Contents::File(file) => file.read_at(buf, offset),
        }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}
