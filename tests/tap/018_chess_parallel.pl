# In: nothing.
# Out: an index of the access method chess that workers have built together answers as its table does; an ERROR, cancel, SIGTERM or
# kill -9 in the leader or in a worker ends all processes of the build, and leaves an index that can be built anew.
use strict;
use warnings;
use ChessCluster;
use Test::More;

my $node = ChessCluster->new('parallel');
$node->init(
    settings => [
        'autovacuum = off', 'restart_after_crash = on', 'maintenance_work_mem = 24MB', 'max_parallel_maintenance_workers = 2',
        'temp_file_limit = 1GB', 'wal_level = minimal', 'max_wal_senders = 0'
    ]);
$node->start;
$node->games('chess', games => 1000, questions => 5);
$node->file('chess', 'tests/tap/chess_index.sql', pending => 64);
# An attribute whose first row makes trouble: the processes of a build meet it until the moment that a test waits for. As the
# leader waits for a worker that is asleep, it does not read the whole table before one has come.
$node->sql(
    'chess',
    ChessCluster::supplied(1, 3000),
    q{CREATE FUNCTION number(id bigint) RETURNS int IMMUTABLE PARALLEL SAFE LANGUAGE plpgsql AS $$
    DECLARE
        trouble text := current_setting('test.trouble', true);
        is_leader boolean := pg_backend_pid() = current_setting('test.leader', true)::int;
    BEGIN
        IF trouble = 'the worker fails' THEN
            IF is_leader THEN PERFORM pg_sleep(600); END IF;
            RAISE 'trouble in a worker';
        ELSIF trouble = 'the leader fails' THEN
            IF NOT is_leader THEN PERFORM pg_sleep(600); END IF;
            LOOP
                PERFORM pg_stat_clear_snapshot();
                EXIT WHEN EXISTS (SELECT FROM pg_stat_activity WHERE leader_pid = pg_backend_pid() AND wait_event = 'PgSleep');
            END LOOP;
            RAISE 'trouble in the leader';
        ELSIF trouble = 'all sleep' THEN
            PERFORM pg_sleep(600);
        END IF;
        RETURN id;
    END $$},
    'ALTER TABLE games SET (parallel_workers = 2)');
my $columns = '(game, number(id)) WITH (pending_games = 64)';
my $create = "CREATE INDEX games_chess ON games USING chess $columns";

# goes_on(WHEN): nobody works any more, and the index is or can be built
sub goes_on {
    my ($when) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok($node->poll_query_until('chess', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'parallel worker'}), "no worker is left: $when");
    $node->sql('chess', 'DROP INDEX IF EXISTS games_chess', $create)
      if $node->sql('chess', q{SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('games_chess')}) ne 't';
    $node->indexes_agree('chess', $when);
}

my $segments = q{SELECT count(*) FROM chess_index_info('games_chess') WHERE part = 'segment'};
# A leader may read a small table alone before a worker has begun.
for my $statement ('DROP INDEX games_chess; ' . $create, 'REINDEX INDEX games_chess', 'REINDEX INDEX CONCURRENTLY games_chess',
    'DROP INDEX games_chess; ' . $create =~ s/INDEX/INDEX CONCURRENTLY/r) {
    my $of_several = 0;
    for (1 .. 100) {
        $node->sql('chess', split /; /, $statement);
        last if $of_several = $node->sql('chess', $segments) > 1;
    }
    ok($of_several, "workers take part in $statement");
    goes_on($statement);
}
$node->sql('chess', ChessCluster::supplied(10_000, 10_999), 'DELETE FROM games WHERE id % 7 = 1', 'VACUUM games');
goes_on('games come and go');
$node->sql('chess', q{SELECT chess_index_merge('games_chess')});
is($node->sql('chess', $segments), '1', 'chess_index_merge makes one segment of all');
goes_on('the merge');

# What is in a table of the same transaction is not logged with wal_level = minimal.
$node->sql('chess', 'BEGIN', 'CREATE TABLE copied WITH (parallel_workers = 2) AS TABLE games', 'CREATE INDEX copied_chess ON copied USING chess (game)', 'COMMIT');
$node->sql('chess', 'CREATE UNLOGGED TABLE unlogged WITH (parallel_workers = 2) AS TABLE games', 'CREATE INDEX unlogged_chess ON unlogged USING chess (game)');
$node->sql('chess', "SELECT chess_index_check('unlogged_chess', true)");
$node->kill_everything;
$node->start;
$node->sql('chess', "SELECT chess_index_check('copied_chess', true)", "SELECT chess_index_check('unlogged_chess', true)");
is($node->sql('chess', 'SELECT count(*) FROM unlogged'), '0', 'an unlogged table is empty after a crash');
goes_on('kill -9 of the server after builds by several processes');

my $asleep = q{SELECT FROM pg_stat_activity AS w JOIN pg_stat_activity AS l ON l.pid = w.leader_pid
    WHERE w.backend_type = 'parallel worker' AND w.wait_event = 'PgSleep' AND l.wait_event = 'PgSleep'};
my $worker = q{SELECT min(pid) FROM pg_stat_activity WHERE backend_type = 'parallel worker'};
my @ends = (
    [ 'the worker fails', undef, qr/trouble in a worker/ ],
    [ 'the leader fails', undef, qr/trouble in the leader/ ],
    [ 'all sleep', sub { kill 'INT', $_[0] }, qr/canceling statement due to user request/ ],
    [ 'all sleep', sub { kill 'TERM', $_[0] }, qr/terminating connection/ ],
    [ 'all sleep', sub { kill 'TERM', $node->sql('chess', $worker) }, qr/due to administrator command/ ],
    [ 'all sleep', sub { $node->kill_process($node->sql('chess', $worker)) }, qr/server closed the connection|terminating connection/ ],
    [ 'all sleep', sub { $node->kill_process($_[0]) }, qr/server closed the connection/ ]);
my @statements = ($create, $create =~ s/INDEX/INDEX CONCURRENTLY/r, 'REINDEX INDEX games_chess');
my $nth = 0;
for my $end (@ends) {
    my ($trouble, $does, $error) = @$end;
    my $statement = $statements[ $nth++ % @statements ];
    my $what = "$trouble, by number $nth of the ends, in $statement";
    $node->sql('chess', 'DROP INDEX IF EXISTS games_chess') if $statement =~ /^CREATE/;
    my $client = $node->client('chess');
    ChessCluster::begin($client, "SET test.trouble = '$trouble'", "SET test.leader = $client->{pid}");
    if ($does) {
        ok($node->catch('chess', $client, $statement, $asleep), "the moment is met: $what");
        $does->($client->{pid});
    }
    else {
        ChessCluster::begin($client, $statement);
    }
    ok(!ChessCluster::finish($client), "the statement fails: $what");
    like($client->{err}, $error, "and says why: $what");
    $node->poll_query_until('chess', undef, '') or die 'no recovery' if $what =~ /number [67]/;
    goes_on($what);
}
done_testing();
