"""The page: chess-web, started in the background, found again, stopped.

In: a running server. Out: an address. A running page is found among the user's processes, by a variable of its environment:
no file could say otherwise after a crash.
"""

from __future__ import annotations

import errno
import ipaddress
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from pathlib import Path
from typing import Union

from .places import CHESS_WEB, Failure, environment, told
from .server import Server

PORT = 8765
Address = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]
HERE: Address = ipaddress.ip_address("127.0.0.1")
# How long the page may answer its last questions, in seconds.
PATIENCE = 30
# The variable that names the data directory of a page.
MARK = "CHESS_DESK"


class Page:
    """The page of a server, running or not."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.out = server.home / "page.address"
        self.log = server.home / "page.log"
        self.password = server.home / "password"

    def process(self) -> int | None:
        """The id of the page's process, if it runs."""
        mark = os.fsencode(f"{MARK}={self.server.home}")
        for entry in Path("/proc").iterdir():
            try:
                # others have the variable, too: the engines and loaders that the page has started
                if entry.name.isdigit() and program_of(int(entry.name)).startswith(CHESS_WEB.name):
                    if mark in (entry / "environ").read_bytes().split(b"\0"):
                        return int(entry.name)
            except OSError:
                continue  # it has ended, or is another user's
        return None

    def address(self) -> str | None:
        """The address of the page, if it runs."""
        if not self.process():
            return None
        return self.said() or None

    def said(self) -> str:
        """The address that the page has printed, as browsers on this machine ask for it."""
        return self.out.read_text().strip().replace("//0.0.0.0:", "//localhost:").replace("//[::]:", "//localhost:")

    def start(self, port: int | None, listen: Address | None) -> str:
        """Starts the page if it does not run, and returns its address."""
        running = self.process()
        if running:
            # of another installation, or of a server that was started anew with another socket
            socket_directory = os.fsencode(f"PGHOST={self.server.settings()['PGHOST']}")
            same = socket_directory in Path(f"/proc/{running}/environ").read_bytes().split(b"\0")
            if not same or os.readlink(f"/proc/{running}/exe") != str(CHESS_WEB.resolve()):
                self.stop()
                running = None
        if not running:
            return self.launch(listen or HERE, free_port(port, listen or HERE))
        address = self.address()
        if address is None:
            raise Failure("the page runs, but has not said its address: chess-desk --stop, then start again")
        if port and not address.endswith(f":{port}/"):
            raise Failure(f"the page runs at {address}: chess-desk --stop, then start again with --port {port}")
        if listen and not self.out.read_text().startswith(f"http://{in_url(listen)}:"):
            raise Failure(f"the page runs at {address}: chess-desk --stop, then start again with --listen {listen}")
        return address

    def launch(self, listen: Address, port: int) -> str:
        """Starts chess-web and waits for its address."""
        command = [str(CHESS_WEB), "--listen", f"{in_url(listen)}:{port}", "--upload", "--upload-manage"]
        if not listen.is_loopback:
            command += ["--password-file", str(self.password)]
            self.make_password()
        # where Debian puts games
        engine = shutil.which("stockfish", path=os.environ.get("PATH", "") + ":/usr/games")
        if engine:
            command += ["--engine", engine]
        mark = {MARK: str(self.server.home)}
        with open(self.out, "w") as out, open(self.log, "w") as log:
            web = subprocess.Popen(
                command, env=environment() | self.server.settings() | mark,
                stdin=subprocess.DEVNULL, stdout=out, stderr=log, start_new_session=True,
            )
        while not self.out.read_text().endswith("\n"):
            if web.poll() is not None:
                raise told("the page does not start", self.log.read_text(errors="replace"), self.server.home)
            time.sleep(0.02)
        return self.said()

    def make_password(self) -> None:
        """Makes the password that others must give, unless there is one, and says it."""
        if not self.password.exists() or not self.password.read_text().strip():
            self.password.touch(mode=0o600)
            self.password.write_text(secrets.token_urlsafe(12) + "\n")
        password = self.password.read_text().splitlines()[0]
        print(f"Password, for any name: {password} (the first line of {self.password})", file=sys.stderr)

    def stop(self) -> bool:
        """Stops the page; False if it did not run."""
        running = self.process()
        if not running:
            return False
        os.kill(running, signal.SIGTERM)
        end = time.monotonic() + PATIENCE
        while self.process() == running:
            if time.monotonic() > end:
                os.kill(running, signal.SIGKILL)
            time.sleep(0.02)
        return True


def program_of(process: int) -> str:
    """The file name of a process's program."""
    return os.path.basename(os.readlink(f"/proc/{process}/exe"))


def in_url(address: Address) -> str:
    """An address as it stands before a port."""
    return f"[{address}]" if address.version == 6 else str(address)


def free_port(wanted: int | None, listen: Address) -> int:
    """The port that the user wants, if it is free; without a wish the usual one, or else any."""
    with socket.socket(socket.AF_INET6 if listen.version == 6 else socket.AF_INET) as attempt:
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            attempt.bind((str(listen), wanted or PORT))
            return wanted or PORT
        except OSError as error:
            if wanted and error.errno == errno.EACCES:
                raise Failure(f"port {wanted} is reserved for root: give another --port") from error
            if error.errno == errno.EADDRNOTAVAIL:
                raise Failure(f"this machine has no address {listen}: give another --listen") from error
            if error.errno != errno.EADDRINUSE:
                raise Failure(f"port {wanted or PORT}: {error.strerror}") from error
    if wanted:
        raise Failure(f"port {wanted} is in use by another program: give another --port, or none for any that is free")
    print(f"Port {PORT} is in use by another program; the page takes one that is free", file=sys.stderr)
    return 0


def show(address: str, browser: bool) -> None:
    """Prints the address, and opens it where there is a screen."""
    print(address, flush=True)
    if browser and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        webbrowser.open(address)
