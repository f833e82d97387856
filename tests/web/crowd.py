"""In: host:port and the process of a chess-web; the number of silent connections to open, one after the other; the limit of
open connections.
Out: "well", or what is wrong: each connection must be kept until the timeout for silence, or be told at once to come again;
the limit must hold; the process must stay small."""

import os
import resource
import select
import socket
import sys
import time

SILENCE = 15  # seconds until chess-web closes a silent connection, see listen.rs
PATIENCE = 600

(host, port), process = sys.argv[1].split(":"), sys.argv[2]
wanted, limit = int(sys.argv[3]), int(sys.argv[4])
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
if hard != resource.RLIM_INFINITY:
    wanted = min(wanted, hard - 100)


def files():
    return len(os.listdir(f"/proc/{process}/fd"))


begin = time.monotonic()
before = most = files()
poll = select.poll()
undecided = {}
told = silent = lost = 0


def look(milliseconds):
    """What has become of connections: an answer, or an end."""
    global told, silent, lost
    for number, _ in poll.poll(milliseconds):
        poll.unregister(number)
        connection = undecided.pop(number)
        try:
            answer = connection.recv(100)
            told += answer.startswith(b"HTTP/1.1 503")
            silent += not answer or answer.startswith(b"HTTP/1.1 408")
        except OSError:
            lost += 1
        connection.close()


for n in range(wanted):
    connection = socket.create_connection((host, int(port)), PATIENCE)
    undecided[connection.fileno()] = connection
    poll.register(connection, select.POLLIN)
    if n % 50 == 0:
        look(0)
    if n % 10 == 0:
        most = max(most, files())
# served connections stay open; refused ones were accepted first
end = time.monotonic() + PATIENCE
while len(undecided) > limit and time.monotonic() < end:
    look(1000)
    most = max(most, files())
look(0)
# if connecting takes long, early connections have timed out and made room for others
served = limit * (1 + int((time.monotonic() - begin) / SILENCE))
with open(f"/proc/{process}/status") as status:
    memory = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(
    f"{wanted} connections: {len(undecided)} are served, {silent} have been, {told} told to come again;"
    f" {most - before} files open at most, {memory // 1024} MB",
    file=sys.stderr,
)
wrong = [
    f"{what}: {number}, more than {most_allowed}"
    for what, number, most_allowed in [
        ("without an answer", wanted - told - silent - len(undecided), 0),
        ("open at the end", len(undecided), limit),
        ("served", len(undecided) + silent, served),
        # and the connection that is being refused
        ("files open at a time", most - before, limit + 1),
        ("kB of memory", memory, 100 * 1024),
    ]
    if number > most_allowed
]
if told < 1:
    wrong.append("nobody is told to come again")
print("; ".join(wrong) or "well")
