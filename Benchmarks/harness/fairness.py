"""How long short requests wait while others ask for much."""

import asyncio
import contextlib
import multiprocessing
import re
import statistics
import time
from dataclasses import dataclass

from . import scenarios, web

NAMES = ("burst", "slow")
TITLES = {
    "burst": "GET /tasks/:id, 200 a second, beside a hundred lists of 500 rows at once, each second",
    "slow": "GET /rest/v1/rpc/nap, 32 at a time, of which one a second takes half a second",
}

_INTERVAL = 1 / 200
_BURST = 100
_NEIGHBOURS = 32
_NAP = "/rest/v1/rpc/nap?seconds="
# The background has begun and every statement is known by then.
_WARM_UP_SECONDS = 2


@dataclass(frozen=True)
class Fairness:
    """One round of one kind; times are in milliseconds."""

    name: str
    contestant: str
    p50_milliseconds: float
    p99_milliseconds: float


def measure_burst(contestant, server, task_ids, seconds):
    """Reads on schedule: each latency counts from when the request was due."""
    token = web.mint_token(scenarios.READING_TENANT, scenarios.USER)
    paths = [f"/tasks/{identifier}" for identifier in task_ids]
    with _disturbed(server.port, "/tasks?limit=500", token, _BURST):
        latencies = sorted(asyncio.run(_on_schedule(server.port, paths, token, seconds)))
    middle, late = latencies[len(latencies) // 2], latencies[int(len(latencies) * 0.99)]
    return Fairness("burst", contestant, middle * 1000, late * 1000)


def measure_slow(contestant, server, wrk, seconds):
    """What is sent together with a statement that is slow for once."""
    token = web.mint_token(scenarios.READING_TENANT, scenarios.USER)
    request = web.Request(paths=(f"{_NAP}0",), token=token)
    with _disturbed(server.port, f"{_NAP}0.5", token, 1):
        load = wrk.run(server.port, request, _WARM_UP_SECONDS + seconds, connections=_NEIGHBOURS)
    return Fairness("slow", contestant, load.p50_milliseconds, load.p99_milliseconds)


@contextlib.contextmanager
def _disturbed(port, path, token, count):
    background = multiprocessing.Process(target=_disturb, args=(port, path, token, count), daemon=True)
    background.start()
    try:
        yield
    finally:
        background.terminate()
        background.join()


def median(samples, name, contestant, figure="p99_milliseconds"):
    """The median over rounds, or None."""
    values = [getattr(each, figure) for each in samples if (each.name, each.contestant) == (name, contestant)]
    return statistics.median(values) if values else None


def _disturb(port, path, token, count):
    asyncio.run(_bursts(_Client(port, token), path, count))


async def _bursts(client, path, count):
    while True:
        due = time.monotonic() + 1
        await asyncio.gather(*(client.get(path) for _ in range(count)))
        await asyncio.sleep(max(0, due - time.monotonic()))


async def _on_schedule(port, paths, token, seconds):
    client = _Client(port, token)
    start = time.monotonic()
    count = round((_WARM_UP_SECONDS + seconds) / _INTERVAL)
    asked = []
    for number in range(count):
        due = start + number * _INTERVAL
        await asyncio.sleep(max(0, due - time.monotonic()))
        asked.append(asyncio.ensure_future(client.get(paths[number % len(paths)], due)))
    latencies = await asyncio.gather(*asked)
    return latencies[round(_WARM_UP_SECONDS / _INTERVAL):]


class _Client:
    """Keeps as many connections as it needs at once."""

    def __init__(self, port, token):
        self._port = port
        self._fields = f"Host: localhost\r\nAuthorization: Bearer {token}\r\n\r\n"
        self._idle = []

    async def get(self, path, due=None):
        """Seconds from when it was due to the last byte of the answer; anything but 200 ends the run."""
        due = due or time.monotonic()
        if not self._idle:
            self._idle.append(await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 20))
        reader, writer = self._idle.pop()
        writer.write(f"GET {path} HTTP/1.1\r\n{self._fields}".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200 "):
            raise SystemExit(f"{path} answers {head.decode()}")
        await reader.readexactly(int(re.search(rb"(?i)content-length: *(\d+)", head).group(1)))
        self._idle.append((reader, writer))
        return time.monotonic() - due
