"""What jobs cost: rates, times from due to start, what others feel of them, and what they leave behind."""

import re
import statistics as statistic
import subprocess
import threading
import time

from .. import web
from ..load import Wrk
from ..statements import sent_during
from .claims import Claims

_ENQUEUE = "INSERT INTO swiftlet.jobs (name, payload) SELECT 'nothing', '{{\"number\":1}}' FROM generate_series(1, {})"


def measure(run, cluster, servers, options):
    results = []

    def note(name, value, goal=""):
        print(f"{name}: {value}", flush=True)
        results.append((name, value, goal))

    claims = Claims.captured(cluster, servers, lambda: enqueue(cluster, 1))
    best = claims.best_rate(run, cluster, lambda: enqueue(cluster, options.jobs // 2))
    note("pgbench, the same claim and completion", f"{best.rate:,.0f} jobs/s", f"at its best: {best.clients} clients, {best.batch} a claim")
    rate = rate_of_two_servers(cluster, servers, options.jobs)
    note("two servers, empty jobs", f"{rate:,.0f} jobs/s")
    note("  × pgbench", f"{rate / best.rate:.2f}", "≥ 0.5")
    first = sizes(cluster)
    _measure_growth(cluster, servers, options, first, note)
    _measure_snapshot(cluster, servers, options, note)

    # It performs no jobs, so that those of the requests do not run beside them.
    server = servers.start("enqueuing", JOB_CONCURRENCY=0)
    _measure_enqueue(run, cluster, server, note)
    servers.stop(server)
    server = servers.start("alone")
    _measure_latency(cluster, rate, note)
    _measure_idle(cluster, note)
    _measure_neighbors(run, cluster, server, note)
    servers.stop(server)
    return results


def enqueue(cluster, count):
    cluster.query(_ENQUEUE.format(count) + "; NOTIFY swiftlet_jobs")


def forget(cluster):
    cluster.query("TRUNCATE swiftlet.jobs, swiftlet.job_history; VACUUM ANALYZE swiftlet.jobs")


def waiting(cluster):
    return int(cluster.query("SELECT count(*) FROM swiftlet.jobs")[0][0])


def rate_of_two_servers(cluster, servers, count):
    """By the times in the history: from the first start to the last end."""
    forget(cluster)
    enqueue(cluster, count)
    running = [servers.start("first"), servers.start("second")]
    wait_until_done(cluster)
    servers.stop(*running)
    row = cluster.query(
        "SELECT count(*) / extract(epoch FROM max(finished_at) - min(started_at)) FROM swiftlet.job_history"
    )
    return float(row[0][0])


def wait_until_done(cluster, seconds=300):
    deadline = time.monotonic() + seconds
    while cluster.query("SELECT 1 FROM swiftlet.jobs LIMIT 1"):
        if time.monotonic() > deadline:
            raise SystemExit(f"{waiting(cluster)} jobs are not done")
        time.sleep(0.05)


def sizes(cluster):
    """Of the hot table with its indexes, in MB, once vacuum has seen it."""
    time.sleep(3)
    return int(cluster.query("SELECT pg_total_relation_size('swiftlet.jobs')")[0][0]) / 1e6


def _measure_growth(cluster, servers, options, first, note):
    """10 000 jobs every other second, as a queue in steady state. PostgreSQL starts a vacuum each minute, far apart for a
    run so short: here each second."""
    cluster.query("ALTER SYSTEM SET autovacuum_naptime = '1s'")
    cluster.query("SELECT pg_reload_conf()")
    forget(cluster)
    running = [servers.start("first"), servers.start("second")]
    small = None
    for number in range(options.growth // 10_000):
        began = time.monotonic()
        enqueue(cluster, 10_000)
        wait_until_done(cluster)
        if number == 0:
            small = sizes(cluster)
        time.sleep(max(0, 2 - (time.monotonic() - began)))
    servers.stop(*running)
    large = sizes(cluster)
    cluster.query("ALTER SYSTEM RESET autovacuum_naptime")
    cluster.query("SELECT pg_reload_conf()")
    note(f"hot table after {options.growth:,} jobs (after 10 000: {small:.1f} MB)", f"{large:.1f} MB, {large / small:.2f} ×", "≤ 2")


def _measure_snapshot(cluster, servers, options, note):
    """Somebody's transaction stays open, so that nothing dead can be removed."""
    forget(cluster)
    running = [servers.start("first"), servers.start("second")]
    count = options.jobs // 2
    without = statistic.median(_rate_of_running(cluster, count) for _ in range(5))
    holder = subprocess.Popen(
        [cluster.program("psql"), "-XqAt"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=cluster.environment
    )
    holder.stdin.write("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;\n")
    holder.stdin.flush()
    holder.stdout.readline()
    began = time.monotonic()
    with_it = []
    while time.monotonic() - began < options.snapshot_seconds:
        with_it.append(_rate_of_running(cluster, count))
        time.sleep(1)
    holder.stdin.close()
    holder.wait()
    servers.stop(*running)
    last = statistic.median(with_it[-5:])
    note(f"with a snapshot held open for {options.snapshot_seconds} s, last rounds", f"{last / without:.2f} × without", "≥ 0.9")


def _rate_of_running(cluster, count):
    """The hot table is not asked whether it is empty: beside a snapshot that would read all that is dead in it."""
    cluster.query("TRUNCATE swiftlet.job_history")
    enqueue(cluster, count)
    deadline = time.monotonic() + 300
    while int(cluster.query("SELECT count(*) FROM swiftlet.job_history")[0][0]) < count:
        if time.monotonic() > deadline:
            raise SystemExit(f"{count} jobs are not done")
        time.sleep(0.1)
    row = cluster.query("SELECT count(*) / extract(epoch FROM max(finished_at) - min(started_at)) FROM swiftlet.job_history")
    return float(row[0][0])


def _measure_enqueue(run, cluster, server, note):
    """Requests that enqueue one job each, beside pgbench with the same INSERT."""
    sent = sent_during(cluster, lambda: web.send(server.port, web.Request(("/jobs",), "POST", body="{}")), with_values=True)
    script = run.scratch / "enqueue.sql"
    script.write_text(next(text for text in sent if text.startswith("INSERT INTO swiftlet.jobs")) + ";\n")
    ours = Wrk(run, 32).run(server.port, web.Request(("/jobs",), "POST", body="{}"), 4)
    cluster.query("TRUNCATE swiftlet.jobs")
    theirs = max(_pgbench_rate(run, cluster, script, clients) for clients in (8, 16, 32))
    cluster.query("TRUNCATE swiftlet.jobs")
    rate = ours.requests / ours.seconds
    note("enqueue by POST, one job each", f"{rate:,.0f} /s = {rate / theirs:.2f} × pgbench", "≥ 0.6")


def _pgbench_rate(run, cluster, script, clients, seconds=3):
    output = subprocess.run(
        [cluster.program("pgbench"), "-n", "-M", "prepared", "-f", script, "-c", str(clients), "-j", "1", "-T", str(seconds)],
        env=cluster.environment, capture_output=True, text=True, timeout=60, check=True,
    ).stdout
    return float(re.search(r"tps = ([\d.]+)", output).group(1))


def _late(cluster):
    """Milliseconds from due to start of the jobs in the history, sorted."""
    rows = cluster.query(
        "SELECT 1000 * extract(epoch FROM started_at - due) FROM swiftlet.job_history WHERE state = 'done' ORDER BY 1"
    )
    return [float(row[0]) for row in rows]


def _measure_latency(cluster, rate, note):
    forget(cluster)
    for _ in range(200):
        enqueue(cluster, 1)
        time.sleep(0.01)
    wait_until_done(cluster)
    late = _late(cluster)
    note("enqueue to start when idle, median", f"{statistic.median(late):.1f} ms", "< 4")
    forget(cluster)
    cluster.query(
        "INSERT INTO swiftlet.jobs (name, payload, due) SELECT 'nothing', '{\"number\":1}', clock_timestamp() + 1 * interval '1 second' "
        "+ i * interval '20 milliseconds' FROM generate_series(1, 200) AS i; NOTIFY swiftlet_jobs"
    )
    wait_until_done(cluster)
    late = _late(cluster)
    note("due to start when idle, p99", f"{late[int(len(late) * 0.99)]:.0f} ms", "≤ 50")
    forget(cluster)
    count = int(rate / 4 * 4)
    cluster.query(
        "INSERT INTO swiftlet.jobs (name, payload, due) SELECT 'nothing', '{\"number\":1}', clock_timestamp() "
        f"+ interval '2 seconds' + i * interval '4 seconds' / {count} FROM generate_series(1, {count}) AS i; NOTIFY swiftlet_jobs"
    )
    wait_until_done(cluster)
    late = _late(cluster)
    note("due to start at half load, p99", f"{late[int(len(late) * 0.99)]:.0f} ms", "≤ 250")


def _measure_idle(cluster, note):
    """Statements of a server that has nothing to do."""
    forget(cluster)
    # Until what ran before has been cleared away.
    time.sleep(65)
    sent = sent_during(cluster, lambda: time.sleep(60))
    ours = [text for text in sent if "swiftlet_job" in text]
    note("statements of an idle server in a minute", f"{len(ours)}", "≤ 2")


def _measure_neighbors(run, cluster, server, note):
    """Reads by id alone, beside another client of the database that takes the processor, and beside jobs."""
    cluster.query(
        "INSERT INTO tasks (tenant_id, created_by, title, status, priority) SELECT 'acme', 'ada', 'x', 'todo', 'low' FROM generate_series(1, 1000)"
    )
    identifier = cluster.query("SELECT id FROM tasks LIMIT 1")[0][0]
    request = web.Request((f"/tasks/{identifier}",), token=web.mint_token("acme", "ada"))
    wrk = Wrk(run, 64)
    alone = wrk.run(server.port, request, 4)
    spin = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    shared = wrk.run(server.port, request, 4)
    spin.kill()
    spin.wait()
    forget(cluster)
    stop = threading.Event()

    def feed():
        while not stop.is_set():
            if waiting(cluster) < 50_000:
                enqueue(cluster, 50_000)
            time.sleep(0.1)

    feeder = threading.Thread(target=feed)
    feeder.start()
    time.sleep(1)
    beside = wrk.run(server.port, request, 4)
    stop.set()
    feeder.join()
    rates = [each.requests / each.seconds for each in (alone, shared, beside)]
    note(
        "GET /tasks/:id while jobs run at full rate",
        f"{rates[2] / rates[1]:.2f} × ({rates[2] / rates[0]:.2f} × of alone)",
        "≥ 0.7 of an equal share of the processor: beside a program that takes all it gets",
    )
    note("  its p99", f"{beside.p99_milliseconds:.1f} ms, {beside.p99_milliseconds / alone.p99_milliseconds:.1f} × of alone", "< 5")
    wait_until_done(cluster)
