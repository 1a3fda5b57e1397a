"""Sends requests by grammar, with valid tokens, to a server and looks for what may never be answered.

    fuzz.py BINARY [--seconds N] [--seed N] [--corpus FILE] [--report FILE]

A fault is: the server ends; a 500; a refusal without a JSON body that has a message; no answer within 30 s; a row of the
other tenant in an answer. A request with an outcome that was not seen before (route, status, code of the error) is put
into the corpus, whose requests are sent first in the next run, and changed ever after. Ends with 1 when there is a fault,
and then prints the requests.
"""

import argparse
import collections
import http.client
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from chaos import ROOT, SETUP, Postgres, Swiftlet, TENANTS, token
from fuzz_grammar import Grammar
from fuzz_wire import LINES, Channels, damaged, request_bytes, send_raw

SECRET_OF_OTHERS = "belongs-to-bolt"
ROWS = f"""
INSERT INTO tasks (id, tenant_id, title, created_by) SELECT 'acme-' || n, 'acme', 'mine ' || n,
    'a0000000-0000-4000-8000-000000000001' FROM generate_series(1, 20) n ON CONFLICT (id) DO NOTHING;
INSERT INTO tasks (id, tenant_id, title, created_by) SELECT 'bolt-' || n, 'bolt', '{SECRET_OF_OTHERS}',
    'a0000000-0000-4000-8000-000000000002' FROM generate_series(1, 20) n ON CONFLICT (id) DO NOTHING;
INSERT INTO business_records (id, tenant_id, company_name, created_by) SELECT 'bolt-' || n, 'bolt', '{SECRET_OF_OTHERS}',
    'a0000000-0000-4000-8000-000000000002' FROM generate_series(1, 5) n ON CONFLICT (id) DO NOTHING;
"""
THREADS = 12
# Further threads, the first of which sends requests as bytes; the other one talks on channels.
WIRE_THREADS = 2
KEYS = [f"{tenant}-{number}" for tenant in TENANTS for number in (1, 2, 3)]


class Fuzz:
    def __init__(self, binary, folder, seed, corpus):
        self.seed, self.corpus, self.folder = seed, corpus, folder
        self.lock, self.isOver = threading.Lock(), threading.Event()
        self.seen, self.kept, self.faults, self.count = set(), [], {}, 0
        self.statuses, self.routes = collections.Counter(), collections.defaultdict(collections.Counter)
        self.wire = collections.Counter()
        self.server, self.inFlight = None, {}
        self.postgres = Postgres(f"{folder}/postgres")
        self.postgres.sql("CREATE DATABASE app")
        self.server = Swiftlet(binary, folder, f"postgresql://postgres@127.0.0.1:{self.postgres.port}/app", "server")
        self.server.environment.update(REST_AGGREGATES="on", REST_TX_END="commit-allow-override", LOG_LEVEL="error")
        self.server.command("migrate", "up")
        self.sql(SETUP)
        self.sql(ROWS)
        self.server.start()
        self.tokens = [token("acme"), token("acme"), token("acme"), None]

    def sql(self, text):
        self.postgres.run("psql", "-h", "127.0.0.1", "-p", str(self.postgres.port), "-U", "postgres", "-d", "app", "-v",
                          "ON_ERROR_STOP=1", "-qAt", "-c", text)

    def get(self, path):
        end = time.monotonic() + 60
        while True:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
                connection.request("GET", path, headers={"Authorization": f"Bearer {self.tokens[0]}"})
                response = connection.getresponse()
                data = response.read()
                if response.status == 200:
                    return json.loads(data)
            except OSError:
                pass
            if time.monotonic() > end:
                raise SystemExit(f"{path} is not answered")
            time.sleep(0.2)

    def describe(self):
        rest = self.get("/rest/v1/")
        self.tables = {name: sorted(value.get("properties", {})) for name, value in rest["definitions"].items()
                       if value.get("properties")}
        self.procedures = sorted(path[5:] for path in rest["paths"] if path.startswith("/rpc/"))
        document = self.get("/openapi.json")
        self.operations = [(path, method.upper(), operation) for path, item in sorted(document["paths"].items())
                           for method, operation in sorted(item.items())
                           if method in ("get", "post", "put", "patch", "delete") and "/sync/wait" not in path
                           and "/realtime/v1/changes" not in path]

    def route(self, target):
        path = target.split("?")[0]
        for template, pattern in self.patterns:
            if pattern.fullmatch(path):
                return template
        return re.sub(r"^(/rest/v1/(?:rpc/)?\w+).*", r"\1", path)[:60] if path.startswith("/rest/v1/") else "another path"

    def work(self, number, seconds):
        chance = random.Random(self.seed * 1000 + number)
        grammar = Grammar(chance, self.tables, self.procedures, self.operations, KEYS)
        connection, end = None, time.monotonic() + seconds
        first = self.rest[number] = self.corpus[number::THREADS]
        while time.monotonic() < end and not self.isOver.is_set():
            if first:
                method, target, fields, body = first.pop()
            else:
                method, target, fields, body = grammar.request()
                if self.kept and chance.random() < 0.15:
                    method, target, fields, body = self.kept[chance.randrange(len(self.kept))]
                    target = grammar.broken(target)
            if number == 0 and self.count % 2000 < 4:
                self.sql(ROWS)
            self.inFlight[number] = (method, target, fields, body)
            connection = self.send(connection, chance.choice(self.tokens), method, target, fields, body)
            if self.server.process.poll() is None:
                self.inFlight.pop(number)

    def work_on_wire(self, number, seconds):
        """Odd bytes in place of requests, and messages on channels: connections of their own, with no answer to judge but
        that it shows nothing of the other tenant, and that the server lives."""
        chance, end = random.Random(self.seed * 1000 + THREADS + number), time.monotonic() + seconds
        grammar = Grammar(chance, self.tables, self.procedures, self.operations, KEYS)
        channels = Channels(chance, grammar)
        while time.monotonic() < end and not self.isOver.is_set():
            caller = chance.choice(self.tokens)
            if number == 0:
                data = damaged(request_bytes(*grammar.request(), caller, chance), chance, LINES)
            else:
                data = f"a socket, message {self.wire[1]} of thread {number}".encode()
            request = ("bytes", data.decode("latin-1"), {}, None)
            self.inFlight[THREADS + number] = request
            try:
                received = send_raw(self.server.port, data, chance) if number == 0 else channels.talk(self.server.port, caller)
            except OSError:
                received = b""
                if self.has_ended():
                    self.isOver.set()
                    return
            self.wire[number] += 1
            if SECRET_OF_OTHERS.encode() in received and SECRET_OF_OTHERS not in str(request):
                self.fault("a row of the other tenant", request)
            if received.startswith(b"HTTP/1.1 500"):
                self.fault(f"500 {received[:300]}", request)
            self.inFlight.pop(THREADS + number)

    def send(self, connection, caller, method, target, fields, body):
        request = (method, target, fields, body)
        sent = {name: value for name, value in fields.items()}
        if caller:
            sent["Authorization"] = f"Bearer {caller}"
        try:
            connection = connection or http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
            connection.request(method, target, body, sent)
            response = connection.getresponse()
            data = response.read()
        except (ValueError, UnicodeError):
            # The client does not send such a request line or field.
            return None
        except (OSError, http.client.HTTPException) as error:
            if self.has_ended():
                self.isOver.set()
            elif isinstance(error, TimeoutError):
                self.fault("no answer within 30 s", request)
            return None
        self.judge(request, response, data)
        if response.getheader("Connection", "").lower() == "close":
            connection.close()
            return None
        return connection

    def has_ended(self):
        """Whether the server has: its process goes a moment after its connections."""
        try:
            self.server.process.wait(0.5)
            return True
        except subprocess.TimeoutExpired:
            return False

    def judge(self, request, response, data):
        method, target, _, _ = request
        status, code = response.status, None
        if SECRET_OF_OTHERS.encode() in data and SECRET_OF_OTHERS not in str(request):
            self.fault("a row of the other tenant", request)
        if status == 500:
            self.fault(f"500 {data[:200]}", request)
        if status >= 400 and method != "HEAD":
            try:
                content = json.loads(data)
                code = content.get("code") or content.get("error_code") or content.get("error")
                if not (content.get("message") or content.get("msg") or content.get("error")):
                    self.fault(f"{status} without a message", request)
            except (ValueError, AttributeError):
                self.fault(f"{status} without a JSON body: {data[:100]}", request)
        with self.lock:
            route = self.route(target)
            self.count += 1
            self.statuses[status] += 1
            self.routes[route][status] += 1
            outcome = (method, route, status, str(code)[:40])
            if outcome not in self.seen:
                self.seen.add(outcome)
                self.kept.append(request)

    def fault(self, kind, request):
        with self.lock:
            self.faults.setdefault(re.sub(r'"request_id":"[^"]*"', "", kind), request)

    def perform(self, seconds):
        self.cpu, self.rest = 0, {}
        self.describe()
        self.patterns = [(path, re.compile(re.sub(r"\\\{[^}]*\\\}", "[^/]+", re.escape(path))))
                         for path in sorted({path for path, _, _ in self.operations}, key=lambda text: text.count("{"))]
        threads = [threading.Thread(target=self.work, args=(number, seconds)) for number in range(THREADS)]
        threads += [threading.Thread(target=self.work_on_wire, args=(number, seconds)) for number in range(WIRE_THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.has_ended():
            for number, request in self.inFlight.items():
                self.fault(f"the server ended with {self.server.process.returncode}, asked by {number}", request)
            if not self.inFlight:
                self.fault(f"the server ended with {self.server.process.returncode}", ("", "", {}, None))
            return
        with open(f"/proc/{self.server.process.pid}/stat") as file:
            ticks = sum(int(part) for part in file.read().rsplit(")", 1)[1].split()[11:13])
        self.cpu = ticks / os.sysconf("SC_CLK_TCK")

    def report(self, seconds):
        templates = {path for path, _, _ in self.operations}
        reached = sum(1 for path in templates if any(status < 400 for status in self.routes.get(path, {})))
        tables = sum(1 for name in self.tables if any(status < 400 for status in self.routes.get(f"/rest/v1/{name}", {})))
        return "\n".join([
            f"- seed {self.seed}, {seconds} s, {self.count} requests, {self.cpu:.0f} s of the server's processor time",
            f"- {len(templates)} paths of functions and of the platform, {sum(1 for path in templates if path in self.routes)} "
            f"asked, {reached} answered with success; {len(self.tables)} tables of /rest/v1, {tables} with success; "
            f"{len(self.procedures)} functions of SQL",
            f"- {self.wire[0]} requests as damaged bytes, {self.wire[1]} sockets with up to twenty messages each",
            "- answers: " + ", ".join(f"{count} × {status}" for status, count in sorted(self.statuses.items())),
            f"- {len(self.seen)} different outcomes (method, route, status, code), each with its request in the corpus",
            f"- faults: {len(self.faults)}",
            *(f"  - {kind}: {method} {target[:300]} {fields} {(body or b'')[:300]}"
              for kind, (method, target, fields, body) in list(self.faults.items())[:20]),
        ]) + "\n"

    def end(self):
        if self.server and self.server.process and self.server.process.poll() is None:
            self.server.end(signal.SIGKILL)
        self.postgres.crash()


def load(path):
    if not path or not os.path.exists(path):
        return []
    with open(path) as file:
        lines = [json.loads(line) for line in file]
    return [(method, target, fields, body.encode("latin-1") if body is not None else None)
            for method, target, fields, body in lines]


def save(path, requests):
    with open(path, "w") as file:
        for method, target, fields, body in sorted(requests, key=str):
            if len(target) + len(body or b"") < 200:
                file.write(json.dumps([method, target, fields, body.decode("latin-1") if body is not None else None]) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    parser.add_argument("--corpus", default=f"{ROOT}/Tests/Python/fuzz_corpus.jsonl")
    parser.add_argument("--report", help="a file whose text behind the line '## The last fuzzing' is replaced")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="swiftlet-fuzz-")
    os.chmod(folder, 0o755)
    fuzz = None
    print(f"seed {arguments.seed}", flush=True)
    try:
        fuzz = Fuzz(os.path.abspath(arguments.binary), folder, arguments.seed, load(arguments.corpus))
        fuzz.perform(arguments.seconds)
        report = fuzz.report(arguments.seconds)
        # With what a short run has not come to.
        save(arguments.corpus, fuzz.kept + [request for rest in fuzz.rest.values() for request in rest])
    finally:
        if fuzz:
            fuzz.end()
    print(report, end="")
    if arguments.report:
        with open(arguments.report) as file:
            text = file.read().split("## The last fuzzing")[0]
        with open(arguments.report, "w") as file:
            file.write(f"{text}## The last fuzzing\n\n{report}")
    if fuzz.faults:
        print(f"logs are in {folder}")
        sys.exit(1)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
