"""The two load generators: wrk for servers, pgbench for the database alone."""

import json
import os
import re
import resource
import subprocess
from dataclasses import dataclass


@dataclass(frozen=True)
class Load:
    """What a load generator saw. `client_cpu_seconds` is its own CPU; percentiles are None where it has none."""

    requests: int
    seconds: float
    p50_milliseconds: float
    p99_milliseconds: float
    client_cpu_seconds: float


class Wrk:
    """wrk with one thread, as the server and PostgreSQL share the machine with it."""

    def __init__(self, workspace, connections):
        self._script = workspace.benchmarks / "wrk" / "requests.lua"
        self._refresh_script = workspace.benchmarks / "wrk" / "refresh.lua"
        self._mixed_script = workspace.benchmarks / "wrk" / "tenants.lua"
        self._body_file = workspace.scratch / "body.json"
        self._token_file = workspace.scratch / "tokens.txt"
        self._connections = connections

    def run(self, port, request, seconds, connections=None, are_refused=False):
        """Loads 127.0.0.1:port; any refused or broken request fails the whole run, as its figures would not count.

        With `are_refused`, one that is not refused does.
        """
        if request.body:
            self._body_file.write_text(request.body)
        body = self._body_file if request.body else "-"
        arguments = [request.method, request.token or "-", body, request.prefer or "-", *request.paths]
        return self._load(port, self._script, arguments, seconds, connections or self._connections, are_refused)

    def refresh(self, port, tokens, seconds):
        """Spends refresh tokens, and those that come for them."""
        self._token_file.write_text("\n".join(tokens) + "\n")
        return self._load(port, self._refresh_script, [self._token_file], seconds, self._connections)

    def mixed(self, port, requests, seconds):
        """Sends the requests of a file, each line one of them."""
        return self._load(port, self._mixed_script, [requests], seconds, self._connections)

    def _load(self, port, script, arguments, seconds, connections, are_refused=False):
        # Longer than wrk's two seconds: a login waits for its turn at a core.
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "20s", "-s", script]
        output, cpu_seconds = _timed(command + [f"http://127.0.0.1:{port}", "--", *arguments], seconds)
        summary = json.loads(re.search(r"^SUMMARY (.*)$", output, re.MULTILINE).group(1))
        expected = summary["requests"] if are_refused else 0
        if summary["refused"] != expected or summary["broken"] or not summary["requests"]:
            raise SystemExit(f"port {port}, {script.name} {arguments}: {summary}")
        return Load(
            summary["requests"], summary["microseconds"] / 1e6,
            summary["p50"] / 1000, summary["p99"] / 1000, cpu_seconds,
        )


class Pgbench:
    """`pgbench -M prepared` with the SQL of `sql/`; each set of variables gets a script and all have equal weight."""

    def __init__(self, workspace, cluster, statements):
        self._statements = statements
        self._workspace = workspace
        self._cluster = cluster
        self._best = {}

    def calibrate(self, scenario, seconds):
        """Finds the client count with the most transactions per second, and remembers it."""
        counts = (4, 8, 16, 32)
        tried = {count: self.run(scenario, seconds, count) for count in counts}
        self._best[scenario.name] = max(counts, key=lambda count: tried[count].requests / tried[count].seconds)
        return self._best[scenario.name]

    def run(self, scenario, seconds, clients=None):
        """Runs the scenario's statements one after another per transaction; without a count at the best one."""
        clients = clients or self._best[scenario.name]
        command = [self._cluster.program("pgbench"), "-n", "-M", "prepared", "-T", seconds, "-c", clients, "-j", "1"]
        if scenario.is_captured:
            script = self._workspace.scratch / f"{scenario.name}.sql"
            script.write_text(self._statements.captured(scenario))
            command += ["-f", script]
        for number, variables in enumerate(scenario.variables):
            script = self._workspace.scratch / f"{scenario.name}-{number}.sql"
            script.write_text(self._statements.script(scenario.statements, number))
            command += ["-f", script]
            for name, value in variables.items():
                command += ["-D", f"{name}_{number}={value}"]
        output, cpu_seconds = _timed(command, seconds, self._cluster.environment)
        transactions = int(re.search(r"transactions actually processed: (\d+)", output).group(1))
        if transactions == 0 or "number of failed transactions: 0 " not in output:
            raise SystemExit("pgbench failed:\n" + output)
        rate = float(re.search(r"tps = ([\d.]+)", output).group(1))
        return Load(transactions, transactions / rate, None, None, cpu_seconds)


def _timed(command, seconds, environment=None):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    finished = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, **(environment or {})}, capture_output=True, text=True, timeout=seconds + 30,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if finished.returncode != 0:
        raise SystemExit(f"{command[0]} failed:\n{finished.stdout}\n{finished.stderr}")
    return finished.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
