//! Stores a book: the bytes of a file come in, rows of `books` and `book_entries` go out.

use std::io::Write;

use anyhow::{Context, Result, bail};
use chess_core::text::polyglot_moves;
use chess_db::schema::Schema;
use postgres::Client;

use super::{ENTRY_LEN, Entry};

/// What is in a book.
#[derive(Debug, PartialEq, Eq)]
pub struct Book {
    /// The entries in the order of the file.
    pub entries: Vec<Entry>,
    /// Whether they are sorted by key.
    pub sorted: bool,
    /// The number of entries whose code is no move of any position.
    pub without_move: usize,
}

/// Reads the bytes of a book.
///
/// # Errors
///
/// The bytes are not whole entries, there are none, or one entry in eight holds no move: then the file is something else.
pub fn read(bytes: &[u8]) -> Result<Book> {
    let (entries, rest) = bytes.as_chunks::<ENTRY_LEN>();
    let len = bytes.len();
    if !rest.is_empty() {
        bail!("not a Polyglot book, or not all of it: entries take 16 bytes each, and it has {len}");
    }
    if entries.is_empty() {
        bail!("an empty file, which is not a Polyglot book");
    }
    let entries: Vec<Entry> = entries.iter().map(Entry::from_bytes).collect();
    let without_move = entries.iter().filter(|entry| !polyglot_moves::is_move(entry.code)).count();
    // Text and packed bytes have many, books hardly any.
    if without_move > entries.len() / 8 {
        bail!("not a Polyglot book: {without_move} of {} entries hold no move", entries.len());
    }
    let sorted = entries.is_sorted_by_key(|entry| entry.key);
    Ok(Book { entries, sorted, without_move })
}

/// Stores a book under a name, in place of the one that had it. Returns the number of positions.
pub fn store(client: &mut Client, schema: &Schema, name: &str, book: &Book) -> Result<i64> {
    let schema = &schema.quoted;
    let mut transaction = client.transaction()?;
    // The row is locked, so that two loads of one name follow each other.
    let insert = format!(
        "INSERT INTO {schema}.books (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET loaded = now() RETURNING id"
    );
    let id: i32 = transaction.query_one(&insert, &[&name])?.get(0);
    transaction.execute(&format!("DELETE FROM {schema}.book_entries WHERE book_id = $1"), &[&id])?;
    let copy = format!("COPY {schema}.book_entries (book_id, key, number, move, weight, learn) FROM STDIN");
    let mut writer = transaction.copy_in(&copy)?;
    for (number, entry) in (1..).zip(&book.entries) {
        let Entry { key, code, weight, learn } = entry;
        writeln!(writer, "{id}\t{}\t{number}\t{code}\t{weight}\t{learn}", *key as i64)?;
    }
    writer.finish().context("cannot store the entries")?;
    let count = format!("SELECT count(DISTINCT key) FROM {schema}.book_entries WHERE book_id = $1");
    let positions = transaction.query_one(&count, &[&id])?.get(0);
    transaction.commit()?;
    Ok(positions)
}

/// Removes a book.
///
/// # Errors
///
/// There is none with this name.
pub fn remove(client: &mut Client, schema: &Schema, name: &str) -> Result<()> {
    match client.execute(&format!("DELETE FROM {}.books WHERE name = $1", schema.quoted), &[&name])? {
        0 => bail!("schema {} has no book named {name}", schema.name),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: u64, code: u16) -> Entry {
        Entry { key, code, weight: 0x1234, learn: 0x89ab_cdef }
    }

    fn bytes(entries: &[Entry]) -> Vec<u8> {
        entries.iter().flat_map(|entry| entry.to_bytes()).collect()
    }

    #[test]
    fn books_and_other_files() {
        let entries = [entry(0x463b_9618_1691_fc9c, 0x031c), entry(u64::MAX, 0x02db)];
        let written = bytes(&entries);
        assert_eq!(written[..16], *b"\x46\x3b\x96\x18\x16\x91\xfc\x9c\x03\x1c\x12\x34\x89\xab\xcd\xef");
        assert_eq!(read(&written).unwrap(), Book { entries: entries.into(), sorted: true, without_move: 0 });
        let mut odd = [entries[1]; 8];
        odd[7] = entry(0, 0);
        let odd = read(&bytes(&odd)).unwrap();
        assert_eq!((odd.entries.len(), odd.sorted, odd.without_move), (8, false, 1));

        let refused = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        assert!(refused(&written[..31]).contains("and it has 31"));
        assert!(refused(b"").starts_with("an empty file"));
        let text = b"[Event \"Match\"]\n[Site \"London\"]\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n".repeat(16);
        assert!(refused(&text[..text.len() / 16 * 16]).contains("entries hold no move"));
    }
}
