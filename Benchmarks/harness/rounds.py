"""The measurements proper: contestants take turns, round after round."""

import time
from dataclasses import dataclass

from . import dataset


@dataclass(frozen=True)
class Sample:
    """One measurement. Microseconds are CPU per request; a None was not measurable."""

    requests_per_second: float
    p50_milliseconds: float
    p99_milliseconds: float
    server_microseconds: float
    postgres_microseconds: float
    context_switches: float
    resident_megabytes: float


class Rounds:
    """Runs scenarios on contestants and keeps the samples."""

    def __init__(self, options, cluster, wrk, pgbench, servers):
        self._options = options
        self._cluster = cluster
        self._wrk = wrk
        self._pgbench = pgbench
        self._servers = servers

    def measure(self, scenario, contestants, report):
        """Returns a list of samples per contestant, one per round; the order of turns rotates."""
        for name in contestants:
            self._load(scenario, name, self._options.warm_up_seconds)
            self._clean(scenario)
        samples = {name: [] for name in contestants}
        for number in range(self._options.rounds):
            turn = number % len(contestants)
            for name in contestants[turn:] + contestants[:turn]:
                sample = self._sample(scenario, name)
                samples[name].append(sample)
                report(f"  round {number + 1}  {name:<15}{sample.requests_per_second:>9,.0f} req/s"
                       f"{sample.server_microseconds:>8.1f} µs")
                self._clean(scenario)
        return samples

    def _load(self, scenario, name, seconds):
        if name == "pgbench":
            return self._pgbench.run(scenario, seconds)
        return self._wrk.run(self._servers[name].port, scenario.request_to(name), seconds)

    def _sample(self, scenario, name):
        server = self._servers.get(name)
        postgres_before = self._cluster.cpu_seconds()
        server_before = server.usage() if server else None
        load = self._load(scenario, name, self._options.seconds)
        used = server.usage() - server_before if server else None
        time.sleep(0.1)  # the postmaster must have reaped pgbench's backends, whose CPU would be lost otherwise
        postgres_seconds = self._cluster.cpu_seconds() - postgres_before
        server_seconds = used.cpu_seconds if server else load.client_cpu_seconds
        return Sample(
            requests_per_second=load.requests / load.seconds,
            p50_milliseconds=load.p50_milliseconds,
            p99_milliseconds=load.p99_milliseconds,
            server_microseconds=server_seconds / load.requests * 1e6,
            postgres_microseconds=postgres_seconds / load.requests * 1e6,
            context_switches=used.context_switches / load.requests if server else None,
            resident_megabytes=server.resident_megabytes() if server else None,
        )

    def _clean(self, scenario):
        if scenario.writes:
            dataset.remove_written_rows(self._cluster)
