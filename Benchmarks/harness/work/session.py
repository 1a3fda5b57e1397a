"""One run of the jobs benchmark from start to end."""

import argparse
import json
from pathlib import Path

from ..cluster import Cluster
from ..workspace import Workspace
from . import figures, messages, peers
from .servers import WorkServers

_REPOSITORY = Path(__file__).resolve().parents[3]


def main():
    """Prints the table; 0 unless nothing was measured."""
    parser = argparse.ArgumentParser(prog="Benchmarks/jobs", description=__doc__)
    parser.add_argument("--jobs", type=int, default=100_000, help="jobs of a measurement (100000)")
    parser.add_argument("--growth", type=int, default=200_000, help="jobs after which the tables are measured again")
    parser.add_argument("--snapshot-seconds", type=int, default=120, help="how long a snapshot is held open (120)")
    parser.add_argument("--messages", type=int, default=20_000, help="push messages to send (20000)")
    parser.add_argument("--binary", type=Path, default=_REPOSITORY / ".build-work/release/work")
    parser.add_argument("--no-peers", action="store_true", help="leave procrastinate and pgqueuer out")
    parser.add_argument("--keep", action="store_true", help="keep the scratch folder with the logs of all servers")
    options = parser.parse_args()
    with Workspace(_REPOSITORY, options.keep) as run:
        # As in production: what jobs leave behind is cleared away while they run.
        cluster = Cluster(run, autovacuum="on")
        servers = WorkServers(run, cluster, options.binary)
        servers.migrate()
        results = figures.measure(run, cluster, servers, options)
        results += messages.measure(run, servers, options.messages)
        if not options.no_peers:
            results += peers.measure(run, cluster, servers, options.jobs // 5)
    print()
    for name, value, goal in results:
        print(f"{name:<62} {value:>22}   {goal}")
    (run.cache / "jobs.json").write_text(json.dumps(results, indent=1))
    return 0 if results else 2
