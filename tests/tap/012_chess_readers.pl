# In: PAUSES=n (default 12), how often a scan is stopped while pages are freed and used again.
# Out: a scan of an index of the access method chess that is stopped at any moment, while games are inserted, removed, flushed
# and merged, finds what a sequential scan of its snapshot finds; so does a cursor that is open meanwhile.
use strict;
use warnings;
use ChessCluster;
use Test::More;

srand 2;
my $node = ChessCluster->new('readers');
$node->init(settings => ['autovacuum = off']);
$node->start;
$node->games('chess', games => 1000, questions => 6);
$node->file('chess', 'tests/tap/chess_index.sql', pending => 64);
$node->sql('chess', ChessCluster::supplied(1, 1500));

my ($reader, $writer, $watch, $cursor) = map { $node->client('chess') } 1 .. 4;
my $segments = q{SELECT string_agg(number::text, ' ') FROM chess_index_info('games_chess') WHERE part = 'segment'};
my ($next, $replaced) = (10_000, 0);
for my $pause (1 .. $ENV{PAUSES} // 12) {
    # a cursor over two of three pauses
    if ($pause % 3) {
        ChessCluster::begin($cursor, $pause % 3 == 1 ? ('BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT take(20) FROM begin_taking()') : 'SELECT take(40)');
        ok(ChessCluster::answer($cursor), "a cursor goes on, $pause") or diag($cursor->{err});
    }
    my $before = $node->sql('chess', $segments);
    ChessCluster::begin($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', $pause % 4 ? 'SELECT scans(60)' : 'SELECT check_indexes()', 'COMMIT');
    # some moment of the scans
    for (1 .. int rand 60) {
        ChessCluster::begin($watch, 'SELECT 1');
        ChessCluster::answer($watch);
    }
    kill 'STOP', $reader->{pid};
    # these end, or wait for a page or a lock that the stopped scan holds
    ChessCluster::begin(
        $writer,
        ChessCluster::supplied($next, $next + 199),
        "DELETE FROM games WHERE id % 50 = $pause",
        'VACUUM games',
        $pause % 3 ? () : q{SELECT chess_index_merge('games_chess')},
        ChessCluster::supplied($next + 200, $next + 399),
        "SELECT $pause AS written");
    $next += 1000;
    $node->poll_query_until('chess', "SELECT count(*) = 1 FROM pg_stat_activity WHERE pid = $writer->{pid}
        AND (state = 'idle' AND query LIKE '%SELECT $pause AS written%' OR wait_event_type IN ('LWLock', 'BufferPin', 'IPC', 'Lock') OR wait_event = 'AioIoCompletion')") or die 'the writer does not go on';
    kill 'CONT', $reader->{pid};
    like(ChessCluster::answer($reader) // $reader->{err}, qr{as (by|a) sequential scan}, "a scan that was stopped, $pause");
    my $written;
    do { $written = ChessCluster::answer($writer) } while defined $written && $written ne $pause;
    is($written, $pause, "what was written meanwhile, $pause") or diag($writer->{err});
    $replaced++ if $before ne $node->sql('chess', $segments);
    if ($pause % 3 == 2) {
        ChessCluster::begin($cursor, 'SELECT all_taken()', 'COMMIT');
        like(ChessCluster::answer($cursor) // $cursor->{err}, qr/each game once/, "a cursor over changes of the index, $pause");
    }
}
ok(ChessCluster::finish($_), 'a client has ended well') or diag($_->{err}) for $reader, $writer, $watch, $cursor;
cmp_ok($replaced, '>', 0, "segments were replaced meanwhile, $replaced times");
$node->indexes_agree('chess', 'after all this');
$node->nobody_died;
done_testing();
