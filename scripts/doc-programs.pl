#!/usr/bin/perl
# In: a Markdown file and a directory.
# Out: each ```python, ```javascript, ```rust and ```java block as DIR/N.LANGUAGE, N counted from 1, and the ```text block
# that follows it as DIR/N.expected; a block without one is an error. Prints "N LANGUAGE" for each.
use strict;
use warnings;

my ($file, $dir) = @ARGV;
open my $in, '<', $file or die "$file: $!\n";
my ($text, $number) = (do { local $/; <$in> }, 0);
while ($text =~ /^```(python|javascript|rust|java)\n(.*?)^```\n(?:\s*^```text\n(.*?)^```\n)?/gms) {
    my ($language, $program, $expected) = ($1, $2, $3);
    $number++;
    defined $expected or die "$file: program $number ($language) has no output to compare\n";
    write_file("$dir/$number.$language", $program);
    write_file("$dir/$number.expected", $expected);
    print "$number $language\n";
}
$number or die "$file: no program\n";

sub write_file {
    my ($name, $content) = @_;
    open my $out, '>', $name or die "$name: $!\n";
    print $out $content;
    close $out or die "$name: $!\n";
}
