//! Writes the sums of the lists of a segment.
//!
//! Takes the pages of attributes and the games of lists; returns pages of sums and of groups. It reads the pages of attributes
//! again, once for all games that wait.

use crate::attributes::{Attributes, AttributesWriter};
use crate::directory::DirectoryWriter;
use crate::groups::write_groups;
use crate::key::key_of;
use crate::page::Page;
use crate::segment::StoredSums;
use crate::sink::{PageNumbers, Sink};
use crate::summing::{Summed, Summing};
use crate::sums::SumsWriter;

pub(crate) struct ListSumsWriter {
    pub summing: Summing,
    /// First game and number of each page of attributes.
    pub pages: Vec<(u32, u32)>,
    columns: u16,
    room: usize,
    sums: SumsWriter,
    directory: DirectoryWriter,
    /// Lists with sums so far, and pages of sums, of groups and of their directory.
    lists: u32,
    sum_pages: u32,
    /// Whether a page of attributes has become damaged. Whoever reads it finds that; until then lists have no sums.
    is_broken: bool,
}

impl ListSumsWriter {
    pub(crate) fn new(summing: Summing, columns: u16, room: usize) -> ListSumsWriter {
        ListSumsWriter {
            pages: Vec::new(),
            columns,
            room,
            sums: SumsWriter::new(room, !summing.groupings.are_none()),
            summing,
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
                Ok(attributes) => self.summing.add(end, |game, column| attributes.value(column, game)),
                Err(_) => self.is_broken = true,
            }
        }
        self.summing.add(games, |game, column| open.value(column, game));
        for list in self.summing.end() {
            if !self.is_broken {
                self.put(&list, numbers, sink)?;
            }
        }
        Ok(())
    }

    /// Writes the sums of a list. A list whose sums do not fit into a page gets none.
    fn put<S: Sink>(&mut self, list: &Summed, numbers: &mut PageNumbers, sink: &mut S) -> Result<(), S::Error> {
        let Summed { hash, sums, groups } = list;
        let mut bytes = Vec::new();
        sums.write(&mut bytes);
        // The directory leads to one page for each key.
        if !self.sums.fits(&bytes) && self.sums.last().map(key_of) != Some(key_of(*hash)) {
            self.flush(numbers, sink)?;
        }
        if !self.sums.fits(&bytes) {
            return Ok(());
        }
        let before = numbers.count();
        let groups = match &groups[..] {
            [] => None,
            groups => {
                let of_list = (*hash, &sums.sums[..]);
                Some(write_groups(of_list, &self.summing.groupings, groups, self.room, numbers, sink)?)
            }
        };
        self.sum_pages += numbers.count() - before;
        self.sums.push(*hash, &bytes, groups);
        self.lists += 1;
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
