#!/usr/bin/perl
# In: PGN of any size on standard input; arguments: bytes per piece, and a command.
# Out: the command runs once per piece, with the piece on its standard input as one CSV field quoted by the byte 1,
# and its encoding in PGCLIENTENCODING. Pieces end between games; they are needed because a text value of PostgreSQL
# is shorter than 1 GB.
use strict;
use warnings;

my ($limit, @command) = @ARGV;
@command or die "usage: pgn-pieces.pl BYTES COMMAND...\n";
$SIG{PIPE} = 'IGNORE';    # a command that fails says why itself
my ($piece, $in_tags) = ('', 0);
binmode STDIN;

while (my $line = <STDIN>) {
    my $is_tag = $line =~ /^\[\w+\s/;
    if ($is_tag && !$in_tags && length $piece >= $limit) {
        send_piece();
    }
    # blank lines may separate tags and moves, so they do not end the tag section
    $in_tags = $is_tag if $line =~ /\S/;
    $piece .= $line;
}
send_piece() if $piece =~ /\S/;

sub send_piece {
    $piece =~ tr/\x00\x01//d;
    $piece =~ s/^\xEF\xBB\xBF//;
    $piece =~ s/^\\\.(?=\r?$)//mg;    # the end of the data, to psql
    my $copy = $piece;
    $ENV{PGCLIENTENCODING} = utf8::decode($copy) ? 'UTF8' : 'LATIN1';
    undef $copy;
    open my $pipe, '|-', @command or die "cannot run $command[0]: $!\n";
    binmode $pipe;
    print $pipe "\x01", $piece, "\x01\n";
    close $pipe or exit 1;
    $piece = '';
}
