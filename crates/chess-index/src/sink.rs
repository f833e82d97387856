//! Where pages and sorted runs go: what the caller of a build or a merge provides.

/// Takes the pages of a new segment.
pub trait Sink {
    /// Why a page cannot be written.
    type Error;

    /// Keeps the content of the page with this number. Each number below that of the last page comes once, mostly in
    /// ascending order: the page of a long list may come after some with higher numbers. A caller that must be able to stop a
    /// build checks for that here.
    ///
    /// # Errors
    ///
    /// The caller's; the build ends with it.
    fn put(&mut self, number: u32, content: &[u8]) -> Result<(), Self::Error>;
}

/// A temporary file: takes what does not fit into memory, and gives it back.
pub trait Spill {
    /// Why it cannot be written or read.
    type Error;

    /// Appends bytes.
    ///
    /// # Errors
    ///
    /// The caller's; the build ends with it.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Self::Error>;

    /// Fills `into` with the bytes from `at` on; all of them have been written before.
    ///
    /// # Errors
    ///
    /// The caller's; the build ends with it.
    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<(), Self::Error>;
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
    /// The number of the segment.
    pub segment: u32,
    next: u32,
}

impl PageNumbers {
    pub(crate) fn new(segment: u32) -> PageNumbers {
        PageNumbers { segment, next: 0 }
    }

    /// The number of the next page. There are 2^32 of them; more than 2^28 end a build.
    pub(crate) fn take(&mut self) -> u32 {
        let number = self.next;
        self.next = number.saturating_add(1);
        number
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u32 {
        self.next
    }
}
