"""Two clients follow the rows of a table, each by a channel and by a stream. One sleeps for a minute, as a phone does; the
server is killed meanwhile. Everything has to arrive once, and in order.

    asleep.py BINARY [--seconds 60] [--crowd 0]

A client is a process of its own, which is stopped with SIGSTOP: its sockets stay open, nothing is read and no heartbeat is
sent, until it goes on where it was. A writer inserts all the time. With --crowd so many further sockets are connected, lose
the server at the same moment, and come back at once behind what each has got.
Ends with 1 when something is missing, doubled or out of order.
"""

import argparse
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from chaos import Postgres, Swiftlet, token
from asleep_client import Channel

TABLE = """
CREATE TABLE ticks (id bigint PRIMARY KEY, body text);
ALTER TABLE ticks ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_of_acme ON ticks FOR SELECT TO authenticated USING (body = auth.jwt() -> 'app_metadata' ->> 'tenantId');
GRANT SELECT ON ticks TO authenticated;
"""


class Writer(threading.Thread):
    """Rows for each tenant, again and again; those of `acme` have even numbers."""

    def __init__(self, postgres, count, pause):
        super().__init__(daemon=True)
        self.postgres, self.count, self.pause = postgres, count, pause
        self.written, self.is_over = 0, threading.Event()

    def run(self):
        while not self.is_over.is_set():
            numbers = range(self.written, self.written + self.count)
            rows = ",".join(f"({2 * number},'acme'),({2 * number + 1},'bolt')" for number in numbers)
            self.postgres.sql(f"INSERT INTO ticks VALUES {rows}")
            self.written += self.count
            self.is_over.wait(self.pause)

    def end(self):
        self.is_over.set()
        self.join()
        return [2 * number for number in range(self.written)]


class Crowd:
    """Many sockets in one process; each comes back behind its last position."""

    def __init__(self, port, key, size):
        self.port, self.key = port, key
        self.positions, self.got = [None] * size, [[] for _ in range(size)]
        self.channels, self.poll = {}, select.epoll()

    def connect(self):
        begun, open_ones = time.monotonic(), {channel.number for channel in self.channels.values()}
        waiting = [number for number in range(len(self.positions)) if number not in open_ones]
        while waiting:
            refused = []
            for number in waiting:
                try:
                    channel = Channel(self.port, self.key, self.positions[number])
                except OSError:
                    refused.append(number)
                    continue
                channel.number = number
                channel.socket.setblocking(False)
                self.channels[channel.socket.fileno()] = channel
                self.poll.register(channel.socket.fileno(), select.EPOLLIN)
            waiting = refused
            # What has come meanwhile is read: who leaves too much unread is cut off.
            self.read(0.01 if not waiting else 0.2)
        return time.monotonic() - begun

    def read(self, seconds):
        end = time.monotonic() + seconds
        while True:
            for number, _ in self.poll.poll(0.05):
                channel = self.channels[number]
                try:
                    rows = channel.rows()
                except (OSError, EOFError):
                    self.poll.unregister(number)
                    del self.channels[number]
                    channel.socket.close()
                    continue
                for row, position in rows:
                    self.got[channel.number].append(row)
                    self.positions[channel.number] = position
                if channel.position and not self.positions[channel.number]:
                    self.positions[channel.number] = channel.position
            if time.monotonic() >= end:
                return

    def finish(self, expected, patience):
        end = time.monotonic() + patience
        while time.monotonic() < end and any(len(rows) < expected for rows in self.got):
            self.connect()
            self.read(0.5)


def faults(name, rows, expected):
    if rows == expected:
        return []
    return [f"{name}: {len(set(expected) - set(rows))} of {len(expected)} are missing, "
            f"{len(rows) - len(set(rows))} came twice, in order: {rows == sorted(rows)}"]


def wait(what, patience, condition):
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"{what} does not come within {patience} s")
        time.sleep(0.1)


def rows_of(path):
    try:
        with open(path) as file:
            return [int(line) for line in file.read().splitlines()]
    except FileNotFoundError:
        return []


def run(arguments, folder):
    postgres = Postgres(f"{folder}/postgres")
    database = f"postgresql://postgres@127.0.0.1:{postgres.port}/postgres"
    server = Swiftlet(arguments.binary, folder, database, "server")
    server.environment |= {"MAX_CONNECTIONS": "30000", "REALTIME_MAX_SOCKETS": "30000"}
    children, found = [], []
    try:
        server.command("migrate")
        postgres.sql(TABLE)
        server.command("realtime", "add", "ticks")
        server.start()
        key = token("acme")
        names = [f"{client}-{way}" for client in ("awake", "asleep") for way in ("channel", "stream")]
        for client in ("awake", "asleep"):
            children.append(subprocess.Popen([sys.executable, "-B", __file__.replace("asleep.py", "asleep_client.py"),
                                              str(server.port), key, f"{folder}/{client}"]))
        wait("a channel or a stream", 60, lambda: all(os.path.exists(f"{folder}/{name}.ready") for name in names))
        crowd = Crowd(server.port, key, arguments.crowd)
        if arguments.crowd:
            print(f"{arguments.crowd} more have joined in {crowd.connect():.1f} s", flush=True)
        # One process reads all of the crowd.
        writer = Writer(postgres, 1, 2) if arguments.crowd else Writer(postgres, 5, 0.02)
        writer.start()
        crowd.read(2)
        wait("the first row", 60, lambda: all(rows_of(f"{folder}/{name}") for name in names))

        children[1].send_signal(signal.SIGSTOP)
        before, begun = writer.written, time.monotonic()
        crowd.read(arguments.seconds / 2)
        server.end(signal.SIGKILL)
        server.start()
        if arguments.crowd:
            time.sleep(0.5)
            crowd.read(0.1)
            print(f"all {arguments.crowd} are back after {crowd.connect():.1f} s", flush=True)
        crowd.read(max(0.1, begun + arguments.seconds - time.monotonic()))
        found += [f"{name} was not asleep" for name in names[2:] if len(rows_of(f"{folder}/{name}")) >= writer.written]
        children[1].send_signal(signal.SIGCONT)
        missed = writer.written - before
        print(f"asleep for {time.monotonic() - begun:.0f} s, in which the server was killed and {missed} rows were written",
              flush=True)
        crowd.read(1)
        expected = writer.end()
        crowd.finish(len(expected), 300)
        for name in names:
            path = f"{folder}/{name}"
            end = time.monotonic() + 120
            while time.monotonic() < end and len(rows_of(path)) < len(expected):
                time.sleep(0.1)
            found += faults(name, rows_of(path), expected)
        for number, rows in enumerate(crowd.got):
            found += faults(f"number {number} of the crowd", rows, expected)
        print(f"{len(expected)} rows, to {len(names) + arguments.crowd} receivers each")
    finally:
        for child in children:
            child.send_signal(signal.SIGCONT)
            child.kill()
            child.wait()
        if server.process:
            server.end(signal.SIGKILL)
        postgres.crash()
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--crowd", type=int, default=0)
    arguments = parser.parse_args()
    arguments.binary = os.path.abspath(arguments.binary)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    folder = tempfile.mkdtemp(prefix="swiftlet-asleep-")
    os.chmod(folder, 0o755)
    try:
        found = run(arguments, folder)
        for fault in found[:20]:
            print(fault)
        if found:
            with open(f"{folder}/server.log") as log:
                print(log.read()[-2000:])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"faults: {len(found)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
