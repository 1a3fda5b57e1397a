"""One run of the tenants benchmark from start to end."""

import argparse
import json
import random
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

from .. import dataset, servers
from ..cluster import Cluster
from ..load import Wrk
from ..workspace import Workspace
from . import plans, shards
from .tenant import NEW_TASK, ROUTES, Tenant

_REPOSITORY = Path(__file__).resolve().parents[3]
# Of a hundred requests of the mixed load.
_MIX = {"by id": 50, "list": 30, "search": 5, "filter": 5, "insert": 10}


def main():
    """Returns 1 where a statement read rows of other tenants."""
    sys.stdout.reconfigure(line_buffering=True)
    parser = argparse.ArgumentParser(prog="Benchmarks/tenants", description=__doc__)
    parser.add_argument("--tenants", type=int, default=10_000)
    parser.add_argument("--largest", type=int, default=300_000, help="tasks of the largest tenant (300000)")
    parser.add_argument("--exponent", type=float, default=1.12, help="tenant r has largest / r^exponent tasks (1.12)")
    parser.add_argument("--seconds", type=float, default=3, help="of one route of one tenant (3)")
    parser.add_argument("--connections", type=int, default=8, help="of the mixed load (8)")
    parser.add_argument("--binary", type=Path, default=_REPOSITORY / ".build/release/swiftlet")
    given = parser.parse_args()
    options = SimpleNamespace(binary=given.binary.resolve(), workers=0)
    with Workspace(_REPOSITORY, keep=False) as run:
        cluster = Cluster(run, shared_buffers="1GB")
        dataset.migrate(cluster, run.repository, options.binary)
        begin = time.monotonic()
        _fill(cluster, run, given)
        sizes = [int(row[0]) for row in cluster.query("SELECT count(*) FROM tasks GROUP BY tenant_id ORDER BY 1 DESC")]
        print(f"{len(sizes):,} tenants, {sum(sizes):,} tasks, filled in {time.monotonic() - begin:.0f} s; the largest has "
              f"{sizes[0]:,} ({sizes[0] / sum(sizes):.0%}), the hundred largest {sum(sizes[:100]) / sum(sizes):.0%}, "
              f"the median {sizes[len(sizes) // 2]:,}, the smallest {sizes[-1]:,}")
        measured = {"largest": 1, "median": (given.tenants + 1) // 2, "smallest": given.tenants}
        tenants = {name: Tenant(cluster, rank) for name, rank in measured.items()}
        server = servers.start_swiftlet(run, cluster, options)
        begin = time.monotonic()
        alone = _series(cluster, server, tenants, given.seconds)
        together, load = _beside(run, cluster, server, sizes, tenants, given, int(2 * (time.monotonic() - begin)))
        _print_latencies(tenants, alone, together)
        print(f"\nThe mixed load alone, {given.connections} connections: {load['alone']}; beside the figures: {load['beside']}")
        strangers = plans.examine(run, cluster, options, tenants)
        shards.show(cluster)
    return 1 if strangers else 0


def _fill(cluster, run, given):
    settings = {"tenants": given.tenants, "largest": given.largest, "exponent": given.exponent}
    arguments = [part for name, value in settings.items() for part in ("-v", f"{name}={value}")]
    cluster.run("psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-o", "/dev/null", *arguments,
                "-f", run.benchmarks / "sql/tenants.sql", database=cluster.database)


def _series(cluster, server, tenants, seconds):
    """The times of requests one after another, in seconds, sorted, by tenant and route."""
    times = {}
    for name, tenant in tenants.items():
        for route in ROUTES:
            with tenant.connect(server.port) as connection:
                for _ in range(3):
                    connection.ask(route)
                end, series = time.monotonic() + seconds, []
                while time.monotonic() < end or len(series) < 10:
                    begin = time.perf_counter()
                    connection.ask(route)
                    series.append(time.perf_counter() - begin)
            times[name, route] = sorted(series)
        tenant.forget_inserted(cluster)
    return times


def _beside(run, cluster, server, sizes, tenants, given, seconds):
    """The same while all tenants ask, each as often as its size says, and what they are served."""
    script = run.scratch / "requests.txt"
    script.write_text("\n".join(_requests(run, sizes)) + "\n")
    wrk, load = Wrk(run, given.connections), {}
    load["alone"] = _told(wrk.mixed(server.port, script, 8))

    def ask():
        load["beside"] = _told(wrk.mixed(server.port, script, seconds))

    thread = threading.Thread(target=ask)
    thread.start()
    times = _series(cluster, server, tenants, given.seconds)
    if not thread.is_alive():
        print("the mixed load ended before the last of the figures")
    thread.join()
    return times, load


def _requests(run, sizes, count=20_000):
    """Lines for `tenants.lua`."""
    source = random.Random(1)
    body = run.scratch / "task.json"
    body.write_text(json.dumps(NEW_TASK))
    known = {}
    ranks = source.choices(range(1, len(sizes) + 1), weights=sizes, k=count)
    for rank, route in zip(ranks, source.choices(list(_MIX), weights=_MIX.values(), k=count)):
        tenant = known.setdefault(rank, Tenant(None, rank))
        method, path = tenant.request(route, 1 + source.randrange(sizes[rank - 1]))
        yield f"{method} {path} {tenant.token} {body if method == 'POST' else '-'}"


def _told(load):
    rate = load.requests / load.seconds
    return f"{rate:,.0f} requests a second, {load.p50_milliseconds:.1f} ms in the median, {load.p99_milliseconds:.1f} at p99"


def _print_latencies(tenants, alone, together):
    print("\nms, median and p99, one at a time; then beside the mixed load")
    print("\n| route | " + " | ".join(f"{name} ({tenant.size:,})" for name, tenant in tenants.items()) + " | "
          + " | ".join(f"{name}, beside" for name in tenants) + " |")
    print("|---" * (1 + 2 * len(tenants)) + "|")
    for route in ROUTES:
        cells = [times[name, route] for times in (alone, together) for name in tenants]
        print(f"| {route} | " + " | ".join(
            f"{series[len(series) // 2] * 1000:.2f}, {series[int(len(series) * 0.99)] * 1000:.1f}" for series in cells) + " |")
