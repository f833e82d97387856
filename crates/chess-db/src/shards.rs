//! Ranges of ids for servers that share the games: takes the number of a server, returns the offset of its ids.

/// The highest number of a server.
pub const LAST_SHARD: i16 = 63;

/// Ids of games on a server are above this offset: 2^41 for each of 64 servers. All are below 62^8, so that eight
/// letters and digits can express an id.
pub fn game_id_offset(shard: i16) -> i64 {
    i64::from(shard) << 41
}

/// Ids of players, events, sites and sources on a server are above this offset: 2^25 for each of 64 servers.
pub fn name_id_offset(shard: i16) -> i64 {
    i64::from(shard) << 25
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_servers_do_not_meet() {
        assert!(game_id_offset(LAST_SHARD + 1) < 62i64.pow(8));
        assert!(name_id_offset(LAST_SHARD + 1) <= i64::from(i32::MAX) + 1);
        assert_eq!((game_id_offset(0), name_id_offset(0)), (0, 0));
    }
}
