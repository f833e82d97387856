#!/usr/bin/perl
# In: a Markdown file and a psql command that opens a session for it (reading standard input).
# Out: mismatches of the file's ```sql blocks, run in this session in order, then one line "FILE: N right, …". The
# output of an ```sql block directly followed by a ```text (or bare ```) block must equal that, except for spaces at
# line ends; "..." in it matches anything within a line, and column widths are then ignored. A block without output
# must not raise an ERROR. A block that begins with "-- not run" is skipped.
use strict;
use warnings;
use File::Temp;

my ($file, @psql) = @ARGV;
my @blocks = read_blocks($file);
my @run = grep { !$_->{skip} } @blocks;
if (grep({ $_->{skip} } @blocks) == @blocks) { print "$file: nothing to run\n"; exit 0 }
my @outputs = run_blocks(@run);
my $failed = 0;
for my $i (0 .. $#run) {
    my ($block, $got) = ($run[$i], $outputs[$i]);
    my $ok = defined $block->{expected} ? same($block->{expected}, $got) : $got !~ /^(?:ERROR|FATAL|PANIC):/m;
    next if $ok;
    $failed++;
    print "$file:$block->{line}: ", defined $block->{expected} ? "the output differs" : "the block fails", "\n";
    print "--- expected\n$block->{expected}" if defined $block->{expected};
    print "--- printed\n$got---\n";
}
my $compared = grep { defined $_->{expected} } @run;
printf "%s: %d right, %d wrong (%d blocks compared, %d only run, %d left out)\n",
    $file, @run - $failed, $failed, $compared, @run - $compared, @blocks - @run;
exit($failed ? 1 : 0);

sub read_blocks {
    my ($name) = @_;
    open my $in, '<', $name or die "$name: $!\n";
    my (@found, $language, $text, $start);
    my $follows = 0;    # only blank lines since the last sql block
    while (my $line = <$in>) {
        if (defined $language) {
            if ($line !~ /^```\s*$/) { $text .= $line; next }
            if ($language eq 'sql') {
                push @found, { line => $start, sql => $text, skip => scalar $text =~ /\A-- not run/ };
                $follows = 1;
            }
            else {
                $found[-1]{expected} = $text if $follows && $language =~ /^(?:text)?$/;
                $follows = 0;
            }
            undef $language;
        }
        elsif ($line =~ /^```\s*(\w*)/) { ($language, $text, $start) = ($1, '', $.) }
        elsif ($line =~ /\S/) { $follows = 0 }
    }
    die "$name:$start: an unclosed code block\n" if defined $language;
    return @found;
}

# All blocks run in one session; a marker line ends each block's output.
sub run_blocks {
    my @todo = @_;
    my $mark = "end-of-block-$$";
    my $script = File::Temp->new;
    print $script $_->{sql}, "\n\\echo $mark\n" for @todo;
    close $script or die "$script: $!\n";
    my $pid = open(my $out, '-|') // die "fork: $!\n";
    if (!$pid) {
        open STDIN, '<', $script->filename or die "$script: $!\n";
        open STDERR, '>&', \*STDOUT or die "stderr: $!\n";
        exec @psql or die "$psql[0]: $!\n";
    }
    my $all = do { local $/; <$out> // '' };
    close $out;    # blocks may raise errors; what they print decides
    my @parts = split /^\Q$mark\E\n/m, $all, -1;
    my $rest = pop @parts;
    die "$file: the session ended early:\n$all" if @parts != @todo;
    print "$file: output after the last block:\n$rest" if $rest =~ /\S/;
    return @parts;
}

sub same {
    my ($expected, $got) = @_;
    my $wild = $expected =~ /\.\.\./;
    for ($expected, $got) {
        s/[ \t]+$//mg;
        s/\n+\z/\n/;
        s/\A\n+//;
        next unless $wild;
        s/--+/-/g;
        s/^ +//mg;
        s/  +/ /g;
    }
    return $expected eq $got unless $wild;
    my $pattern = join '.*', map { quotemeta } split /\.\.\./, $expected, -1;
    return $got =~ /\A$pattern\z/;
}
