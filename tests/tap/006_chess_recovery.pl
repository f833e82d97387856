# In: POINTS=n (default 12), at how many records of the WAL recovery ends; with 1000 at each that matters.
# Out: wherever a crash, or recovery to a point in time, ends the WAL of a build, of inserts, flushes, merges and VACUUM,
# the index of the access method chess has no damage, answers as the table does, and takes more games.
use strict;
use warnings;
use ChessCluster;
use List::Util qw(min);
use Test::More;

my $node = ChessCluster->new('written');
$node->init(
    allows_streaming => 1,
    has_archiving    => 1,
    settings         => [ 'autovacuum = off', 'max_wal_size = 4GB', 'wal_consistency_checking = generic' ]);
$node->start;
$node->games('chess', games => 400, questions => 6);
$node->stop;
$node->backup_fs_cold('before');
$node->start;
my $from = $node->lsn('insert');
$node->sql('chess', ChessCluster::supplied(1, 300));
$node->file('chess', 'tests/tap/chess_index.sql', pending => 64);
my $file = $node->sql('chess', q{SELECT pg_relation_filenode('games_chess')});
# flushes and, from eight segments on, merges
$node->sql('chess', map { ChessCluster::supplied($_, $_ + 49) } map { 301 + $_ * 50 } 0 .. 15);
$node->sql('chess',
    'DELETE FROM games WHERE id % 3 = 0',
    'VACUUM games',
    ChessCluster::supplied(2001, 2100),
    "SELECT chess_index_merge('games_chess')",
    'DELETE FROM games WHERE id % 5 = 0',
    'VACUUM games');
$node->indexes_agree('chess', 'on the server that wrote the WAL');
my $to = $node->lsn('insert');
$node->sql('postgres', 'SELECT pg_switch_wal()');
$node->poll_query_until('postgres', "SELECT last_archived_wal >= pg_walfile_name('$to') FROM pg_stat_archiver")
  or die 'the WAL is not archived';

# Records that change the list of segments, write a new page, or are VACUUM's, which has no transaction; those that append a
# game are many, and alike.
my @records;
for (split /\n/, $node->program('pg_waldump', '-p', $node->data_dir . '/pg_wal', '-r', 'Generic', '-s', $from, '-e', $to)) {
    my ($lsn) = m{lsn: ([0-9A-F]+/[0-9A-F]+)} or next;
    push @records, $lsn if m{rel \d+/\d+/$file\b} && /blk 0\b|\(FPW\)|tx: +0,/;
}
cmp_ok(scalar @records, '>', 50, 'there are enough records to end at');
my $points = min($ENV{POINTS} // 12, scalar @records);
my %chosen = map { $records[ int($_ * $#records / ($points - 1 || 1)) ] => 1 } 0 .. $points - 1;
my ($nth, $unfinished) = (0, 0);
# the chosen ones, and others until one of them has left a segment unfinished
for my $lsn ((grep { $chosen{$_} } @records), grep { !$chosen{$_} } @records) {
    last if $nth >= keys %chosen && $unfinished;
    my $recovered = ChessCluster->new('recovered_' . ++$nth);
    $recovered->init_from_backup($node, 'before', has_restoring => 1, standby => 0);
    $recovered->settings("recovery_target_lsn = '$lsn'", 'recovery_target_action = promote', 'archive_mode = off');
    $recovered->start;
    $recovered->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die "no end of recovery at $lsn";
    my $when = "the WAL ends at record $nth, $lsn";
    # within a transaction that was not committed then, there is no index
    if ($recovered->sql('chess', q{SELECT to_regclass('games_chess') IS NOT NULL}) eq 't') {
        $unfinished += $recovered->sql('chess', q{SELECT count(*) FROM chess_index_info('games_chess') WHERE part = 'unfinished'});
        $recovered->indexes_agree('chess', $when);
        $recovered->sql('chess',
            ChessCluster::supplied(5001, 5100),
            'DELETE FROM games WHERE id % 7 = 0',
            'VACUUM games',
            ChessCluster::supplied(5101, 5200));
        $recovered->indexes_agree('chess', "with more games after $when");
        is($recovered->sql('chess', q{SELECT count(*) FROM chess_index_info('games_chess') WHERE part = 'unfinished'}),
            '0', "nothing is left unfinished after $when");
    }
    else {
        is($recovered->sql('chess', 'SELECT count(*) FROM games'), '300', "no index yet where $when");
    }
    $recovered->nobody_died;
    $recovered->stop;
    $recovered->clean_node;
}
cmp_ok($unfinished, '>', 0, 'some of them left segments unfinished');
note scalar @records, " records of the index, of which $nth were the last one";
done_testing();
