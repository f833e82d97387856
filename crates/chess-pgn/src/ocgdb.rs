//! stub
use crate::parse::Games;
use anyhow::Result;
pub struct Rows {
    pub start: u64,
    pub end: u64,
    pub last: bool,
    pub hash: [u8; 16],
}
pub struct Database;
pub fn read(_: &str) -> Result<Database> {
    anyhow::bail!("no")
}
impl Database {
    pub fn next(&mut self) -> Result<Option<Rows>> {
        Ok(None)
    }
}
pub fn games(_: &Rows) -> Games<'_> {
    Games::default()
}
