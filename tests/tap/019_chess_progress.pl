# In: nothing.
# Out: searches of an index of the access method chess end even while another session keeps inserting and pages are reused at
# once; VACUUM sleeps as vacuum_cost_delay says while it merges segments, and nothing else does.
use strict;
use warnings;
use ChessCluster;
use Test::More;

my $node = ChessCluster->new('progress');
$node->init(settings => ['autovacuum = off']);
$node->start;
$node->games('chess', games => 300, questions => 1);
$node->file('chess', 'tests/tap/chess_index.sql', pending => 64);
$node->sql(
    'chess',
    ChessCluster::supplied(1, 250),
    # searches for these boards take far longer than it takes to fill a list of pending games
    'CREATE TABLE asked AS SELECT array_agg(DISTINCT getboard(game, ply)) AS boards FROM supply, generate_series(10, 60) AS ply
        WHERE id BETWEEN 1 AND 250 AND ply <= plycount(game)',
    'CREATE TABLE stopped ()',
    q{CREATE PROCEDURE insert_until_stopped(first int) LANGUAGE plpgsql AS $$
    BEGIN
        FOR n IN 1 .. 20000 LOOP
            EXIT WHEN EXISTS (SELECT FROM stopped);
            INSERT INTO games SELECT first + 30 * n + row, supplied(row) FROM generate_series(1, 30) AS row;
            COMMIT;
        END LOOP;
    END $$});

my $all = join ' AND ', ('game && (SELECT boards FROM asked)') x 2;
my @off = map { "SET enable_$_ = off" } qw(seqscan bitmapscan indexscan);
my $no_sums = 'SET chess.enable_index_sums = off';
my $first = 0;
for ([ 'Bitmap Index Scan on games_chess', $no_sums, @off[ 0, 2 ] ], [ 'Index Scan using games_chess', $no_sums, @off[ 0, 1 ] ]) {
    my ($plan, @settings) = @$_;
    my $query = "SELECT count(*) FROM games WHERE $all";
    like($node->sql('chess', @settings, "EXPLAIN (COSTS off) $query"), qr/$plan/, "the plan has $plan");
    my $writer = $node->client('chess');
    $first += 1_000_000;
    ChessCluster::begin($writer, "CALL insert_until_stopped($first)");
    $node->poll_query_until('chess', "SELECT EXISTS (SELECT FROM games WHERE id > $first)") or die 'nothing is inserted';
    $node->sql('chess', @settings, $query);
    is($node->sql('chess', "SELECT state FROM pg_stat_activity WHERE pid = $writer->{pid}"), 'active', "a search ends before the inserts: $plan");
    $node->sql('chess', 'INSERT INTO stopped DEFAULT VALUES');
    ok(ChessCluster::finish($writer), 'which succeed') or diag($writer->{err});
    $node->sql('chess', 'TRUNCATE stopped', 'DELETE FROM games WHERE id > 1000000', 'VACUUM games', q{SELECT chess_index_merge('games_chess')});
}
$node->indexes_agree('chess', 'after the searches');

# the table has few pages, so VACUUM soon merges the segments that half of the games have left, which takes minutes at this pace
my @slow = ("SET vacuum_cost_delay = '100ms'", 'SET vacuum_cost_limit = 1');
$node->sql('chess', 'TRUNCATE games', ChessCluster::supplied(10_000, 10_999), 'DELETE FROM games WHERE id % 2 = 0');
my $vacuum = $node->client('chess');
ChessCluster::begin($vacuum, @slow);
is( $node->catch(
        'chess', $vacuum, 'VACUUM games',
        "SELECT FROM pg_stat_activity WHERE pid = $vacuum->{pid} AND wait_event = 'VacuumDelay'
            AND EXISTS (SELECT FROM chess_index_info('games_chess') WHERE part = 'unfinished')"),
    '1', 'VACUUM sleeps while it merges segments');
kill 'INT', $vacuum->{pid};
ChessCluster::finish($vacuum);
# the index has more than a hundred pages, for each of which a build would sleep for a tenth of a second
$node->sql('chess', "INSERT INTO games SELECT 20000 + n, supplied(n) FROM generate_series(1, 3000) AS n");
my ($status, undef, $error) = $node->psql('chess', join('; ', @slow, "SET statement_timeout = '10s'", '') . 'VACUUM FULL games');
is($status, 0, 'VACUUM FULL, which nobody can read beside, does not sleep') or diag($error);
$node->nobody_died;
$node->no_warning;
done_testing();
