# In: VALUES=n (default 30000) for each of two types and two formats; SEED=n.
# Out: a randomly changed value, sent by COPY in text or binary, ends no backend and gets one of the documented answers. What is
# accepted comes back the same, and no function fails on it.
use strict;
use warnings;
use ChessCluster;
use IO::Socket::UNIX;
use Test::More;

srand($ENV{SEED} // 1);
my $count = $ENV{VALUES} // 30_000;
my $node = ChessCluster->new('mutate');
$node->init;
$node->start;
$node->games('chess', games => 300, questions => 10);
$node->sql(
    'chess',
    (map { my $type = $_; map { "CREATE TABLE ${_}_${type}s (n int, value chess$type)" } qw(text binary) } qw(game board)),
    'CREATE TABLE accepted (target text, n int, bytes text)');
my $started = $node->sql('chess', 'SELECT pg_postmaster_start_time()');

# the values of each table before they are changed
my %corpus;
for (split /\n/, $node->sql('chess',
        'CREATE TEMP VIEW boards AS SELECT getboard(game, (plycount(game) * (id % 5) / 5)::int) AS board FROM supply',
        q{SELECT 'text_games', encode(convert_to(game::text, 'UTF8'), 'hex') FROM supply
          UNION ALL SELECT 'binary_games', encode(chessgame_send(game), 'hex') FROM supply
          UNION ALL SELECT 'text_boards', encode(convert_to(board::text, 'UTF8'), 'hex') FROM boards
          UNION ALL SELECT 'binary_boards', encode(chessboard_send(board), 'hex') FROM boards})) {
    my ($table, $hex) = split /\|/;
    push @{ $corpus{$table} }, pack 'H*', $hex;
}

my $server = IO::Socket::UNIX->new(Peer => $node->host . '/.s.PGSQL.' . $node->port) or die "cannot connect: $!\n";
binmode $server;
my $startup = pack 'N', 196608;
$startup .= "$_\0" for 'user', scalar getpwuid $<, 'database', 'chess', '';
print $server pack('N', 4 + length $startup), $startup;
$server->flush;
answer();

my %expected = (text => qr/^(accepted|22P02|22021)$/, binary => qr/^(accepted|22P03)$/);
my (%answers, @accepted, @wrong);
for my $table (sort keys %corpus) {
    my ($format) = $table =~ /^(\w+)_/;
    my @values = map { $format eq 'binary' ? changed($_, $corpus{$table}) : changed_text($_, $corpus{$table}) }
        map { $corpus{$table}[ rand @{ $corpus{$table} } ] } 1 .. $count;
    # many questions before the answers are read: a COPY that fails leaves its data to be skipped
    for (my $first = 0; $first < @values; $first += 100) {
        my $last = $first + 99 < $#values ? $first + 99 : $#values;
        print $server message('Q', "COPY $table FROM STDIN (FORMAT $format)\0"),
            message('d', row($format, $_, $values[$_])), message('c', '')
            for $first .. $last;
        $server->flush;
        for my $n ($first .. $last) {
            my $answer = answer();
            $answers{"$table $answer"}++;
            push @accepted, join ' ', $table, $n, unpack 'H*', $values[$n] if $answer eq 'accepted';
            push @wrong, "$table answers $answer to " . unpack 'H*', $values[$n] if $answer !~ $expected{$format};
        }
    }
}
is(join("\n", @wrong), '', 'a changed value is accepted or refused as documented');
note "$_: $answers{$_}" for sort keys %answers;
note $count * 4 . ' changed values, ' . @accepted . ' accepted';

$node->sql('chess', join "\n", q{COPY accepted FROM STDIN (DELIMITER ' ');}, @accepted, '\.', '');
$node->succeeds('chess', 'tests/tap/accepted.sql', 'what is accepted is what came');
is($node->sql('chess', 'SELECT pg_postmaster_start_time()'), $started, 'the server has run all the time');
$node->nobody_died;
done_testing();

sub message { my ($type, $body) = @_; return $type . pack('N', 4 + length $body) . $body }

sub row {
    my ($format, $n, $value) = @_;
    return "PGCOPY\n\xff\r\n\0" . pack('NN n N N N', 0, 0, 2, 4, $n, length $value) . $value . pack('n', 0xffff)
        if $format eq 'binary';
    $value =~ s/\\/\\\\/g;
    $value =~ s/\n/\\n/g;
    $value =~ s/\r/\\r/g;
    $value =~ s/\t/\\t/g;
    return "$n\t$value\n";
}

# 'accepted' or the SQLSTATE, once the server is ready again
sub answer {
    my $answer = 'accepted';
    while (1) {
        my ($type, $length) = unpack 'a N', receive(5);
        my $body = receive($length - 4);
        ($answer) = $body =~ /(?:^|\0)C([0-9A-Z]{5})\0/ if $type eq 'E';
        return $answer if $type eq 'Z';
    }
}

sub receive {
    my ($length) = @_;
    my $bytes = '';
    while (length $bytes < $length) {
        read($server, $bytes, $length - length $bytes, length $bytes) or die "the server has closed the connection\n";
    }
    return $bytes;
}

# One change to six, often few: of bits, bytes and stretches, in place or from another value
sub changed {
    my ($value, $others) = @_;
    for (0 .. rand rand 6) {
        my $at = int rand(1 + length $value);
        my $length = int rand(1 + rand(1 + length($value) - $at));
        my $other = $others->[ rand @$others ];
        my $piece = substr $other, rand(1 + length $other), 1 + rand 12;
        my $kind = int rand 8;
        if ($kind < 3) {
            substr($value, $at, 1) ^= chr 1 << rand 8 if $at < length $value;
        } elsif ($kind == 3) {
            substr($value, $at, $length < 4 ? $length : 4) = join '', map { chr rand 256 } 0 .. rand 4;
        } elsif ($kind == 4) {
            substr($value, $at, $length) = '';
        } elsif ($kind == 5) {
            substr($value, $at, 0) = substr $value, $at, $length;
        } elsif ($kind == 6) {
            substr($value, $at, length $piece) = $piece;
        } else {
            $value = substr($value, 0, $at) . substr($other, $at < length $other ? $at : length $other);
        }
    }
    return $value;
}

# Text is changed by words, signs and characters; a third of the time by bytes, which may be of no encoding
sub changed_text {
    my ($value, $others) = @_;
    return changed($value, $others) =~ tr/\0//dr if rand 3 < 1;
    my @odd = (qw<O-O O-O-O e8=Q exd6 e.p. { } ( ) ; $1 -- ... 1. [FEN " ] % \\ 1-0 * 0-0 ->, "\n", "\t",
        "\xe2\x99\x94", "\xc2\xa0", '99999999999', '[Variant "Chess960"]', 'a' x 300);
    my @parts = split /(\s+|(?<=[a-zA-Z0-9])(?=[a-zA-Z0-9]))/, $value;
    for (0 .. rand rand 4) {
        my $at = int rand @parts;
        my $kind = int rand 4;
        if ($kind == 0) { splice @parts, $at, 1 + rand 3 }
        elsif ($kind == 1) { splice @parts, $at, 0, $odd[ rand @odd ] }
        elsif ($kind == 2 && @parts) { @parts[ $at, rand @parts ] = @parts[ rand @parts, $at ] }
        else { splice @parts, $at, rand 2, (split ' ', $others->[ rand @$others ])[ 0 .. rand 3 ] }
    }
    return join '', map { $_ // '' } @parts;
}
