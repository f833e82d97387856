# In: TRANSACTIONS=n (default 600) of each of six clients, with GIN's pending list and the same without it, repeated until
# enough was searched and built.
# Out: while games are inserted, deleted, updated and vacuumed, and indexes are built and rebuilt concurrently, each search
# by an index answers as the sequential scan of the same snapshot does; at the end all indexes, also those made meanwhile,
# answer as it does and as shakmaty's replay of the games.
use strict;
use warnings;
use ChessCluster;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = ChessCluster->new('load');
$node->init(settings => ['gin_pending_list_limit = 256kB']);
$node->start;
$node->games('chess', games => 3000, questions => 25);
$node->sql('chess', ChessCluster::supplied(1, 3000));
$node->file('chess', 'tests/tap/indexes.sql');

# by the weights that pgbench gives them
my @scripts = ChessCluster::scripts(
    'insert@6' => q{\set first random(1, 6000)
        INSERT INTO games SELECT n, supplied(n) FROM generate_series(:first, :first + 20) AS n ON CONFLICT DO NOTHING;},
    'delete@4' => q{\set first random(1, 6000)
        DELETE FROM games WHERE id IN
            (SELECT id FROM games WHERE id BETWEEN :first AND :first + 25 ORDER BY id FOR UPDATE SKIP LOCKED);},
    'update@4' => q{\set first random(1, 6000)
        UPDATE games SET game = supplied(id + 1) WHERE id IN
            (SELECT id FROM games WHERE id BETWEEN :first AND :first + 10 ORDER BY id FOR UPDATE SKIP LOCKED);},
    'search@20' => q{\set n random(1, 1000000)
        BEGIN ISOLATION LEVEL REPEATABLE READ;
        SELECT compare(:n);
        COMMIT;},
    'vacuum@1' => 'VACUUM games;',
    # REINDEX CONCURRENTLY may take the index away after its name was looked up
    'clean@1' => q{DO $$ BEGIN
            PERFORM gin_clean_pending_list('games_gin'), gin_clean_pending_list('games_gin_direct');
        EXCEPTION WHEN undefined_table OR undefined_object OR internal_error THEN NULL;
        END $$;});

my ($transactions, $searches, $built) = (0, 0, 0);

# build(BUILDER, INDEXES): the builder makes an index of each kind and drops it again, and makes each of the others anew, in turn
sub build {
    my ($builder, $definitions) = @_;
    settle($builder);
    return if $builder->{busy};
    my ($index) = @$definitions;
    push @$definitions, shift @$definitions;
    ChessCluster::begin($builder,
        "DROP INDEX CONCURRENTLY IF EXISTS games_$index->[0]_new",
        $index->[1] =~ s/INDEX games_$index->[0]/INDEX CONCURRENTLY games_$index->[0]_new/r,
        "REINDEX INDEX CONCURRENTLY games_$index->[0]",
        'SELECT 2');
    $builder->{busy} = 1;
    return;
}

# settle(BUILDER): counts what it has built
sub settle {
    my ($builder) = @_;
    $builder->{run}->pump_nb if $builder->{run}->pumpable;
    while ($builder->{out} =~ s/^(\d+)\n//) {
        $built += $1;
        $builder->{busy} = 0;
    }
}

my @kinds = qw(btree gin gin_direct chess);
for my $round (1, 2) {
    my $pending = $round == 1 ? 'on' : 'off';
    $node->sql('chess', map { "ALTER INDEX games_$_ SET (fastupdate = $pending)" } qw(gin gin_direct));
    my @definitions = map { [ $_, $node->sql('chess', "SELECT pg_get_indexdef('games_$_'::regclass)") ] } @kinds;
    my $builder = $node->client('chess');
    ChessCluster::begin($builder, 'SET client_min_messages = warning');
    # a slow machine may build less in one load
    for my $number (1 .. 20) {
        my ($done, $searched) = $node->load('chess', $number, clients => 6, transactions => 600, scripts => \@scripts,
            meanwhile => sub { build($builder, \@definitions) });
        ($transactions, $searches) = ($transactions + $done, $searches + $searched);
        last if $searches > 25 * $round && $built >= 4 * $round;
    }
    ok(ChessCluster::finish($builder), "indexes can be built under load, fastupdate = $pending") or diag($builder->{err});
    settle($builder);
    $node->indexes_agree('chess', "after the load, fastupdate = $pending");
}
my $compared = $node->indexes_agree('chess', 'before the indexes made under load take their place');
# the same questions to the indexes that were made under load
for my $index (@kinds) {
    is($node->sql('chess', "SELECT indisvalid FROM pg_index WHERE indexrelid = 'games_${index}_new'::regclass"), 't', "games_${index}_new is valid");
    $node->sql('chess', "DROP INDEX games_$index", "ALTER INDEX games_${index}_new RENAME TO games_$index");
}
$node->indexes_agree('chess', 'those made under load');
is( $node->sql('chess', 'SELECT count(*) FROM games
        WHERE chessgame_send(game) NOT IN (chessgame_send(supplied(id)), chessgame_send(supplied(id + 1)))'),
    '0', 'games are those that were written');
$node->agrees_with_amcheck('chess', 'after the load');
my $files = PostgreSQL::Test::Utils::tempdir;
$node->sql('chess', "\\o $files/games.pgn", q{SELECT pgn(game) || E'\n' FROM games}, '\o');
my ($answers) = run_command([ 'answers', "$files/games.pgn", 60, 20 ]);
IPC::Run::run([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('chess'), '-f', 'benches/server/verify.sql' ],
    '<', \"$answers\n", '2>', \my $verified);
is($?, 0, 'the answers are those of a replay') or diag($verified);
$node->nobody_died;
$node->no_warning;
cmp_ok($searches, '>', 50, 'enough was searched');
cmp_ok($built, '>=', 6, 'enough was built');
note "$transactions transactions, $searches searches in them compared with a sequential scan of the same snapshot, ",
  "$built indexes built concurrently meanwhile; $compared";
done_testing();
