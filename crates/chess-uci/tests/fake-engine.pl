#!/usr/bin/perl
# In: UCI on standard input; FAKE_FAULT, the fault to simulate (empty for none); FAKE_LOG, a file to which commands are
# appended; FAKE_MARK, a file that marks that the fault has happened: faults named once-… happen only if it does not
# exist.
# Out: the answers of an engine that always plays the first move that it knows, with the same score.
use strict;
use warnings;
use Time::HiRes 'sleep';
$| = 1;
my $fault = $ENV{FAKE_FAULT} // '';
my $position = '';

sub record {
    my ($line) = @_;
    return unless $ENV{FAKE_LOG};
    open my $log, '>>', $ENV{FAKE_LOG} or die $!;
    syswrite $log, "$line\n";
}

# Whether a fault that happens only once is due.
sub once {
    my ($name) = @_;
    return 0 unless $fault eq "once-$name";
    return 0 if -e $ENV{FAKE_MARK};
    open my $mark, '>', $ENV{FAKE_MARK} or die $!;
    return 1;
}

sub hang { sleep 3600 while 1 }

# The moves for the positions of the tests, the start position first.
sub best {
    return 'e2e4' if $position =~ /^position (?:startpos|fen rnbqkbnr\/pppppppp\/8\/8\/8\/8\/PPPPPPPP\/RNBQKBNR w \S+ - 0 1)$/;
    return 'a1a8' if $position =~ /R3K3 w/;
    return $ENV{FAKE_MOVE} // 'e7e5';
}

if ($fault eq 'dies-at-start') { print STDERR "cannot open network file\n"; exit 3 }
if ($fault eq 'ignores-everything') { $SIG{TERM} = 'IGNORE'; close STDIN; hang() }
if ($fault eq 'leaves-a-child') { exec 'sh', '-c', 'sleep 3611 & echo uciok; cat >/dev/null' }
while (my $line = <STDIN>) {
    $line =~ s/\s+$//;
    record($line);
    if ($line eq 'uci') {
        hang() if $fault eq 'says-nothing';
        sleep 12 if $fault eq 'starts-late';
        if ($fault eq 'floods-at-start') { print 'id name x' x 1000, "\n" while 1 }
        print "Fake 1 by nobody\nid name Fake 1\nid author nobody\n";
        print "option name Hash type spin default 16 min 1 max 64\noption name MultiPV type spin default 1 min 1 max 4\n";
        print "option name Style type combo default Quiet var Quiet var Very Wild\noption name Clear Hash type button\n";
        print "option name UCI_Chess960 type check default false\n" unless $fault eq 'no-960';
        print "uciok\n";
    } elsif ($line eq 'isready') {
        hang() if $fault eq 'never-ready';
        print "readyok\n";
    } elsif ($line =~ /^position/) {
        $position = $line;
    } elsif ($line =~ /^go/) {
        hang() if $fault eq 'hangs' || once('hangs');
        if ($fault eq 'dies' || once('dies')) { print "info depth 1 score cp 3 pv e2"; kill 'SEGV', $$; sleep 1 }
        if ($fault eq 'floods') { my $flood = 'info string ' . 'x' x 500 . "\n"; syswrite STDOUT, $flood x 100 while 1 }
        if ($fault eq 'floods-one-line') { my $flood = 'x' x 65536; syswrite STDOUT, $flood while 1 }
        if ($fault eq 'half-lines') {
            for my $piece ("info dep", "th 2 sco", "\ninfo depth 3 score cp 20 nodes 7 pv e2e4 e7", "e5\ninfo depth 4 sco", "re\nbest", "move e2e4\n") {
                print $piece;
                sleep 0.01;
            }
            next;
        }
        if ($fault eq 'until-stopped') {
            print "info depth 9 score cp 31 nodes 99 time 5 pv ", best(), "\n";
            while (my $next = <STDIN>) { record($next =~ s/\s+$//r); last if $next =~ /^stop/ }
            print "bestmove ", best(), "\n";
            next;
        }
        if ($fault eq 'no-score') { print "info depth 1 score cp 3 upperbound pv e2e4\nbestmove e2e4\n"; next }
        if ($fault eq 'ends-without-moves') {
            print "info depth 7 score cp 30 pv e2e4 e7e5\ninfo depth 8 score cp 31\nbestmove e2e4\n";
            next;
        }
        if ($fault eq 'none') { print "info depth 0 score mate 0\nbestmove (none)\n"; next }
        my $move = $fault eq 'illegal' ? 'e1e8' : best();
        print "info string a word about\ninfo depth 7 seldepth 9 multipv 1 score cp 25 lowerbound nodes 40 pv $move\n";
        print "info depth 7 seldepth 9 multipv 1 score cp 30 nodes 50 nps 1 time 2 tbhits 0 pv $move a1a1\n";
        print "info depth 7 multipv 2 score mate -4 pv d2d4\ninfo depth 8 currmove e2e4 currmovenumber 1\n";
        print "info depth 8 multipv 1 score cp 99 upperbound nodes 60 pv $move\nbestmove $move ponder h1h2\n";
    } elsif ($line eq 'quit') {
        exit 0;
    }
}
hang() if $fault eq 'stays';
