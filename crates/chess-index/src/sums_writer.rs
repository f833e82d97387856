//! Writes the sums of the lists of a segment.
//!
//! Takes the pages of attributes and the games of lists; returns pages of sums. It reads the pages of attributes again, once
//! for all games that wait.

use crate::attributes::{Attributes, AttributesWriter};
use crate::directory::DirectoryWriter;
use crate::key::key_of;
use crate::page::Page;
use crate::segment::StoredSums;
use crate::sink::{PageNumbers, Sink};
use crate::summed::summed;
use crate::summing::Summing;
use crate::sums::{ListSums, SumsWriter};

pub(crate) struct ListSumsWriter {
    pub summing: Summing,
    /// First game and number of each page of attributes.
    pub pages: Vec<(u32, u32)>,
    columns: u16,
    sums: SumsWriter,
    directory: DirectoryWriter,
    /// Lists with sums so far, and pages of sums and of their directory.
    lists: u32,
    sum_pages: u32,
    /// Whether a page of attributes has become damaged. Whoever reads it finds that; until then lists have no sums.
    is_broken: bool,
}

impl ListSumsWriter {
    pub(crate) fn new(summing: Summing, columns: u16, room: usize) -> ListSumsWriter {
        ListSumsWriter {
            summing,
            pages: Vec::new(),
            columns,
            sums: SumsWriter::new(room),
            directory: DirectoryWriter::new(room),
            lists: 0,
            sum_pages: 0,
            is_broken: false,
        }
    }

    /// Writes the sums of the lists that have ended. `open` has the attributes of the games that are not in a page yet, before
    /// game `games`.
    pub(crate) fn add_up<S: Sink>(
        &mut self,
        open: &AttributesWriter,
        games: u32,
        numbers: &mut PageNumbers,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        self.summing.begin();
        let mut content = Vec::new();
        let ends = self.pages.iter().skip(1).map(|(first, _)| *first).chain([open.first()]);
        for ((_, number), end) in self.pages.iter().zip(ends) {
            if self.is_broken || !self.summing.waits_for(end) {
                continue;
            }
            sink.get(*number, &mut content)?;
            let page = Page::read(&content).and_then(|page| Attributes::read(&page, self.columns));
            match page {
                Ok(attributes) => self.summing.add(end, |game| summed(&attributes, game)),
                Err(_) => self.is_broken = true,
            }
        }
        self.summing.add(games, |game| std::array::from_fn(|column| open.value(column, game)));
        for (hash, sums) in self.summing.end() {
            if !self.is_broken {
                self.put(hash, &sums, numbers, sink)?;
            }
        }
        Ok(())
    }

    /// Writes the sums of a list. A list whose sums do not fit into a page gets none.
    fn put<S: Sink>(
        &mut self,
        hash: u64,
        sums: &ListSums,
        numbers: &mut PageNumbers,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let mut has_room = self.sums.push(hash, sums);
        // The directory leads to one page for each key.
        if !has_room && self.sums.last().map(key_of) != Some(key_of(hash)) {
            self.flush(numbers, sink)?;
            has_room = self.sums.push(hash, sums);
        }
        self.lists += u32::from(has_room);
        Ok(())
    }

    /// Writes the open page.
    pub(crate) fn flush<S: Sink>(&mut self, numbers: &mut PageNumbers, sink: &mut S) -> Result<(), S::Error> {
        let before = numbers.count();
        if let Some((first, number, content)) = self.sums.finish(numbers.segment, || numbers.take()) {
            sink.put(number, &content)?;
            self.directory.add(key_of(first), number, numbers, sink)?;
        }
        self.sum_pages += numbers.count() - before;
        Ok(())
    }

    /// Writes the directory and returns the description of the sums; `None` if no list has any.
    pub(crate) fn finish<S: Sink>(
        self,
        numbers: &mut PageNumbers,
        sink: &mut S,
    ) -> Result<Option<StoredSums>, S::Error> {
        let before = numbers.count();
        let root = self.directory.finish(numbers, sink)?;
        let pages = self.sum_pages + numbers.count() - before;
        Ok((self.lists > 0).then_some(StoredSums { lists: self.lists, pages, least: self.summing.least, root }))
    }
}
