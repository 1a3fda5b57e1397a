"""A day's load in short: phones that open the app, read, write, upload, renew their session and come back, on schedule."""

import argparse
import asyncio
import collections
import itertools
import json
import random
import re
import time
from pathlib import Path
from types import SimpleNamespace

from . import dataset, extras, scenarios, servers, sign_in, usage, web
from .cluster import Cluster
from .workspace import Workspace

_REPOSITORY = Path(__file__).resolve().parents[2]
_UPLOAD_BYTES = 40_000
# Simulated seconds between two uses of the app by one phone.
_PAUSE = 120
_BUCKET = """
INSERT INTO storage.buckets (id, name) VALUES ('day', 'day') ON CONFLICT DO NOTHING;
DROP POLICY IF EXISTS day ON storage.objects;
CREATE POLICY day ON storage.objects TO authenticated USING (bucket_id = 'day');
"""


class Phone:
    """One client: a connection that it closes between uses, a token, and a refresh token if there was one for it."""

    def __init__(self, day, number, refresh_token):
        self.day, self.number, self.refresh_token = day, number, refresh_token
        self.random = random.Random(number)
        tenant = f"00000000-0000-4000-8000-{1 + number % 100:012}"
        # Each is somebody else: what one caller may have at once is limited.
        self.token = web.mint_token(tenant, f"11111111-1111-4111-8111-{number:012}")
        self.stream, self.tasks = None, []

    async def live(self):
        """Uses of the app from a moment of its own on, as long as the day lasts."""
        due = self.day.start + self.random.uniform(0, _PAUSE) / self.day.speed
        while due < self.day.end:
            await asyncio.sleep(max(0, due - time.monotonic()))
            self.day.late.append(time.monotonic() - due)
            await self.use()
            self.close()
            due += self.random.uniform(0.5, 1.5) * _PAUSE / self.day.speed

    async def use(self):
        if self.refresh_token and self.random.random() < 0.2:
            await self.ask("renew")
        await self.ask("dashboard")
        await self.ask("list")
        for _ in range(self.random.randrange(1, 4)):
            await self.ask("by id")
        for route, share in (("create", 0.4), ("change", 0.3), ("rest", 0.2), ("search", 0.1), ("upload", 0.1)):
            if self.random.random() < share:
                await self.ask(route)

    async def ask(self, route):
        """One request of a route, if the phone knows what to ask for."""
        task = self.random.choice(self.tasks) if self.tasks else None
        if route == "renew":
            body = await self.send(route, "POST", "/auth/v1/token?grant_type=refresh_token",
                                   {"refresh_token": self.refresh_token}, has_token=False)
            self.refresh_token = json.loads(body)["refresh_token"] if body else None
        elif route == "dashboard":
            body = await self.send(route, "GET", "/today-dashboard")
            if body and json.loads(body)["degraded"]:
                self.day.refused[route, "degraded"] += 1
        elif route == "list":
            body = await self.send(route, "GET", "/tasks?limit=25")
            if body:
                self.tasks = [row["id"] for row in json.loads(body)["data"]]
        elif route == "by id" and task:
            await self.send(route, "GET", f"/tasks/{task}")
        elif route == "create":
            await self.send(route, "POST", "/tasks", scenarios.NEW_TASK)
        elif route == "change" and task:
            await self.send(route, "PATCH", f"/tasks/{task}", {"priority": "low"})
        elif route == "rest":
            await self.send(route, "GET", "/rest/v1/tasks?select=id,title&order=id&limit=20")
        elif route == "search":
            await self.send(route, "GET", "/search?q=0a1b")
        elif route == "upload":
            name = f"{self.number}-{self.random.getrandbits(40)}"
            await self.send(route, "POST", f"/storage/v1/object/day/{name}", self.day.content)

    async def send(self, route, method, path, body=None, has_token=True):
        """The body of an answer of 2xx; anything else is counted as refused."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode() if body else b""
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        fields = f"Authorization: Bearer {self.token}\r\n" if has_token else ""
        head = (f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{fields}Content-Type: {kind}\r\n"
                f"Content-Length: {len(content)}\r\n\r\n")
        begin = time.monotonic()
        try:
            if self.stream is None:
                self.stream = await asyncio.open_connection("127.0.0.1", self.day.port, limit=1 << 20)
                self.day.connections += 1
            reader, writer = self.stream
            writer.write(head.encode() + content)
            answer = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
            length = re.search(rb"(?i)content-length: *(\d+)", answer)
            data = await reader.readexactly(int(length.group(1))) if length else b""
        except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError):
            self.close()
            self.day.refused[route, "no answer"] += 1
            return None
        self.day.latencies[route].append(time.monotonic() - begin)
        status = int(answer.split(b" ", 2)[1])
        if not 200 <= status < 300:
            self.day.refused[route, status] += 1
            return None
        return data

    def close(self):
        if self.stream:
            self.stream[1].close()
        self.stream = None


class Day:
    def __init__(self, server, tokens, given):
        self.server, self.port, self.speed, self.given = server, server.port, given.speed, given
        self.latencies, self.refused = collections.defaultdict(list), collections.Counter()
        self.late, self.memory, self.connections = [], [], 0
        self.content = random.Random(1).randbytes(_UPLOAD_BYTES)
        self.start = time.monotonic() + 1
        self.end = self.start + given.minutes * 60 / given.speed
        self.phones = [Phone(self, number, tokens[number] if number < len(tokens) else None)
                       for number in range(given.phones)]

    async def run(self):
        await asyncio.gather(self.watch(), *(phone.live() for phone in self.phones))

    async def watch(self):
        """Memory at each simulated minute."""
        while time.monotonic() < self.end:
            self.memory.append(self.server.resident_megabytes())
            await asyncio.sleep(60 / self.speed)

    def report(self, spent):
        count = sum(map(len, self.latencies.values()))
        seconds = self.given.minutes * 60 / self.speed
        late = sorted(self.late)
        print(f"\n{self.given.phones} phones, {self.given.minutes} minutes at {self.speed} × speed: {count:,} requests, "
              f"{count / seconds:,.0f} a second, {self.connections:,} connections opened")
        print(f"cores: {spent}; the load generator was late by "
              f"{late[int(len(late) * 0.99)] * 1000:.0f} ms at p99, which is part of what phones wait")
        print("memory by simulated minute, MB: " + ", ".join(f"{megabytes:.0f}" for megabytes in self.memory))
        print("\n| route | requests | p50 ms | p99 ms | longest ms |\n|---|---|---|---|---|")
        for route, values in sorted(self.latencies.items()):
            values.sort()
            cells = (values[len(values) // 2], values[int(len(values) * 0.99)], values[-1])
            print(f"| {route} | {len(values):,} | " + " | ".join(f"{value * 1000:.1f}" for value in cells) + " |")
        for (route, status), number in sorted(self.refused.items(), key=str):
            share = number / max(1, len(self.latencies[route]))
            print(f"refused: {number:,} × {status} by {route}, {share:.1%}")


class Processors:
    """Who has used the machine's processors since a moment."""

    def __init__(self, cluster, server):
        self._cluster, self._server = cluster, server
        self._start, self._before = time.monotonic(), self._now()

    def _now(self):
        return {"PostgreSQL": self._cluster.cpu_seconds(), "server": self._server.usage().cpu_seconds,
                "phones": time.process_time(), "all": usage.of_machine()}

    def spent(self):
        """Seconds since then, by name; those of all others are what is left of the machine's."""
        spent = {name: value - self._before[name] for name, value in self._now().items()}
        spent["others"] = max(0, spent.pop("all") - sum(spent.values()))
        return spent

    def __str__(self):
        seconds = time.monotonic() - self._start
        return ", ".join(f"{name} {value / seconds:.2f}" for name, value in self.spent().items())


_ROUTES = ("by id", "change", "create", "dashboard", "list", "rest", "search", "upload")


async def _costs(day, cluster, seconds=3):
    """What a request of each route takes when four at once ask for nothing else, of all tenants, in a table."""
    print("\nAlone, µs of processor for each request:\n\n| route | a second | PostgreSQL | server | phones |\n|---|---|---|---|---|")
    phones = day.phones[:100]
    for phone in phones:
        await phone.ask("list")
    for route in _ROUTES:
        day.latencies.clear()
        processors, end = Processors(cluster, day.server), time.monotonic() + seconds

        async def repeat(own):
            for phone in itertools.cycle(own):
                if time.monotonic() > end:
                    break
                await phone.ask(route)

        await asyncio.gather(*(repeat(phones[first::4]) for first in range(4)))
        count, spent = len(day.latencies[route]), processors.spent()
        cells = " | ".join(f"{spent[name] / count * 1e6:,.0f}" for name in ("PostgreSQL", "server", "phones"))
        print(f"| {route} | {count / seconds:,.0f} | {cells} |", flush=True)
    for phone in phones:
        phone.close()


def main():
    """Returns 1 where requests were refused, or memory at the end is a fifth above that of the third minute."""
    parser = argparse.ArgumentParser(prog="Benchmarks/day", description=__doc__)
    parser.add_argument("--phones", type=int, default=500)
    parser.add_argument("--minutes", type=float, default=10, help="simulated (10)")
    parser.add_argument("--speed", type=float, default=10)
    parser.add_argument("--costs", action="store_true", help="measure first what each route costs alone")
    parser.add_argument("--binary", type=Path, default=_REPOSITORY / ".build/release/swiftlet")
    given = parser.parse_args()
    extras.raise_descriptor_limit()
    options = SimpleNamespace(binary=given.binary.resolve(), workers=0)
    with Workspace(_REPOSITORY, keep=False) as run:
        cluster = Cluster(run)
        dataset.load(cluster, run.repository, options.binary, True, True, False)
        cluster.query(_BUCKET)
        settings = {"STORAGE_PATH": str(run.scratch / "files")}
        server = servers.start_swiftlet(run, cluster, options, settings=settings)
        sign_in.make_account(server)
        tokens = sign_in.new_sessions(cluster)
        if given.costs:
            asyncio.run(_costs(Day(server, tokens, given), cluster))
        day = Day(server, tokens, given)
        processors = Processors(cluster, server)
        asyncio.run(day.run())
        day.report(processors)
    grown = len(day.memory) > 3 and day.memory[-1] > 1.2 * day.memory[3]
    if grown:
        print("memory has grown")
    return 1 if day.refused or grown else 0
