"""The command line of the benchmark."""

import argparse
from dataclasses import dataclass
from pathlib import Path

CONTESTANTS = ("swiftlet", "nginx", "pgbench", "deno", "go")


@dataclass(frozen=True)
class Options:
    """What one run measures, and for how long."""

    binary: Path
    before: Path
    rounds: int
    seconds: int
    warm_up_seconds: int
    calibration_seconds: int
    connections: int
    idle_connections: int
    limit_seconds: int
    contestants: frozenset
    scenarios: frozenset
    workers: int
    install: bool
    keep: bool


def parse(arguments, repository, scenario_names):
    """Reads the options; `--quick` changes the defaults only, so that each can still be set."""
    parser = argparse.ArgumentParser(prog="Benchmarks/run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="2 rounds of 2 seconds: about 3 minutes, noisier")
    parser.add_argument("--rounds", type=int, help="rounds per row, alternating between servers (3; quick: 2)")
    parser.add_argument("--seconds", type=int, help="seconds per measurement (8; quick: 2)")
    parser.add_argument("--connections", type=int, default=64, help="connections of the load generator (64)")
    parser.add_argument("--idle-connections", type=int, default=5000, help="connections held open for the RSS row")
    parser.add_argument("--workers", type=int, default=0, help="event loops of Swiftlet (0: its own default)")
    parser.add_argument("--only", default=",".join(CONTESTANTS), help=f"some of {','.join(CONTESTANTS)}")
    parser.add_argument("--scenarios", default=",".join(scenario_names), help=f"some of {','.join(scenario_names)}")
    parser.add_argument("--binary", type=Path, default=repository / ".build/release/swiftlet")
    parser.add_argument("--before", type=Path, help="an older binary that takes turns with this one")
    parser.add_argument("--no-install", action="store_true", help="never install anything, even as root")
    parser.add_argument("--keep", action="store_true", help="keep the scratch folder with the logs of all servers")
    given = parser.parse_args(arguments)

    def default(value, full, quick):
        return value if value is not None else (quick if given.quick else full)

    return Options(
        binary=given.binary.resolve(),
        before=given.before.resolve() if given.before else None,
        rounds=max(1, default(given.rounds, 3, 2)),
        seconds=max(1, default(given.seconds, 8, 2)),
        warm_up_seconds=default(None, 2, 1),
        calibration_seconds=default(None, 2, 1),
        connections=given.connections,
        idle_connections=given.idle_connections,
        limit_seconds=default(None, 15 * 60, 4 * 60),
        contestants=_subset(parser, "--only", given.only, CONTESTANTS),
        scenarios=_subset(parser, "--scenarios", given.scenarios, scenario_names),
        workers=given.workers,
        install=not given.no_install,
        keep=given.keep,
    )


def _subset(parser, flag, text, known):
    names = frozenset(name for name in text.split(",") if name)
    unknown = sorted(names - set(known))
    if unknown or not names:
        parser.error(f"{flag}: '{text}' is not a comma list of {', '.join(known)}")
    return names
