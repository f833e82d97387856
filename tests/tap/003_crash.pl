# In: KILL_ROUNDS=n (default 3), each killing once per kind of work and of victim; GAMES=n supplied games (default 8000).
# Out: after every kill -9, of a backend and of the whole server, the table holds exactly what was committed (the clients'
# ledgers say) and every index answers as the sequential scan.
use strict;
use warnings;
use ChessCluster;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

srand 1;
my $node = ChessCluster->new('crash');
$node->init(
    settings => [
        'fsync = on', 'full_page_writes = on', 'wal_level = replica', 'max_wal_size = 128MB', 'autovacuum = off',
        'restart_after_crash = on', 'maintenance_work_mem = 8MB', 'gin_pending_list_limit = 256kB'
    ]);
$node->start;
$node->games('crash', games => $ENV{GAMES} // 8000, questions => 12);
$node->sql('crash', ChessCluster::supplied(1, '(SELECT max(id) FROM supply)'), 'CHECKPOINT');
$node->file('crash', 'tests/tap/indexes.sql');
my $base = $node->sql('crash', 'SELECT count(*) FROM games');
my $files = PostgreSQL::Test::Utils::tempdir;

# Batch B of client C inserts ten games and deletes half of those of the batch before. Its number comes out once the
# server has confirmed it.
my %confirmed = (1 => 0, 2 => 0);
my @clients;

sub batch {
    my ($client, $batch) = @_;
    my $first = $client * 1_000_000 + $batch * 10;
    return join "\n", 'BEGIN;', ChessCluster::supplied($first, $first + 9) . ';',
        sprintf('DELETE FROM games WHERE id BETWEEN %d AND %d AND id %% 2 = 1;', $first - 10, $first - 1),
        q{DO 'BEGIN PERFORM pg_sleep(0.02); END';}, 'COMMIT;', "\\echo $batch", '';
}

sub start_clients {
    @clients = ();
    for my $client (sort keys %confirmed) {
        unlink "$files/$client.sql", "$files/$client";
        append_to_file("$files/$client.sql", join '', map { batch($client, $_) } $confirmed{$client} + 1 .. $confirmed{$client} + 5000);
        local $ENV{PGAPPNAME} = "client $client";
        push @clients,
          IPC::Run::start([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('crash'), '-f', "$files/$client.sql" ],
            '>', "$files/$client", '2>', '/dev/null');
    }
}

# What is there against what was confirmed: of each client all confirmed batches, and of the one after them, whose
# confirmation may have been lost, all or nothing. The next run continues after what is there.
sub check_ledgers {
    my ($when) = @_;
    for my $client (sort keys %confirmed) {
        my $last = (split /\n/, slurp_file("$files/$client"))[-1] // $confirmed{$client};
        my $first = $client * 1_000_000;
        my $present = $node->sql('crash', "SELECT id FROM games WHERE id / 1000000 = $client ORDER BY id");
        my ($batches) = grep {
            my $whole = $first + $_ * 10;
            $present eq join "\n", grep { $_ % 2 == 0 || $_ >= $whole } $first + 10 .. $whole + 9
        } $last, $last + 1;
        ok(defined $batches, "client $client: the games of its $last confirmed batches, $when") or die "they are: $present\n";
        $confirmed{$client} = $batches;
    }
    is( $node->sql('crash', 'SELECT count(*) FROM games
            WHERE chessgame_send(game) <> chessgame_send(supplied(id)) OR chessgame_send(again) <> chessgame_send(game)'),
        '0', "no game has changed, $when");
    is($node->sql('crash', 'SELECT count(*) FROM games WHERE id < 1000000'), $base, "the games of before, $when");
}

my ($kills, $midway) = (0, 0);

# strike(WORK, VICTIM, STATEMENT, MOMENT): kills while the statement is at the moment, a condition on the progress that
# its backend reports, or during inserts
sub strike {
    my ($work, $victim, $statement, $moment) = @_;
    my ($worker, $pid);
    start_clients();
    if ($statement) {
        $worker = $node->client('crash');
        $pid = $worker->{pid};
        $midway++ if $node->catch('crash', $worker, $statement, $moment);
    }
    else {
        # the clients insert without a pause until they are killed
        $node->poll_query_until('crash', sprintf 'SELECT count(*) >= 2 FROM games WHERE id >= %d AND id / 1000000 = 1',
            1_000_000 + 10 * ($confirmed{1} + 1 + int rand 20)) or die 'the clients do nothing';
        $pid = (split /\n/, $node->sql('crash', q{SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'client _' ORDER BY pid}))[0];
        $midway++;
    }
    if ($victim eq 'server') { $node->kill_everything; }
    else { $node->kill_process($pid); }
    $kills++;
    $_->finish for @clients, $worker ? $worker->{run} : ();
    $node->start if $victim eq 'server';
    $node->poll_query_until('crash', undef, '') or die 'no recovery';
    check_ledgers("kill -9 of the $victim during $work");
}

for my $round (1 .. $ENV{KILL_ROUNDS} // 3) {
    for my $victim (qw(backend server)) {
        my $concurrently = $victim eq 'server' ? 'CONCURRENTLY' : '';
        strike('inserts', $victim);
        $node->indexes_agree('crash', "kill -9 of the $victim during inserts");
        my $phase = 1 + int rand 4;
        strike('VACUUM', $victim, 'VACUUM games', "SELECT FROM pg_stat_progress_vacuum WHERE $phase <=
            array_position(ARRAY['scanning heap', 'vacuuming indexes', 'vacuuming heap', 'cleaning up indexes'], phase)");
        $node->indexes_agree('crash', "kill -9 of the $victim during VACUUM");
        for my $index (qw(btree gin gin_direct chess)) {
            my $definition = $node->sql('crash', "SELECT pg_get_indexdef('games_$index'::regclass)");
            my $part = rand;
            $node->sql('crash', "DROP INDEX games_$index");
            strike("the build of $index", $victim, $definition =~ s/INDEX/INDEX $concurrently/r,
                "SELECT FROM pg_stat_progress_create_index WHERE blocks_total > 0 AND blocks_done >= $part * blocks_total");
            # what a killed build has left is invalid at most
            $node->sql('crash', "DROP INDEX IF EXISTS games_$index", $definition)
              if $node->sql('crash', "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('games_$index')") ne 't';
            $node->indexes_agree('crash', "kill -9 of the $victim during the build of $index");
        }
    }
    note "round $round: $kills kills so far";
}
$node->indexes_agree('crash', 'after the last round');
cmp_ok($midway * 2, '>=', $kills, "half of the kills at least came during the work: $midway of $kills");
cmp_ok($kills, '>', 0, 'something was killed');
note "$kills kills (-9), $midway of them during the work: ", 10 * ($confirmed{1} + $confirmed{2}), ' games committed meanwhile';
done_testing();
