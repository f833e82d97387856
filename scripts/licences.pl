#!/usr/bin/perl
# In: deny.toml; `cargo metadata --format-version 1 --all-features` on standard input.
# Out: an error unless every crate has a licence that deny.toml allows, and comes from this workspace or from a registry.
use strict;
use warnings;
use JSON::PP;

open my $deny, '<', 'deny.toml' or die "no deny.toml: $!\n";
my ($allow) = do { local $/; <$deny> } =~ /^allow = \[(.*?)\]/ms or die "deny.toml allows no licence\n";
my %allowed = map { $_ => 1 } $allow =~ /"([^"]+)"/g;
my $crates = decode_json(do { local $/; <STDIN> })->{packages};
my $bad = 0;
for my $crate (@$crates) {
    my $licence = $crate->{license} // 'none';
    # all parts of an AND must be allowed, one part of an OR; "/" is an old OR
    my $fits = !grep { !grep { $allowed{ s/^[\s(]+|[\s)]+$//gr } } split m{ OR |/} } split / AND /, $licence;
    my $from = $crate->{source} // 'this workspace';
    next if $fits && $from !~ /^git/;
    print "$crate->{name} $crate->{version}: licence $licence, from $from\n";
    $bad++;
}
die "$bad crates with a licence or a source that deny.toml does not allow\n" if $bad;
print scalar(@$crates), " crates, all with a licence and a source that deny.toml allows\n";
