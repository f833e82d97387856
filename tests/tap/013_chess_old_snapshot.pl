# In: PostgreSQL 15 or 16, whose setting old_snapshot_threshold lets VACUUM remove rows that an old snapshot sees.
# Out: an error unless an index of the access method chess refuses a snapshot that is too old, as the table does, instead of
# answering without the rows that were removed.
use strict;
use warnings;
use ChessCluster;
use Test::More;

my $node = ChessCluster->new('old');
$node->init(settings => ['autovacuum = off']);
$node->start;
plan skip_all => 'PostgreSQL 17 has no old_snapshot_threshold'
    if $node->sql('postgres', q{SELECT current_setting('old_snapshot_threshold', true) IS NULL}) eq 't';
$node->append_conf('postgresql.conf', 'old_snapshot_threshold = 0');
$node->restart;
$node->sql('postgres', 'CREATE EXTENSION chess');
$node->sql('postgres', q{CREATE TABLE g AS SELECT n AS id, chessgame '1. e4' AS game, n AS elo FROM generate_series(1, 5000) AS n});
$node->sql('postgres', 'CREATE INDEX g_chess ON g USING chess (game, elo)');
$node->sql('postgres', 'VACUUM g');

my $asked = q{SELECT count(*) FROM g WHERE hasBoard(game, finalBoard('1. e4'))};
my %ways = (
    'a bitmap scan' => ['SET chess.enable_index_sums = off', 'SET enable_seqscan = off', 'SET enable_indexscan = off', $asked],
    'a plain scan' => ['SET chess.enable_index_sums = off', 'SET enable_seqscan = off', 'SET enable_bitmapscan = off', $asked],
    'sums' => ['SET enable_seqscan = off', 'SET enable_bitmapscan = off', 'SET enable_indexscan = off', $asked],
    'an order' => [
        'SET enable_seqscan = off', 'SET enable_bitmapscan = off', 'SET enable_indexscan = off',
        q{SELECT count(*) FROM (SELECT FROM g WHERE hasBoard(game, finalBoard('1. e4')) ORDER BY elo DESC NULLS LAST LIMIT 5000) x}
    ],
);
my %old = map { $_ => $node->client('postgres') } 'a sequential scan', keys %ways;
for my $client (values %old) {
    ChessCluster::begin($client, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM g');
    is(ChessCluster::answer($client), 5000, 'a snapshot');
}
# The server removes the rows when it reads their pages, a few seconds after the snapshots were taken at the earliest.
my $end = time + 600;
do {
    $node->sql('postgres', $_) for 'UPDATE g SET elo = elo + 1 WHERE id <= 500', 'SELECT count(*) FROM g', 'VACUUM g';
    ChessCluster::begin($old{'a sequential scan'}, 'SET chess.enable_index_sums = off', 'SET enable_bitmapscan = off', 'SET enable_indexscan = off', $asked);
} while ChessCluster::answer($old{'a sequential scan'}) && time < $end;
like($old{'a sequential scan'}{err}, qr/snapshot too old/, 'a sequential scan');
for my $way (sort keys %ways) {
    ChessCluster::begin($old{$way}, @{ $ways{$way} });
    is(ChessCluster::answer($old{$way}), undef, "$way has no answer");
    like($old{$way}{err}, qr/snapshot too old/, "$way is refused");
}
is($node->sql('postgres', $asked), 5000, 'a new snapshot is not');
done_testing;
