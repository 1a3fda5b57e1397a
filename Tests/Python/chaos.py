"""Runs servers and PostgreSQL under a mixed load, kills and delays them by a seed, and checks what was promised.

    chaos.py BINARY [--seed N] [--seconds N] [--report FILE]

Two servers reach PostgreSQL through a proxy that resets and delays connections. Meanwhile servers are killed or stopped,
and PostgreSQL is stopped at once, as by a crash. Callers of two tenants write and read tasks and files, and repeat what was
lost with the same Idempotency-Key. In the end every acknowledged write has to be readable, once; nobody may have seen
another tenant's rows; each row's webhook has to have arrived, as one message; streams of changes that come back behind
their last event have to have told each row once; files and their rows have to be together. A standby takes reads, is
crashed and held back, and may never show less than the caller has written.
Ends with 1 when something of that does not hold.
"""

import argparse
import base64
import collections
import hashlib
import hmac
import http.client
import http.server
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid

from chaos_watcher import Watcher
from position import Position

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECRET = "a-secret-of-the-chaos-run-with-32-bytes"
TENANTS = {"acme": "a0000000-0000-4000-8000-000000000001", "bolt": "a0000000-0000-4000-8000-000000000002"}
SETUP = """
INSERT INTO tenants (id, name, slug) VALUES ('acme', 'Acme', 'acme'), ('bolt', 'Bolt', 'bolt');
INSERT INTO storage.buckets (id, name) VALUES ('files', 'files');
CREATE POLICY own ON storage.objects TO authenticated
    USING (bucket_id = 'files' AND (storage.foldername(name))[1] = auth.uid()::text);
"""


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def token(tenant):
    def part(value):
        return base64.urlsafe_b64encode(value).rstrip(b"=").decode()

    metadata = {"tenantId": tenant, "tenant_id": tenant, "roleLevel": 5, "role_level": 5}
    claims = {"sub": TENANTS[tenant], "role": "authenticated", "exp": int(time.time()) + 86_400,
              "app_metadata": metadata}
    text = part(b'{"alg":"HS256","typ":"JWT"}') + "." + part(json.dumps(claims).encode())
    return text + "." + part(hmac.new(SECRET.encode(), text.encode(), hashlib.sha256).digest())


class Postgres:
    """A private cluster; as root its programs run as the user postgres."""

    def __init__(self, folder, primary=None):
        self.folder, self.port = folder, free_port()
        found = shutil.which("initdb")
        homes = sorted((name for name in os.listdir("/usr/lib/postgresql")), key=float) if not found else []
        self.programs = os.path.dirname(os.path.realpath(found)) if found else f"/usr/lib/postgresql/{homes[-1]}/bin"
        os.makedirs(folder)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        if primary:
            self.run("pg_basebackup", "--pgdata", f"{folder}/data", "--write-recovery-conf", "--checkpoint=fast",
                     "--no-sync", "--dbname", f"postgresql://postgres@127.0.0.1:{primary.port}/")
        else:
            self.run("initdb", "--pgdata", f"{folder}/data", "--auth=trust", "--username=postgres", "--encoding=UTF8",
                     "--locale=C.UTF-8", "--no-sync")
        with open(f"{folder}/data/postgresql.conf", "a") as settings:
            settings.write(f"\nport = {self.port}\nlisten_addresses = '127.0.0.1'\n"
                           f"unix_socket_directories = '{folder}'\nmax_connections = 60\nwal_level = logical\n"
                           "wal_keep_size = '1GB'\nhot_standby_feedback = on\nwal_retrieve_retry_interval = '200ms'\n")
        self.start()

    def run(self, program, *arguments, check=True):
        command = [f"{self.programs}/{program}", *arguments]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--", *command]
        return subprocess.run(command, check=check, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout

    def start(self):
        self.run("pg_ctl", "start", "-w", "-D", f"{self.folder}/data", "-l", f"{self.folder}/postgres.log")

    def crash(self):
        self.run("pg_ctl", "stop", "-m", "immediate", "-w", "-D", f"{self.folder}/data", check=False)

    def sql(self, text):
        lines = self.run("psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-v", "ON_ERROR_STOP=1",
                         "-qAt", "-F", "\t", "-c", text)
        return [line.split("\t") for line in lines.splitlines()]


class Proxy:
    """Between the servers and PostgreSQL."""

    def __init__(self, target):
        self.target, self.delay, self.pairs, self.lock = target, 0.0, set(), threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            try:
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                near.close()
                continue
            with self.lock:
                self.pairs.add((near, far))
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.pump, args=(source, sink, (near, far)), daemon=True).start()

    def pump(self, source, sink, pair):
        try:
            while data := source.recv(65_536):
                if self.delay:
                    time.sleep(self.delay)
                sink.sendall(data)
        except OSError:
            pass
        self.end(pair)

    def end(self, pair):
        with self.lock:
            self.pairs.discard(pair)
        for end in pair:
            try:
                # What was sent and not read is lost, as when a cable is cut.
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def reset(self):
        with self.lock:
            pairs = list(self.pairs)
        for pair in pairs:
            self.end(pair)


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes webhooks, and refuses one in ten at first: the third attempt would come after minutes."""

    messages = collections.defaultdict(set)
    refused = set()
    lock = threading.Lock()
    chance = random.Random(0)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.lock:
            key, message = body["record"]["id"], self.headers["webhook-id"]
            refuses = message not in self.refused and self.chance.random() < 0.1
            if refuses:
                self.refused.add(message)
            else:
                self.messages[key].add(message)
        self.send_response(503 if refuses else 204)
        self.end_headers()

    def log_message(self, *_):
        pass


class Swiftlet:
    def __init__(self, binary, folder, database, name):
        self.binary, self.port, self.log = binary, free_port(), open(f"{folder}/{name}.log", "a")
        self.environment = {
            "PATH": os.environ["PATH"], "DATABASE_URL": database, "PORT": str(self.port), "HOST": "127.0.0.1",
            "JWT_SECRET": SECRET, "STORAGE_PATH": f"{folder}/files", "WORKERS": "1", "APPS": "business",
            "MIGRATIONS_DIR": f"{ROOT}/migrations", "LOG_LEVEL": "warning", "JOB_LEASE": "5s",
            "SHUTDOWN_GRACE": "5", "HOME": folder,
        }
        self.process = None

    def command(self, *arguments):
        result = subprocess.run([self.binary, *arguments], env=self.environment, cwd=self.environment["HOME"],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0:
            raise SystemExit(f"swiftlet {' '.join(arguments)}: {result.stdout}")
        return result.stdout

    def start(self):
        self.process = subprocess.Popen([self.binary, "serve"], env=self.environment, stdout=self.log,
                                        stderr=self.log, cwd=self.environment["HOME"])

    def end(self, how):
        self.process.send_signal(how)
        self.process.wait()


class Caller:
    """One client of a tenant: a connection, what was acknowledged to it, and what it saw that it should not."""

    def __init__(self, run, tenant, seed):
        self.run, self.tenant, self.random = run, tenant, random.Random(seed)
        self.token, self.folder = token(tenant), TENANTS[tenant]
        self.name, self.count = f"{tenant}-{seed}", 0
        self.tasks, self.files, self.unsure = {}, {}, set()
        self.answers, self.faults = collections.Counter(), []
        self.connection = None
        # Of the last write, so that a standby which lacks it is not read.
        self.position = Position()

    def send(self, method, path, body=None, headers=None):
        """The status and body, or None when there was no answer."""
        fields = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json",
                  "X-Swiftlet-Position": self.position.begin(method), **(headers or {})}
        try:
            if self.connection is None:
                port = self.random.choice(self.run.servers).port
                self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            self.connection.request(method, path, body, fields)
            response = self.connection.getresponse()
            data = response.read()
            self.position.end(method, response.getheader("X-Swiftlet-Position"))
            self.answers[response.status] += 1
            if response.status >= 500:
                self.connection.close()
                self.connection = None
            return response.status, data
        except (OSError, http.client.HTTPException):
            self.answers["none"] += 1
            self.connection = None
            time.sleep(0.05)
            return None

    def write(self):
        self.count += 1
        title = f"{self.name}-{self.count}"
        key = {"Idempotency-Key": str(uuid.UUID(int=self.random.getrandbits(128)))}
        for _ in range(40):
            answer = self.send("POST", "/tasks", json.dumps({"title": title}), key)
            if answer and answer[0] == 201:
                self.tasks[json.loads(answer[1])["id"]] = title
                return
            if answer and answer[0] < 500 and answer[0] not in (409, 429):
                self.faults.append(f"POST of {title}: {answer}")
            time.sleep(0.25)
        self.unsure.add(title)

    def read(self):
        if not self.tasks:
            return self.write()
        key = self.random.choice(list(self.tasks))
        answer = self.send("GET", f"/tasks/{key}")
        if answer and answer[0] < 500 and (answer[0] != 200 or json.loads(answer[1])["title"] != self.tasks[key]):
            self.faults.append(f"an acknowledged task was answered with {answer}")

    def pry(self):
        others = [caller for caller in self.run.callers if caller.tenant != self.tenant and caller.tasks]
        if not others:
            return
        key = self.random.choice(list(self.random.choice(others).tasks))
        answer = self.send("GET", f"/tasks/{key}")
        if answer and answer[0] < 500 and answer[0] != 404:
            self.faults.append(f"another tenant's task was answered with {answer}")

    def list(self):
        answer = self.send("GET", "/tasks?limit=25")
        if answer and answer[0] == 200:
            for row in json.loads(answer[1])["data"]:
                if not row["title"].startswith(self.tenant):
                    self.faults.append(f"a list has another tenant's {row}")

    def store(self):
        self.count += 1
        name = f"{self.folder}/{self.name}-{self.count}"
        content = self.random.randbytes(self.random.randrange(1, 40_000))
        answer = self.send("POST", f"/storage/v1/object/files/{name}", content,
                           {"Content-Type": "application/octet-stream"})
        if answer and answer[0] == 200:
            self.files[name] = hashlib.sha256(content).hexdigest()

    def fetch(self, name=None, patience=1):
        name = name or (self.files and self.random.choice(list(self.files)))
        for _ in range(patience if name else 0):
            answer = self.send("GET", f"/storage/v1/object/authenticated/files/{name}")
            if answer and answer[0] < 500:
                if answer[0] != 200 or hashlib.sha256(answer[1]).hexdigest() != self.files.get(name, None):
                    self.faults.append(f"an acknowledged file was answered with {answer[0]}")
                return
            time.sleep(0.1 if patience > 1 else 0)

    def loop(self):
        actions = [self.write] * 6 + [self.read] * 6 + [self.pry] * 2 + [self.list] * 2 + [self.store] * 2 + [self.fetch]
        while not self.run.isOver.is_set():
            self.random.choice(actions)()


class Run:
    def __init__(self, binary, seed, seconds, folder):
        self.seed, self.seconds, self.random = seed, seconds, random.Random(seed)
        self.isOver, self.events = threading.Event(), collections.Counter()
        self.postgres = Postgres(f"{folder}/postgres")
        self.postgres.sql("CREATE DATABASE app")
        direct = f"postgresql://postgres@127.0.0.1:{self.postgres.port}/app"
        self.proxy = Proxy(self.postgres.port)
        through = f"postgresql://postgres@127.0.0.1:{self.proxy.port}/app"
        self.standby = Postgres(f"{folder}/standby", self.postgres)
        replica = f"postgresql://postgres@127.0.0.1:{self.standby.port}/app"
        hooks = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=hooks.serve_forever, daemon=True).start()
        self.servers = [Swiftlet(binary, folder, through, f"server{index}") for index in range(2)]
        for server in self.servers:
            server.environment["WEBHOOK_ALLOW_PRIVATE"] = "on"
            server.environment["DATABASE_REPLICA_URLS"] = replica
        tools = Swiftlet(binary, folder, direct, "tools")
        tools.environment["WEBHOOK_ALLOW_PRIVATE"] = "on"
        tools.command("migrate", "up")
        self.sql(SETUP)
        tools.command("webhooks", "add", f"http://127.0.0.1:{hooks.server_port}/", "--table", "tasks",
                      "--operation", "insert")
        tools.command("realtime", "add", "tasks")
        self.watchers = [Watcher(self.servers, tenant, token(tenant), seed * 10 + index)
                         for index, tenant in enumerate(TENANTS)]
        self.callers = [Caller(self, tenant, seed * 100 + index * 2 + place)
                        for place, tenant in enumerate(TENANTS) for index in range(4)]

    def sql(self, text):
        command = ["psql", "-h", "127.0.0.1", "-p", str(self.postgres.port), "-U", "postgres", "-d", "app", "-v",
                   "ON_ERROR_STOP=1", "-qAt", "-F", "\t", "-c", text]
        result = subprocess.run([f"{self.postgres.programs}/{command[0]}", *command[1:]], check=True, text=True,
                                stdout=subprocess.PIPE)
        return [line.split("\t") for line in result.stdout.splitlines()]

    def ready(self, server, patience=60):
        end = time.monotonic() + patience
        while time.monotonic() < end:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
                connection.request("GET", "/ready")
                if connection.getresponse().status == 200:
                    return
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.1)
        raise SystemExit("a server does not become ready")

    def disturb(self):
        event = self.random.choice(["kill", "kill", "stop", "crash", "reset", "reset", "delay", "disk", "behind", "standby"])
        self.events[event] += 1
        if event in ("kill", "stop"):
            server = self.random.choice(self.servers)
            server.end(signal.SIGKILL if event == "kill" else signal.SIGTERM)
            time.sleep(self.random.random())
            server.start()
        elif event == "crash":
            self.postgres.crash()
            time.sleep(self.random.random())
            self.postgres.start()
        elif event == "reset":
            self.proxy.reset()
        elif event == "disk":
            # Each flush of the log takes so much longer.
            self.slow_disk(self.random.randrange(20_000, 100_000))
            time.sleep(1)
            self.slow_disk(0)
        elif event == "standby":
            self.standby.crash()
            time.sleep(self.random.random())
            self.standby.start()
        elif event == "behind":
            self.standby.sql("SELECT pg_wal_replay_pause()")
            time.sleep(1)
            self.standby.sql("SELECT pg_wal_replay_resume()")
        else:
            self.proxy.delay = self.random.uniform(0.01, 0.2)
            time.sleep(1)
            self.proxy.delay = 0.0

    def slow_disk(self, microseconds):
        for text in (f"ALTER SYSTEM SET commit_delay = {microseconds}", "ALTER SYSTEM SET commit_siblings = 0",
                     "SELECT pg_reload_conf()"):
            self.postgres.sql(text)

    def replica_reads(self):
        """How many reads the servers have had from the standby since they were started."""
        total = 0
        for server in self.servers:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
            connection.request("GET", "/metrics")
            total += sum(float(line.split()[-1]) for line in connection.getresponse().read().decode().splitlines()
                         if line.startswith("swiftlet_replica_reads_total"))
        return int(total)

    def perform(self):
        for server in self.servers:
            server.start()
        for server in self.servers:
            self.ready(server)
        for watcher in self.watchers:
            watcher.thread.start()
        for watcher in self.watchers:
            if not watcher.isReady.wait(60):
                raise SystemExit(f"a stream does not begin: {watcher.faults}")
        threads = [threading.Thread(target=caller.loop) for caller in self.callers]
        for thread in threads:
            thread.start()
        end = time.monotonic() + self.seconds
        while time.monotonic() < end:
            time.sleep(self.random.uniform(0.5, 3))
            self.disturb()
        for server in self.servers:
            self.ready(server)
        self.replicaReads = self.replica_reads()
        if self.replicaReads == 0:
            raise SystemExit("no read went to the standby")
        self.isOver.set()
        for thread in threads:
            thread.join()

    def check(self):
        """What does not hold, in sentences."""
        faults = [fault for caller in self.callers for fault in caller.faults]
        rows = {key: (tenant, title) for key, tenant, title in self.sql("SELECT id, tenant_id, title FROM tasks")}
        titles = collections.Counter(title for _, title in rows.values())
        faults += [f"{title} was made {count} times" for title, count in titles.items() if count > 1]
        promised = set()
        for caller in self.callers:
            promised |= set(caller.tasks.values()) | caller.unsure
            for key, title in caller.tasks.items():
                if rows.get(key) != (caller.tenant, title):
                    faults.append(f"{title} was acknowledged and is {rows.get(key)}")
        faults += [f"{title} was asked for by nobody" for title in titles if title not in promised]

        end = time.monotonic() + 120
        while time.monotonic() < end and any(key not in Receiver.messages for key in rows):
            time.sleep(0.5)
        faults += [f"nobody was told of {title}" for key, (_, title) in rows.items() if key not in Receiver.messages]
        for key, messages in Receiver.messages.items():
            if key not in rows:
                faults.append(f"a message tells of {key}, which is not there")
            if len(messages) > 1:
                faults.append(f"{key} was told as {len(messages)} messages")

        for watcher in self.watchers:
            own = {key for key, (tenant, _) in rows.items() if tenant == watcher.tenant}
            faults += watcher.check(own, patience=120)

        for caller in self.callers:
            caller.faults = []
            for name in caller.files:
                caller.fetch(name, patience=50)
            faults += caller.faults
        stored = [name for name, in self.sql("SELECT name FROM storage.objects WHERE bucket_id = 'files'")]
        known = {name for caller in self.callers for name in caller.files}
        faults += [f"the file {name} has no row" for name in known - set(stored)]
        # Rows whose answer was lost have a file, too.
        reader = {caller.folder: caller for caller in self.callers}
        for name in set(stored) - known:
            answer = None
            for _ in range(50):
                answer = reader[name.split("/")[0]].send("GET", f"/storage/v1/object/authenticated/files/{name}")
                if answer and answer[0] < 500:
                    break
            if not answer or answer[0] != 200:
                faults.append(f"the row {name} has no file: {answer and answer[0]}")
        self.figures = (len(rows), sum(len(caller.tasks) for caller in self.callers), len(known), len(stored))
        return faults

    def report(self, faults):
        rows, acknowledged, files, stored = self.figures
        answers = sum((caller.answers for caller in self.callers), collections.Counter())
        lines = [
            f"- seed {self.seed}, {self.seconds} s of load by {len(self.callers)} callers of two tenants, two servers",
            "- disturbances: " + ", ".join(f"{count} × {name}" for name, count in sorted(self.events.items())),
            "- answers: " + ", ".join(f"{count} × {status}" for status, count in
                                      sorted(answers.items(), key=lambda item: str(item[0]))),
            f"- tasks: {acknowledged} acknowledged, {rows} rows, "
            f"{sum(len(found) for found in Receiver.messages.values())} webhook messages",
            f"- streams of changes: {sum(len(watcher.rows) for watcher in self.watchers)} rows told, "
            f"opened {sum(watcher.openings for watcher in self.watchers)} times",
            f"- reads on the standby, by the servers that ran last: {self.replicaReads}",
            f"- files: {files} acknowledged, {stored} rows",
            f"- faults: {len(faults)}", *(f"  - {fault}" for fault in faults[:20]),
        ]
        return "\n".join(lines) + "\n"

    def end(self):
        self.isOver.set()
        for server in self.servers:
            if server.process and server.process.poll() is None:
                server.end(signal.SIGKILL)
        self.standby.crash()
        self.postgres.crash()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--report", help="a file whose text behind the line '## The last report' is replaced")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    Receiver.chance = random.Random(arguments.seed)
    folder = tempfile.mkdtemp(prefix="swiftlet-chaos-")
    os.chmod(folder, 0o755)
    run = None
    try:
        run = Run(os.path.abspath(arguments.binary), arguments.seed, arguments.seconds, folder)
        run.perform()
        faults = run.check()
        report = run.report(faults)
    finally:
        if run:
            run.end()
    print(report, end="")
    if arguments.report:
        with open(arguments.report) as file:
            text = file.read().split("## The last report")[0]
        with open(arguments.report, "w") as file:
            file.write(f"{text}## The last report\n\n{report}")
    if faults:
        print(f"logs are in {folder}")
        sys.exit(1)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
