# In: nothing.
# Out: an index of the access method chess has no damage and answers as its table does after statements that ended early,
# by cancel, statement_timeout, temp_file_limit or a full disk; where row pointers are used again; in a dump that was
# restored; and beside another merge.
use strict;
use warnings;
use ChessCluster;
use PostgreSQL::Test::Utils;
use Test::More;

srand 1;
my $node = ChessCluster->new('limits');
# a server process whose files are limited must still be able to write WAL
$node->init(extra => ['--wal-segsize=1'], settings => [ 'autovacuum = off', 'maintenance_work_mem = 1MB', 'restart_after_crash = on' ]);
$node->start;
$node->games('chess', games => 3000, questions => 8);
$node->file('chess', 'tests/tap/chess_index.sql', pending => 64);
# the table is smaller than the index, so that a full disk is met in the index
$node->sql('chess', 'ALTER TABLE games DROP COLUMN again', ChessCluster::supplied(1, 12_000));
my $create = 'CREATE INDEX games_chess ON games USING chess (game) WITH (pending_games = 64)';
my $next = 1_000_000;

# unused(STATEMENT): the statement, with ids that no game has in the place of FIRST
sub unused {
    my ($statement) = @_;
    $next += 10_000;
    return $statement =~ s/FIRST/$next/gr;
}

my $insert = ChessCluster::supplied('FIRST', 'FIRST + 3000');

# goes_on(WHEN): the index is as if nothing had happened, and takes more games
sub goes_on {
    my ($when) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    $node->sql('chess', "DROP INDEX IF EXISTS games_chess", $create)
      if $node->sql('chess', q{SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('games_chess')}) ne 't';
    $node->indexes_agree('chess', $when);
    $node->sql('chess', unused($insert =~ s/3000/100/r), "DELETE FROM games WHERE id % 997 = $next / 10000 % 997", 'VACUUM games');
    $node->indexes_agree('chess', "with more games after $when");
}

# cancel, at every stage; a moment is a query that has rows then
my $locked = "SELECT FROM pg_locks WHERE locktype = 'tuple' AND granted AND relation = to_regclass('games_chess')";
my $writing = q{SELECT FROM pg_stat_progress_create_index WHERE phase LIKE '%writing%'};
my @works = (
    [ 'the build, while it reads', $create, 'SELECT FROM pg_stat_progress_create_index WHERE blocks_done > 0' ],
    [ 'the build, while it writes', $create, $writing ],
    [ 'CREATE INDEX CONCURRENTLY', $create =~ s/INDEX/INDEX CONCURRENTLY/r, $writing ],
    [ 'an insert', $insert, "$locked AND tuple = 2" ],
    [ 'a merge of an insert', $insert, "$locked AND tuple = 1" ],
    [ 'VACUUM', 'VACUUM games', $locked ],
    [ 'chess_index_merge', q{SELECT chess_index_merge('games_chess')}, $locked ],
    [ 'chess_index_check', q{SELECT chess_index_check('games_chess', true)}, $locked ],
    [ 'REINDEX', 'REINDEX INDEX games_chess', $writing ]);
# Where the machine is busy, work may end before it is cancelled: it is tried again then.
my ($cancelled, $tries) = (0, 0);
while ($cancelled < @works / 2 && $tries++ < 10) {
    for (@works) {
        my ($work, $statement, $moment) = @$_;
        $node->sql('chess', 'DROP INDEX IF EXISTS games_chess') if $statement =~ /^CREATE/;
        my $client = $node->client('chess');
        $node->catch('chess', $client, unused($statement), $moment);
        kill 'INT', $client->{pid};    # as pg_cancel_backend does, and sooner
        my $succeeded = ChessCluster::finish($client);
        $cancelled++ if !$succeeded;
        like($client->{err}, $succeeded ? qr/^$/ : qr/canceling statement due to user request/, "$work can be cancelled");
        goes_on("cancelling $work");
    }
}
cmp_ok($cancelled, '>=', @works / 2, "as many works were cancelled before their end as half of them: $cancelled");

# statement_timeout ends each of them wherever it is by then
for my $work (@works) {
    my ($name, $statement) = @$work;
    for my $timeout (5, 50) {
        $node->sql('chess', 'DROP INDEX IF EXISTS games_chess') if $statement =~ /^CREATE/;
        my ($status, $out, $err) = $node->psql('chess', "SET statement_timeout = $timeout;\n" . unused($statement));
        like($err, qr/^$|canceling statement due to statement timeout/, "$name with a timeout of $timeout ms");
        goes_on("a timeout of $timeout ms during $name");
    }
}

# an ERROR in the middle: the sort has no room for its temporary file
$node->sql('chess', 'INSERT INTO games SELECT n, supplied(n) FROM generate_series(200000, 215000) AS n', 'DROP INDEX games_chess');
for my $statement ($create, 'REINDEX INDEX games_chess') {
    my ($status, $out, $err) = $node->psql('chess', "SET temp_file_limit = '64kB';\n$statement");
    like($err, qr/temporary file size exceeds "?temp_file_limit/, "no room for temporary files: $statement");
    goes_on("no room for the temporary files of $statement");
}
$node->sql('chess', 'DELETE FROM games WHERE id BETWEEN 200000 AND 215000', 'VACUUM games');

# a full disk: files of the server process that works end where the index ends now, or in its middle
for (@works) {
    my ($work, $statement) = @$_;
    next if $work =~ /check|reads|merge of/;
    my $size = $node->sql('chess', q{SELECT pg_relation_size('games_chess')});
    $node->sql('chess', 'DROP INDEX IF EXISTS games_chess') if $statement =~ /^CREATE/;
    my $client = $node->client('chess');
    my $limit = $work =~ /build|CREATE|REINDEX/ ? int($size / 2) : $size + 8192 * 3;
    system_or_bail('prlimit', "--pid=$client->{pid}", "--fsize=$limit");
    ChessCluster::begin($client, unused($statement));
    my $succeeded = ChessCluster::finish($client);
    # VACUUM may do with the pages that are free
    like($client->{err}, $succeeded && $work eq 'VACUUM' ? qr/^$/ : qr/File too large/, "no room for $work");
    goes_on("no room for $work");
}

# the same where the transaction goes on: no lock of the index is left
my $careless = $node->client('chess');
system_or_bail('prlimit', "--pid=$careless->{pid}", '--fsize=' . $node->sql('chess', q{SELECT pg_relation_size('games_chess')}));
ChessCluster::begin(
    $careless,
    'BEGIN',
    unused("DO \$\$ BEGIN " . $insert =~ s{3000}{9900}r . "; EXCEPTION WHEN OTHERS THEN RAISE NOTICE 'caught: %', sqlerrm; END \$\$"),
    "SELECT 'locks: ' || count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'tuple'");
is(ChessCluster::answer($careless), 'locks: 0', 'no lock of the index is left after an ERROR that was caught');
$node->sql('chess', q{SELECT chess_index_merge('games_chess')});
ChessCluster::begin($careless, 'COMMIT');
ok(ChessCluster::finish($careless), 'and its transaction can commit');
like($careless->{err}, qr/caught: .*File too large/, 'one was caught');
goes_on('an ERROR that was caught');

# row pointers that are used again: the index must not find the games that had them before
$node->sql('chess', 'CREATE TABLE before AS SELECT ctid AS pointer FROM games WHERE id % 2 = 0');
for my $round (1 .. 3) {
    $node->sql('chess', "DELETE FROM games WHERE id % 2 = 0", 'VACUUM games',
        $round == 2 ? q{SELECT chess_index_merge('games_chess')} : (),
        'INSERT INTO games SELECT n * 2, supplied(n * 7 + ' . $round . ') FROM generate_series(1, 1500) AS n');
    cmp_ok($node->sql('chess', 'SELECT count(*) FROM games JOIN before ON games.ctid = pointer WHERE id % 2 = 0'), '>', 100, "row pointers are used again, $round");
    $node->indexes_agree('chess', "row pointers are used again, $round");
}

# two merges at once, and a flush beside them; the second waits
for my $round (1 .. 5) {
    $node->sql('chess', unused($insert =~ s/3000/300/r));
    my @clients = map { $node->client('chess') } 1 .. 3;
    ChessCluster::begin($_, q{SELECT chess_index_merge('games_chess')}) for @clients[ 0, 1 ];
    ChessCluster::begin($clients[2], unused($insert));
    is(join(' ', map { ChessCluster::finish($_) ? 'done' : $_->{err} } @clients), 'done done done', "two merges and an insert at once, $round");
    $node->indexes_agree('chess', "after two merges and an insert at once, $round");
}

# dump and restore
my $dump = PostgreSQL::Test::Utils::tempdir . '/dump';
$node->program('pg_dump', '-Fc', '-f', $dump, 'chess');
$node->sql('postgres', 'CREATE DATABASE restored');
$node->program('pg_restore', '-e', '-d', 'restored', $dump);
$node->indexes_agree('restored', 'in a dump that was restored');
is( $node->sql('restored', q{SELECT pg_get_indexdef('games_chess'::regclass)}),
    $node->sql('chess', q{SELECT pg_get_indexdef('games_chess'::regclass)}), 'with its options');
$node->nobody_died;
done_testing();
