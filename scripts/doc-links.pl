#!/usr/bin/perl
# In: Markdown files; with --write first, files with a table of contents.
# Out: each relative link to a missing file or heading, each missing file that is named in a code span by its path from
# the top, and each outdated table of contents. A table of contents is between <!-- contents of FILE... --> and
# <!-- end of contents -->: an item for each file, with its ## headings below it, each with what COMMENT ON says in sql/.
# --write updates it.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));
use File::Basename qw(dirname);

my $write = @ARGV && $ARGV[0] eq '--write' && shift;
my %headings;    # file => its headings: level, text, anchor
for my $file (@ARGV) {
    my $text = read_file($file);
    if ($text =~ /^<!-- contents of (.*?) -->\n(.*?)^<!-- end of contents -->$/ms) {
        my ($found, $right) = ($2, contents(dirname($file), split ' ', $1));
        if ($write) {
            $text =~ s/^(<!-- contents of .*? -->\n).*?(?=^<!-- end of contents -->$)/$1$right/ms;
            open my $out, '>', $file or die "$file: $!\n";
            print $out $text;
            close $out or die "$file: $!\n";
        }
        elsif ($found ne $right) {
            print "$file: the table of contents is not up to date: scripts/doc-links.pl --write $file\n";
        }
    }
    next if $write;
    $text =~ s/^```.*?^```$//gms;    # no links in code
    while ($text =~ /`((?:src|sql|crates|tests|benches|scripts|docs|demo|fuzz|packaging)\/[\w.\/-]+)`/g) {
        my $named = $1;
        -e $named or $named =~ /--A--B/ or print "$file: no file $named\n";
    }
    while ($text =~ /\]\(([^)\s]*)\)/g) {
        my ($path, $anchor) = split /#/, $1, 2;
        next if $path =~ /^\w+:/;
        my $target = $path eq '' ? $file : dirname($file) . "/$path";
        if (!-e $target) { print "$file: no file $path\n"; next }
        next unless defined $anchor && $target =~ /\.md$/;
        grep { $_->{anchor} eq $anchor } @{ headings($target) } or print "$file: no heading #$anchor in $target\n";
    }
}

sub read_file {
    my ($name) = @_;
    open my $in, '<', $name or die "$name: $!\n";
    local $/;
    return scalar <$in>;
}

# Returns the headings of a file, each with GitHub's anchor and the first line of the synopsis that follows it.
sub headings {
    my ($file) = @_;
    return $headings{$file} //= do {
        my $text = read_file($file);
        $text =~ s/^```synopsis\n(.*?)\n.*?^```$/synopsis: $1/gms;
        $text =~ s/^```.*?^```$//gms;
        my (@found, %seen);
        while ($text =~ /^(#+) +(.*?) *$(?:\n\nsynopsis: (.*))?/mg) {
            my ($level, $heading, $synopsis) = (length $1, $2, $3 // '');
            my $anchor = lc $heading;
            $anchor =~ s/[^\w -]//g;
            $anchor =~ tr/ /-/;
            my $again = $seen{$anchor}++;
            push @found, { level => $level, text => $heading, synopsis => $synopsis, anchor => $anchor . ($again ? "-$again" : '') };
        }
        \@found;
    };
}

sub contents {
    my ($dir, @files) = @_;
    my @lines;
    for my $file (@files) {
        for my $heading (@{ headings("$dir/$file") }) {
            if ($heading->{level} == 1) { push @lines, "\n* [$heading->{text}]($file#$heading->{anchor})" }
            elsif ($heading->{level} == 2) {
                my $said = comment($heading);
                push @lines, "  * [$heading->{text}]($file#$heading->{anchor})" . ($said ? ": $said" : '');
            }
        }
    }
    # one line each, so that two changes merge
    return join("\n", @lines) . "\n\n";
}

# What COMMENT ON says of the first object in a section: of the function in its synopsis, or of what its heading names.
my $comments;
sub comment {
    my ($heading) = @_;
    if (!$comments) {
        for my $sql (grep { !/--/ } glob 'sql/*.sql') {
            my $text = read_file($sql);
            while ($text =~ /^COMMENT ON (?:FUNCTION|AGGREGATE|TYPE|VIEW|OPERATOR|ACCESS METHOD) ([^;']*?)\s+IS\s+((?:'(?:[^']|'')*'\s*)+);/gm) {
                my ($object, $said) = ($1, $2);
                $said =~ s/^'|'\s*$//g;
                $said =~ s/'\s*\n\s*'//g;
                $said =~ s/\x27\x27/\x27/g;
                $object =~ s/\s+/ /g;
                $comments->{$object} //= $said;
                $comments->{$1} //= $said if $object =~ /^([^\s(]+)/;
            }
        }
    }
    my ($function, $arguments) = $heading->{synopsis} =~ /^(\w+)\((.*?)\) →/;
    my @types = map { s/^ *\w+ (?=\w)//r =~ s/ DEFAULT .*//r } grep { !/^ *OUT / } split /,/, $arguments // '';
    my ($name) = $heading->{text} =~ /^(?:Type |Access method |Operators? )?`?([^\s`(,]+)/;
    my $said = ($function && $comments->{"$function(" . join(', ', @types) . ')'}) // $comments->{ lc $name } // '';
    return $said =~ /[|<>*]/ ? "`$said`" : $said;
}
