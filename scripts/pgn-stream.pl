#!/usr/bin/env perl
# In: PGN files.
# Out: the contents of their games without layout: a line for each move, comment (white space folded), glyph, bracket
# and result, so that diff shows whether two files are equivalent; "game" begins each game. --counts prints the number
# of each instead. --packed reads rows of COPY (a number and a text) and prints them with the size and the bytes of a
# packed form, for scripts/bench-annotated.sh. The script knows PGN's syntax but not the rules of chess, and shares no
# code with the programs that it checks.
use strict;
use warnings;
use Encode;

my $counts = @ARGV && $ARGV[0] eq '--counts' && shift;
my $packed = @ARGV && $ARGV[0] eq '--packed' && shift;
my ($depth, $bytes, $words) = (0, '', '');
binmode STDOUT, ':encoding(UTF-8)';
my %suffix = ('!' => 1, '?' => 2, '!!' => 3, '??' => 4, '!?' => 5, '?!' => 6);
my %count;

sub token {
    my ($kind, $text) = @_;
    return pack_token($kind, $text) if $packed;
    $count{$kind}++;
    $count{characters} += length $text if $kind eq 'comment';
    print "$kind $text\n" unless $counts;
}

sub pack_token {
    my ($kind, $text) = @_;
    $depth += $kind eq 'open' ? 1 : $kind eq 'close' ? -1 : 0;
    # The main line is in the game; any byte represents a half-move.
    if ($kind eq 'move') { $bytes .= chr(unpack('%8C*', $text) % 32) if $depth > 0 }
    elsif ($kind eq 'comment') { $bytes .= "\xf0" . chr(length($words) % 256); $words .= encode('UTF-8', $text) . "\n" }
    elsif ($kind ne 'game') { $bytes .= "\xf1" . chr(length $text) }
}

sub comment {
    my ($text) = @_;
    $text = join ' ', split ' ', $text;
    token(comment => $text);
}

sub moves {
    local ($_) = @_;
    pos = 0;
    while (pos() < length) {
        if (/\G\s+/gc) { }
        elsif (/\G\{([^}]*)(?:\}|\z)/gc || /\G;([^\n]*)/gc) { comment($1) }
        elsif (/(?:\A|(?<=\n))\G%([^\n]*)/gc) { token(escape => $1) }
        elsif (/\G\(/gc) { token(open => '') }
        elsif (/\G\)/gc) { token(close => '') }
        elsif (/\G\$(\d+)/gc) { token(glyph => $1) }
        elsif (/\G(!!|\?\?|!\?|\?!|!|\?)/gc) { token(glyph => $suffix{$1}) }
        elsif (/\G(1-0|0-1|1\/2-1\/2)(?=[\s{(;]|\z)/gc) { token(result => $1) }
        # an unknown result need not be written
        elsif (/\G\*/gc) { }
        elsif (/\G\d+\.*(?=[^\s\d\/-]|\s|\z)/gc) { }
        elsif (/\G\.+/gc) { }
        elsif (/\Ge\.?p\.?(?=\s|\z)/gc) { }
        elsif (/\G([^\s{}();\$!?]+)/gc) {
            my $word = $1;
            $word =~ s/[+#]+\z//;
            $word =~ tr/0/O/ if $word =~ /\A0-0/;
            token(move => $word);
        }
        else { /\G(.)/gcs; token(sign => $1) }
    }
}

if ($packed) {
    binmode STDIN, ':encoding(UTF-8)';
    my %escaped = (n => "\n", t => "\t", r => "\r", '\\' => '\\');
    while (my $row = <STDIN>) {
        chomp $row;
        my ($id, $text) = split /\t/, $row, 2;
        $text =~ s{\\(.)}{$escaped{$1} // $1}ge;
        ($depth, $bytes, $words) = (0, '', '');
        moves($text);
        print "$id\t\\\\x", unpack('H*', $bytes . $words), "\n";
    }
    exit;
}
for my $file (@ARGV) {
    open my $in, '<:raw', $file or die "$file: $!\n";
    local $/;
    my $bytes = <$in>;
    $bytes =~ s/\r\n/\n/g;
    # a game is its tags and the text after them; a comment may contain text like a tag
    my @games = split /(?:\A|(?<=\n\n))(?=\[\w+\s+")/, $bytes;
    for my $game (@games) {
        my $text = eval { decode('UTF-8', my $copy = $game, Encode::FB_CROAK) } // decode('cp1252', $game);
        $text =~ s/\A\x{feff}//;
        next unless $text =~ s/\A((?:\[\w+\s+"[^\n]*\]\s*\n)+)//;
        token(game => '');
        moves($text);
    }
}
if ($counts) {
    printf "%s: %d\n", $_, $count{$_} // 0 for qw(game move comment characters glyph open close result);
}
