#!/usr/bin/env perl
# In: the name and version of a program, and its --help output. Out: a manual page.
use strict;
use warnings;

my ($name, $version) = @ARGV;
my @lines = map { chomp; s/\\/\\e/gr =~ s/-/\\-/gr } <STDIN>;
my $about = shift @lines // '';
$about =~ s/\.$//;
print qq(.TH @{[uc $name]} 1 "" "$name $version" "User Commands"\n.SH NAME\n$name \\- @{[lcfirst $about]}\n.SH DESCRIPTION\n.nf\n);
print map { (/^[.']/ ? "\\&$_" : $_) . "\n" } @lines;
print ".fi\n";
