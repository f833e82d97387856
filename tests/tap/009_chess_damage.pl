# In: ROUNDS=n (default 3) with a damage to each of fifty indexes; SEED=n.
# Out: with a byte or a page of an index of the access method chess changed, a search raises XX001 or answers as the table
# does, and in the first case chess_index_check raises XX001, too; all that writes to the index raises XX001 at most, and no
# backend ends.
use strict;
use warnings;
use ChessCluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant { PAGE => 8192, TABLES => 50, HEADER => 24, SPECIAL => 8 };

srand($ENV{SEED} // 1);
my $node = ChessCluster->new('damage');
$node->init(settings => [ 'autovacuum = off', 'full_page_writes = off', 'max_locks_per_transaction = 256' ]);
# from PostgreSQL 18 on a page's checksum would refuse what this test is about
eval { $node->program('pg_checksums', '--disable', '-D', $node->data_dir) };
$node->start;
$node->games('chess', games => 150, questions => 12);
$node->file('chess', 'tests/tap/chess_index.sql', pending => 64);

# the answers to all questions, from a table like games
$node->sql('chess', q{CREATE FUNCTION found(name text) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE
        answer text;
        answers text = '';
        asked text;
    BEGIN
        FOR asked IN SELECT condition FROM questions ORDER BY condition LOOP
            EXECUTE format('SELECT string_agg(id::text, chr(32) ORDER BY id) FROM %I WHERE %s', name, asked) INTO answer;
            answers := answers || coalesce(answer, '') || chr(10);
        END LOOP;
        RETURN answers;
    END $$});
# segments, one of them with dead games, and pending ones
my @history = (
    'CREATE TABLE t% (id bigint, game chessgame)',
    'INSERT INTO t% SELECT n, supplied(n) FROM generate_series(1, 100) AS n',
    'CREATE INDEX i% ON t% USING chess (game) WITH (pending_games = 64)',
    'INSERT INTO t% SELECT n, supplied(n) FROM generate_series(101, 220) AS n',
    'DELETE FROM t% WHERE id / 3 * 3 = id',
    'VACUUM t%',
    'INSERT INTO t% SELECT n, supplied(n) FROM generate_series(221, 250) AS n');
for my $n (1 .. TABLES) {
    $node->sql('chess', map { s/%/$n/gr } @history);
}
my $expected = $node->sql('chess', q{SELECT md5(found('t1'))});
my @paths = split /\n/, $node->sql('chess', q{SELECT pg_relation_filepath(('i' || n)::regclass) FROM generate_series(1, } . TABLES . ') AS n');
$node->stop;
my $data = $node->data_dir;
system_or_bail('cp', '-a', $data, "$data.sound");

# damage(FILE, NTH, OFFSET, BITS): changes it in one place, by default a random one; returns what was done
sub damage {
    my ($file, $nth, @place) = @_;
    my $bytes = slurp_file($file);
    my $pages = length($bytes) / PAGE;
    my $page = $nth % $pages;
    my $at = $page * PAGE;
    my $end = unpack 'S', substr $bytes, $at + 12, 2;    # pd_lower
    my $how = @place ? 19 : int rand 20;
    my $done;
    if ($how == 0) {
        substr($bytes, $at, PAGE) = "\0" x PAGE;
        $done = 'is zero';
    }
    elsif ($how == 1) {
        my $other = ($page + 1 + int rand($pages - 1)) % $pages;
        substr($bytes, $at, PAGE) = substr $bytes, $other * PAGE, PAGE;
        $done = "is that of block $other";
    }
    elsif ($how == 2) {
        $bytes = substr $bytes, 0, $at;
        $done = 'and those after it are cut off';
    }
    else {
        # the head of the page, that of its content, its content, its end
        my @places = ([ 0, HEADER ], [ HEADER, 48 ], [ HEADER, ($end || PAGE) - HEADER ], [ PAGE - SPECIAL, SPECIAL ]);
        my ($first, $count) = @{ $places[ $how < 6 ? 0 : $how < 11 ? 1 : $how < 18 ? 2 : 3 ] };
        my ($offset, $bits) = @place ? @place : ($first + int rand $count, 1 + int rand 255);
        substr($bytes, $at + $offset, 1) ^= chr $bits;
        $done = "at $offset: bits $bits";
    }
    open my $to, '>:raw', $file or die "$file: $!";
    print $to $bytes;
    close $to;
    return "block $page $done";
}

my ($harmless, $refused) = (0, 0);
for my $round (1 .. $ENV{ROUNDS} // 3) {
    system_or_bail('rm', '-rf', $data);
    system_or_bail('cp', '-a', "$data.sound", $data);
    # the first one sends INSERT to a page far beyond the end of the index
    my @damages = map { damage("$data/$paths[ $_ - 1 ]", $_ == 1 ? (0, 47, 52) : $_ + 7 * $round) } 1 .. TABLES;
    $node->start;
    my $script = join '', 'SET enable_seqscan = off; SET enable_indexscan = off;', map {
        my $n = $_;
        my %work = (
            '1 check'  => "SELECT chess_index_check('i$n', true)",
            '2 search' => "SELECT md5(found('t$n')) = '$expected' AS is_right",
            '3 info'   => "SELECT count(*) FROM chess_index_info('i$n')",
            '4 insert' => "INSERT INTO t$n SELECT n, supplied(n) FROM generate_series(301, 400) AS n",
            '5 vacuum' => "VACUUM t$n",
            '6 merge'  => "SELECT chess_index_merge('i$n')");
        map { "\\set is_right -\n$work{$_} \\g (format=unaligned) /dev/null\n" . "\\echo $n $_ :SQLSTATE :LAST_ERROR_MESSAGE\n"
              . (/search/ ? "$work{$_} \\gset\n\\echo $n right :is_right\n" : '') } sort keys %work;
    } 1 .. TABLES;
    my ($status, $out, $err) = $node->psql('chess', $script, on_error_stop => 0);
    is($status, 0, "the server goes on, round $round") or diag($err);
    my (%state, %right);
    for my $line (split /\n/, $out) {
        $right{$1} = $2 if $line =~ /^(\d+) right (\S+)/;
        my ($n, $work, $sqlstate) = $line =~ /^(\d+) \d (\w+) (\S+)/ or next;
        $state{$n}{$work} = $sqlstate;
    }
    is(scalar keys %state, TABLES, "all indexes are asked, round $round");
    my (@unclean, @unseen, @wrong);
    for my $n (1 .. TABLES) {
        for my $work (sort keys %{ $state{$n} }) {
            push @unclean, "$damages[ $n - 1 ]: $work: $state{$n}{$work}" if $state{$n}{$work} !~ /^(00000|XX001)$/;
        }
        push @wrong, $damages[ $n - 1 ] if $state{$n}{search} eq '00000' && $right{$n} ne 't';
        if ($state{$n}{check} eq 'XX001') { $refused++; }
        elsif ($state{$n}{search} eq '00000' && $right{$n} eq 't') { $harmless++; }
        else { push @unseen, "$damages[ $n - 1 ]: search: $state{$n}{search}, is right: $right{$n}"; }
    }
    is("@unclean", '', "all errors are XX001, round $round") or diag(join "\n", @unclean, $err);
    is(join("\n", @wrong), '', "no search answers wrongly, round $round");
    is(join("\n", @unseen), '', "the check finds all damage that changes answers, round $round");
    $node->nobody_died;
    $node->stop;
}
cmp_ok($refused, '>', $harmless, 'most changes are damage');
note "$refused changes are damage, $harmless change nothing";
done_testing();
