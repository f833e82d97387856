//! HTTP itself: places and shares of them, connections, cookies, what every request must fulfil, parameters and bodies, the files of the page.
//! Nothing here knows the database.

pub mod assets;
pub mod base;
pub mod body;
pub mod client;
pub mod cookie;
pub mod errors;
pub mod guard;
pub mod held;
pub mod language;
pub mod listen;
pub mod params;
pub mod path;
pub mod places;
pub mod slow;
