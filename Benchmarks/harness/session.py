"""One benchmark run from start to end."""

import signal
import sys
from pathlib import Path

from . import (
    checks, dataset, dependencies, extras, fairness, instructions, limited, options, report, scenarios, servers, sign_in, web,
)
from .cluster import Cluster
from .load import Pgbench, Wrk
from .results import Results
from .rounds import Rounds
from .statements import Statements, sent_during
from .workspace import Workspace, stop

_REPOSITORY = Path(__file__).resolve().parents[2]


def main():
    """Returns the exit status: 0 when every measured goal is met, 1 when not, 2 when nothing was measured."""
    chosen = options.parse(None, _REPOSITORY, scenarios.NAMES + sign_in.NAMES + fairness.NAMES + limited.NAMES)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    signal.signal(signal.SIGALRM, _stop_measuring)
    signal.alarm(chosen.limit_seconds)
    extras.raise_descriptor_limit()
    try:
        with Workspace(_REPOSITORY, chosen.keep) as run:
            return _Session(run, chosen).run()
    except _OutOfTime:
        print(f"stopped after {chosen.limit_seconds} seconds, before anything was measured", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\ninterrupted; everything is stopped and removed", file=sys.stderr)
        return 2


class _OutOfTime(Exception):
    """Raised by the alarm; what has been measured by then is reported."""


def _stop_measuring(*_):
    raise _OutOfTime


class _Session:
    def __init__(self, workspace, chosen):
        self._workspace = workspace
        self._chosen = chosen
        self._results = Results()
        self._servers = {}
        self._is_complete = True

    def run(self):
        """Prepares, starts, checks, measures, reports."""
        self._found = dependencies.prepare(self._chosen, self._workspace.cache)
        for contestant, remedy in self._found.missing.items():
            _say(f"not installed: {contestant}: {remedy}")
        self._present = self._chosen.contestants - set(self._found.missing)
        if self._chosen.before:
            self._present |= {"before"}

        _say("loading 100 000 tasks of 100 tenants into a scratch PostgreSQL")
        self._cluster = Cluster(self._workspace)
        has_business = bool(self._chosen.scenarios & set(scenarios.BUSINESS))
        has_rest = bool(self._chosen.scenarios & set(scenarios.REST))
        has_fairness = "slow" in self._chosen.scenarios
        task_ids = dataset.load(
            self._cluster, self._workspace.repository, self._chosen.binary, has_business, has_rest, has_fairness
        )
        self._statements = Statements(self._workspace.benchmarks, self._cluster)
        self._pgbench = Pgbench(self._workspace, self._cluster, self._statements)
        self._start_servers()
        wrk = Wrk(self._workspace, self._chosen.connections)
        rounds = Rounds(self._chosen, self._cluster, wrk, self._pgbench, self._servers)

        chosen = [each for each in scenarios.all_scenarios(task_ids) if each.name in self._chosen.scenarios]
        parts = [(scenario.title, lambda scenario=scenario: self._measure(scenario, rounds)) for scenario in chosen] + [
            ("fairness", lambda: self._measure_fairness(wrk, task_ids)),
            ("refusals", lambda: self._measure_refusals(wrk, task_ids)),
            ("signing in", lambda: self._measure_sign_in(wrk)),
            ("memory and start", self._measure_without_load),
            ("instructions", lambda: self._count_instructions(
                wrk, [each for each in chosen if each.name in ("point", "page")]
            )),
        ]
        try:
            for title, measure in parts:
                self._attempt(title, measure)
        except _OutOfTime:
            self._is_complete = False
            self._results.notes.append(f"stopped after {self._chosen.limit_seconds} seconds: rows are missing")
        return self._report(chosen)

    def _attempt(self, title, measure):
        """A part that fails costs its own rows, and not what the others have measured."""
        try:
            measure()
        except (SystemExit, Exception) as error:
            # SIGTERM ends the run with a number; whatever else fails says a sentence.
            if isinstance(error, _OutOfTime) or (isinstance(error, SystemExit) and isinstance(error.code, int)):
                raise
            self._is_complete = False
            self._results.notes.append(f"{title} failed: {error}")
            _say(f"  {title} failed: {error}")

    def _measure(self, scenario, rounds):
        _say(scenario.title)
        counted = self._check(scenario)
        if "pgbench" in counted:
            clients = self._pgbench.calibrate(scenario, self._chosen.calibration_seconds)
            self._results.client_counts[scenario.name] = clients
            self._clean(scenario)
        if counted:
            self._results.samples[scenario.name] = rounds.measure(scenario, counted, _say)

    def _start_servers(self):
        """Starts all servers; they idle while others are measured. nginx and the peers copy Swiftlet's /health."""
        health = servers.SAMPLE_HEALTH
        if "swiftlet" in self._present:
            for name, log_level in (("swiftlet", "warning"), ("swiftlet-info", "info")):
                self._servers[name] = servers.start_swiftlet(self._workspace, self._cluster, self._chosen, log_level)
            health = web.send(self._servers["swiftlet"].port, web.Request(paths=("/health",)))
        if self._chosen.before:
            self._servers["before"] = servers.start_swiftlet(
                self._workspace, self._cluster, self._chosen, spare="-before", binary=self._chosen.before
            )
        if "nginx" in self._present:
            self._servers["nginx"] = servers.start_nginx(self._workspace, health)
        peers = servers.PeerSettings(self._cluster, self._statements, health)
        for name, start in (("deno", servers.start_deno), ("go", servers.start_go)):
            if name in self._present:
                self._servers[name] = start(self._workspace, peers, self._found)

    def _check(self, scenario):
        """Names of those whose answers are right; the others are reported with their fault."""
        taking_part = [name for name in scenario.contestants if name.split("-")[0] in self._present]
        speaking_http = {
            name: self._servers[name]
            for name in taking_part if name in self._servers and scenario.request_to(name) is scenario.request
        }
        faults = checks.same_answers(scenario, speaking_http)
        self._results.faults[scenario.name] = faults
        for name, fault in faults.items():
            _say(f"  {name} is not counted: {fault}")
        if "swiftlet" in speaking_http:
            self._compare_with_swiftlet(scenario, speaking_http)
        self._clean(scenario)
        return [name for name in taking_part if name not in faults]

    def _compare_with_swiftlet(self, scenario, speaking_http):
        """Differences that do not spoil a row but that its reader should know of."""
        port = self._servers["swiftlet"].port
        for name, server in speaking_http.items():
            missing = checks.missing_fields(server, speaking_http["swiftlet"], scenario.request)
            if missing:
                self._results.notes.append(f"{scenario.title}: {name} does not send {', '.join(missing)}")
        if scenario.is_captured:
            self._statements.capture(scenario, self._cluster, lambda: web.send(port, scenario.request))
            return
        sent = sent_during(self._cluster, lambda: web.send(port, scenario.request))
        for text in self._statements.differences(scenario.statements, sent):
            self._results.notes.append(f"{scenario.title}: pgbench does not run this statement of Swiftlet's: {text}")

    def _measure_fairness(self, wrk, task_ids):
        seconds = self._chosen.seconds
        measures = {
            "burst": lambda name, server: fairness.measure_burst(name, server, task_ids, seconds),
            "slow": lambda name, server: fairness.measure_slow(name, server, wrk, seconds),
        }
        for row in (row for row in fairness.NAMES if row in self._chosen.scenarios):
            _say(fairness.TITLES[row])
            for number in range(self._chosen.rounds):
                for name in (name for name in ("swiftlet", "before") if name in self._servers):
                    sample = measures[row](name, self._servers[name])
                    _say(f"  round {number + 1}  {name:<10}p99 {sample.p99_milliseconds:.1f} ms")
                    self._results.fairness.append(sample)

    def _measure_refusals(self, wrk, task_ids):
        if "swiftlet" not in self._servers or not self._chosen.scenarios & set(limited.NAMES):
            return
        _say("GET /tasks/:id, refused by a limit")
        limited_servers = limited.start(self._workspace, self._cluster, self._chosen)
        for number in range(self._chosen.rounds):
            for kind, server in limited_servers.items():
                sample = limited.measure(kind, server, self._cluster, wrk, task_ids[0], self._chosen.seconds)
                _say(f"  round {number + 1}  {kind:<10}CPU {sample.server_microseconds:.1f} µs")
                self._results.refusals.append(sample)
        for server in limited_servers.values():
            stop(server.processes[0])

    def _measure_sign_in(self, wrk):
        server = self._servers.get("swiftlet")
        wanted = self._chosen.scenarios & set(sign_in.NAMES)
        if server is None or not wanted:
            return
        _say("POST /mobile-auth/login, POST /auth/v1/token?grant_type=refresh_token")
        seconds = self._chosen.seconds
        sign_in.make_account(server)
        for number in range(self._chosen.rounds):
            if "login" in wanted:
                sample = sign_in.measure_login(server, wrk, seconds)
                _say(f"  round {number + 1}  {sample.login_rate:.1f} logins/s, {sample.bcrypt_rate:.1f} bare hashes/s")
                self._results.sign_ins.append(sample)
            if "refresh" in wanted:
                tokens = sign_in.new_sessions(self._cluster)
                sample = sign_in.measure_refresh(server, self._cluster, wrk, tokens, seconds)
                _say(f"  round {number + 1}  {sample.refresh_rate:,.0f} refreshed sessions/s")
                self._results.sign_ins.append(sample)
        if "passkey" in wanted:
            self._measure_passkeys(server)

    def _measure_passkeys(self, server):
        authenticator = sign_in.device()
        if authenticator is None:
            self._results.notes.append("passkeys are not measured: pip install soft-webauthn")
            return
        _say("POST /auth/v1/passkeys/authentication/options and verify")
        sign_in.register_passkey(server, authenticator)
        for number in range(min(self._chosen.rounds, 2)):
            sample = sign_in.measure_passkey(server, authenticator)
            _say(f"  round {number + 1}  CPU {sample.passkey_server_microseconds:,.0f} µs for each sign-in")
            self._results.sign_ins.append(sample)

    def _measure_without_load(self):
        server = self._servers.get("swiftlet")
        if server is None:
            return
        results = self._results
        results.megabytes_after_run = server.resident_megabytes()
        results.megabytes_idle = extras.megabytes_with_idle_connections(server, self._chosen.idle_connections)
        results.milliseconds_to_start = extras.milliseconds_to_first_answer(
            self._workspace, self._cluster, self._chosen
        )

    def _count_instructions(self, wrk, chosen):
        if "swiftlet" not in self._servers or not chosen:
            return
        if not instructions.is_possible():
            self._results.notes.append("instructions are not counted: apt-get install valgrind")
            return
        _say("counting instructions")
        self._results.instructions = instructions.per_request(
            self._workspace, self._cluster, self._chosen, wrk, chosen
        )

    def _report(self, measured):
        report.print_table(self._results, measured)
        report.print_fairness(self._results.fairness)
        limited.print_samples(self._results.refusals)
        report.print_sign_in(self._results.sign_ins)
        has_goals = "swiftlet" in self._servers
        missed = report.print_goals(self._results, self._chosen.idle_connections) if has_goals else 0
        for note in self._results.notes:
            _say(f"note: {note}")
        report.write_json(self._results, self._chosen, self._workspace.cache / "results.json")
        return 1 if missed or not self._is_complete else 0

    def _clean(self, scenario):
        if scenario.writes:
            dataset.remove_written_rows(self._cluster)


def _say(text):
    print(text, flush=True)
