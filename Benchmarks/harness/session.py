"""One benchmark run from start to end."""

import signal
import sys
from pathlib import Path

from . import checks, dataset, dependencies, extras, options, report, scenarios, servers, web
from .cluster import Cluster
from .load import Pgbench, Wrk
from .results import Results
from .rounds import Rounds
from .workspace import Workspace

_REPOSITORY = Path(__file__).resolve().parents[2]


def main():
    """Returns the exit status: 0 when every measured goal is met, 1 when one is missed, 2 when the run was cut short."""
    chosen = options.parse(None, _REPOSITORY, scenarios.NAMES)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"stopped after {chosen.limit_seconds} seconds"))
    signal.alarm(chosen.limit_seconds)
    extras.raise_descriptor_limit()
    try:
        with Workspace(_REPOSITORY, chosen.keep) as run:
            return _run(run, chosen)
    except KeyboardInterrupt:
        print("\ninterrupted; everything is stopped and removed", file=sys.stderr)
        return 2


def _run(run, chosen):
    found = dependencies.prepare(chosen, run.cache)
    for contestant, remedy in found.missing.items():
        print(f"not installed: {contestant}: {remedy}")
    present = chosen.contestants - set(found.missing)

    _say("loading 100 000 tasks of 100 tenants into a scratch PostgreSQL")
    cluster = Cluster(run)
    task_ids = dataset.load(cluster, run.repository)
    results = Results()
    contestants = _start(run, cluster, chosen, found, present)
    pgbench = Pgbench(run, cluster)
    rounds = Rounds(chosen, cluster, Wrk(run, chosen.connections), pgbench, contestants)
    measured = [each for each in scenarios.all_scenarios(task_ids) if each.name in chosen.scenarios]
    for scenario in measured:
        _say(scenario.title)
        _measure(scenario, present, contestants, pgbench, rounds, chosen, cluster, results)
    if "swiftlet" in contestants:
        results.megabytes_after_run = contestants["swiftlet"].resident_megabytes()
        idle = contestants["swiftlet"]
        results.megabytes_idle = extras.megabytes_with_idle_connections(idle, chosen.idle_connections)
        results.milliseconds_to_start = extras.milliseconds_to_first_answer(run, cluster, chosen)

    report.print_table(results, measured)
    missed = report.print_goals(results, chosen.idle_connections) if "swiftlet" in present else 0
    for note in results.notes:
        print(f"note: {note}")
    report.write_json(results, chosen, run.cache / "results.json")
    return 1 if missed else 0


def _start(run, cluster, chosen, found, present):
    """Starts all servers; they idle while others are measured. nginx and the peers copy Swiftlet's /health."""
    started = {}
    if "swiftlet" in present:
        started["swiftlet"] = servers.start_swiftlet(run, cluster, chosen)
        started["swiftlet-info"] = servers.start_swiftlet(run, cluster, chosen, log_level="info")
    health = servers.SAMPLE_HEALTH
    if "swiftlet" in started:
        health = web.send(started["swiftlet"].port, web.Request(paths=("/health",)))
    if "nginx" in present:
        started["nginx"] = servers.start_nginx(run, health)
    if "deno" in present:
        started["deno"] = servers.start_deno(run, cluster, found, health)
    if "go" in present:
        started["go"] = servers.start_go(run, cluster, found, health)
    return started


def _measure(scenario, present, contestants, pgbench, rounds, chosen, cluster, results):
    taking_part = [name for name in scenario.contestants if name.split("-")[0] in present]
    speaking_http = {name: contestants[name] for name in taking_part if name in contestants}
    faults = checks.same_answers(scenario, speaking_http)
    results.faults[scenario.name] = faults
    for name, fault in faults.items():
        print(f"  {name} is not counted: {fault}")
    if "swiftlet" in speaking_http:
        for name, server in speaking_http.items():
            missing = checks.missing_fields(server, speaking_http["swiftlet"], scenario.request)
            if missing:
                results.notes.append(f"{scenario.title}: {name} does not send {', '.join(missing)}")
    if "pgbench" in taking_part:
        results.client_counts[scenario.name] = pgbench.calibrate(scenario, chosen.calibration_seconds)
    if scenario.writes:
        dataset.remove_written_rows(cluster)
    counted = [name for name in taking_part if name not in faults]
    if counted:
        results.samples[scenario.name] = rounds.measure(scenario, counted, _say)


def _say(text):
    print(text, flush=True)
