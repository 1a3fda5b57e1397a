"""What Swiftlet must reach, as ratios in one run; a goal without a measurement is reported as such, never as passed."""

from dataclasses import dataclass

from . import fairness, limited, sign_in

_PEERS = ("deno", "go")


@dataclass(frozen=True)
class Goal:
    """One bound on one figure; `is_minimum` says which side of it is good."""

    title: str
    value: float
    bound: float
    is_minimum: bool
    unit: str = "×"

    @property
    def is_met(self):
        if self.value is None:
            return None
        return self.value >= self.bound if self.is_minimum else self.value <= self.bound


def all_goals(results, idle_connections):
    """Every goal with its measured value, in the order of the table."""
    goals = []

    def at_least(title, value, bound):
        goals.append(Goal(title, value, bound, True))

    def at_most(title, value, bound, unit="×"):
        goals.append(Goal(title, value, bound, False, unit))

    def versus(scenario, figure, yardstick):
        return results.ratio(scenario, "swiftlet", figure, yardstick)

    def own(scenario, figure):
        return results.median(scenario, "swiftlet", figure)

    def of_nginx(scenario):
        """CPU in a measure that a slower or busier machine changes less; nginx was measured in the same rounds."""
        return results.ratio(scenario, "swiftlet", "server_microseconds", "nginx")

    at_least("/health: req/s of nginx", versus("health", "requests_per_second", "nginx"), 0.95)
    at_most("/health: CPU of nginx", versus("health", "server_microseconds", "nginx"), 1.25)
    at_most("/health: CPU of the best peer", _best_peer(results, "health", "server_microseconds"), 0.5)
    at_least("by id: tps of pgbench", versus("point", "requests_per_second", "pgbench"), 0.70)
    at_least("by id: req/s of the best peer", _best_peer(results, "point", "requests_per_second"), 2.0)
    at_most("by id: CPU of the best peer", _best_peer(results, "point", "server_microseconds"), 0.5)
    at_most("by id: CPU of nginx's /health", of_nginx("point"), 2.2)
    at_most("by id: user-mode instructions", results.instructions.get("point"), 55_000, "")
    at_most("by id: PostgreSQL CPU of pgbench", versus("point", "postgres_microseconds", "pgbench"), 0.70)
    at_most("by id: context switches per request", own("point", "context_switches"), 0.3, "")
    at_most("by id: p99 of p50", _spread(results, "point"), 4)
    logged = results.ratio("point", "swiftlet-info", "requests_per_second", "swiftlet")
    at_least("by id with request log: req/s without", logged, 0.80)
    at_least("list: tps of pgbench", versus("page", "requests_per_second", "pgbench"), 0.65)
    at_least("list: req/s of the best peer", _best_peer(results, "page", "requests_per_second"), 1.5)
    at_most("list: CPU of the best peer", _best_peer(results, "page", "server_microseconds"), 0.5)
    at_most("list: p99 of p50", _spread(results, "page"), 4)
    at_most("list: CPU of nginx's /health", of_nginx("page"), 8.2)
    at_most("list: user-mode instructions", results.instructions.get("page"), 360_000, "")
    at_most("list: PostgreSQL CPU of pgbench", versus("page", "postgres_microseconds", "pgbench"), 1.2)
    at_least("insert: tps of pgbench", versus("insert", "requests_per_second", "pgbench"), 0.60)
    at_least("insert: req/s of the best peer", _best_peer(results, "insert", "requests_per_second"), 1.3)
    at_most("insert: CPU of the best peer", _best_peer(results, "insert", "server_microseconds"), 0.5)
    at_most("insert: CPU of nginx's /health", of_nginx("insert"), 4.0)
    for name, bound in (
        ("rest-point", 0.70), ("rest-page", 0.65), ("rest-embed", 0.65), ("rest-insert", 0.60), ("rest-bulk", 0.80)
    ):
        if results.median(name, "swiftlet", "requests_per_second"):
            at_least(f"{name}: tps of pgbench", versus(name, "requests_per_second", "pgbench"), bound)
    at_most("by id in bursts of lists: p99", fairness.median(results.fairness, "burst", "swiftlet"), 60, "ms")
    at_most("beside what becomes slow: p99", fairness.median(results.fairness, "slow", "swiftlet"), 60, "ms")
    refusal = limited.median(results.refusals, "account", "server_microseconds")
    at_most("refused by a limit of accounts: CPU", refusal, 20, "µs")
    refusal = limited.median(results.refusals, "all", "server_microseconds")
    at_most("refused by a limit of all: CPU", refusal, 20, "µs")
    at_least("login: rate of bare bcrypt", sign_in.login_ratio(results.sign_ins), 0.9)
    for scenario in ("health", "point", "page", "insert"):
        if results.median(scenario, "before", "requests_per_second"):
            at_least(f"{scenario}: req/s of before", versus(scenario, "requests_per_second", "before"), 0.97)
    health = sign_in.median(results.sign_ins, "health_p99_milliseconds")
    at_most("login: /health p99 meanwhile", health, 5, "ms")
    passkey = sign_in.median(results.sign_ins, "passkey_server_microseconds")
    at_most("passkey: CPU of a sign-in", passkey, 1000, "µs")
    at_most("RSS after the run", results.megabytes_after_run, 40, "MB")
    at_most(f"RSS with {idle_connections:,} idle connections", results.megabytes_idle, 120, "MB")
    at_most("start to first 200", results.milliseconds_to_start, 60, "ms")
    return goals


def _best_peer(results, scenario, figure):
    """Swiftlet's figure over that of the peer that makes it look worst."""
    ratios = [results.ratio(scenario, "swiftlet", figure, peer) for peer in _PEERS]
    worst = min if figure == "requests_per_second" else max
    return worst((ratio for ratio in ratios if ratio is not None), default=None)


def _spread(results, scenario):
    """How far the slow requests are from the middle ones."""
    p50 = results.median(scenario, "swiftlet", "p50_milliseconds")
    p99 = results.median(scenario, "swiftlet", "p99_milliseconds")
    return p99 / p50 if p50 else None
