# In: TRANSACTIONS=n (default 100) of each of eight clients, repeated until enough was searched and built.
# Out: while clients insert, delete, update, VACUUM, flush and merge, two merges at a time, and an index of the access method
# chess with an attribute is built and rebuilt concurrently, each search by index and each sum out of it answers as a sequential
# scan of the same snapshot; then the indexes have no damage and lack no row.
use strict;
use warnings;
use ChessCluster;
use Test::More;

my $node = ChessCluster->new('load');
$node->init(settings => [ 'maintenance_work_mem = 1MB', 'autovacuum_naptime = 1s' ]);
$node->start;
$node->games('chess', games => 1000, questions => 10);
$node->file('chess', 'tests/tap/chess_index.sql', pending => 64);
$node->sql('chess', 'DROP INDEX games_chess', 'CREATE INDEX games_chess ON games USING chess (game, (id::integer)) WITH (pending_games = 64)');
$node->sql(
    'chess',
    ChessCluster::supplied(1, 2000),
    q{CREATE FUNCTION compare_sums(n int) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
        b chessboard = (SELECT board FROM boards OFFSET n % (SELECT count(*) FROM boards) LIMIT 1);
        least int = n % 4000;
        of_index text;
        of_table text;
    BEGIN
        b := CASE WHEN n % 3 = 0 THEN startBoard() ELSE b END;
        PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true), set_config('enable_bitmapscan', 'off', true);
        SELECT string_agg(g::text, ', ' ORDER BY san) INTO of_index
            FROM (SELECT nextMove(game, b) AS san, count(*), sum(id::integer) FILTER (WHERE id::integer > 0), CASE WHEN count(*) = 1 THEN min(id) END
                  FROM games WHERE hasBoard(game, b) AND id::integer BETWEEN least AND 4000 GROUP BY 1) AS g;
        PERFORM set_config('enable_seqscan', 'on', true), set_config('chess.enable_index_sums', 'off', true);
        SELECT string_agg(g::text, ', ' ORDER BY san) INTO of_table
            FROM (SELECT nextMove(game, b) AS san, count(*), sum(id::integer) FILTER (WHERE id::integer > 0), CASE WHEN count(*) = 1 THEN min(id) END
                  FROM games WHERE hasBoard(game, b) AND id::integer BETWEEN least AND 4000 GROUP BY 1) AS g;
        IF of_index IS DISTINCT FROM of_table THEN
            RAISE 'sums of % from %: % by the index, % by the table', b, least, of_index, of_table;
        END IF;
    END $$});

# by the weights that pgbench gives them
my @scripts = ChessCluster::scripts(
    'insert@8' => q{\set first random(1, 4000)
        INSERT INTO games SELECT n, supplied(n) FROM generate_series(:first, :first + 40) AS n ON CONFLICT DO NOTHING;},
    'rollback@1' => q{\set first random(10000, 20000)
        BEGIN;
        INSERT INTO games SELECT n, supplied(n) FROM generate_series(:first, :first + 40) AS n ON CONFLICT DO NOTHING;
        ROLLBACK;},
    'delete@6' => q{\set first random(1, 4000)
        DELETE FROM games WHERE id IN
            (SELECT id FROM games WHERE id BETWEEN :first AND :first + 40 ORDER BY id FOR UPDATE SKIP LOCKED);},
    'update@4' => q{\set first random(1, 4000)
        UPDATE games SET game = supplied(id + 1) WHERE id IN
            (SELECT id FROM games WHERE id BETWEEN :first AND :first + 10 ORDER BY id FOR UPDATE SKIP LOCKED);},
    'search@20' => q{\set n random(1, 1000000)
        BEGIN ISOLATION LEVEL REPEATABLE READ;
        SELECT compare(:n);
        COMMIT;},
    'sums@6' => q{\set n random(1, 1000000)
        BEGIN ISOLATION LEVEL REPEATABLE READ;
        SELECT compare_sums(:n);
        COMMIT;},
    'scans@2' => q{BEGIN ISOLATION LEVEL REPEATABLE READ;
        SELECT scans(2);
        COMMIT;},
    'vacuum@2' => 'VACUUM games;',
    # REINDEX CONCURRENTLY may take the index away after its name was looked up
    'merge@2' => q{DO $$ BEGIN
            PERFORM chess_index_merge('games_chess');
        EXCEPTION WHEN undefined_table OR undefined_object OR wrong_object_type OR internal_error THEN NULL;
        END $$;},
    'check@1' => q{DO $$ BEGIN
            PERFORM chess_index_check('games_chess', true);
        EXCEPTION WHEN undefined_table OR undefined_object OR wrong_object_type OR object_not_in_prerequisite_state OR internal_error THEN NULL;
        END $$;});

my ($transactions, $searches, $built) = (0, 0, 0);
my $builder = $node->client('chess');
my $is_building = 0;
ChessCluster::begin($builder, 'SET client_min_messages = warning');

sub build {
    $builder->{run}->pump_nb if $builder->{run}->pumpable;
    ($built, $is_building) = ($built + 2, 0) if $builder->{out} =~ s/^2\n//;
    return if $is_building;
    ChessCluster::begin($builder,
        'DROP INDEX CONCURRENTLY IF EXISTS games_chess_new',
        'CREATE INDEX CONCURRENTLY games_chess_new ON games USING chess (game, (id::integer)) WITH (pending_games = 64)',
        'REINDEX INDEX CONCURRENTLY games_chess',
        'SELECT 2');
    $is_building = 1;
    return;
}

for my $number (1 .. 20) {
    my ($done, $searched) =
      $node->load('chess', $number, clients => 8, transactions => 100, scripts => \@scripts, meanwhile => \&build);
    ($transactions, $searches) = ($transactions + $done, $searches + $searched);
    last if $searches > 100 && $built >= 4;
}
ok(ChessCluster::finish($builder), 'indexes can be built under load') or diag($builder->{err});
my $compared = $node->indexes_agree('chess', 'after the load');
is($node->sql('chess', q{SELECT indisvalid FROM pg_index WHERE indexrelid = 'games_chess_new'::regclass}), 't', 'games_chess_new is valid');
$node->sql('chess', 'DROP INDEX games_chess', 'ALTER INDEX games_chess_new RENAME TO games_chess');
$node->indexes_agree('chess', 'the one made under load');
like($node->sql('chess', 'SET enable_seqscan = off', 'SET enable_bitmapscan = off', 'SET enable_indexscan = off',
        'EXPLAIN SELECT sum(id::integer) FILTER (WHERE id::integer > 0) FROM games WHERE hasBoard(game, startBoard()) AND id::integer BETWEEN 5 AND 4000'),
    qr/Chess Index Sums/, 'sums come from the index');
is( $node->sql('chess', 'SELECT count(*) FROM games
        WHERE chessgame_send(game) IS DISTINCT FROM chessgame_send(supplied(id))
          AND chessgame_send(game) IS DISTINCT FROM chessgame_send(supplied(id + 1))'),
    '0', 'games are those that were written');
$node->nobody_died;
$node->no_warning;
cmp_ok($searches, '>', 100, 'enough was searched');
cmp_ok($built, '>=', 4, 'enough was built');
note "$transactions transactions, $searches searches in them compared with a sequential scan of the same snapshot, ",
  "$built indexes built concurrently meanwhile; $compared";
done_testing();
