"""What a request costs that a rate limit refuses, beside /health of the same server."""

import json
import statistics
from dataclasses import dataclass

from . import scenarios, servers, web

NAMES = ("limited",)
# One request a day: all others are refused.
_LIMITS = {"account": "account=1/1d", "all": "all=1/1d"}


@dataclass(frozen=True)
class Refusal:
    """One round: CPU of the server, and statements that reached PostgreSQL meanwhile."""

    kind: str
    rate: float
    server_microseconds: float
    health_microseconds: float
    statements: int


def start(run, cluster, options):
    """A server per kind of limit, as a limit is one of the whole server."""
    return {
        kind: servers.start_swiftlet(run, cluster, options, spare=f"-limited-{kind}", settings={"RATE_LIMIT": limit})
        for kind, limit in _LIMITS.items()
    }


def measure(kind, server, cluster, wrk, task_id, seconds):
    token = web.mint_token(scenarios.READING_TENANT, scenarios.USER)
    request = web.Request(paths=(f"/tasks/{task_id}",), token=token)
    for _ in range(2):
        answer = web.send(server.port, request)
    if answer.status != 429 or json.loads(answer.body)["code"] != "RATE_LIMITED":
        raise SystemExit(f"a limited server answers {answer.status}: {answer.body[:200]!r}")
    statements = _statements(cluster)
    microseconds, rate = _cost(server, wrk, request, seconds, are_refused=True)
    sent = _statements(cluster) - statements
    health, _ = _cost(server, wrk, scenarios.HEALTH, seconds)
    return Refusal(kind, rate, microseconds, health, sent)


def median(samples, kind, figure):
    """The median over rounds, or None."""
    values = [getattr(sample, figure) for sample in samples if sample.kind == kind]
    return statistics.median(values) if values else None


def print_samples(samples):
    if not samples:
        return
    print("\nRefused by a limit: GET /tasks/:id")
    for kind, limit in _LIMITS.items():
        figures = {figure: median(samples, kind, figure) for figure in Refusal.__dataclass_fields__ if figure != "kind"}
        print(f"  {limit:<14}{figures['rate']:>10,.0f} a second; CPU {figures['server_microseconds']:.1f} µs, of /health "
              f"{figures['health_microseconds']:.1f} µs; transactions in PostgreSQL {figures['statements']:.0f}")


def _cost(server, wrk, request, seconds, are_refused=False):
    before = server.usage()
    load = wrk.run(server.port, request, seconds, are_refused=are_refused)
    used = server.usage() - before
    return used.cpu_seconds / load.requests * 1e6, load.requests / load.seconds


def _statements(cluster):
    """Transactions of the database so far; the server's own few a second are among them."""
    rows = cluster.query("SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()")
    return int(rows[0][0])
