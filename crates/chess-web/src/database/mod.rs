//! The database: SQL from fixed fragments, a pool of connections that run it, what the schema holds, and how many queries may
//! run at a time.

pub mod inventory;
pub mod pool;
pub mod query;
pub mod turns;
