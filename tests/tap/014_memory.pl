# In: MILLIONS=n (default 10) calls of each function, or as many as SECONDS_EACH=n (default 5) allow; PLIES=n (default 400)
# half-moves at most of a game, fewer for more calls; PLANNINGS=n (default 20000); ROUNDS=n (default 40, at least 25: growth
# counts from a fifth of them on, once indexes have been rebuilt) of work on indexes.
# Out: the memory of a backend (RssAnon) stays flat over the calls of one query, also where every call raises an ERROR; over
# plannings; over inserting, deleting, vacuuming, rebuilding and analyzing.
use strict;
use warnings;
use ChessCluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'no /proc to read memory from' if !-r '/proc/self/status';
my $rounds = $ENV{ROUNDS} // 40;
die "ROUNDS=$rounds: at least 25\n" if $rounds < 25;

my $node = ChessCluster->new('memory');
$node->init(settings => ['autovacuum = off']);
$node->start;
$node->games('chess', games => 1100, questions => 10);
$node->succeeds('chess', 'tests/tap/memory.sql', 'memory stays flat over calls of functions',
    calls => ($ENV{MILLIONS} // 10) * 1_000_000, seconds => $ENV{SECONDS_EACH} // 5, plies => $ENV{PLIES} // 400);
$node->succeeds('chess', 'tests/tap/maintenance.sql', 'memory stays flat over plannings and maintenance',
    rounds => $rounds, plannings => $ENV{PLANNINGS} // 20_000);
done_testing();
