"""In: what shares.sh says, a database `shares` with games, and WORK, a directory; perhaps KINDS, names of kinds. Out: a line for each check, "pass NAME",
"fail NAME: WHY" or "skip NAME".

For each kind of places that the program names, the function of that name holds them from one address and returns; then
another address asks what needs such a place. Both come through a proxy that the server trusts, so that their addresses are
what the header says.
"""

import base64
import http.client
import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from urllib.parse import quote

WORK, PATIENCE = os.environ["WORK"], int(os.environ["PATIENCE"])
NEAR, FAR = "10.0.0.1", "10.0.0.2"
KEY = base64.b64encode(b"x:geheim").decode()
OWNER = os.environ["KEEPER"].replace("dbname=chess", "dbname=shares")
READER = os.environ["READER"].replace("dbname=chess", "dbname=shares")


def program(name, text):
    path = os.path.join(WORK, name)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


# an engine that searches until it is stopped, but for depth 1
ENGINE = program("engine", f"""#!{sys.executable}
import select, sys
def say(text): print(text, flush=True)
def line(n): say(f"info depth {{12 + n % 40}} nodes {{1000 + n}} score cp 10 pv e2e4 e7e5")
while True:
    word = sys.stdin.readline()
    if not word or word.startswith("quit"): break
    if word.startswith("ucinewgame") or word.startswith("setoption"): continue
    if word.startswith("uci"): say("id name Patient\\noption name Threads type spin default 1 min 1 max 9\\n"
        "option name Hash type spin default 16 min 1 max 999\\noption name MultiPV type spin default 1 min 1 max 9\\nuciok")
    if word.startswith("isready"): say("readyok")
    if word.startswith("go"):
        n = 0
        line(n)
        while " depth 1\\n" not in word + "\\n" and not select.select([sys.stdin], [], [], 0.05)[0]:
            n += 1
            line(n)
        say("bestmove e2e4")
""")
# a loader that never ends with files of this name, but stores something now and then
LOADER = program("loader", f"""#!/bin/sh
for last; do :; done
case $last in
slow*) echo '{{"stored": 1, "before": 0}}'; exec sleep 100000 ;;
esac
exec {os.environ["LOADER"]} "$@"
""")

own = None
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_address:
    try:
        any_address.connect(("192.0.2.1", 9))
        own = any_address.getsockname()[0]
    except OSError:
        pass
if own and own.startswith("127."):
    own = None
with open(os.path.join(WORK, "password"), "w") as file:
    file.write("geheim\n")
ARGUMENTS = [
    "-l", "0.0.0.0:0", "--password-file", os.path.join(WORK, "password"), "--trust-proxy", "127.0.0.1", "-d", READER,
    "--sessions", OWNER, "--upload", "--loader", LOADER, "--engine", ENGINE, "--timeout", "300", "--rate", "10000",
    "--connections", "200", "--connections-per-address", "40", "--silence", "600",
]
if own:
    ARGUMENTS += ["--host", own]


def tell(name, why=None):
    print(f"pass {name}" if why is None else f"fail {name}: {str(why)[:300]}", flush=True)


def check(name, found, wanted):
    tell(name, None if found == wanted else f"{found} instead of {wanted}")


def query(text):
    command = [os.environ.get("PSQL", "psql"), "-X", "-q", "-A", "-t", "-d", "shares", "-v", "ON_ERROR_STOP=1", "-c", text]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def until(what, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.1)


class Lock:
    """A transaction that has locked something."""

    def __init__(self, statement):
        command = [os.environ.get("PSQL", "psql"), "-X", "-q", "-A", "-t", "-d", "shares"]
        self.psql = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.psql.stdin.write(f"BEGIN; {statement}; SELECT 'held';\n")
        self.psql.stdin.flush()
        until("a lock", lambda: self.psql.stdout.readline().strip() == "held")

    def close(self):
        self.psql.stdin.close()
        self.psql.wait()


def waiting():
    return int(query("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'chess-web' AND wait_event_type = 'Lock'"))


server = subprocess.Popen(
    [os.environ["CHESS_WEB"], *ARGUMENTS], stdout=subprocess.PIPE, stderr=open(os.path.join(WORK, "web.log"), "w"), text=True)
PORT = int(server.stdout.readline().strip().rstrip("/").rsplit(":", 1)[1])


def head(method, path, address, headers=None):
    lines = {"Host": "localhost", "Authorization": f"Basic {KEY}", "X-Forwarded-For": address, **(headers or {})}
    return f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items()) + "\r\n"


class Open:
    """A request that is under way, of which the answer has not been read."""

    def __init__(self, method, path, address, headers=None, begun=b"", host="127.0.0.1", small=False):
        self.socket = socket.socket()
        if small:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(PATIENCE)
        self.socket.connect((host, PORT))
        self.socket.sendall(head(method, path, address, headers).encode() + begun)

    def status(self):
        """The status; None if there is none yet."""
        self.socket.setblocking(False)
        try:
            said = self.socket.recv(12, socket.MSG_PEEK)
            return int(said.split(b" ")[1]) if len(said) == 12 else 0
        except BlockingIOError:
            return None
        except OSError:
            return 0

    def close(self):
        self.socket.close()


def ask(address, method, path, body=None, headers=None):
    """The status, the headers and the body of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=PATIENCE)
    lines = {"Host": "localhost", "Authorization": f"Basic {KEY}", "X-Forwarded-For": address, **(headers or {})}
    if body is not None and "Content-Type" not in lines:
        lines["Content-Type"] = "application/json"
    connection.request(method, path, body, lines)
    answer = connection.getresponse()
    said = answer.read()
    connection.close()
    return answer.status, answer.headers, said


def settled(requests, under_way):
    """Waits until so many of the requests are under way, and the others were told 429."""
    def told():
        return [request.status() for request in requests]
    until(f"{under_way} of {len(requests)} under way: {told()}", lambda: told().count(None) == under_way and told().count(429) == len(requests) - under_way)
    return requests


PIECE = {"Content-Type": "application/octet-stream", "Content-Length": "1000"}


def send(address, name, text):
    return ask(address, "POST", f"/api/uploads?name={quote(name)}", text.encode(), {"Content-Type": "application/octet-stream"})


def job(number):
    jobs = json.loads(ask(FAR, "GET", "/api/uploads")[2])["uploads"]
    return next((job for job in jobs if job["id"] == number), None)


# Each function holds the places of a kind from NEAR and returns what is to be closed; `each` is its share. Then it is asked
# for FAR what needs such a place, which must succeed.

def hold_connections(each):
    if not own:
        print("skip connections", flush=True)
        return []
    held = []
    for _ in range(each + 3):
        connection = socket.create_connection((own, PORT), PATIENCE)
        # a request in work: its body does not come
        connection.sendall(head("POST", "/api/explorer/batch", "", {"Content-Type": "application/json", "Content-Length": "9", "Host": own}).encode())
        held.append(connection)
    def under_way():
        count = 0
        for connection in held:
            connection.setblocking(False)
            try:
                # the answer, or a reset connection: the server does not read what it refuses
                connection.recv(1, socket.MSG_PEEK)
            except BlockingIOError:
                count += 1
            except ConnectionError:
                pass
        return count
    until("refused connections", lambda: under_way() == each)
    return held


def ask_connections():
    return ask(FAR, "GET", "/api/status")[0]


def hold_requests(each):
    endless = {"Content-Type": "application/json", "Content-Length": "100"}
    return settled([Open("POST", "/api/explorer/batch", NEAR, endless, b"{") for _ in range(each + 5)], each)


def ask_requests():
    return ask(FAR, "GET", "/api/status")[0]


def hold_questions(each):
    lock = Lock("LOCK TABLE chess.players")
    games = [Open("GET", f"/api/games?sort=plies&limit={n + 1}", NEAR) for n in range(each + 4)]
    settled(games, each)
    until("questions that wait", lambda: waiting() == each)
    return [*games, lock]


def ask_questions():
    return ask(FAR, "GET", "/api/games/count?result=1-0")[0]


def hold_searches(each):
    lock = Lock("LOCK TABLE chess.players")
    games = [Open("GET", f"/api/games/count?player=near{n}&pattern=Nd5", NEAR) for n in range(each + 4)]
    settled(games, each)
    return [*games, lock]


def ask_searches():
    return ask(FAR, "GET", "/api/games/count?pattern=Nd5&result=1-0")[0]


def hold_reading(each):
    lock = Lock("LOCK TABLE chess.players")
    # single games take no turn
    games = [Open("GET", f"/api/games/{n:08}/pgn", NEAR) for n in range(1, each + 20)]
    settled(games, each)
    return [*games, lock]


def ask_reading():
    return ask(FAR, "GET", "/api/games/count?result=0-1")[0]


VIEW = json.dumps({"name": "x", "url": "/?fen="}).encode()


def begin(address):
    status, headers, body = ask(address, "POST", "/api/views", VIEW)
    return status, (headers["Set-Cookie"] or "").split(";")[0], json.loads(body)


def hold_saving(each):
    _, cookie, _ = begin(NEAR)
    body = json.dumps({"name": "b", "pgn": "1. e4 *"}).encode()
    _, _, said = ask(NEAR, "POST", "/api/boards", body, {"Cookie": cookie})
    number = json.loads(said)["id"]
    lock = Lock(f"SELECT 1 FROM chess_web.boards WHERE id = {number} FOR UPDATE")
    saved = {"Cookie": cookie, "Content-Type": "application/json", "Content-Length": str(len(body))}
    saves = [Open("PUT", f"/api/boards/{number}", NEAR, saved, body) for _ in range(20)]
    settled(saves, each)
    return [*saves, lock]


def ask_saving():
    return 200 if begin(FAR)[0] == 201 else "not saved"


def hold_finding(each):
    # what another search finds is in another row
    search = "/api/engine?depth=1&multipv=1"
    ask(NEAR, "GET", search)
    lock = Lock("SELECT count(*) FROM (SELECT FROM chess.analysis FOR UPDATE) a")
    searches = [Open("GET", search, NEAR) for _ in range(each)]
    until("what is found", lambda: waiting() == each)
    return [*searches, lock]


def ask_engine(address):
    status, _, said = ask(address, "GET", "/api/engine?depth=1&multipv=2")
    return 200 if status == 200 and b"event: end" in said else (status, said[-200:])


def ask_finding():
    return ask_engine(FAR)


def hold_engines(each):
    searches = [Open("GET", "/api/engine?depth=60", NEAR) for _ in range(each)]
    until("searches", lambda: all(search.status() == 200 for search in searches))
    return searches


def ask_engines():
    return ask_engine(FAR)


def hold_exports(each):
    # all games, which nobody reads
    exports = [Open("GET", "/api/games/pgn", NEAR, small=True) for _ in range(each + 1)]
    until("exports", lambda: sorted(export.status() or 0 for export in exports) == [200] * each + [429])
    return exports


def ask_exports():
    status, _, said = ask(FAR, "GET", "/api/games/pgn?result=1-0")
    return status if said.count(b"[Event ") > 100 else "a part"


def hold_parsing(_):
    texts = ["Nd5 " + " or ".join(f"(flip({'N' * 1}d{n % 8 + 1}))" for n in range(at, at + 60)) for at in range(35)]
    return [Open("GET", f"/api/pattern?pattern={quote(text)}", NEAR) for text in texts]


def ask_parsing():
    return ask(FAR, "GET", "/api/pattern?pattern=Nd5")[0]


def hold_arriving(each):
    files = [Open("POST", f"/api/uploads?name=begun{n}.pgn", NEAR, PIECE, b"1") for n in range(each + 3)]
    return settled(files, each)


def ask_arriving():
    status, _, said = send(FAR, "far.pgn", "[White \"Far\"]\n\n1. e4 *\n")
    number = json.loads(said).get("id")
    until("the end of the job", lambda: job(number)["stage"] in ("done", "failed"))
    return 200 if status == 202 and job(number)["stored"] == 1 else (status, job(number))


class Jobs:
    """Files that the loader does not come to the end of."""

    def __init__(self, count):
        self.cookie, self.numbers, self.refused = "", [], 0
        for n in range(count):
            status, headers, said = ask(NEAR, "POST", f"/api/uploads?name=slow{n}.pgn", f"1. e4 {n} *".encode(), {"Content-Type": "application/octet-stream", "Cookie": self.cookie})
            self.cookie = (headers["Set-Cookie"] or self.cookie).split(";")[0]
            if status == 202:
                self.numbers.append(json.loads(said)["id"])
            self.refused += status == 429

    def close(self):
        for number in self.numbers:
            ask(NEAR, "DELETE", f"/api/uploads/{number}", headers={"Cookie": self.cookie})
        until("the end of all jobs", lambda: all(job(number)["stage"] == "cancelled" for number in self.numbers))


def hold_jobs(each):
    jobs = Jobs(each + 2)
    check("files of one address that wait", (len(jobs.numbers), jobs.refused), (each, 2))
    return [jobs]


def ask_jobs():
    return 200 if send(FAR, "waits.pgn", "[White \"Waits\"]\n\n1. d4 *\n")[0] == 202 else "refused"


def hold_loading(_):
    jobs = Jobs(3)
    until("a load", lambda: job(jobs.numbers[0])["stage"] == "loading")
    return [jobs]


def ask_loading():
    _, _, said = send(FAR, "turn.pgn", "[White \"Turn\"]\n\n1. c4 *\n")
    number = json.loads(said)["id"]
    until("a turn of the loader", lambda: job(number)["stage"] in ("done", "failed"))
    return 200 if job(number)["stored"] == 1 else job(number)


def one(kind, most, each):
    if f"hold_{kind}" not in globals():
        tell(kind, "no test holds these places")
        return
    check(f"{kind}: no address has all of {most}", each < most or most == 1, True)
    held = []
    try:
        held = globals()[f"hold_{kind}"](each)
        check(f"{kind}: another address", globals()[f"ask_{kind}"](), 200)
    except Exception as error:
        tell(kind, repr(error))
    finally:
        for thing in held:
            thing.close()
    # the next kind begins when all is over
    until("an idle server", lambda: waiting() == 0)


def what_cannot_be_given_back():
    made = [begin(NEAR)[0] for _ in range(70)]
    check("sessions of one address have an end", (made[0], made[-1]), (201, 429))
    status, cookie, _ = begin(FAR)
    check("another address begins one", status, 201)
    body = json.dumps({"name": "b", "pgn": "{" + 59_000 * "x" + "} 1. e4 *"}).encode()
    _, _, said = ask(FAR, "POST", "/api/boards", body, {"Cookie": cookie})
    path = f"/api/boards/{json.loads(said)['id']}"
    bytes_sent = 0
    while ask(FAR, "PUT", path, body, {"Cookie": cookie})[0] == 200 and bytes_sent < 200 << 20:
        bytes_sent += len(body)
    check("what one address saves has an end", bytes_sent < 70 << 20, True)
    check("a third address saves", begin("10.0.0.3")[0], 201)


def bodies_that_come_slowly():
    upload = Open("POST", "/api/uploads?name=drops.pgn", "10.0.0.4", {**PIECE, "Content-Length": "100000"}, b"1")
    stop = threading.Event()

    def drop_by_drop():
        while not stop.wait(2):
            try:
                upload.socket.setblocking(True)
                upload.socket.sendall(b".")
            except OSError:
                return

    sender = threading.Thread(target=drop_by_drop)
    sender.start()
    begun = time.monotonic()
    connection = http.client.HTTPResponse(upload.socket)
    try:
        connection.begin()
        check("a file that comes byte by byte is refused", connection.status, 408)
    except Exception as error:
        tell("a file that comes byte by byte is refused", f"{error!r} after {time.monotonic() - begun:.0f} s")
    stop.set()
    sender.join()
    upload.close()


try:
    listed = subprocess.run([os.environ["CHESS_WEB"], *ARGUMENTS, "--places"], capture_output=True, text=True)
    kinds = [line.split(None, 3)[:3] for line in listed.stdout.splitlines()]
    check("the program says what visitors share", (listed.returncode, len(kinds) > 5), (0, True))
    only = os.environ.get("KINDS", "").split()
    for kind, most, each in kinds:
        if not only or kind in only:
            one(kind, int(most), int(each))
    what_cannot_be_given_back()
    bodies_that_come_slowly()
    check("all is well", ask(FAR, "GET", "/api/status")[0], 200)
finally:
    server.terminate()
    server.wait()
