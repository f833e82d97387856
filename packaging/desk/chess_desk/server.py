"""The private PostgreSQL: made, started, asked, stopped.

In: the data directory. Out: a server with the database "chess" that only this user reaches, by a socket; no network.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

from .places import EXTENSION_DIRECTORY, LIBRARY_DIRECTORY, Failure, environment, postgres_program, told

USER = DATABASE = "chess"
# The longest path of a socket is 107 bytes, and libpq splits names of hosts at commas.
SOCKET_DIRECTORY = re.compile(r"/[A-Za-z0-9/._+-]{0,90}")
# The beginning of the name of a directory for a socket.
SOCKET_PREFIX = "chess-desk-"
# How long another process may hold the files of a server that was killed, in seconds.
PATIENCE = 60


class Server:
    """The server of one data directory, running or not."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.data = home / "postgres"
        self.log = home / "postgres.log"

    def process(self) -> int | None:
        """The id of the server's process, if it runs."""
        lines = self.pid_file()
        known = lines and lines[0].isdigit() and self.owns(Path("/proc") / lines[0])
        return int(lines[0]) if known else None

    def owns(self, process: Path) -> bool:
        """Whether a process is the server's or one of its backends: these work in the data directory, which a later process
        of the same number does not, nor one that has been killed and is still listed."""
        try:
            return (process / "cwd").samefile(self.data)
        except OSError:
            return False

    def pid_file(self) -> list[str]:
        """The lines of PostgreSQL's postmaster.pid: 1 the process, 5 the directory of the socket, 8 the state."""
        try:
            return (self.data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return []

    def settings(self) -> dict[str, str]:
        """libpq's variables for this server, which must run."""
        return {"PGHOST": self.pid_file()[4], "PGPORT": "5432", "PGUSER": USER, "PGDATABASE": DATABASE}

    def start(self) -> None:
        """Makes the server if there is none, and starts it if it does not run, or runs from another installation."""
        postgres = postgres_program("postgres")
        running = self.process()
        if running and os.readlink(f"/proc/{running}/exe") != str(postgres.resolve()):
            self.stop()
            running = None
        if not self.data.exists():
            self.make()
        major = (self.data / "PG_VERSION").read_text().strip()
        if f"PostgreSQL) {major}." not in self.tried("postgres", "--version").stdout:
            raise Failure(
                f"the games in {self.home} are files of PostgreSQL {major}, and this chess-desk has another one: "
                "write a --backup with the chess-desk that made them, move the directory away, then --restore it"
            )
        if not (running and self.answers(None)) and not self.answers(self.launch(postgres)):
            raise told("PostgreSQL does not start", self.log.read_text(errors="replace"), self.home)

    def make(self) -> None:
        """Makes the files of the server: all of them or, if this is interrupted, none."""
        new = self.data.with_name("postgres.new")
        shutil.rmtree(new, ignore_errors=True)
        print(f"Making a private PostgreSQL in {self.home}", file=sys.stderr)
        # sorting by code points is the same on every system
        locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        made = self.tried("initdb", "-D", new, "-U", USER, "-A", "trust", "-E", "UTF8", *locale)
        if made.returncode != 0:
            raise told("PostgreSQL cannot be made", made.stderr, self.home)
        new.rename(self.data)

    def launch(self, postgres: Path) -> subprocess.Popen[bytes] | None:
        """Starts the server; None if a chess-desk that was killed has done so just before."""
        place = str(self.home)
        if not SOCKET_DIRECTORY.fullmatch(place):
            place = tempfile.mkdtemp(prefix=SOCKET_PREFIX)
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": place,
            "unix_socket_permissions": "0700",
            "port": "5432",
            "extension_control_path": f"$system:{EXTENSION_DIRECTORY}",
            "dynamic_library_path": f"$libdir:{LIBRARY_DIRECTORY}",
            "maintenance_work_mem": "256MB",
            "max_wal_size": "2GB",
            "wal_level": "minimal",
            "max_wal_senders": "0",
            "cluster_name": "chess-desk",
            "dynamic_shared_memory_type": shared_memory(),
        }
        options = [f"--{name}={value}" for name, value in settings.items()]
        with open(self.home / "server.lock", "w") as lock:
            if not self.is_alone(lock):
                return None
            # PostgreSQL takes any process of this user that has the number of a killed server for that server, and a power cut
            # may leave the file of the number empty
            for named in (self.data / "postmaster.pid", self.home / ".s.PGSQL.5432.lock"):
                named.unlink(missing_ok=True)
            with open(self.log, "w") as log:
                return subprocess.Popen(
                    [postgres, "-D", self.data, *options], pass_fds=[lock.fileno()],
                    env=environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                )

    def is_alone(self, lock: IO[str]) -> bool:
        """Takes a lock that all processes of the server inherit, so that it ends with the last of them; False if the server
        runs after all. The lock is the only sign of a server in another container with the same volume, or on another machine
        with the same home directory."""
        end = time.monotonic() + PATIENCE
        soon = time.monotonic() + 3
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                if self.process():
                    return False
                left = any(self.owns(process) for process in Path("/proc").glob("[0-9]*"))
                if not left and time.monotonic() > soon:
                    raise Failure(f"a server on another machine, or in another container, works on the games in {self.home}: stop it there") from None
                if time.monotonic() > end:
                    raise Failure("PostgreSQL does not start: processes of a server that was killed have not ended") from None
            time.sleep(0.1)

    def answers(self, launched: subprocess.Popen[bytes] | None) -> bool:
        """Waits until the server answers; False if it ends."""
        patience = time.monotonic() + 5
        while True:
            # in this order: it may end in between
            goes_on = launched.poll() is None if launched else self.process() is not None
            if self.process() and self.pid_file()[7:] == ["ready   "]:
                return True
            if not goes_on:
                return False
            if time.monotonic() > patience:
                print("PostgreSQL puts its files in order after an interruption", file=sys.stderr)
                patience = float("inf")
            time.sleep(0.05)

    def stop(self) -> bool:
        """Stops the server; False if it did not run."""
        if not self.process():
            return False
        place = Path(self.pid_file()[4])
        stopped = self.tried("pg_ctl", "stop", "-D", self.data, "-m", "fast", "-t", "3600")
        if stopped.returncode != 0:
            raise told("PostgreSQL does not stop", stopped.stderr, self.home)
        remove_socket_directory(place)
        return True

    def tried(self, program: str, *arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs a program of PostgreSQL, whatever comes of it."""
        command = [postgres_program(program), *arguments]
        return subprocess.run(command, env=environment() | variables, capture_output=True, text=True)

    def run(self, program: str, *arguments: str | Path) -> str:
        """Runs a program of PostgreSQL that talks to the server, and returns what it prints."""
        done = self.tried(program, *arguments, **self.settings())
        if done.returncode != 0:
            raise told(f"{program} fails", done.stderr, self.home)
        return done.stdout

    def sql(self, *statements: str, database: str = DATABASE) -> list[str]:
        """Runs statements, each in a transaction of its own, and returns the lines of their answers."""
        commands = [f"--command={statement}" for statement in statements]
        return self.run("psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-d", database, *commands).splitlines()

    def has_database(self, name: str) -> bool:
        """Whether there is a database of this name."""
        return bool(self.sql(f"SELECT 1 FROM pg_database WHERE datname = '{name}'", database="postgres"))


def remove_socket_directory(directory: Path) -> None:
    """Removes a directory that launch() has made. It is empty now; any other, such as the home of the games, stays."""
    if directory.name.startswith(SOCKET_PREFIX):
        with contextlib.suppress(OSError):
            directory.rmdir()


def shared_memory() -> str:
    """The kind of shared memory: files, where the system's cannot be used or has, as in many containers, 64 MiB, which is
    too little for the workers that build an index."""
    try:
        found = os.statvfs("/dev/shm")
    except OSError:
        return "mmap"
    return "posix" if os.access("/dev/shm", os.W_OK) and found.f_blocks * found.f_frsize >= 1 << 30 else "mmap"
