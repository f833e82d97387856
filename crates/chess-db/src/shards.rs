//! Servers that hold the games together: the number of one goes in, from where it numbers its games and names comes out.

/// The greatest number of a server.
pub const LAST_SHARD: i16 = 63;

/// The numbers of a server's games follow this one. 2^41 each, for 64 servers: below 62^8, so that eight letters and
/// digits are enough to write one.
pub fn first_id(shard: i16) -> i64 {
    i64::from(shard) << 41
}

/// The numbers of a server's players, events, sites and sources follow this one: 2^25 for each of 64.
pub fn first_name(shard: i16) -> i64 {
    i64::from(shard) << 25
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_servers_do_not_meet() {
        assert!(first_id(LAST_SHARD + 1) < 62i64.pow(8));
        assert!(first_name(LAST_SHARD + 1) <= i64::from(i32::MAX) + 1);
        assert_eq!((first_id(0), first_name(0)), (0, 0));
    }
}
