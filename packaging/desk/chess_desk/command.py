"""The command chess-desk.

In: files of games, or one of the options. Out: a page with the games, its address on standard output; errors are a
sentence on standard error and exit code 1.
"""

from __future__ import annotations

import argparse
import ipaddress
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NoReturn

from .page import PORT, Page, show
from .places import (
    CHESS_PGN, CHESS_WEB, FAMOUS, Failure, data_directory, environment, full_disk, one_at_a_time,
    postgres_program, told,
)
from .server import DATABASE, USER, Server


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="chess-desk",
        description="Shows games of chess on a page in the browser. FILES are added to the games that are there; "
        "the first time without FILES they are some famous ones. Server and page go on until --stop.",
    )
    parser.add_argument("files", nargs="*", metavar="FILES", help="games: what chess-pgn load takes, such as .pgn or .pgn.zst")
    parser.add_argument("--port", type=port_number, help=f"the port of the page ({PORT}, or one that is free)")
    parser.add_argument(
        "--listen", type=ipaddress.ip_address, metavar="ADDRESS", default=os.environ.get("CHESS_DESK_LISTEN") or None,
        help="an address of this machine, or 0.0.0.0 in a container, by which others may reach the page, too; they must give "
        "the password that is printed (default: $CHESS_DESK_LISTEN, or else this machine alone)",
    )
    parser.add_argument("--foreground", action="store_true", help="go on until SIGTERM or Ctrl-C, then stop page and server")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--stop", action="store_true", help="stop page and server; the games stay")
    action.add_argument("--where", action="store_true", help="say where the games are, and what runs")
    action.add_argument("--backup", type=Path, metavar="FILE", help="write all games, notebooks and filters to a file")
    action.add_argument("--restore", type=Path, metavar="FILE", help="put what a backup has in the place of what is there")
    action.add_argument("--psql", nargs=argparse.REMAINDER, metavar="…", help="ask in SQL; what follows are options of psql")
    return parser


def port_number(text: str) -> int:
    """A port that a server can be told to take."""
    number = int(text)
    if not 0 < number < 1 << 16:
        raise ValueError
    return number


def main() -> int:
    """The entry point."""
    parser = arguments()
    options = parser.parse_args()
    if options.files and (options.stop or options.where or options.backup or options.restore):
        parser.error(f"{options.files[0]}: files are added by themselves, without another option")
    try:
        if os.geteuid() == 0:
            raise Failure("PostgreSQL refuses to run as root: give this command as an ordinary user")
        home = data_directory(dict(os.environ))
        server = Server(home)
        page = Page(server)
        if options.where:
            where(page)
        elif options.psql is not None:
            # also while another chess-desk loads
            if not server.process():
                with one_at_a_time(home):
                    ready(server)
            psql = postgres_program("psql")
            os.execve(psql, [str(psql), *options.psql], environment() | server.settings())
        elif options.foreground:
            foreground(options, page)
        else:
            with one_at_a_time(home):
                return 0 if act(options, page) else 1
    except Failure as failure:
        print(f"chess-desk: {failure}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"chess-desk: {full_disk(str(error), home) or error}", file=sys.stderr)
        return 1
    except (ValueError, IndexError) as error:
        # names that no file can have, and a server that ends meanwhile
        print(f"chess-desk: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def act(options: argparse.Namespace, page: Page) -> bool:
    """What changes something, while no other chess-desk does. False if some files could not be loaded."""
    server = page.server
    whole = True
    if options.stop:
        stopped = [page.stop(), server.stop()]
        print(f"Stopped; the games stay in {server.home}" if any(stopped) else "Nothing runs")
    elif options.backup:
        ready(server)
        backup(server, options.backup)
    elif options.restore:
        if not options.restore.is_file():
            raise Failure(f"there is no file {options.restore}")
        ready(server)
        page.stop()
        try:
            restore(server, options.restore)
        finally:
            show(page.start(options.port, options.listen), not options.no_browser)
    else:
        for file in options.files:
            if not os.access(file, os.R_OK):
                raise Failure(f"cannot read {file}")
        ready(server)
        whole = add(server, [os.path.abspath(file) for file in options.files])
        show(page.start(options.port, options.listen), not options.no_browser)
        print(f"It goes on until {'SIGTERM' if options.foreground else 'chess-desk --stop'}", file=sys.stderr)
    return whole


def foreground(options: argparse.Namespace, page: Page) -> None:
    """The same, and goes on as long as the server does or until a signal. Then nothing is left."""
    server = page.server
    # as Ctrl-C; without a handler the first process of a container ignores it
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with one_at_a_time(server.home):
            act(options, page)
        if options.backup:
            return
        while server.process():
            # it may be that another chess-desk restores a backup: the page waits for its end
            if not page.process():
                with one_at_a_time(server.home):
                    if server.process():
                        page.start(options.port, options.listen)
            time.sleep(1)
        if server.pid_file():
            raise told("PostgreSQL has ended", server.log.read_text(errors="replace"), server.home)
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        page.stop()
        server.stop()


def ready(server: Server) -> None:
    """A running server that has the database and the extension of this version."""
    server.start()
    if not server.has_database(DATABASE):
        server.sql(f"CREATE DATABASE {DATABASE}", database="postgres")
    server.sql("SET client_min_messages = warning", "CREATE EXTENSION IF NOT EXISTS chess")
    stale = "SELECT 1 FROM pg_available_extensions WHERE name = 'chess' AND installed_version <> default_version"
    if server.sql(stale):
        upgrading(server).touch()
        server.sql("SET client_min_messages = warning", "ALTER EXTENSION chess UPDATE")
    if upgrading(server).exists() and load(server, "migrate"):
        upgrading(server).unlink()


def upgrading(server: Server) -> Path:
    """A file that is there until the tables are those of this version."""
    return server.home / "upgrading"


def add(server: Server, files: list[str]) -> bool:
    """Loads files, and those of a load that was killed: their names are noted until it has ended."""
    note = server.home / "loading.json"
    try:
        unfinished: list[str] = json.loads(note.read_text())
    except (FileNotFoundError, ValueError):
        unfinished = []
    # once: a file that ends the loader would keep the page away for ever
    note.unlink(missing_ok=True)
    wanted = files
    files = [name for name in unfinished if name not in files and os.path.exists(name)] + files
    if not files and not server.sql("SELECT to_regclass('chess.games')")[0]:
        files = [str(FAMOUS)]
    if not files:
        return True
    new = note.with_suffix(".new")
    new.write_text(json.dumps(wanted))
    new.replace(note)
    # a file that cannot be read is no reason to hide the others
    whole = load(server, "load", "--index", "--clocks", "--evals", "--", *files)
    note.unlink(missing_ok=True)
    return whole


def load(server: Server, *options: str) -> bool:
    """Runs chess-pgn, whose progress and messages the user sees; False if it has left out something."""
    before = server.log.stat().st_size
    # standard output has the address of the page, and nothing else
    status = subprocess.run([CHESS_PGN, *options], env=environment() | server.settings(), stdout=sys.stderr).returncode
    if status < 0:
        raise Failure(f"chess-pgn was ended by signal {-status}: give the same command again, and it goes on")
    if status != 0:
        with open(server.log, errors="replace") as log:
            log.seek(before)
            said = log.read()
        if full := full_disk(said, server.home):
            raise full
        if not server.process() or "terminated by signal" in said:
            raise Failure("PostgreSQL was interrupted: give the same command again, and it goes on")
    return status == 0


def backup(server: Server, file: Path) -> None:
    """Writes all of the database to a file, which is there only when it is whole."""
    if not file.name:
        raise Failure(f"{file} is not a file to write to")
    new = None
    try:
        number, name = tempfile.mkstemp(dir=file.parent, prefix=file.name)
        os.close(number)
        new = Path(name)
        server.run("pg_dump", "-Fc", "-f", new, DATABASE)
        with open(new, "rb") as written:
            os.fsync(written.fileno())
        new.replace(file)
    except BaseException as error:
        if new:
            new.unlink(missing_ok=True)
        if isinstance(error, (Failure, OSError)):
            raise Failure(f"no backup was written to {file}: {full_disk(str(error), file.parent) or error}") from error
        raise
    print(f"Written: {file} ({file.stat().st_size / 1e6:.1f} MB); chess-desk --restore reads it")


def restore(server: Server, file: Path) -> None:
    """Reads a backup into a database of its own, which takes the place of the other when it is whole."""
    new, old = f"{DATABASE}_new", f"{DATABASE}_old"
    drop = [f"DROP DATABASE IF EXISTS {name}" for name in (new, old)]
    server.sql("SET client_min_messages = warning", *drop, f"CREATE DATABASE {new}", database="postgres")
    try:
        server.run("pg_restore", "--exit-on-error", "-d", new, file.absolute())
        if not server.sql("SELECT to_regclass('chess.games')", database=new)[0]:
            raise Failure(f"{file} is not a backup of chess-desk: it has no games. Nothing was changed")
        # The backup may be of an earlier version, and this program may be killed after any statement.
        upgrading(server).touch()
        rename = f"BEGIN; ALTER DATABASE {DATABASE} RENAME TO {old}; ALTER DATABASE {new} RENAME TO {DATABASE}; COMMIT"
        server.sql(rename, drop[1], database="postgres")
    except Failure:
        server.sql("SET client_min_messages = warning", drop[0], database="postgres")
        raise
    ready(server)


def where(page: Page) -> None:
    """Says where the games are, and what runs."""
    server = page.server
    print(f"games    {server.home}")
    if not server.data.exists() or not server.process():
        print("server   stopped")
        return
    host = server.settings()["PGHOST"]
    print(f"server   running; host={host} port=5432 user={USER} dbname={DATABASE}")
    print(f"page     {page.address() or 'stopped'}")
    if page.password.exists():
        print(f"password {page.password}")
    print(f"log      {shlex.join(map(str, (server.log, page.log)))}")


def chess_pgn() -> NoReturn:
    """The entry point of chess-pgn."""
    os.execv(CHESS_PGN, ["chess-pgn", *sys.argv[1:]])


def chess_web() -> NoReturn:
    """The entry point of chess-web."""
    os.execv(CHESS_WEB, ["chess-web", *sys.argv[1:]])
