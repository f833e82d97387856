# In: GAMES=n (default 3000), SEED=n.
# Out: values whose bytes were changed in the table's file give an answer or ERROR XX001 from every function, index build and
# ANALYZE, and no backend ends.
use strict;
use warnings;
use ChessCluster;
use PostgreSQL::Test::Utils;
use Test::More;

srand($ENV{SEED} // 1);
my $node = ChessCluster->new('corrupt');
$node->init(settings => ['autovacuum = off']);
# from PostgreSQL 18 on a page's checksum would refuse what this test is about
eval { $node->program('pg_checksums', '--disable', '-D', $node->data_dir) };
$node->start;
$node->games('chess', games => $ENV{GAMES} // 3000, questions => 10);
$node->sql(
    'chess',
    (map { ("CREATE TABLE damaged_${_}s (id serial PRIMARY KEY, value chess$_)", "ALTER TABLE damaged_${_}s ALTER value SET STORAGE PLAIN") }
          qw(game board)),
    q{INSERT INTO damaged_games (value) SELECT game FROM supply WHERE plycount(game) < 2000
      UNION ALL SELECT '[Variant "Chess960"][FEN "r1k2r2/pppppppp/8/8/8/8/PPPPPPPP/R1K2R2 w FAfa - 0 1"] 1. O-O O-O-O'
      FROM generate_series(1, 300)
      UNION ALL SELECT '[FEN "7k/P6p/8/8/8/8/p6P/7K w - - 0 1"] 1. a8=N a1=B 2. Nb6 Be5' FROM generate_series(1, 300)},
    'INSERT INTO damaged_boards (value) SELECT getboard(game, (plycount(game) * (id % 8) / 7)::int) FROM supply');

# changed(VALUE, VALUES): one byte to four of it changed at random, or a stretch of another value put over them
sub changed {
    my ($value, $values) = @_;
    if (rand 4 < 1) {
        my $other = $values->[ rand @$values ];
        my $from = int rand length $value;
        my $piece = substr $other, rand length $other, 1 + rand 8;
        my $bytes = $value;
        substr($bytes, $from, length $piece) = $piece;
        return substr $bytes, 0, length $value;
    }
    # half of the changes near the front, where the header and the start position are
    my $range = rand 2 < 1 ? 8 : length $value;
    $range = length $value if $range > length $value;
    substr($value, rand $range, 1) ^= chr 1 + rand 255 for 0 .. rand 4;
    return $value;
}

# damage(FILE, VALUE...): changes each value that the table's file holds, but not the headers of tuples and values, which are
# PostgreSQL's own; returns how many were changed
sub damage {
    my ($file, @values) = @_;
    my $data = slurp_file($file);
    my ($damaged, %next) = (0);
    for my $value (@values) {
        # a value that stands there twice is found twice
        my $at = index $data, $value, $next{$value} // 0;
        next if $at < 0;
        $next{$value} = $at + length $value;
        my $bytes = changed($value, \@values);
        substr($data, $at, length $value) = $bytes;
        $damaged++ if $bytes ne $value;
    }
    open my $to, '+<:raw', $file or die "$file: $!";
    print $to $data;
    close $to;
    return $damaged;
}

my $damaged = 0;
for my $type (qw(game board)) {
    my $file = $node->data_dir . '/' . $node->sql('chess', "SELECT pg_relation_filepath('damaged_${type}s')");
    # all but the version of the binary form is what is stored
    my @values = map { pack 'H*', $_ }
      split /\n/, $node->sql('chess', "SELECT substr(encode(chess${type}_send(value), 'hex'), 3) FROM damaged_${type}s ORDER BY id");
    $node->stop;
    $damaged += damage($file, @values);
    $node->start;
}
cmp_ok($damaged, '>', 3000, 'values are found and changed in the files');
my $started = $node->sql('chess', 'SELECT pg_postmaster_start_time()');
$node->succeeds('chess', 'tests/tap/corrupt.sql', 'functions, statements and index builds answer, or raise XX001');
is($node->sql('chess', 'SELECT pg_postmaster_start_time()'), $started, 'the server has run all the time');
$node->nobody_died;
done_testing();
