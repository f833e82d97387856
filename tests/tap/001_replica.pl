# In: GAMES=n supplied games (default 4000).
# Out: a streaming replica, made by pg_basebackup before the indexes were there, answers every question as the primary
# does, by index and by sequential scan; promoted, it takes writes.
use strict;
use warnings;
use ChessCluster;
use Test::More;

my $primary = ChessCluster->new('primary');
$primary->init(allows_streaming => 1, settings => [ 'max_wal_size = 4GB', 'wal_keep_size = 1GB' ]);
$primary->start;
$primary->games('chess', games => $ENV{GAMES} // 4000, questions => 12);
$primary->backup('before_the_indexes');
my $replica = ChessCluster->new('replica');
$replica->init_from_backup($primary, 'before_the_indexes', has_streaming => 1);
$replica->start;

# all that changes tables and indexes goes through the WAL: sorted builds, insertion, the pending list, VACUUM
$primary->sql('chess', ChessCluster::supplied(1, 4000));
$primary->file('chess', 'tests/tap/indexes.sql');
$primary->sql('chess',
    ChessCluster::supplied(4001, 9000),
    'DELETE FROM games WHERE id % 5 = 0',
    'VACUUM games',
    ChessCluster::supplied(9001, 9500),
    'UPDATE games SET game = supplied(id + 1) WHERE id % 7 = 0');
$primary->wait_for_catchup($replica);

is($replica->sql('chess', 'SELECT pg_is_in_recovery()'), 't', 'the replica is in recovery');
$primary->indexes_agree('chess', 'on the primary');
my $compared = $replica->indexes_agree('chess', 'on the replica');
my %same = (
    rows => q{SELECT count(*) || ' ' || md5(string_agg(id || encode(chessgame_send(game) || chessgame_send(again), 'hex'),
              ',' ORDER BY id)) FROM games},
    answers => q{SELECT md5(string_agg(answer(condition, index), ',' ORDER BY index, condition)) FROM questions});
for my $what (sort keys %same) {
    my $expected = $primary->sql('chess', $same{$what});
    isnt($expected, '', "the primary has $what");
    is($replica->sql('chess', $same{$what}), $expected, "the replica's $what are the primary's");
}

$primary->stop;
$replica->promote;
$replica->poll_query_until('chess', 'SELECT NOT pg_is_in_recovery()') or die 'the replica is not promoted';
$replica->sql('chess', ChessCluster::supplied(20001, 21000), 'DELETE FROM games WHERE id % 3 = 0', 'VACUUM games');
$replica->indexes_agree('chess', 'after promotion');
is($replica->sql('chess', 'SELECT count(*) FROM games WHERE id > 20000 AND chessgame_send(game) <> chessgame_send(supplied(id))'),
    '0', 'games written after promotion are those that were sent');
$replica->agrees_with_amcheck('chess', 'after promotion');
$replica->nobody_died;
note "$compared; ", $replica->sql('chess', 'SELECT count(*) FROM games'), ' games after promotion';
done_testing();
