# In: PAUSES=n (default 12), how often a scan on the standby is stopped while pages are freed and used again.
# Out: a standby under flushes, merges and VACUUM of an index of the access method chess answers as its table does, also
# where the pages that a scan or a cursor was about to read have been replaced; its pages are those of the primary, byte for byte;
# promoted after kill -9 of the primary, it takes writes.
use strict;
use warnings;
use ChessCluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

srand 1;
my $primary = ChessCluster->new('primary');
$primary->init(
    allows_streaming => 1,
    settings         => [ 'max_wal_size = 4GB', 'wal_keep_size = 1GB', 'autovacuum = off', 'wal_consistency_checking = all' ]);
$primary->start;
$primary->games('chess', games => 1000, questions => 6);
$primary->backup('before_the_index');
my $standby = ChessCluster->new('standby');
$standby->init_from_backup($primary, 'before_the_index', has_streaming => 1);
# scans are not cancelled: replay waits for them, or the primary keeps their rows
$standby->settings('hot_standby_feedback = on', 'max_standby_streaming_delay = -1');
$standby->start;
$primary->file('chess', 'tests/tap/chess_index.sql', pending => 64);
$primary->sql('chess',
    ChessCluster::supplied(1, 1500),
    'CREATE UNLOGGED TABLE unlogged AS SELECT game FROM supply LIMIT 300',
    'CREATE INDEX unlogged_chess ON unlogged USING chess (game)');
$primary->wait_for_catchup($standby);
$standby->indexes_agree('chess', 'on the standby');
my (undef, undef, $refusal) = $standby->psql('chess', q{SELECT chess_index_info('unlogged_chess')});
like($refusal, qr/cannot access temporary or unlogged relations during recovery/, 'an unlogged index has no pages on the standby');

# One snapshot for all answers by index and by sequential scan; in turn with a walk through the index.
my @scans = map { [ 'BEGIN ISOLATION LEVEL REPEATABLE READ', $_, 'COMMIT' ] } 'SELECT scans(60)', 'SELECT scans(60)', 'SELECT check_indexes()';
my ($reader, $watch, $cursor) = map { $standby->client('chess') } 1 .. 3;
my $next = 10_000;
my $replaced = 0;
for my $pause (1 .. $ENV{PAUSES} // 12) {
    # a cursor over two of three pauses
    if ($pause % 3) {
        ChessCluster::begin($cursor, $pause % 3 == 1 ? ('BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT take(20) FROM begin_taking()') : 'SELECT take(40)');
        ok(ChessCluster::answer($cursor), "a cursor goes on, $pause") or diag($cursor->{err});
    }
    ChessCluster::begin($reader, @{ $scans[ $pause % @scans ] });
    # some moment of the scan
    for (1 .. int rand 60) {
        ChessCluster::begin($watch, 'SELECT 1');
        ChessCluster::answer($watch);
    }
    kill 'STOP', $reader->{pid};
    my $segments = q{SELECT string_agg(number::text, ' ') FROM chess_index_info('games_chess') WHERE part = 'segment'};
    my $before = $primary->sql('chess', $segments);
    $primary->sql(
        'chess',
        ChessCluster::supplied($next, $next + 199),
        "DELETE FROM games WHERE id % 50 = $pause",
        'VACUUM games',
        $pause % 3 ? () : q{SELECT chess_index_merge('games_chess')},
        ChessCluster::supplied($next + 200, $next + 399));
    $next += 1000;
    $replaced++ if $before ne $primary->sql('chess', $segments);
    # until all is replayed, or replay waits for a page that the stopped scan has locked
    my $lsn = $primary->lsn('flush');
    my $rests = "SELECT pg_last_wal_replay_lsn() >= '$lsn'
        OR EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'startup' AND (wait_event_type IN ('LWLock', 'BufferPin', 'IPC') OR wait_event = 'AioIoCompletion'))";
    for (my $tries = 1; $standby->sql('chess', $rests) ne 't'; $tries++) {
        die 'replay does not go on' if $tries > 20 * $PostgreSQL::Test::Utils::timeout_default;
        usleep 50_000;
        next if $tries % 200;
        # Stopped at an unhappy moment, the scan has a spinlock, for which the server waits two minutes at most.
        kill 'CONT', $reader->{pid};
        usleep 1000;
        kill 'STOP', $reader->{pid};
    }
    kill 'CONT', $reader->{pid};
    like(ChessCluster::answer($reader) // $reader->{err}, qr{as (by|a) sequential scan}, "a scan that was stopped, $pause");
    if ($pause % 3 == 2) {
        ChessCluster::begin($cursor, 'SELECT all_taken()', 'COMMIT');
        like(ChessCluster::answer($cursor) // $cursor->{err}, qr/each game once/, "a cursor over changes of the index, $pause");
    }
}
ok(ChessCluster::finish($_), 'all scans have ended well') or diag($_->{err}) for $reader, $cursor;
ChessCluster::finish($watch);
cmp_ok($replaced, '>', 0, "segments were replaced meanwhile, $replaced times");
$primary->wait_for_catchup($standby);
$primary->indexes_agree('chess', 'on the primary');
$standby->indexes_agree('chess', 'on the standby after all this');

# page by page
my $path = $primary->sql('chess', q{SELECT pg_relation_filepath('games_chess')});
$primary->stop;
$standby->stop;
my ($theirs, $ours) = map { slurp_file($_->data_dir . "/$path") } $primary, $standby;
s/(?:\0{8192})+\z// for $theirs, $ours;    # blocks that were never written are not logged
my @different = grep { substr($theirs, $_ * 8192, 8192) ne substr($ours, $_ * 8192, 8192) } 0 .. length($theirs) / 8192 - 1;
is("@different", '', 'blocks of the standby that are not those of the primary');
is(length $ours, length $theirs, 'the standby has as many');
$primary->start;
$standby->start;

# promotion
$primary->sql('chess', ChessCluster::supplied($next, $next + 299));
$primary->wait_for_catchup($standby);
$primary->kill_everything;
$standby->promote;
$standby->poll_query_until('chess', 'SELECT NOT pg_is_in_recovery()') or die 'the standby is not promoted';
$standby->indexes_agree('chess', 'after promotion');
is($standby->sql('chess', 'SELECT count(*) FROM unlogged'), '0', 'the unlogged table is empty after promotion');
$standby->sql(
    'chess',
    'INSERT INTO unlogged SELECT game FROM supply LIMIT 300',
    q{SELECT chess_index_check('unlogged_chess', true)},
    ChessCluster::supplied(90_000, 90_499),
    'DELETE FROM games WHERE id % 11 = 0',
    'VACUUM games',
    q{SELECT chess_index_merge('games_chess')});
$standby->indexes_agree('chess', 'with more games after promotion');
unlike(slurp_file($standby->logfile), qr/inconsistent page/, 'wal_consistency_checking finds nothing');
$standby->nobody_died;
done_testing();
