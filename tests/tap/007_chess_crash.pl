# In: KILL_ROUNDS=n (default 2), each ending a server once per kind of work and of end.
# Out: after kill -9 of a backend and of the whole server, and after an immediate stop, during the build of an index of the
# access method chess, during inserts that flush and merge, chess_index_merge and VACUUM, the index has no damage and
# answers as the table does; an unlogged one is empty.
use strict;
use warnings;
use ChessCluster;
use Test::More;

srand 1;
my $node = ChessCluster->new('crash');
$node->init(
    settings => [
        'wal_level = replica', 'max_wal_size = 64MB', 'autovacuum = off', 'restart_after_crash = on',
        'maintenance_work_mem = 1MB', 'wal_consistency_checking = generic'
    ]);
$node->start;
$node->games('crash', games => 3000, questions => 8);
$node->file('crash', 'tests/tap/chess_index.sql', pending => 64);
$node->sql(
    'crash',
    ChessCluster::supplied(1, 3000),
    'CREATE UNLOGGED TABLE unlogged AS SELECT game FROM supply LIMIT 200',
    'CREATE INDEX unlogged_chess ON unlogged USING chess (game) WITH (pending_games = 64)',
    'INSERT INTO unlogged SELECT game FROM supply LIMIT 300');
my ($ends, $midway, $next) = (0, 0, 10_000);

# What is under way in the index, as its locks show it: tuple 2 stands for a flush, tuple 1 for a merge or VACUUM. Each
# flush takes two numbers, for its segment and the next list of pending games.
my $locked = "SELECT FROM pg_locks WHERE locktype = 'tuple' AND granted AND relation = to_regclass('games_chess')";

# end_it(WORK, END, STATEMENT, MOMENT): ends the server, or the backend, at a moment of the statement
sub end_it {
    my ($work, $end, $statement, $moment) = @_;
    my $when = "$end during $work";
    my $client = $node->client('crash');
    $midway++ if $node->catch('crash', $client, $statement, $moment);
    if ($end eq 'kill -9 of the backend') { $node->kill_process($client->{pid}); }
    elsif ($end eq 'kill -9 of the server') { $node->kill_everything; }
    else { $node->stop('immediate'); }
    $ends++;
    $client->{run}->finish;
    if ($end =~ /backend/) { $node->poll_query_until('crash', undef, '') or die 'no recovery'; }
    else { $node->start; }
    # what a build has left is invalid at most
    if ($node->sql('crash', q{SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('games_chess')}) ne 't') {
        $node->sql('crash', 'DROP INDEX IF EXISTS games_chess', 'CREATE INDEX games_chess ON games USING chess (game) WITH (pending_games = 64)');
    }
    $node->indexes_agree('crash', $when);
    is($node->sql('crash', q{SELECT count(*) FROM unlogged}), '0', "the unlogged table is empty after $when");
    $node->sql(
        'crash',
        q{SELECT chess_index_check('unlogged_chess', true)},
        'INSERT INTO unlogged SELECT game FROM supply LIMIT 300',
        q{SELECT chess_index_check('unlogged_chess', true)});
    # the next one writes to what this one has left; an INSERT that ended early may have been committed before
    $node->sql('crash', ChessCluster::supplied($next + 5000, $next + 5099), "DELETE FROM games WHERE id % 97 = $ends");
    $next += 10_000;
    $node->indexes_agree('crash', "with more games after $when");
}

# Where the machine is busy, work may end before its end is sent: more rounds follow then.
my $rounds = $ENV{KILL_ROUNDS} // 2;
for (my $round = 1; $round <= $rounds || $midway < 9 * $rounds && $round <= 10 * $rounds; $round++) {
    for my $end ('kill -9 of the backend', 'kill -9 of the server', 'immediate stop') {
        my $part = rand;
        my $concurrently = $end =~ /server/ ? 'CONCURRENTLY' : '';
        $node->sql('crash', 'DROP INDEX games_chess');
        end_it('the build, while it reads', $end,
            "CREATE INDEX $concurrently games_chess ON games USING chess (game) WITH (pending_games = 64)",
            "SELECT FROM pg_stat_progress_create_index WHERE blocks_total > 0 AND blocks_done >= $part * blocks_total");
        $node->sql('crash', 'DROP INDEX games_chess');
        end_it('the build, while it writes', $end,
            'CREATE INDEX games_chess ON games USING chess (game) WITH (pending_games = 64)',
            q{SELECT FROM pg_stat_progress_create_index WHERE phase LIKE '%writing%'});
        # a flush for each hundred games, and a merge for eight of them: the moment is one of many
        my $flushes = 1 + int rand 16;
        my $last = $node->sql('crash', q{SELECT max(number) FROM chess_index_info('games_chess')});
        end_it("flush $flushes of an insert", $end, ChessCluster::supplied($next, $next + 3999),
            "SELECT FROM chess_index_info('games_chess') HAVING max(number) > $last + 2 * $flushes");
        end_it('VACUUM', $end, 'VACUUM games', $locked);
        end_it('chess_index_merge', $end, q{SELECT chess_index_merge('games_chess')}, "$locked AND tuple = 1");
        end_it('REINDEX', $end, 'REINDEX INDEX games_chess', q{SELECT FROM pg_stat_progress_create_index WHERE phase LIKE '%writing%'});
    }
}
cmp_ok($midway, '>=', 9 * $rounds, "as many ends came during the work as half of $rounds rounds have: $midway of $ends");

# with wal_level = minimal, what the transaction itself has created is not logged, but synced or copied at its end
my $minimal = ChessCluster->new('minimal');
$minimal->init(settings => [ 'wal_level = minimal', 'max_wal_senders = 0', 'autovacuum = off' ]);
$minimal->start;
$minimal->games('chess', games => 500, questions => 6);
for my $threshold ('0', '1GB') {
    $minimal->sql(
        'chess',
        'BEGIN',
        "SET LOCAL wal_skip_threshold = '$threshold'",
        'CREATE TABLE new (game chessgame)',
        'INSERT INTO new SELECT game FROM supply LIMIT 200',
        'CREATE INDEX new_chess ON new USING chess (game) WITH (pending_games = 64)',
        'INSERT INTO new SELECT game FROM supply',
        'COMMIT');
    $minimal->kill_everything;
    $minimal->start;
    $minimal->sql('chess', 'INSERT INTO new SELECT game FROM supply LIMIT 100', 'VACUUM new');
    my ($status, $out, $err) = $minimal->psql('chess', q{SELECT chess_index_check('new_chess', true)});
    is($status, 0, "created in one transaction with wal_level = minimal and wal_skip_threshold = $threshold") or diag($err);
    my @board = 'SELECT count(*) FROM new WHERE hasBoard(game, getboard($$1. e4 e5$$, 2))';
    is( $minimal->sql('chess', 'SET enable_seqscan = off', @board),
        $minimal->sql('chess', 'SET enable_bitmapscan = off', 'SET enable_indexscan = off', @board),
        'and its answers');
    $minimal->sql('chess', 'DROP TABLE new');
}
note "$ends ends, $midway of them during the work; ", $node->sql('crash', 'SELECT count(*) FROM games'), ' games';
done_testing();
