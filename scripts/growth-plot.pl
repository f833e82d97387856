#!/usr/bin/perl
# In: a file written by benches/server/growth.sql.
# Out: SVG with four charts over the number of games, with logarithmic axes: linear growth is parallel to the dotted
# line.
use strict;
use warnings;

my ($WIDTH, $HEIGHT, $LEFT, $TOP) = (330, 230, 62, 40);
my %NAME = (
    'chessgame_ops'         => 'default GIN',
    'chessgame_compact_ops' => 'compact GIN',
    'positions'             => 'table of half-moves, B-tree',
    'scan'                  => 'scan, no index',
    'packed'                => 'games',
);
my %COLOR = (
    'default GIN' => '#1f6fb4', 'compact GIN' => '#2a9d5c', 'table of half-moves, B-tree' => '#d1602b',
    'scan, no index' => '#555555', 'games' => '#555555', 'half-moves themselves' => '#b07aa1',
);
my @CHARTS = (
    ['Search: a position of one game, half-move 30', 'ms', 1, qr/^(?:lookup|scan), half-move 30$/],
    ['Search: the Najdorf, in 3 % of the games', 'ms', 1, qr/^(?:lookup|scan), Najdorf$/],
    ['Size', 'MB', 1e6, qr/^(?:size, (?:64MB|1GB)|table)$/],
    ['Build time of the index', 's', 1000, qr/^build, (?:64MB|1GB)$/],
);

my (@rows, %sizes);
while (<>) {
    chomp;
    my ($games, $what, $method, $unit, $median, $least, $greatest) = split /\t/;
    next unless defined $median && exists $NAME{$method};
    push @rows, { games => $games, what => $what, name => $NAME{$method}, unit => $unit, median => $median,
        least => $least || $median, greatest => $greatest || $median };
    $sizes{$games} = 1;
}
my @sizes = sort { $a <=> $b } keys %sizes;
@sizes > 1 or die "growth needs two sizes\n";

sub decades { my ($least, $greatest) = @_; return (floor10($least), floor10($greatest * 0.999999) + 1) }
sub floor10 { my $l = log($_[0]) / log(10); my $i = int $l; return $i > $l ? $i - 1 : $i }
sub number { my ($n) = @_; my $s = $n >= 1 ? sprintf('%.0f', $n) : sprintf('%g', $n); 1 while $s =~ s/^(\d+)(\d{3})/$1,$2/; return $s }

printf qq{<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">\n},
    2 * ($WIDTH + 100), 2 * ($HEIGHT + 90) + 40;
print qq{<rect width="100%" height="100%" fill="#ffffff"/>\n};
chart($_, @{ $CHARTS[$_] }) for 0 .. $#CHARTS;
my $x = $LEFT;
for my $name ('default GIN', 'compact GIN', 'table of half-moves, B-tree', 'scan, no index') {
    my $label = $name eq 'scan, no index' ? 'scan without an index; size: the games' : $name;
    my $y = 2 * ($HEIGHT + 90) + 6;
    print qq{<path d="M$x,$y h24" stroke="$COLOR{$name}" stroke-width="2"/>};
    printf qq{<text x="%d" y="%d">%s</text>\n}, $x + 30, $y + 4, $label;
    $x += 60 + 6.2 * length $label;
}
printf qq{<text x="%d" y="%d">Indexes built with maintenance_work_mem = 64 MB; dashed: 1 GB. Dotted: linear growth. }
    . qq{Bars: least and greatest.</text>\n}, $LEFT, 2 * ($HEIGHT + 90) + 28;
print "</svg>\n";

sub chart {
    my ($n, $title, $unit, $scale, $wanted) = @_;
    my ($left, $top) = ($LEFT + ($n % 2) * ($WIDTH + 100), $TOP + int($n / 2) * ($HEIGHT + 90));
    my @shown = grep { $_->{what} =~ $wanted && !($unit eq 'MB' && $_->{unit} ne 'bytes') && !($unit ne 'MB' && $_->{unit} ne 'ms') } @rows;
    # the table of half-moves includes its index
    my %series;
    for my $row (@shown) {
        my $dash = $row->{what} =~ /1GB/ ? 1 : 0;
        my $point = $series{"$row->{name}\t$dash"}{ $row->{games} } //= [0, 0, 0];
        $point->[0] += $row->{median} / $scale;
        $point->[1] += $row->{least} / $scale;
        $point->[2] += $row->{greatest} / $scale;
    }
    my @values = sort { $a <=> $b } map { map { @$_[1, 2] } values %$_ } values %series;
    my ($low, $high) = decades($values[0], $values[-1]);
    my ($first, $last) = decades(@sizes[0, -1]);
    my $px = sub { $left + $WIDTH * (log($_[0]) / log(10) - $first) / ($last - $first) };
    my $py = sub { $top + $HEIGHT * (1 - (log($_[0]) / log(10) - $low) / ($high - $low)) };

    printf qq{<text x="%d" y="%d" font-size="13" font-weight="bold">%s, %s</text>\n}, $left, $top - 12, $title, $unit;
    for my $e ($low .. $high) {
        my $y = $py->(10**$e);
        printf qq{<path d="M%d,%.1f h%d" stroke="#dddddd"/><text x="%d" y="%.1f" text-anchor="end">%s</text>\n},
            $left, $y, $WIDTH, $left - 6, $y + 4, number(10**$e);
    }
    for my $e ($first .. $last) {
        my $x = $px->(10**$e);
        printf qq{<path d="M%.1f,%d v%d" stroke="#dddddd"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>\n},
            $x, $top, $HEIGHT, $x, $top + $HEIGHT + 16, number(10**$e);
    }
    printf qq{<text x="%d" y="%d" text-anchor="middle">games</text>\n}, $left + $WIDTH / 2, $top + $HEIGHT + 32;

    # linear growth
    my ($fewest, $most, $from) = (@sizes[0, -1], 10**$low * 1.5);
    my $to = $from * $most / $fewest;
    printf qq{<path d="M%.1f,%.1f L%.1f,%.1f" stroke="#777777" stroke-dasharray="2 4"/>\n},
        $px->($fewest), $py->($from), $px->($most), $py->($to)
        if $to <= 10**$high;

    for my $key (sort keys %series) {
        my ($name, $dash) = split /\t/, $key;
        my $points = $series{$key};
        my @at = sort { $a <=> $b } keys %$points;
        my $path = join ' L', map { sprintf '%.1f,%.1f', $px->($_), $py->($points->{$_}[0]) } @at;
        printf qq{<path d="M%s" fill="none" stroke="%s" stroke-width="2"%s/>\n}, $path, $COLOR{$name},
            $dash ? ' stroke-dasharray="6 4"' : '';
        for my $games (@at) {
            my ($median, $least, $greatest) = @{ $points->{$games} };
            printf qq{<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/><path d="M%.1f,%.1f V%.1f" stroke="%s"/>\n},
                $px->($games), $py->($median), $COLOR{$name}, $px->($games), $py->($least), $py->($greatest), $COLOR{$name};
        }
    }
}
