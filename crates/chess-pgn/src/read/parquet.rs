//! Parquet files with a column of move text: turns their rows into PGN, which is then loaded as any other.
//!
//! A column is recognized by its name, whatever its case and its `_`: those of `export --parquet`, those of the data sets of
//! lichess games, and any other whose name begins with a capital letter, as tags of PGN do. Other columns are left out. Where
//! there is a column `tags`, it has what the file's last columns say again; with a column `game` besides, the file is an export,
//! whose rows become the games that were exported. A row is a game: tags and blank lines within its text begin no other one.
//!
//! The crate that reads the files panics at some damage: such a panic is the file's error, and no bug of this program.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};

use ::parquet::basic::{ConvertedType, LogicalType, Repetition, TimeType, TimeUnit};
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::reader::RowIter;
use ::parquet::record::{Field, Row};
use ::parquet::schema::types::Type;
use anyhow::{Context, Error, Result, bail};
use chess_core::text::write_pgn::{is_tag_name, push_tag, without_marks};
use chess_core::text::{dates, read_pgn};
use serde_json::{Map, Value};

use super::as_pgn::Games;

mod footer;

/// The columns of move text: the first one that has some in a row is taken.
const MOVES: [&str; 5] = ["annotated", "movetext", "pgn", "game", "moves"];
/// The place of the column `game` among them.
const GAME: usize = 3;

/// Columns and their tags. The last nine repeat what the column `tags` has.
const TAGS: [(&str, &str); 23] = [
    ("event", "Event"),
    ("site", "Site"),
    ("date", "Date"),
    ("round", "Round"),
    ("white", "White"),
    ("black", "Black"),
    ("result", "Result"),
    ("whiteelo", "WhiteElo"),
    ("blackelo", "BlackElo"),
    ("whiterating", "WhiteElo"),
    ("blackrating", "BlackElo"),
    ("eco", "ECO"),
    ("timecontrol", "TimeControl"),
    ("fen", "FEN"),
    ("utcdate", "UTCDate"),
    ("utctime", "UTCTime"),
    ("utc", "UTCDate"),
    ("whitetitle", "WhiteTitle"),
    ("blacktitle", "BlackTitle"),
    ("whiteratingdiff", "WhiteRatingDiff"),
    ("blackratingdiff", "BlackRatingDiff"),
    ("opening", "Opening"),
    ("termination", "Termination"),
];
const REPEATED: usize = TAGS.len() - 9;

/// How the text of a game of Chess960 begins, as `export --parquet` writes it, and how that goes on with another start.
const CHESS960: &str = "[Variant \"Chess960\"]";
const START: &str = "[FEN \"";

const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// What a column is taken for.
enum Use {
    /// Move text, by its place in [`MOVES`].
    Moves(usize),
    /// Also what a number of microseconds is, if the column has nanoseconds, which the crate gives as mere numbers.
    Tag(String, Option<fn(i64) -> Field>),
    /// The other tags, as JSON.
    Tags,
}

/// An open file.
pub struct Rows {
    rows: RowIter<'static>,
    uses: Vec<Use>,
    /// Whether it is an export.
    is_export: bool,
    size: u64,
    /// How many rows there are, how many were read, and how many bytes were counted for these.
    all: u64,
    taken: u64,
    counted: u64,
    consumed: Arc<AtomicU64>,
}

impl Rows {
    /// Opens a file of `size` bytes, of which `consumed` gets those that were read.
    ///
    /// # Errors
    ///
    /// The file is damaged, packed in a way that is not known, or has no column of move text.
    pub fn new(file: File, size: u64, consumed: Arc<AtomicU64>) -> Result<Rows> {
        const DAMAGED: &str = "a Parquet file that cannot be read";
        footer::check(&file, size).context(DAMAGED)?;
        let reader = guarded(|| SerializedFileReader::new(file)).map_err(Error::msg).context(DAMAGED)?;
        let metadata = reader.metadata().file_metadata();
        let all = u64::try_from(metadata.num_rows()).context(DAMAGED)?;
        let schema = metadata.schema();
        let columns = schema.get_fields();
        let with_tags = columns.iter().any(|column| column.name() == "tags");
        let (mut taken, mut uses) = (Vec::new(), Vec::new());
        for column in columns {
            if let Some(found) = use_of(column, with_tags) {
                taken.push(column.clone());
                uses.push(found);
            }
        }
        if !uses.iter().any(|found| matches!(found, Use::Moves(_))) {
            let names: Vec<_> = columns.iter().map(|column| column.name()).collect();
            bail!("a Parquet file without a column of move text ({}): it has {}", MOVES.join(", "), names.join(", "));
        }
        let is_export = with_tags && uses.iter().any(|found| matches!(found, Use::Moves(GAME)));
        let projection = Type::group_type_builder(schema.name()).with_fields(taken).build().context(DAMAGED)?;
        let rows = guarded(|| RowIter::from_file_into(Box::new(reader)).project(Some(projection)));
        let rows = rows.map_err(Error::msg).context(DAMAGED)?;
        Ok(Rows { rows, uses, is_export, size, all, taken: 0, counted: 0, consumed })
    }
}

impl Games for Rows {
    fn next_game(&mut self, text: &mut String) -> io::Result<bool> {
        let Some(row) = guarded(|| self.rows.next().transpose()).map_err(damaged)? else {
            self.count(self.size);
            return match self.taken == self.all {
                true => Ok(false),
                false => Err(damaged(format_args!("it ends after {} of {} rows", self.taken, self.all))),
            };
        };
        self.taken += 1;
        self.count((u128::from(self.size) * u128::from(self.taken) / u128::from(self.all.max(1))) as u64);
        write_game(text, &row, &self.uses, self.is_export);
        Ok(true)
    }
}

impl Rows {
    /// Counts the bytes up to a place as read.
    fn count(&mut self, until: u64) {
        self.consumed.fetch_add(until.saturating_sub(self.counted), Ordering::Relaxed);
        self.counted = self.counted.max(until);
    }
}

/// What a column is taken for. `with_tags`: whether there is a column `tags`.
fn use_of(column: &Type, with_tags: bool) -> Option<Use> {
    let info = column.get_basic_info();
    let name: String = column.name().chars().filter(|found| !"_- ".contains(*found)).collect::<String>().to_lowercase();
    if let Some(place) = MOVES.iter().position(|known| *known == name) {
        // An export has two-byte codes under this name, which are no text.
        return (is_text(column) || is_list_of_text(column)).then_some(Use::Moves(place));
    }
    // the crate does not read intervals
    let interval = info.converted_type() == ConvertedType::INTERVAL;
    if !column.is_primitive() || info.repetition() == Repetition::REPEATED || interval {
        return None;
    }
    let nanoseconds: Option<fn(i64) -> Field> = match info.logical_type_ref() {
        Some(LogicalType::Timestamp(TimeType { unit: TimeUnit::NANOS, .. })) => Some(Field::TimestampMicros),
        Some(LogicalType::Time(TimeType { unit: TimeUnit::NANOS, .. })) => Some(Field::TimeMicros),
        _ => None,
    };
    if column.name() == "tags" {
        return Some(Use::Tags);
    }
    match TAGS.iter().position(|(known, _)| *known == name) {
        Some(place) => (!with_tags || place < REPEATED).then(|| Use::Tag(TAGS[place].1.to_owned(), nanoseconds)),
        None => {
            let as_in_pgn = column.name().starts_with(|first: char| first.is_ascii_uppercase());
            (as_in_pgn && is_tag_name(column.name())).then(|| Use::Tag(column.name().to_owned(), nanoseconds))
        }
    }
}

fn is_text(column: &Type) -> bool {
    column.is_primitive() && column.get_basic_info().converted_type() == ConvertedType::UTF8
}

/// Whether a column is a list, as the crate reads it, of texts.
fn is_list_of_text(column: &Type) -> bool {
    let is_repeated = |found: &Type| found.get_basic_info().repetition() == Repetition::REPEATED;
    if column.is_primitive() || column.get_basic_info().converted_type() != ConvertedType::LIST || is_repeated(column) {
        return false;
    }
    let [repeated] = column.get_fields() else { return false };
    is_repeated(repeated)
        && match &**repeated {
            Type::PrimitiveType { .. } => is_text(repeated),
            // a name of an older list of structs
            Type::GroupType { .. } if repeated.name() == "array" || repeated.name().ends_with("_tuple") => false,
            Type::GroupType { fields, .. } => {
                matches!(&fields[..], [element] if is_text(element) && !is_repeated(element))
            }
        }
}

/// The tags of a row, and the texts of its columns of moves.
#[derive(Default)]
struct Texts {
    tags: Vec<(String, String)>,
    moves: [Option<String>; MOVES.len()],
}

impl Texts {
    fn of(row: &Row, uses: &[Use]) -> Texts {
        let mut texts = Texts::default();
        for (found, (_, field)) in uses.iter().zip(row.get_column_iter()) {
            let in_microseconds = match (found, field) {
                (Use::Tag(_, Some(unit)), Field::Long(nanoseconds)) => Some(unit(nanoseconds.div_euclid(1000))),
                _ => None,
            };
            let field = in_microseconds.as_ref().unwrap_or(field);
            match (found, value(field)) {
                (_, None) => (),
                (Use::Moves(place), Some(text)) => texts.moves[*place] = Some(text),
                (Use::Tag(name, _), Some(text)) => texts.add_column(name, field, &text),
                (Use::Tags, Some(text)) => texts.add_json(&text),
            }
        }
        texts
    }

    fn value_of(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Adds a tag, unless an earlier column had it.
    fn add(&mut self, name: &str, value: &str) {
        if self.value_of(name).is_none() {
            self.tags.push((name.to_owned(), value.to_owned()));
        }
    }

    fn add_column(&mut self, name: &str, field: &Field, text: &str) {
        match (name, field) {
            ("UTCDate", Field::TimestampMillis(_) | Field::TimestampMicros(_)) => {
                let (date, time) = text.split_once(' ').unwrap_or((text, ""));
                self.add("UTCDate", date);
                self.add("UTCTime", time);
            }
            // The column has a moment, and the tag a day.
            ("Date", Field::TimestampMillis(_) | Field::TimestampMicros(_)) => {
                self.add("Date", text.split(' ').next().unwrap_or_default());
            }
            _ => self.add(name, text),
        }
    }

    /// Adds the tags of the column `tags`.
    fn add_json(&mut self, json: &str) {
        for (name, value) in serde_json::from_str::<Map<String, Value>>(json).unwrap_or_default() {
            if !is_tag_name(&name) {
                continue;
            }
            let of_column = self.tags.iter().position(|(known, _)| *known == name);
            // The column FEN has the start that was understood; `tags` has it as it was given, and replaces it.
            let of_column =
                of_column.map(|at| if name == "FEN" { self.tags.remove(at) } else { self.tags[at].clone() });
            // A game may have a tag several times: then its value is a list.
            let values = if let Value::Array(values) = value { values } else { vec![value] };
            let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let named = values.into_iter().map(|value| (name.clone(), text(value)));
            // The column's value comes first, because readers take the first tag. Other values are kept behind it: they say
            // more, such as a forfeit or a second name.
            self.tags.extend(named.filter(|tag| name == "FEN" || of_column.as_ref() != Some(tag)));
        }
    }

    /// Adds tags that other columns imply.
    fn add_implied(&mut self) {
        // Lichess writes both into its PGN, so programs expect them.
        if let Some(date) = self.value_of("UTCDate").map(str::to_owned) {
            self.add("Date", &date);
        }
        // An annotated row has two texts: the game, which names the variant, and the annotated one, which is read and does not.
        if self.moves.iter().flatten().any(|text| text.starts_with(CHESS960)) {
            self.add("Variant", "Chess960");
        }
    }

    /// Takes the tags of variant and start from the game of an export, which writes them as they were understood; `tags` has
    /// other spellings. Returns the result of the moves, which may differ from the tag's.
    fn take_start(&mut self) -> Option<&'static str> {
        let mut text = self.moves[GAME].take()?;
        if let Some(rest) = text.strip_prefix(CHESS960) {
            text = rest.trim_start().to_owned();
            self.add("Variant", "Chess960");
        }
        if let Some((start, rest)) = text.strip_prefix(START).and_then(|text| text.split_once("\"]")) {
            self.add("FEN", start);
            text = rest.trim_start().to_owned();
        }
        let result = result_of(&text).unwrap_or("*");
        if result_of(&text).is_none() {
            text.push_str(" *");
        }
        self.moves[GAME] = Some(text);
        Some(result)
    }
}

/// The result at the end of move text.
fn result_of(moves: &str) -> Option<&'static str> {
    RESULTS.into_iter().find(|known| moves.ends_with(known))
}

/// The result behind the moves of a game.
fn result_of_game(pgn: &str) -> Option<&'static str> {
    Some(read_pgn::games(pgn).next()?.game.ok()?.view().result().as_str())
}

/// Appends a row as PGN.
fn write_game(out: &mut String, row: &Row, uses: &[Use], is_export: bool) {
    let mut texts = Texts::of(row, uses);
    let exported = if is_export { texts.take_start() } else { None };
    if !is_export {
        texts.add_implied();
    }
    let moves = std::mem::take(&mut texts.moves);
    let moves = moves.into_iter().flatten().find(|text| !text.trim().is_empty()).unwrap_or_default();
    // A byte order mark is removed at the beginning of any line, so a CR alone must end a line, too.
    let moves = moves.replace("\r\n", "\n").replace('\r', "\n");
    let moves = without_marks(&moves);
    let end = result_of(&moves);
    // A text without a tag before it would be read as more of the game before.
    texts.add("Result", end.or(exported).unwrap_or("*"));
    let start = out.len();
    for (name, value) in &texts.tags {
        // The text may begin with tags of its own.
        if !moves.starts_with('[') || !moves.contains(&format!("[{name} \"")) {
            push_tag(out, name, value);
        }
    }
    push_moves(out, &moves);
    // An annotated text may have the result in words.
    if end.is_none() && exported.is_none_or(|result| result == "*" || result_of_game(&out[start..]) != Some(result)) {
        let claimed = texts.value_of("Result").and_then(|claimed| RESULTS.into_iter().find(|known| *known == claimed));
        out.extend(["\n", exported.or(claimed).unwrap_or("*")]);
    }
    out.push_str("\n\n");
}

/// Appends move text. Tags may begin it; later ones, which would begin another game, are left within their line.
fn push_moves(out: &mut String, moves: &str) {
    let mut in_tags = true;
    if !moves.starts_with('[') {
        out.push('\n');
        in_tags = false;
    }
    for (n, line) in moves.split('\n').enumerate() {
        let line = line.trim_end();
        let is_tag = line.trim_start().starts_with('[');
        if in_tags && !is_tag {
            in_tags = false;
            out.push_str("\n\n");
        } else if n > 0 {
            out.push(if is_tag && !in_tags || line.is_empty() { ' ' } else { '\n' });
        }
        out.push_str(line);
    }
}

/// A value as a tag has it. NULL and what is not a number are none.
fn value(field: &Field) -> Option<String> {
    const DAY: i64 = 86_400;
    let date = |seconds: i64| {
        let day = i32::try_from(seconds.div_euclid(DAY)).ok()?.checked_add(dates::first_day(1970, 1))?;
        (-700_000..2_900_000).contains(&day).then(|| dates::written(day).replace('-', "."))
    };
    let time = |seconds: i64| format!("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let moment = |seconds: i64| Some(format!("{} {}", date(seconds)?, time(seconds.rem_euclid(DAY))));
    let number = |value: f64| value.is_finite().then(|| value.to_string());
    match field {
        Field::Null | Field::Group(_) | Field::MapInternal(_) => None,
        Field::Str(text) => Some(text.clone()),
        Field::Bytes(bytes) => bytes.as_utf8().ok().map(str::to_owned),
        Field::ListInternal(list) => {
            let words: Vec<String> = list.elements().iter().filter_map(value).collect();
            Some(words.join(" "))
        }
        Field::Date(days) => date(i64::from(*days) * DAY),
        Field::TimeMillis(time_of_day) => Some(time(i64::from(*time_of_day) / 1000)),
        Field::TimeMicros(time_of_day) => Some(time(time_of_day / 1_000_000)),
        Field::TimestampMillis(moment_of) => moment(moment_of.div_euclid(1000)),
        Field::TimestampMicros(moment_of) => moment(moment_of.div_euclid(1_000_000)),
        Field::Float(value) => number(f64::from(*value)),
        Field::Double(value) => number(*value),
        other => Some(other.to_string()),
    }
}

fn damaged(what: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("a damaged Parquet file: {what}"))
}

/// Calls the crate. A panic is an error, and the program's own message about panics is not written.
fn guarded<T, E: std::fmt::Display>(call: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    thread_local! {
        static GUARDED: Cell<bool> = const { Cell::new(false) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let written = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                written(info);
            }
        }));
    });
    GUARDED.set(true);
    let done = catch_unwind(AssertUnwindSafe(call));
    GUARDED.set(false);
    match done {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
            Err(text.unwrap_or("its reader stopped").to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek, SeekFrom, Write};

    use ::parquet::basic::Compression;
    use ::parquet::data_type::{
        ByteArray, ByteArrayType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type,
    };
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;

    use super::super::as_pgn::AsPgn;
    use super::footer::tests::element;
    use super::*;

    enum Column<'a> {
        Text(&'a [&'a str]),
        Int(&'a [i32]),
        Long(&'a [i64]),
        Double(&'a [f64]),
        /// Texts of one row.
        List(&'a [&'a str]),
        /// As many bytes as the type has.
        Fixed(&'a [u8]),
    }

    /// A file of these columns, of which each has a value in every row.
    fn file(schema: &str, columns: &[Column<'_>], packed: Compression) -> File {
        let mut file = tempfile();
        let schema = Arc::new(parse_message_type(&format!("message m {{ {schema}; }}")).unwrap());
        let properties = WriterProperties::builder().set_compression(packed).build();
        let mut writer = SerializedFileWriter::new(&mut file, schema, Arc::new(properties)).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let bytes = |texts: &[&str]| texts.iter().map(|text| ByteArray::from(*text)).collect::<Vec<_>>();
        for column in columns {
            let mut out = group.next_column().unwrap().unwrap();
            let levels = [1; 64];
            match column {
                Column::Text(texts) => {
                    out.typed::<ByteArrayType>().write_batch(&bytes(texts), Some(&levels[..texts.len()]), None)
                }
                Column::Int(values) => {
                    out.typed::<Int32Type>().write_batch(values, Some(&levels[..values.len()]), None)
                }
                Column::Long(values) => {
                    out.typed::<Int64Type>().write_batch(values, Some(&levels[..values.len()]), None)
                }
                Column::Double(values) => {
                    out.typed::<DoubleType>().write_batch(values, Some(&levels[..values.len()]), None)
                }
                Column::Fixed(value) => {
                    let value = FixedLenByteArray::from(value.to_vec());
                    out.typed::<FixedLenByteArrayType>().write_batch(&[value], Some(&[1]), None)
                }
                Column::List(texts) => {
                    let mut repeated = vec![1; texts.len()];
                    repeated[0] = 0;
                    out.typed::<ByteArrayType>().write_batch(
                        &bytes(texts),
                        Some(&vec![3; texts.len()]),
                        Some(&repeated),
                    )
                }
            }
            .unwrap();
            out.close().unwrap();
        }
        group.close().unwrap();
        writer.close().unwrap();
        file
    }

    fn tempfile() -> File {
        let path = std::env::temp_dir().join(format!("chess-{}-{:?}", std::process::id(), std::thread::current().id()));
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        file
    }

    fn open(file: File) -> Result<(AsPgn<Rows>, Arc<AtomicU64>)> {
        let (size, consumed) = (file.metadata()?.len(), Arc::<AtomicU64>::default());
        Ok((AsPgn::new(Rows::new(file, size, Arc::clone(&consumed))?), consumed))
    }

    fn pgn(file: File) -> String {
        let size = file.metadata().unwrap().len();
        let (mut rows, consumed) = open(file).unwrap();
        let mut text = String::new();
        rows.read_to_string(&mut text).unwrap();
        assert_eq!(consumed.load(Ordering::Relaxed), size);
        text
    }

    #[test]
    fn columns_become_tags() {
        let schema =
            "optional binary Event (UTF8); optional int32 UTCDate (DATE); optional int32 UTCTime (TIME_MILLIS);
            optional double WhiteElo; optional int32 black_rating; optional binary WhiteFideId (UTF8);
            optional binary id (UTF8); optional binary movetext (UTF8); optional binary Result (UTF8)";
        let columns = [
            Column::Text(&["Rated \"Blitz\"\n[White \"Eve\"]", "x"]),
            Column::Int(&[15_706, 0]),
            Column::Int(&[86_399_999, 0]),
            Column::Double(&[1500.0, f64::NAN]),
            Column::Int(&[1600, 1700]),
            Column::Text(&["7", "8"]),
            Column::Text(&["left", "out"]),
            Column::Text(&["1. e4 e5 1-0", "1. d4"]),
            Column::Text(&["1-0", "0-1"]),
        ];
        let expected = "[Event \"Rated \\\"Blitz\\\" [White \\\"Eve\\\"]\"]\n[UTCDate \"2013.01.01\"]\n[UTCTime \"23:59:59\"]\n\
            [WhiteElo \"1500\"]\n[BlackElo \"1600\"]\n[WhiteFideId \"7\"]\n[Result \"1-0\"]\n[Date \"2013.01.01\"]\n\n\
            1. e4 e5 1-0\n\n\
            [Event \"x\"]\n[UTCDate \"1970.01.01\"]\n[UTCTime \"00:00:00\"]\n[BlackElo \"1700\"]\n[WhiteFideId \"8\"]\n\
            [Result \"0-1\"]\n[Date \"1970.01.01\"]\n\n1. d4\n0-1\n\n";
        for packed in [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::LZ4_RAW,
            Compression::GZIP(Default::default()),
            Compression::ZSTD(Default::default()),
        ] {
            assert_eq!(pgn(file(schema, &columns, packed)), expected, "{packed}");
        }
    }

    #[test]
    fn moments_are_dates() {
        let schema = "optional int64 Date (TIMESTAMP_MICROS); optional int64 utc (TIMESTAMP_MILLIS);
            optional binary moves (UTF8)";
        let columns = [Column::Long(&[-1]), Column::Long(&[86_400_000 + 61_000]), Column::Text(&["1. e4"])];
        let expected =
            "[Date \"1969.12.31\"]\n[UTCDate \"1970.01.02\"]\n[UTCTime \"00:01:01\"]\n[Result \"*\"]\n\n1. e4\n*\n\n";
        assert_eq!(pgn(file(schema, &columns, Compression::SNAPPY)), expected);
        let beyond = [Column::Long(&[i64::MAX]), Column::Long(&[i64::MIN]), Column::Text(&["1. e4"])];
        assert_eq!(pgn(file(schema, &beyond, Compression::SNAPPY)), "[Result \"*\"]\n\n1. e4\n*\n\n");
    }

    #[test]
    fn nanoseconds_are_times() {
        let schema = "optional int64 Date (TIMESTAMP(NANOS,false)); optional int64 utc (TIMESTAMP(NANOS,true));
            optional int64 Clock (TIME(NANOS,true)); optional int64 Nodes; optional binary moves (UTF8)";
        let columns = [
            Column::Long(&[1_000_000_000_000_000_000, -1]),
            Column::Long(&[86_461_999_999_999, i64::MIN]),
            Column::Long(&[86_399_999_999_999, 0]),
            Column::Long(&[1_000_000_000_000_000_000, 1]),
            Column::Text(&["1. e4", "1. d4"]),
        ];
        let expected = "[Date \"2001.09.09\"]\n[UTCDate \"1970.01.02\"]\n[UTCTime \"00:01:01\"]\n[Clock \"23:59:59\"]\n\
            [Nodes \"1000000000000000000\"]\n[Result \"*\"]\n\n1. e4\n*\n\n\
            [Date \"1969.12.31\"]\n[UTCDate \"1677.09.21\"]\n[UTCTime \"00:12:43\"]\n[Clock \"00:00:00\"]\n[Nodes \"1\"]\n\
            [Result \"*\"]\n\n1. d4\n*\n\n";
        assert_eq!(pgn(file(schema, &columns, Compression::SNAPPY)), expected);
    }

    #[test]
    fn intervals_are_left_out() {
        let schema = "optional fixed_len_byte_array(12) Length (INTERVAL);
            optional fixed_len_byte_array(12) time_control (INTERVAL); optional binary moves (UTF8)";
        let columns = [Column::Fixed(&[1; 12]), Column::Fixed(&[2; 12]), Column::Text(&["1. e4"])];
        assert_eq!(pgn(file(schema, &columns, Compression::SNAPPY)), "[Result \"*\"]\n\n1. e4\n*\n\n");
    }

    #[test]
    fn a_row_is_one_game() {
        let one = |text: &str| pgn(file("optional binary pgn (UTF8)", &[Column::Text(&[text])], Compression::SNAPPY));
        assert_eq!(
            one("1. e4 {a\r\n\r\n[Event \"b\"]\r\n} e5"),
            "[Result \"*\"]\n\n1. e4 {a  [Event \"b\"]\n} e5\n*\n\n"
        );
        assert_eq!(one("1. e4\r\r[Event \"b\"]"), "[Result \"*\"]\n\n1. e4  [Event \"b\"]\n*\n\n");
        let own = "[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4 1-0";
        assert_eq!(one(own), "[Event \"a\"]\n[Result \"1-0\"]\n\n\n1. e4 1-0\n\n");
        assert_eq!(one(&format!("{own}\n\n[Event \"b\"]")).matches("\n[").count(), 1, "the tags at the beginning");
        assert_eq!(one("1. e4 1-0"), "[Result \"1-0\"]\n\n1. e4 1-0\n\n");
        assert_eq!(one(" "), "[Result \"*\"]\n\n\n*\n\n");
    }

    #[test]
    fn lists_and_json() {
        let schema = "optional group moves (LIST) { repeated group list { optional binary element (UTF8); } }
            optional binary tags (UTF8); optional binary opening (UTF8)";
        let columns = [
            Column::List(&["e2e4", "e7e5"]),
            Column::Text(&["{\"Opening\": \"King's\", \"a b\": \"no\", \"PlyCount\": [2, \"3\"]}"]),
            Column::Text(&["computed"]),
        ];
        let expected = "[Opening \"King's\"]\n[PlyCount \"2\"]\n[PlyCount \"3\"]\n[Result \"*\"]\n\ne2e4 e7e5\n*\n\n";
        assert_eq!(pgn(file(schema, &columns, Compression::SNAPPY)), expected);
    }

    #[test]
    fn an_export_gives_its_games_back() {
        let schema = "optional binary result (UTF8); optional binary fen (UTF8); optional binary game (UTF8);
            optional binary tags (UTF8); optional binary annotated (UTF8)";
        let start = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let columns = [
            Column::Text(&["1-0", "1-0", "0-1"]),
            Column::Text(&["", start, start]),
            Column::Text(&[
                "1. e4 e5",
                "[Variant \"Chess960\"] [FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"] 1. e4",
                "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"] 1. e4 0-1",
            ]),
            Column::Text(&[
                "{\"UTCDate\": \"2015.03.28\"}",
                "{\"FEN\": \"4k3/8/8/8/8/8/4P3/4K3 w - -\", \"SetUp\": \"0\", \"Variant\": \"fischerandom\"}",
                "{}",
            ]),
            Column::Text(&["1. e4 {x} e5", " ", "1. e4 {White resigns.} White resigns"]),
        ];
        let expected = "[Result \"1-0\"]\n[FEN \"\"]\n[UTCDate \"2015.03.28\"]\n\n1. e4 {x} e5\n*\n\n\
            [Result \"1-0\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - -\"]\n[SetUp \"0\"]\n[Variant \"fischerandom\"]\n\n1. e4 *\n\n\
            [Result \"0-1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 {White resigns.} White resigns\n\n";
        assert_eq!(pgn(file(schema, &columns, Compression::SNAPPY)), expected);
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let refused = |file| open(file).map(|_| ()).unwrap_err().to_string();
        let columns = [Column::Text(&["12"]), Column::Text(&["x"])];
        let codes = file("optional binary moves; optional binary Event (UTF8)", &columns, Compression::SNAPPY);
        assert_eq!(
            refused(codes),
            "a Parquet file without a column of move text (annotated, movetext, pgn, game, moves): it has moves, Event"
        );
        let mut text = tempfile();
        text.write_all(b"PAR1 and so on").unwrap();
        assert_eq!(refused(text), "a Parquet file that cannot be read");
        let nested = footer::tests::file_of(&[
            vec![element(b"m", 2), element(b"moves", 0)],
            vec![element(b"g", 1); 1_000_000],
            vec![element(b"x", 0)],
        ]);
        let many = footer::tests::file_of(&[vec![element(b"m", i32::MAX), element(b"moves", 0)]]);
        let mut large = b"PAR1".repeat(5 << 20);
        large.splice(large.len() - 8.., *b"\x10\0\0\x01PAR1");
        let why = "its schema is damaged, or has groups in groups too deeply";
        let too_large = "its schema and the places of its columns have 16777232 bytes, more than 16777216";
        for (bytes, why) in [
            (nested, why),
            (many, why),
            (large, too_large),
            (b"PAR1\x20\0\0\0PARE".into(), "it is cut off or encrypted"),
        ] {
            let mut file = tempfile();
            file.write_all(&bytes).unwrap();
            let error = open(file).map(|_| ()).unwrap_err();
            assert_eq!(format!("{error:#}"), format!("a Parquet file that cannot be read: {why}"));
        }
        let texts = vec!["1. e4 e5 2. Nf3 Nc6 3. Bb5 a6"; 60];
        let mut damaged = file("optional binary movetext (UTF8)", &[Column::Text(&texts)], Compression::SNAPPY);
        damaged.seek(SeekFrom::Start(4)).unwrap();
        damaged.write_all(&[0xff; 40]).unwrap();
        let (mut rows, _) = open(damaged).unwrap();
        let error = rows.read_to_string(&mut String::new()).unwrap_err().to_string();
        assert!(error.starts_with("a damaged Parquet file: "), "{error}");
    }

    #[test]
    fn lists_are_of_text() {
        let is_used = |schema: &str| {
            let message = parse_message_type(&format!("message m {{ {schema} }}")).unwrap();
            use_of(&message.get_fields()[0], false).is_some()
        };
        let list = |inner: &str| is_used(&format!("optional group moves (LIST) {{ {inner} }}"));
        assert!(list("repeated group list { optional binary element (UTF8); }"));
        assert!(list("repeated group bag { required binary array_element (STRING); }"));
        assert!(list("repeated binary array (UTF8);"));
        assert!(is_used("repeated binary moves (UTF8);"));
        for other in [
            "repeated group list { optional group element { optional binary a (UTF8); } }",
            "repeated group list { optional binary element; }",
            "repeated group list { optional int32 element; }",
            "repeated group list { repeated binary element (UTF8); }",
            "repeated group list { optional binary a (UTF8); optional binary b (UTF8); }",
            "repeated group array { optional binary a (UTF8); }",
            "repeated group moves_tuple { optional binary a (UTF8); }",
            "repeated int32 array;",
            "optional binary element (UTF8);",
        ] {
            assert!(!list(other), "{other}");
        }
        assert!(!is_used("optional group moves { optional binary a (UTF8); }"));
    }

    #[test]
    fn a_panic_is_damage() {
        let caught = guarded(|| -> io::Result<()> { panic!("{} in a file", 7) });
        assert_eq!(caught, Err("7 in a file".to_owned()));
        let caught = guarded(|| -> io::Result<()> { panic!("of the reader") });
        assert_eq!(caught, Err("of the reader".to_owned()));
        assert_eq!(guarded(|| Ok::<_, io::Error>(7)), Ok(7));
    }

    #[test]
    fn any_damage_is_an_error_or_other_games() {
        let schema = "optional binary movetext (UTF8); optional int64 Nodes; optional double WhiteElo";
        let (texts, longs, doubles) = ([["1. e4 e5", "1. d4"]; 10], [[7; 2]; 10], [[1500.0; 2]; 10]);
        let columns = [
            Column::Text(texts.as_flattened()),
            Column::Long(longs.as_flattened()),
            Column::Double(doubles.as_flattened()),
        ];
        let mut whole = Vec::new();
        let mut written = file(schema, &columns, Compression::UNCOMPRESSED);
        written.rewind().unwrap();
        written.read_to_end(&mut whole).unwrap();
        let mut errors = 0;
        for at in 0..whole.len() {
            for flipped in [0x01, 0x10, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] ^= flipped;
                let mut damaged = tempfile();
                damaged.write_all(&bytes).unwrap();
                // as much as one would wait for: a number of rows can be damaged
                let read = open(damaged).map(|(rows, _)| rows.take(1 << 20).read_to_string(&mut String::new()));
                errors += usize::from(!matches!(read, Ok(Ok(_))));
            }
        }
        assert!(errors > whole.len(), "{errors}");
    }
}
