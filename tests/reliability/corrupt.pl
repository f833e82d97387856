#!/usr/bin/perl
# In: a table's file, a seed; on standard input the stored bytes of its values in hex, a line each.
# Out: the file, with one byte to four of each value it holds changed at random, or a stretch of another value put over
# them; headers of tuples and values stay, for those are PostgreSQL's own. On standard output how many were changed.
use strict;
use warnings;

my ($file, $seed) = @ARGV;
srand $seed;
my @values = map { chomp; pack 'H*', $_ } <STDIN>;
open my $in, '<:raw', $file or die "cannot read $file: $!\n";
my $data = do { local $/; <$in> };
close $in;

my $changed = 0;
my %next;
for my $value (@values) {
    # a value that stands there twice is found twice
    my $at = index $data, $value, $next{$value} // 0;
    next if $at < 0;
    $next{$value} = $at + length $value;
    my $bytes = $value;
    if (rand 4 < 1) {
        my $other = $values[ rand @values ];
        my $from = int rand length $value;
        my $piece = substr $other, rand length $other, 1 + rand 8;
        substr($bytes, $from, length $piece) = $piece;
        $bytes = substr $bytes, 0, length $value;
    } else {
        # half of the changes near the front, where the header and the start position are
        my $range = rand 2 < 1 ? 8 : length $bytes;
        $range = length $bytes if $range > length $bytes;
        substr($bytes, rand $range, 1) ^= chr 1 + rand 255 for 0 .. rand 4;
    }
    substr($data, $at, length $value) = $bytes;
    $changed++ if $bytes ne $value;
}
open my $out, '+<:raw', $file or die "cannot write $file: $!\n";
print $out $data;
close $out or die "cannot write $file: $!\n";
print "$changed\n";
