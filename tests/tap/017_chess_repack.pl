# In: PostgreSQL 19 or later.
# Out: REPACK, also CONCURRENTLY beside a writer, and an autovacuum with parallel workers leave an index of the access method
# chess that answers as the table does and lacks no row.
use strict;
use warnings;
use ChessCluster;
use PostgreSQL::Test::Utils qw(slurp_file);
use Test::More;

my $node = ChessCluster->new('repack');
plan skip_all => 'REPACK is there from PostgreSQL 19 on' if $node->pg_version->major < 19;
$node->init(
    allows_streaming => 1,
    settings => [
        'autovacuum_naptime = 1s', 'autovacuum_max_parallel_workers = 2', 'min_parallel_index_scan_size = 0',
        'log_autovacuum_min_duration = 0'
    ]);
$node->start;
$node->games('chess', games => 1000, questions => 10);
$node->file('chess', 'tests/tap/chess_index.sql', pending => 64);
$node->sql(
    'chess',
    'ALTER TABLE games SET (autovacuum_enabled = off)',
    ChessCluster::supplied(1, 2000),
    'CREATE INDEX games_board ON games (finalBoard(game))',
    'CREATE TABLE ended ()');
my $file = q{SELECT pg_relation_filenode('games_chess')};

for my $repack ('REPACK games', 'REPACK games USING INDEX games_board') {
    my $before = $node->sql('chess', $file);
    $node->sql('chess', 'DELETE FROM games WHERE id % 7 = 0', $repack, ChessCluster::supplied(3001, 3020), 'DELETE FROM games WHERE id > 3000');
    isnt($node->sql('chess', $file), $before, "$repack builds the index anew");
    $node->indexes_agree('chess', "after $repack");
}

# it writes until the last REPACK has ended
my $writer = $node->client('chess');
ChessCluster::begin($writer, q{DO $$ DECLARE n int := 0; BEGIN
        WHILE NOT EXISTS (SELECT FROM ended) LOOP
            n := n + 1;
            INSERT INTO games SELECT i, supplied(i) FROM generate_series(10000 + 10 * n, 10009 + 10 * n) AS i;
            UPDATE games SET game = supplied(id + 1) WHERE id % 200 = n % 200;
            DELETE FROM games WHERE id BETWEEN 10000 AND 9000 + 10 * n OR id % 400 = n;
            COMMIT;
        END LOOP;
    END $$}, q{SELECT 'has written'});
for my $round (1 .. 3) {
    my ($before, $games) = map { $node->sql('chess', $_) } $file, 'SELECT max(id) FROM games';
    $node->poll_query_until('chess', "SELECT max(id) > $games FROM games");
    $node->sql('chess', 'REPACK (CONCURRENTLY) games');
    isnt($node->sql('chess', $file), $before, "REPACK CONCURRENTLY builds the index anew, round $round");
    $node->poll_query_until('chess', "SELECT max(id) > $games + 10 FROM games");
    like($node->sql('chess', 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT scans(4)', 'COMMIT'),
        qr/answer as a sequential scan/, "scans beside the writer, round $round");
}
$node->sql('chess', 'INSERT INTO ended DEFAULT VALUES');
is(ChessCluster::answer($writer), 'has written', 'the writer wrote to the end');
ChessCluster::finish($writer);
$node->indexes_agree('chess', 'after REPACK CONCURRENTLY beside a writer');

$node->sql('chess', 'DELETE FROM games WHERE id % 3 = 0', 'ALTER TABLE games SET (autovacuum_enabled = on, autovacuum_parallel_workers = 2, autovacuum_vacuum_threshold = 10)');
$node->poll_query_until('chess', q{SELECT autovacuum_count > 0 AND n_dead_tup = 0 FROM pg_stat_user_tables WHERE relname = 'games'});
like(slurp_file($node->logfile), qr/parallel.*\b[12] launched/, 'autovacuum has parallel workers');
$node->indexes_agree('chess', 'after an autovacuum with parallel workers');
$node->nobody_died;
$node->no_warning;
$node->stop;
done_testing();
