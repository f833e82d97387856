# In: the older PostgreSQL's directory as oldinstall, with the extension (scripts/tap.sh makes it from OLD_PG_CONFIG);
# GAMES=n supplied games (default 4000).
# Out: pg_upgrade, by copying and by links, leaves every row, the answers by every index, the catalog of the extension
# and, after ANALYZE, the estimates as they were, and indexes that take more games; so it does the tables of chess-pgn and
# chess-web, with players that are merged, an index with attributes, and a notebook, and chess-pgn goes on with them.
use strict;
use warnings;
use ChessCluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'no older major version (another package postgresql-N, and OLD_PG_CONFIG=/usr/lib/postgresql/N/bin/pg_config)'
  if !$ENV{oldinstall};

my $old = ChessCluster->new('old', install_path => $ENV{oldinstall});
$old->init(settings => ['autovacuum = off']);
$old->start;
$old->games('chess', games => $ENV{GAMES} // 4000, questions => 12);
# pg_upgrade refuses an extension that the newer server comes without
my ($share) = run_command([ 'pg_config', '--sharedir' ]);
$old->sql('chess', 'DROP EXTENSION IF EXISTS amcheck') if !-e "$share/extension/amcheck.control";
$old->sql('chess', ChessCluster::supplied(1, 4000));
$old->file('chess', 'tests/tap/indexes.sql');
$old->sql(
    'chess',
    'CREATE INDEX games_hash ON games USING hash (getfirstmoves(game, 12))',
    'CREATE INDEX games_opening ON games (getfirstmoves(game, 10)) WHERE plycount(game) > 20',
    'CREATE TABLE boards (id bigint, board chessboard, openings chessgame[])',
    'CREATE INDEX boards_btree ON boards (board)',
    'INSERT INTO boards SELECT id, getboard(game, plycount(game) / 2), ARRAY[getfirstmoves(game, 6), NULL] FROM supply',
    'CREATE TABLE parts (game chessgame, n bigint) PARTITION BY HASH (game)',
    'CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0)',
    'CREATE TABLE parts_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1)',
    'INSERT INTO parts SELECT game, count(*) FROM supply GROUP BY game',
    'CREATE STATISTICS boards_statistics ON (epd(board)) FROM boards',
    q{CREATE VIEW mates AS SELECT id FROM games WHERE game ^@ '1. e4' AND hasboard(game, getboard('1. e4', 1))},
    'DELETE FROM games WHERE id % 5 = 0',
    'VACUUM games',
    'ANALYZE',
    # stays in GIN's pending list
    'UPDATE games SET game = supplied(id + 1) WHERE id % 7 = 0',
    'ANALYZE games',
    'CREATE TABLE questions_games AS SELECT game FROM supply WHERE id % 40 = 1',
    'ANALYZE questions_games');

# what chess-pgn and chess-web keep
my $files = PostgreSQL::Test::Utils::tempdir;
append_to_file("$files/players.ssp", "\@PLAYER\nMorphy, Paul Charles\n  = Morphy, Paul\n");
$old->loader('chess', 'load', '--index', '--clocks', '--evals', 'demo/famous.pgn');
$old->loader('chess', 'players', '--list', "$files/players.ssp", '--apply');
$old->sql('chess', 'CREATE SCHEMA chess_web');
$old->file('chess', 'crates/chess-web/src/saved/sessions.sql');
$old->sql('chess',
    'INSERT INTO chess_web.sessions DEFAULT VALUES',
    q{INSERT INTO chess_web.devices (session_id, id_hash) SELECT id, sha256('one') FROM chess_web.sessions},
    q{INSERT INTO chess_web.notebooks (session_id, name, color) SELECT id, 'Italian', 'white' FROM chess_web.sessions},
    q{INSERT INTO chess_web.notebook_nodes (notebook_id, fen, note) SELECT id, startBoard(), 'the start' FROM chess_web.notebooks},
    q{INSERT INTO chess_web.notebook_nodes (notebook_id, parent, uci, fen, glyphs)
        SELECT notebook_id, id, 'e2e4', finalBoard('1. e4'), '{1,14}' FROM chess_web.notebook_nodes});
is($old->sql('chess', q{SELECT canonical FROM chess.players WHERE name = 'Morphy, Paul'}), 'Morphy, Paul Charles', 'players are merged');
# a line for each table, with what is in it
my $kept = q{CREATE FUNCTION pg_temp.kept() RETURNS SETOF text LANGUAGE plpgsql AS $$
    DECLARE
        part regclass;
        content text;
    BEGIN
        FOR part IN SELECT oid FROM pg_class WHERE relkind IN ('r', 'm') AND relnamespace IN ('chess'::regnamespace, 'chess_web'::regnamespace)
            ORDER BY oid::regclass::text LOOP
            EXECUTE format('SELECT count(*) || chr(32) || md5(string_agg(t::text, chr(10) ORDER BY t::text)) FROM %s AS t', part) INTO content;
            RETURN NEXT part || ' ' || coalesce(content, 'is empty');
        END LOOP;
    END $$;
    SELECT * FROM pg_temp.kept()};
# by the index and by the table: the games after 1. e4 of players with a rating, or with none
my @explored = map { "SELECT count(*), sum(id) FROM chess.games WHERE hasBoard(game, finalBoard('1. e4')) AND $_" } 'white_elo > 2500', 'white_elo IS NULL';

# explored(SERVER, WHEN): checks that both answer alike, and the index itself
sub explored {
    my ($server, $when) = @_;
    for my $query (@explored) {
        my ($indexed, $plain) = map { $server->sql('chess', @$_, $query) } ['SET enable_seqscan = off'],
          [ map { "SET enable_$_ = off" } qw(indexscan bitmapscan indexonlyscan) ];
        is($indexed, $plain, "the loader's index answers as the table does, $when");
    }
    like($server->sql('chess', 'SET enable_seqscan = off', "EXPLAIN $explored[0]"), qr/Index Cond: .*white_elo > 2500/, "it tests ratings, $when");
    $server->sql('chess', q{SELECT chess_index_check(indexrelid::regclass, true) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        JOIN pg_am ON pg_am.oid = relam WHERE amname = 'chess'});
    return;
}
explored($old, 'before');

my $rows = q{SELECT 'games', count(*), md5(string_agg(id || encode(chessgame_send(game) || chessgame_send(again), 'hex'), ',' ORDER BY id)) FROM games
    UNION ALL SELECT 'boards', count(*), md5(string_agg(id || encode(chessboard_send(board), 'hex') || openings::text, ',' ORDER BY id)) FROM boards
    UNION ALL SELECT tableoid::regclass::text, count(*), md5(string_agg(game || ' ' || n, ',' ORDER BY game)) FROM parts GROUP BY 1
    UNION ALL SELECT 'mates', count(*), NULL FROM mates
    UNION ALL SELECT 'extension', 1, extversion FROM pg_extension WHERE extname = 'chess' ORDER BY 1};
my $answers = q{SELECT md5(string_agg(answer(condition, index), ',' ORDER BY index, condition)) FROM questions};
# the indexes that the questions do not ask, by name where a plan uses them
my %searches = (
    games_hash => 'SELECT count(*) FROM questions_games AS q JOIN games AS g ON getfirstmoves(g.game, 12) = getfirstmoves(q.game, 12)',
    games_opening => 'SELECT count(*) FROM questions_games AS q
        JOIN games AS g ON getfirstmoves(g.game, 10) = getfirstmoves(q.game, 10) AND plycount(g.game) > 20',
    boards_btree => 'SELECT count(*) FROM questions_games AS q JOIN boards AS b ON b.board = getboard(q.game, plycount(q.game) / 2)');

# searches(SERVER, WHEN): each by its index and by a sequential scan; returns the answers
sub searches {
    my ($server, $when) = @_;
    my @answers;
    my @nested = map { "SET enable_$_ = off" } qw(hashjoin mergejoin memoize);
    for my $index (sort keys %searches) {
        my @by_index = ('SET enable_seqscan = off', @nested);
        like($server->sql('chess', @by_index, "EXPLAIN $searches{$index}"), qr/\b$index\b/, "$index is used, $when");
        push @answers, $server->sql('chess', @by_index, $searches{$index});
        is( $answers[-1],
            $server->sql('chess', (map { "SET enable_$_ = off" } qw(indexscan bitmapscan indexonlyscan)), $searches{$index}),
            "$index answers as a sequential scan, $when");
    }
    return "@answers";
}

sub estimates {
    my ($server) = @_;
    return $server->sql('chess', q{CREATE FUNCTION pg_temp.estimate(condition text) RETURNS text LANGUAGE plpgsql AS $$
        DECLARE plan json;
        BEGIN
            EXECUTE 'EXPLAIN (FORMAT JSON) SELECT * FROM games WHERE ' || condition INTO plan;
            RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
        END $$},
        'SELECT condition, pg_temp.estimate(condition) FROM questions ORDER BY index, condition');
}

my %before = (
    rows => $old->sql('chess', $rows),
    kept => $old->sql('chess', $kept),
    answers => $old->sql('chess', $answers) . ' ' . searches($old, 'before'),
    estimates => estimates($old));
my $compared = $old->indexes_agree('chess', 'before');
my $old_games = $old->sql('chess', 'SELECT count(*) FROM chess.games');
$old->stop;

my $statistics = q{SELECT count(*) || ' columns have statistics, '
        || count(*) FILTER (WHERE 17364 IN (stakind1, stakind2, stakind3, stakind4, stakind5)) || ' those of positions'
    FROM pg_statistic JOIN pg_attribute ON attrelid = starelid AND attnum = staattnum
    WHERE starelid = 'games'::regclass AND attname <> 'id'};
for my $mode (qw(copy link)) {
    my $when = "pg_upgrade --$mode";
    my $new = ChessCluster->new($mode);
    $new->init(settings => ['autovacuum = off']);
    if ($mode eq 'copy') {
        die 'PostgreSQL ' . $old->pg_version . ' is not older than ' . $new->pg_version if $old->pg_version >= $new->pg_version;
        # from PostgreSQL 18 on pages have checksums unless one says otherwise; both sides must agree
        $old->program('pg_checksums', '--enable', '-D', $old->data_dir)
          if $new->program('pg_controldata', $new->data_dir) !~ /^Data page checksum version: *0$/m;
    }
    # it writes its files into the working directory, and says there what the programs that it runs complain of
    eval { $new->program('env', '-C', $new->basedir, 'pg_upgrade', '-b', $old->config_data('--bindir'), '-B', $new->config_data('--bindir'),
        '-d', $old->data_dir, '-D', $new->data_dir, '-s', $new->host, '-p', $old->port, '-P', $new->port, "--$mode"); 1 }
      or die $@, map { grep { /\b(?:error|ERROR|FATAL):/ } split /^/, slurp_file($_) } glob $new->data_dir . '/pg_upgrade_output.d/*/log/*';
    $new->start;
    is($new->sql('chess', $rows), $before{rows}, "rows after $when");
    is($new->sql('chess', $kept), $before{kept}, "tables of chess-pgn and chess-web after $when");
    $new->sql('postgres', 'CREATE DATABASE fresh');
    $new->sql('fresh', 'CREATE EXTENSION chess');
    is( $new->file('chess', 'tests/upgrade/catalog.sql'), $new->file('fresh', 'tests/upgrade/catalog.sql'),
        "after $when the extension is that of a fresh installation");
    my $carried = $new->sql('chess', $statistics);
    $new->program('vacuumdb', '-q', '--analyze-only', 'chess');
    is(estimates($new), $before{estimates}, "estimates after $when and ANALYZE");
    is($new->sql('chess', $answers) . ' ' . searches($new, "after $when"), $before{answers}, "answers after $when");
    $new->indexes_agree('chess', "after $when");
    note "--$mode: $carried, after ANALYZE ", $new->sql('chess', $statistics);
    explored($new, "after $when");
    my ($made) = run_command([ 'chess-gamegen', '--games', 300, '--seed', 2 ]);
    append_to_file("$files/$mode.pgn", $made);
    $new->loader('chess', 'load', '--analyze', "$files/$mode.pgn");
    is($new->sql('chess', 'SELECT count(*) FROM chess.games') - $old_games, 300, "chess-pgn loads more after $when");
    explored($new, "with more games after $when");
    $new->loader('chess', 'players', '--undo');
    is($new->sql('chess', q{SELECT count(*) FROM chess.players WHERE same_as IS NOT NULL}), '0', "and takes back what it has merged after $when");
    $new->sql('chess',
        ChessCluster::supplied(10001, 12000),
        'DELETE FROM games WHERE id % 3 = 0',
        'VACUUM games',
        ChessCluster::supplied(12001, 12500),
        'REINDEX INDEX CONCURRENTLY games_gin_direct');
    $new->indexes_agree('chess', "with more games after $when");
    searches($new, "with more games after $when");
    $new->agrees_with_amcheck('chess', "after $when");
    $new->nobody_died;
    $new->stop;
}
note 'from ', $old->pg_version, ", by copying and by links: $compared";
done_testing();
