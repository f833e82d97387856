# In: what scripts/tap.sh prepares: a copy of the files that tests read as working directory, the programs of
# target/release in PATH.
# Out: PostgreSQL::Test::Cluster with what these tests share: a table of games and questions to it
# (tests/tap/tables.sql), clients in the background, kill -9 of a whole server, and checks of a server as a whole.
package ChessCluster;

use strict;
use warnings;
use parent 'PostgreSQL::Test::Cluster';

use IPC::Run;
use PostgreSQL::Test::Utils qw(append_to_file run_command slurp_file);
use Test::More;
use Time::HiRes qw(usleep);

# init with settings => [...]. The log is for errors; a small shared_buffers, and compiling a query whose plan is switched off
# and so counts as expensive, would only make the tests slow.
sub init {
    my ($self, %params) = @_;
    my $settings = delete $params{settings} // [];
    my $extra = delete $params{extra} // [];
    $self->SUPER::init(extra => [ '-E', 'UTF8', '--no-locale', @$extra ], %params);
    $self->settings('log_statement = none', 'shared_buffers = 128MB', 'max_connections = 40', 'jit = off', @$settings);
    return;
}

# settings(LINE...): they count from the next start on, or reload
sub settings {
    my ($self, @lines) = @_;
    $self->append_conf('postgresql.conf', join "\n", @lines);
    return;
}

# sql(DATABASE, STATEMENT...): each in its own transaction, in one session; returns the output, dies on an ERROR
sub sql {
    my ($self, $database, @statements) = @_;
    return $self->safe_psql($database, join ";\n", @statements);
}

# file(DATABASE, FILE, VARIABLE => VALUE...): runs a file of the repository in psql, and returns the output
sub file {
    my ($self, $database, $file, %variables) = @_;
    return $self->safe_psql($database, slurp_file($file),
        extra_params => [ map { ('-v', "$_=$variables{$_}") } keys %variables ]);
}

# succeeds(DATABASE, FILE, WHAT, VARIABLE => VALUE...): checks that a file of the repository runs in psql without an ERROR, and
# prints what it says
sub succeeds {
    my ($self, $database, $file, $what, %variables) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($status, $said, $error) = $self->psql($database, slurp_file($file),
        extra_params => [ map { ('-v', "$_=$variables{$_}") } keys %variables ]);
    ok($status == 0, $what) or diag($error);
    note($said =~ s/^\n+//mgr);
    return;
}

# program(COMMAND...): runs a program of PostgreSQL on this server; returns its output, dies if it fails
sub program {
    my ($self, $name, @arguments) = @_;
    local %ENV = $self->_get_env();
    my ($out, $err) = ('', '');
    IPC::Run::run([ $self->installed_command($name), @arguments ], '>', \$out, '2>', \$err)
      or die "$name @arguments: $out$err";
    return $out;
}

# loader(DATABASE, COMMAND, ARGUMENT...): runs chess-pgn; returns its output, dies if it fails
sub loader {
    my ($self, $database, $command, @arguments) = @_;
    my $connection = $self->connstr($database) . ' user=' . getpwuid $<;
    my ($out, $err) = ('', '');
    IPC::Run::run([ 'chess-pgn', $command, '-d', $connection, @arguments ], '<', \undef, '>', \$out, '2>', \$err)
      or die "chess-pgn $command @arguments: $out$err";
    return $out;
}

# games(DATABASE, games => N, questions => N): creates the database with N supplied games and questions to the table games
sub games {
    my ($self, $database, %params) = @_;
    $self->sql('postgres', "CREATE DATABASE $database");
    $self->file($database, 'scripts/games_table.sql');
    local %ENV = $self->_get_env();
    my ($made, $error) = run_command([ 'chess-gamegen', '--games', $params{games}, '--seed', 1 ]);
    die "chess-gamegen: $error\n" if $?;
    my $pgn = slurp_file('demo/famous.pgn') . $made;
    IPC::Run::run([
            'perl', 'scripts/pgn-pieces.pl', 64_000_000, $self->installed_command('psql'), '-Xq', '-v', 'ON_ERROR_STOP=1',
            '-d', $self->connstr($database), '-f', 'scripts/games_load.sql'
        ],
        '<', \$pgn) or die "the games cannot be loaded\n";
    $self->file($database, 'tests/tap/tables.sql', questions => $params{questions});
    return;
}

# supplied(FIRST, LAST): the statement that inserts games with these ids
sub supplied {
    my ($first, $last) = @_;
    return "INSERT INTO games SELECT n, supplied(n) FROM generate_series($first, $last) AS n";
}

# indexes_agree(DATABASE, WHEN): checks that each index answers as a sequential scan; returns what was compared
sub indexes_agree {
    my ($self, $database, $when) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($status, $compared, $error) = $self->psql($database, 'SELECT check_indexes()');
    ok($status == 0, "indexes answer as the table does: $when") or diag($error);
    return $compared;
}

# agrees_with_amcheck(DATABASE, WHEN): B-trees and heaps
sub agrees_with_amcheck {
    my ($self, $database, $when) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
  SKIP: {
        skip 'pg_amcheck: this server has no extension amcheck (in a PostgreSQL that is built from source: '
          . 'make -C contrib install)', 1
          if $self->sql($database, "SELECT count(*) FROM pg_extension WHERE extname = 'amcheck'") eq '0';
        $self->command_ok([ 'pg_amcheck', '--heapallindexed', '-d', $database ], "pg_amcheck finds no damage: $when");
    }
    return;
}

# nobody_died(EXPECTED): no line of the log tells of a backend that ended by a signal, or of a panic
sub nobody_died {
    my ($self) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @deaths = grep { /terminated by signal|PANIC|TRAP/ } split /\n/, slurp_file($self->logfile);
    is("@deaths", '', 'processes of server ' . $self->name . ' that died');
    return;
}

# no_warning(): no session was told of anything that an index did wrong, such as a lock that it gave back and did not have. That
# a worker of autovacuum starts late says only that the machine is busy.
sub no_warning {
    my ($self) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my %warnings = map { (s/.*?(?=WARNING:)//r => 1) } grep { /WARNING:/ && !/WARNING:  autovacuum worker (?:took too long to start|started without)/ } split /\n/, slurp_file($self->logfile);
    is(join("\n", sort keys %warnings), '', 'warnings of server ' . $self->name);
    return;
}

# client(DATABASE): a session in the background, with the process that serves it as {pid}
sub client {
    my ($self, $database) = @_;
    local %ENV = $self->_get_env();
    my %client = (in => "SELECT pg_backend_pid();\n", out => '', err => '');
    $client{run} = IPC::Run::start(
        [ $self->installed_command('psql'), '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $self->connstr($database) ],
        '<', \$client{in}, '>', \$client{out}, '2>', \$client{err});
    $client{pid} = answer(\%client) // die "no connection: $client{err}";
    return \%client;
}

# begin(CLIENT, STATEMENT...): sends statements to a client and does not wait for their end
sub begin {
    my ($client, @statements) = @_;
    $client->{in} .= "$_;\n" for @statements;
    # pump() would wait for an answer
    until ($client->{in} eq '') {
        $client->{run}->pump_nb;
        usleep(1000);
    }
    return;
}

# answer(CLIENT): waits for a line of its output and returns it; undef if the client ends without one
sub answer {
    my ($client) = @_;
    $client->{run}->pump until $client->{out} =~ /\n/ || !$client->{run}->pumpable;
    return $client->{out} =~ s/^(.*)\n// ? $1 : undef;
}

# catch(DATABASE, CLIENT, STATEMENT, MOMENT): lets a client begin a statement and waits for the moment, a query that has rows
# then, such as one to its progress; true unless the statement has ended before
sub catch {
    my ($self, $database, $client, $statement, $moment) = @_;
    my $watch = $self->client($database);
    my $backend = "FROM pg_stat_activity WHERE pid = $client->{pid}";
    begin($watch, "DO \$\$ BEGIN
            LOOP
                PERFORM pg_stat_clear_snapshot();
                EXIT WHEN EXISTS ($moment) OR NOT EXISTS (SELECT $backend AND (state = 'active' OR query ~ '^SET |pg_backend_pid'));
            END LOOP;
        END \$\$", "SELECT count(*) $backend AND state = 'active'");
    begin($client, $statement);
    my $caught = answer($watch);
    finish($watch);
    return $caught;
}

# scripts(NAME@WEIGHT => TEXT...): files of what clients of a load do, as arguments of pgbench
sub scripts {
    my %scripts = @_;
    my $files = PostgreSQL::Test::Utils::tempdir;
    my @arguments;
    for my $script (sort keys %scripts) {
        my ($name) = split /@/, $script;
        append_to_file("$files/$name", $scripts{$script} =~ s/^\s+//gmr);
        push @arguments, '-f', "$files/$script";
    }
    return @arguments;
}

# load(DATABASE, NUMBER, clients => N, transactions => N of each client, scripts => [scripts(...)], meanwhile => CODE): checks
# that no transaction fails, and calls the code over and over; returns how many transactions and searches there were
sub load {
    my ($self, $database, $number, %params) = @_;
    my ($report, $errors) = ('', '');
    local %ENV = $self->_get_env();
    my $load = IPC::Run::start([
            $self->installed_command('pgbench'), '-n', '-c', $ENV{CLIENTS} // $params{clients}, '-j', 2, '-t',
            $ENV{TRANSACTIONS} // $params{transactions}, "--random-seed=$number", @{ $params{scripts} }, $database
        ],
        '>', \$report, '2>', \$errors);
    while ($load->pumpable) {
        $params{meanwhile}->();
        $load->pump_nb;
        usleep(10_000);
    }
    $load->finish;
    is($load->full_result(0), 0, "no client is aborted, load $number") or diag($errors);
    like($report, qr/failed transactions: 0 /, "no transaction fails, load $number");
    my ($transactions) = $report =~ /^number of transactions actually processed: (\d+)/m;
    my ($searches) = $report =~ m{/search\b.*?^ - (\d+) transactions}ms;
    return ($transactions // 0, $searches // 0);
}

# finish(CLIENT): waits for its end; true if all of its statements have succeeded
sub finish {
    my ($client) = @_;
    $client->{run}->finish;
    return $client->{run}->full_result(0) == 0;
}

# stop(MODE): what counts is that the server ends. pg_ctl may fail although it does, if it looks at a moment when the process
# is gone and its files are not, or the other way round.
sub stop {
    my ($self, $mode, %params) = @_;
    return 1 if $self->SUPER::stop($mode, %params, fail_ok => 1);
    my $pid = $self->{_pid};
    diag('pg_ctl stop has failed: ' . (defined $pid ? "server $pid is there" : 'the server is gone'));
    until_true('the end of the server', sub { !kill 0, $pid }) if defined $pid;
    $self->{_pid} = undef;
    return 1;
}

# kill_process(PID): kill -9 of a process of the server. Returns once the postmaster has noticed, which a client may do earlier:
# from then on the server answers again only after its recovery.
sub kill_process {
    my ($self, $pid) = @_;
    my $log = -s $self->logfile;
    kill 9, $pid or return;
    $self->wait_for_log(qr/was terminated by signal 9/, $log);
    return;
}

# kill_everything: kill -9 of the postmaster first, so that it cannot clean up, and of its children
sub kill_everything {
    my ($self) = @_;
    my $postmaster = $self->{_pid};
    my @children = split ' ', (run_command([ 'ps', '-o', 'pid=', '--ppid', $postmaster ]))[0];
    $self->kill9;
    kill 9, @children;
    until_true('the end of the server', sub { !grep { kill 0, $_ } $postmaster, @children });
    # Where processes come and go, its number is soon another's, which the next start would take for a server on these data.
    unlink $self->data_dir . '/postmaster.pid';
    return;
}

# until_true(WHAT, CODE): for events that are no answer to a query
sub until_true {
    my ($what, $code) = @_;
    for (1 .. 100 * $PostgreSQL::Test::Utils::timeout_default) {
        return if $code->();
        usleep(10_000);
    }
    die "waited in vain for $what\n";
}

1;
