//! Output of a build or a merge: traits that the caller implements.

/// Takes the pages of a new segment, and returns them.
pub trait Sink {
    /// Error of writing a page.
    type Error;

    /// Writes the content of the page with this number. Each number up to that of the last page comes once, mostly
    /// ascending: the page of a long list may come after pages with higher numbers. A caller that supports cancellation
    /// checks for it here.
    ///
    /// # Errors
    ///
    /// The caller's; it ends the build.
    fn put(&mut self, number: u32, content: &[u8]) -> Result<(), Self::Error>;

    /// Replaces `content` by that of a page that was written before.
    ///
    /// # Errors
    ///
    /// The caller's; it ends the build.
    fn get(&mut self, number: u32, content: &mut Vec<u8>) -> Result<(), Self::Error>;
}

/// A temporary file for postings that exceed the memory.
pub trait Spill {
    /// Error of the temporary file.
    type Error;

    /// Appends bytes.
    ///
    /// # Errors
    ///
    /// The caller's; it ends the build.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Self::Error>;

    /// Fills `into` with the bytes that begin at `at`; all of them have been written before.
    ///
    /// # Errors
    ///
    /// The caller's; it ends the build.
    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<(), Self::Error>;
}

/// A temporary file whose length is known.
pub(crate) struct Scratch<T> {
    spill: T,
    end: u64,
}

impl<T: Spill> Scratch<T> {
    pub(crate) fn new(spill: T) -> Scratch<T> {
        Scratch { spill, end: 0 }
    }

    /// Number of bytes written.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), T::Error> {
        self.end += bytes.len() as u64;
        self.spill.write(bytes)
    }

    pub(crate) fn read(&mut self, at: u64, into: &mut [u8]) -> Result<(), T::Error> {
        self.spill.read(at, into)
    }
}

/// Pages in memory.
impl Sink for Vec<Vec<u8>> {
    type Error = std::convert::Infallible;

    fn put(&mut self, number: u32, content: &[u8]) -> Result<(), Self::Error> {
        let number = number as usize;
        if self.len() <= number {
            self.resize(number + 1, Vec::new());
        }
        self[number] = content.to_vec();
        Ok(())
    }

    fn get(&mut self, number: u32, content: &mut Vec<u8>) -> Result<(), Self::Error> {
        content.clone_from(&self[number as usize]);
        Ok(())
    }
}

/// A temporary file in memory.
impl Spill for Vec<u8> {
    type Error = std::convert::Infallible;

    fn write(&mut self, bytes: &[u8]) -> Result<(), Self::Error> {
        self.extend_from_slice(bytes);
        Ok(())
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<(), Self::Error> {
        let at = at as usize;
        into.copy_from_slice(&self[at..at + into.len()]);
        Ok(())
    }
}

/// Numbers the pages of a new segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageNumbers {
    /// Number of the segment.
    pub segment: u32,
    next: u32,
}

impl PageNumbers {
    pub(crate) fn new(segment: u32) -> PageNumbers {
        PageNumbers { segment, next: 0 }
    }

    /// The number of the next page. Numbers have 32 bits; a build fails beyond 2^28.
    pub(crate) fn take(&mut self) -> u32 {
        let number = self.next;
        self.next = number.saturating_add(1);
        number
    }

    /// Number of pages so far.
    pub(crate) fn count(&self) -> u32 {
        self.next
    }
}
