# In: GAMES=n supplied games (default 8000).
# Out: games and boards come back the same, by a hash over all rows, from pg_dump (plain, custom, directory in parallel,
# inserts), COPY (text, CSV, binary) and logical replication (text and binary), with the extension in a schema that is on
# no search_path.
use strict;
use warnings;
use ChessCluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $publisher = ChessCluster->new('publisher');
$publisher->init(allows_streaming => 'logical', settings => ['max_wal_size = 4GB']);
$publisher->start;
my $subscriber = ChessCluster->new('subscriber');
$subscriber->init(settings => ['max_wal_size = 4GB']);
$subscriber->start;
my $files = PostgreSQL::Test::Utils::tempdir;

$publisher->games('supply', games => $ENV{GAMES} // 8000, questions => 25);
$publisher->sql('postgres', 'CREATE DATABASE origin');
# the games get from one database to the other as text
$publisher->sql('supply', "COPY (SELECT id, game, getboard(game, plycount(game)), getfirstmoves(game, 6) FROM supply) TO '$files/moves'");
$publisher->sql(
    'origin',
    'CREATE SCHEMA arbiter',
    'CREATE EXTENSION chess SCHEMA arbiter',
    'CREATE TABLE games (id bigint PRIMARY KEY, game arbiter.chessgame, board arbiter.chessboard,
        openings arbiter.chessgame[], doubled arbiter.chessgame GENERATED ALWAYS AS (game) STORED,
        CHECK (arbiter.plycount(game) >= 0))',
    'CREATE TABLE moves (id bigint, game text, board text, opening text)',
    "COPY moves FROM '$files/moves'",
    'INSERT INTO games SELECT id, game::arbiter.chessgame, board::arbiter.chessboard,
        ARRAY[opening, NULL]::arbiter.chessgame[] FROM moves',
    'INSERT INTO games (id) VALUES (-1)',
    'DROP TABLE moves',
    'CREATE INDEX games_btree ON games (game)',
    'CREATE INDEX games_hash ON games USING hash (board)',
    'CREATE INDEX games_gin ON games USING gin (game)',
    'CREATE INDEX games_doubled ON games USING gin (doubled arbiter.chessgame_ops)',
    q{CREATE INDEX games_chess ON games USING chess (game) WITH (patterns = on)},
    'CREATE INDEX games_opening ON games (arbiter.getfirstmoves(game, 10)) WHERE arbiter.plycount(game) > 20',
    'CREATE STATISTICS games_statistics ON (arbiter.epd(board)) FROM games',
    q{CREATE VIEW mates AS SELECT id FROM games WHERE arbiter.result(game) = '1-0'
        AND game OPERATOR(arbiter.^@) '1. e4' AND arbiter.hasboard(game, arbiter.getboard('1. e4', 1))},
    'ANALYZE');
unlink "$files/moves";

my $columns = 'id, game, board, openings';
my $rows = q{SELECT count(*) || ' ' || md5(string_agg(concat_ws('|', id, encode(arbiter.chessgame_send(game), 'hex'),
    encode(arbiter.chessgame_send(doubled), 'hex'), encode(arbiter.chessboard_send(board), 'hex'), openings),
    ',' ORDER BY id)) || ' ' || (SELECT count(*) FROM mates) FROM games};
my @indexed = (
    'SET search_path = arbiter, public',
    'SET enable_seqscan = off',
    q{SELECT count(*) FROM games WHERE hasopening(game, '1. d4')},
    q{SELECT count(*) FROM games WHERE hasboard(game, getboard('1. d4 d5', 2))},
    q{SELECT count(*) FROM games WHERE hasboard(doubled, getboard('1. d4 d5', 2))},
    q{SELECT count(*) FROM games WHERE game @@ 'Nd5 or KRP*vKRP*'},
    'SELECT count(*) FROM games WHERE board = (SELECT board FROM games WHERE id = 7)');
my $origin = $publisher->sql('origin', $rows, @indexed);
my $ways = 0;

# comes_back(WAY, SERVER, DATABASE): the database has the rows and the answers of the origin
sub comes_back {
    my ($way, $server, $database) = @_;
    is($server->sql($database, $rows, @indexed), $origin, "$way: rows and answers of the origin");
    $ways++;
}

# dump and restore
$publisher->sql('postgres', map { "CREATE DATABASE $_" } qw(plain custom directory inserts));
$publisher->program('pg_dump', '-f', "$files/plain.sql", 'origin');
$publisher->program('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$files/plain.sql", 'plain');
comes_back('pg_dump, plain', $publisher, 'plain');
$publisher->program('pg_dump', '-Fc', '-f', "$files/custom", 'origin');
$publisher->program('pg_restore', '-e', '-d', 'custom', "$files/custom");
comes_back('pg_dump, custom', $publisher, 'custom');
$publisher->program('pg_dump', '-Fd', '-j', 2, '-f', "$files/directory", 'origin');
$publisher->program('pg_restore', '-e', '-j', 2, '-d', 'directory', "$files/directory");
comes_back('pg_dump, directory, two jobs', $publisher, 'directory');
$publisher->program('pg_dump', '--inserts', '--rows-per-insert=100', '-f', "$files/inserts.sql", 'origin');
$publisher->program('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$files/inserts.sql", 'inserts');
comes_back('pg_dump, inserts', $publisher, 'inserts');

# what was restored is what would be dumped again
sub schema {
    my ($database) = @_;
    return join "\n", grep { !/^\\(un)?restrict / } split /\n/, $publisher->program('pg_dump', '-s', $database);
}
for my $copy (qw(plain custom directory inserts)) {
    is(schema($copy), schema('origin'), "$copy: the schema of the origin");
}

for my $format (qw(text csv binary)) {
    $publisher->sql('origin', "COPY games ($columns) TO '$files/copy' (FORMAT $format)");
    $publisher->sql('custom', 'TRUNCATE games', "COPY games ($columns) FROM '$files/copy' (FORMAT $format)");
    comes_back("COPY, $format", $publisher, 'custom');
}

$publisher->program('pg_dump', '-s', '-f', "$files/schema.sql", 'origin');
$publisher->sql('origin', 'CREATE PUBLICATION games FOR TABLE games', 'ALTER TABLE games REPLICA IDENTITY FULL');
for my $binary (qw(false true)) {
    $subscriber->sql('postgres', 'DROP DATABASE IF EXISTS copy', 'CREATE DATABASE copy');
    $subscriber->program('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$files/schema.sql", 'copy');
    my $connection = $publisher->connstr('origin');
    $connection =~ s/'/''/g;
    $subscriber->sql('copy',
        "CREATE SUBSCRIPTION games CONNECTION '$connection' PUBLICATION games WITH (binary = $binary, slot_name = 'games_$binary')");
    # changes while the first copy may still be on its way
    $publisher->sql('origin',
        "UPDATE games SET game = arbiter.getfirstmoves(game, 20 + $ways) WHERE id % 10 = 3",
        "DELETE FROM games WHERE id % 10 = 4 AND id < 100 * $ways",
        "INSERT INTO games SELECT id + 100000 * $ways, game, board, openings FROM games WHERE id BETWEEN 1 AND 500");
    $origin = $publisher->sql('origin', $rows, @indexed);
    $subscriber->wait_for_subscription_sync($publisher, 'games', 'copy');
    comes_back("logical replication, binary = $binary", $subscriber, 'copy');
    $subscriber->sql('copy', 'DROP SUBSCRIPTION games');
}
$publisher->nobody_died;
$subscriber->nobody_died;
note "$ways ways";
done_testing();
