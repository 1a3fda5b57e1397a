"""Brings up docker-compose.failover.yml from local processes, takes the primary away under load, and checks what was promised.

    .build-patroni/bin/python failover.py BINARY [--times N] [--report FILE]

Three etcds, two PostgreSQL servers under Patroni, three Swiftlet servers and HAProxy, all with the files that the compose
file names. Callers write tasks through HAProxy, each with an Idempotency-Key that they repeat until there is an answer, and
read what was acknowledged with X-Swiftlet-Position. Others listen to the changes of
rows. N times the primary's processes are killed, or stop for so long that
it loses its lease and then go on, as a machine that hung: in turns. Each time the standby has to be promoted, no
acknowledged write may be missing, writes have to be acknowledged again, reads meanwhile have to be answered by a server and
not by HAProxy, the former primary has to come back as the standby, and reads have to go to it. Each acknowledged row has to
be told once and in order to who listens, or found by them behind a reset. Ends with 1 when something of that does not hold.

Python is that of Patroni, which `.ci/setup failover` installs.
"""

import argparse
import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import uuid

from chaos import ROOT, Swiftlet, free_port, token
from failover_machines import PASSWORD, Database, Process, until
from failover_watcher import FailoverWatcher
from position import Position

# Seconds: only what no slow machine explains. How long it took is in the report.
LIMIT = 30.0


class Caller:
    def __init__(self, run, number):
        self.run, self.random, self.number = run, random.Random(number), number
        self.token, self.connection, self.position = token("acme"), None, Position()
        self.tasks, self.faults, self.count, self.unsure, self.meanwhile = {}, [], 0, 0, 0

    def send(self, method, path, body=None, headers=None):
        fields = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json",
                  "X-Swiftlet-Position": self.position.begin(method), **(headers or {})}
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.run.port, timeout=15)
            self.connection.request(method, path, body, fields)
            response = self.connection.getresponse()
            data = response.read()
            self.position.end(method, response.getheader("X-Swiftlet-Position"))
            if method == "GET" and response.status == 503 and "json" not in response.getheader("Content-Type", ""):
                self.faults.append(f"a read was answered by HAProxy, and by no server: {data}")
            return response.status, data
        except (OSError, http.client.HTTPException):
            self.connection = None
            return None

    def write(self):
        self.count += 1
        title = f"{self.number}-{self.count}"
        key = {"Idempotency-Key": str(uuid.UUID(int=self.random.getrandbits(128)))}
        end = time.monotonic() + 120
        while time.monotonic() < end:
            answer = self.send("POST", "/tasks", json.dumps({"title": title}), key)
            if answer and answer[0] == 201:
                self.run.acknowledged(json.loads(answer[1])["id"], title)
                self.tasks[json.loads(answer[1])["id"]] = title
                return
            if answer and answer[0] < 500 and answer[0] not in (409, 429):
                self.faults.append(f"the write of {title} was answered with {answer}")
                return
            # Without a primary too, a server answers.
            if self.read():
                self.meanwhile += 1
            time.sleep(0.1)
        self.unsure += 1

    def read(self):
        if not self.tasks:
            return None
        # The newest as often as all others: it is the one that a replica may not have yet.
        key = self.random.choice([list(self.tasks)[-1], self.random.choice(list(self.tasks))])
        answer = self.send("GET", f"/tasks/{key}")
        if answer and answer[0] < 500 and (answer[0] != 200 or json.loads(answer[1])["title"] != self.tasks[key]):
            self.faults.append(f"the acknowledged {self.tasks[key]} was answered with {answer}")
        return answer

    def loop(self):
        while not self.run.isOver.is_set():
            self.write()
            for _ in range(3):
                self.read()
            time.sleep(0.01)


class Run:
    def __init__(self, binary, folder):
        self.folder, self.isOver, self.lock = folder, threading.Event(), threading.Lock()
        self.writes, self.moments, self.rounds, self.faults = {}, [], [], []
        self.everything, self.servers = [], []
        for name in ("patroni.yml", "database.sh", "haproxy.cfg"):
            with open(f"{ROOT}/.docker/failover/{name}") as source, open(f"{folder}/{name}", "w") as copy:
                copy.write(source.read().replace("/etc/swiftlet/", f"{folder}/"))
            shutil.copymode(f"{ROOT}/.docker/failover/{name}", f"{folder}/{name}")
        shutil.copy(f"{ROOT}/.docker/role.sql", folder)

        etcds = self.start_etcds()
        self.databases = [Database(name, folder, etcds) for name in ("db1", "db2")]
        self.everything += self.databases
        for database in self.databases:
            database.start()
        until("a primary with a standby", 120, lambda: any(one.is_primary() and one.has_standby() for one in self.databases))

        hosts = ",".join(f"127.0.0.1:{one.port}" for one in self.databases)
        login = f"postgresql://swiftlet:{PASSWORD}@"
        for index in range(3):
            server = Swiftlet(binary, folder, f"{login}{hosts}/swiftlet?target_session_attrs=read-write&connect_timeout=2",
                              f"swiftlet{index + 1}")
            server.environment["DATABASE_REPLICA_URLS"] = ",".join(
                f"{login}127.0.0.1:{one.port}/swiftlet?connect_timeout=2" for one in self.databases)
            server.process = subprocess.Popen([server.binary, "serve", "--migrate"], env=server.environment,
                                              stdout=server.log, stderr=server.log, cwd=folder)
            self.servers.append(server)
        self.start_proxy()
        until("an answer to /ready", 120, self.is_ready)
        self.primary().query("INSERT INTO tenants (id, name, slug) VALUES ('acme', 'Acme', 'acme') RETURNING id")
        self.primary().execute("ALTER ROLE swiftlet REPLICATION")
        self.servers[0].command("realtime", "add", "tasks")
        self.watchers = [FailoverWatcher(self.port, "acme", token("acme"), number) for number in range(3)]
        self.callers = [Caller(self, number) for number in range(6)]

    def start_etcds(self):
        ports = [(free_port(), free_port()) for _ in range(3)]
        cluster = ",".join(f"etcd{index}=http://127.0.0.1:{peer}" for index, (_, peer) in enumerate(ports))
        for index, (client, peer) in enumerate(ports):
            self.everything.append(Process(f"etcd{index}", self.folder, (
                "etcd", f"--name=etcd{index}", f"--data-dir={self.folder}/etcd{index}",
                f"--listen-client-urls=http://127.0.0.1:{client}", f"--advertise-client-urls=http://127.0.0.1:{client}",
                f"--listen-peer-urls=http://127.0.0.1:{peer}", f"--initial-advertise-peer-urls=http://127.0.0.1:{peer}",
                f"--initial-cluster={cluster}"), {}))
        return ",".join(f"127.0.0.1:{client}" for client, _ in ports)

    def start_proxy(self):
        self.port = free_port()
        places = {f"SWIFTLET{index + 1}": f"127.0.0.1:{one.port}" for index, one in enumerate(self.servers)}
        program = shutil.which("haproxy") or "/usr/sbin/haproxy"
        self.everything.append(Process("haproxy", self.folder, (program, "-db", "-f", f"{self.folder}/haproxy.cfg"),
                                       {"LISTEN": f"127.0.0.1:{self.port}", "NAMESERVER": "127.0.0.1:53", **places}))

    def is_ready(self):
        """All three, and HAProxy before them."""
        try:
            return all(urllib.request.urlopen(f"http://127.0.0.1:{port}/ready", timeout=5).status == 200
                       for port in (self.port, *(server.port for server in self.servers)))
        except OSError:
            return False

    def primary(self):
        return next(one for one in self.databases if not one.isFrozen and one.is_primary())

    def acknowledged(self, key, title):
        with self.lock:
            self.writes[key] = title
            self.moments.append(time.monotonic())

    def replica_reads(self):
        total = 0
        for server in self.servers:
            text = urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=20).read().decode()
            total += sum(float(line.split()[-1]) for line in text.splitlines()
                         if line.startswith("swiftlet_replica_reads_total"))
        return total

    def fail_over(self, how):
        primary = self.primary()
        standby = next(one for one in self.databases if one is not primary)
        reads, meanwhile = self.replica_reads(), sum(caller.meanwhile for caller in self.callers)
        lost = time.monotonic()
        primary.lose(how)
        until("the promotion", 120, standby.is_primary)
        promoted = time.monotonic()
        with self.lock:
            count = len(self.moments)
        until("an acknowledged write", 120, lambda: len(self.moments) > count)
        told = [len(watcher.rows) for watcher in self.watchers]
        until("changes that are told", 120, lambda: all(len(watcher.rows) > count for watcher, count in zip(self.watchers, told)))
        heard = time.monotonic() - promoted
        # One that hung may have held all callers up.
        if how == "kill" and sum(caller.meanwhile for caller in self.callers) == meanwhile:
            self.faults.append(f"no read was answered while there was no primary, after {how} {len(self.rounds) + 1}")
        time.sleep(1)
        with self.lock:
            known = dict(self.writes)
            around = [moment for moment in self.moments if moment > lost - 1]
            again = self.moments[count] - promoted
        gap = max((later - earlier for earlier, later in zip(around, around[1:])), default=0.0)
        rows = {str(key): title for key, title in standby.query("SELECT id, title FROM tasks")}
        missing = [title for key, title in known.items() if rows.get(key) != title]
        self.faults += [f"{title} was acknowledged, and is gone after {how} {len(self.rounds) + 1}" for title in missing]
        if again > LIMIT:
            self.faults.append(f"after {how} {len(self.rounds) + 1} writes came back {again:.1f} s after the promotion")
        returned = time.monotonic()
        primary.come_back()
        until("the former primary as the standby", 180, standby.has_standby)
        back = time.monotonic() - returned
        until("a read on the new standby", 60, lambda: self.replica_reads() > reads)
        reads = self.replica_reads()
        until("more reads on the new standby", 60, lambda: self.replica_reads() > reads)
        self.rounds.append((how, promoted - lost, again, gap, heard, back))
        print(f"{how}: promoted after {promoted - lost:.1f} s, writes {again:.1f} s and changes {heard:.1f} s later, "
              f"back after {back:.1f} s, {len(known)} acknowledged, {len(missing)} missing, "
              f"resets {[watcher.resets for watcher in self.watchers]}", flush=True)

    def perform(self, times):
        for watcher in self.watchers:
            watcher.thread.start()
        until("streams of changes", 60, lambda: all(watcher.isReady.is_set() for watcher in self.watchers))
        threads = [threading.Thread(target=caller.loop, daemon=True) for caller in self.callers]
        for thread in threads:
            thread.start()
        until("two hundred writes", 120, lambda: len(self.moments) > 200)
        for index in range(times):
            self.fail_over("kill" if index % 2 == 0 else "freeze")
            time.sleep(3)
        self.isOver.set()
        for thread in threads:
            thread.join()
        rows = self.primary().query("SELECT id, title FROM tasks")
        titles = [title for _, title in rows]
        self.faults += [f"{title} was made twice" for title in set(titles) if titles.count(title) > 1]
        found = {str(key): title for key, title in rows}
        self.faults += [f"{title} was acknowledged, and is gone in the end"
                        for key, title in self.writes.items() if found.get(key) != title]
        for watcher in self.watchers:
            self.faults += watcher.check(set(self.writes), patience=60)
            self.faults += [f"{key} was told to a stream, and is not there" for key in set(watcher.rows) - set(found)]
        for caller in self.callers:
            self.faults += caller.faults
            if caller.unsure:
                self.faults.append(f"{caller.unsure} writes of a caller had no answer for two minutes")

    def report(self):
        lines = [
            f"- {len(self.rounds)} times, by {len(self.callers)} callers through three servers; "
            f"{len(self.writes)} acknowledged writes, {self.replica_reads():.0f} reads on a replica",
            f"- {len(self.watchers)} streams of changes: {sum(len(watcher.rows) for watcher in self.watchers)} rows told, "
            f"{sum(watcher.resets for watcher in self.watchers)} resets, opened {sum(watcher.openings for watcher in self.watchers)} times",
            f"- faults: {len(self.faults)}", *(f"  - {fault}" for fault in self.faults[:20]), "",
            "| primary | promoted after | writes again, from the promotion | longest time without a write "
            "| changes told again, from the promotion | standby again after |",
            "|---|---|---|---|---|---|",
            *(f"| {'killed' if how == 'kill' else 'hung'} | {promoted:.1f} s | {again:.1f} s | {gap:.1f} s | {heard:.1f} s | {back:.1f} s |"
              for how, promoted, again, gap, heard, back in self.rounds),
        ]
        return "\n".join(lines) + "\n"

    def end(self):
        self.isOver.set()
        for server in self.servers:
            if server.process.poll() is None:
                server.end(signal.SIGKILL)
        for one in reversed(self.everything):
            one.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--report", help="a file whose text behind the line '## The last failovers' is replaced")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="swiftlet-failover-", dir="/tmp")
    os.chmod(folder, 0o755)
    run = Run.__new__(Run)
    run.everything, run.servers, run.isOver = [], [], threading.Event()
    try:
        run.__init__(os.path.abspath(arguments.binary), folder)
        run.perform(arguments.times)
        report = run.report()
    except BaseException:
        print(f"logs are in {folder}")
        raise
    finally:
        run.end()
    print(report, end="")
    if arguments.report:
        with open(arguments.report) as file:
            text = file.read().split("## The last failovers")[0]
        with open(arguments.report, "w") as file:
            file.write(f"{text}## The last failovers\n\n{report}")
    if run.faults:
        print(f"logs are in {folder}")
        sys.exit(1)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
