"""The table for people, and a JSON file for programs."""

import json
import os
import platform
from pathlib import Path

from . import fairness, goals, sign_in

_RATIOS = ("requests_per_second", "server_microseconds", "postgres_microseconds")
_HEADINGS = ("req/s ×", "CPU ×", "PG CPU ×", "req/s", "p50 ms", "p99 ms", "CPU µs", "PG µs", "switches", "RSS MB")
_TITLES = {
    "swiftlet": "Swiftlet", "before": "Swiftlet, before", "swiftlet-info": "Swiftlet, request log", "nginx": "nginx, 1 worker",
    "pgbench": "pgbench -M prepared", "deno": "Deno ×2, node-pg", "go": "Go fasthttp, pgx",
}


def print_table(results, scenarios):
    """One block per scenario; the ratios to the block's yardstick come first."""
    for scenario in scenarios:
        rows = results.samples.get(scenario.name, {})
        if not rows:
            continue
        yardstick = scenario.yardstick if scenario.yardstick in rows else None
        against = _TITLES[yardstick] if yardstick else "nothing"
        clients = results.client_counts.get(scenario.name)
        print(f"\n{scenario.title}   (× {against}{f', {clients} clients' if clients else ''})")
        print(" " * 24 + "".join(f"{heading:>10}" for heading in _HEADINGS))
        for name in rows:
            cells = _cells(results, scenario, name, yardstick)
            title = _TITLES[name] if scenario.request_to(name) is scenario.request else f"{name}, /health"
            print(f"  {title:<22}" + "".join(f"{cell:>10}" for cell in cells))
        for name, fault in results.faults.get(scenario.name, {}).items():
            print(f"  {_TITLES[name]:<22}not counted: {fault}")


def print_sign_in(samples):
    """The rows without peers: what a login and a refreshed session cost."""
    if not samples:
        return

    def text(figure, form):
        value = sign_in.median(samples, figure)
        return "–" if value is None else format(value, form)

    print(f"\nSigning in\n  login    {text('login_rate', ',.1f')} a second, bare bcrypt on all cores "
          f"{text('bcrypt_rate', ',.1f')}; /health p99 meanwhile {text('health_p99_milliseconds', '.1f')} ms")
    print(f"  refresh  {text('refresh_rate', ',.0f')} a second; CPU {text('refresh_server_microseconds', '.1f')} µs, "
          f"PostgreSQL {text('refresh_postgres_microseconds', '.1f')} µs")
    print(f"  passkey  {text('passkey_rate', ',.0f')} a second from one authenticator in software; "
          f"CPU {text('passkey_server_microseconds', ',.0f')} µs")


def print_fairness(samples):
    """How long short requests wait beside what takes long."""
    for name in fairness.NAMES:
        for contestant in ("swiftlet", "before"):
            p99 = fairness.median(samples, name, contestant)
            if p99 is None:
                continue
            if contestant == "swiftlet":
                print(f"\n{fairness.TITLES[name]}")
            p50 = fairness.median(samples, name, contestant, "p50_milliseconds")
            print(f"  {_TITLES[contestant]:<22}p50 {p50:.1f} ms, p99 {p99:.1f} ms")


def print_goals(results, idle_connections):
    """Each goal with its bound; returns how many were missed."""
    measured = goals.all_goals(results, idle_connections)
    print("\nGoals")
    for goal in measured:
        word = {True: "pass", False: "FAIL", None: "not measured"}[goal.is_met]
        value = "–" if goal.value is None else f"{goal.value:.2f}"
        sign = "≥" if goal.is_minimum else "≤"
        print(f"  {goal.title:<42}{value:>8} {goal.unit:<3}{sign} {goal.bound:<6g}{word}")
    return sum(goal.is_met is False for goal in measured)


def write_json(results, options, path):
    """The raw samples and the goals, with what is needed to compare two runs."""
    report = {
        "machine": {"cores": os.cpu_count(), "processor": _processor(), "kernel": platform.release()},
        "options": {
            "rounds": options.rounds, "seconds": options.seconds,
            "connections": options.connections, "workers": options.workers,
        },
        "goals": [
            {"title": goal.title, "value": goal.value, "bound": goal.bound, "met": goal.is_met}
            for goal in goals.all_goals(results, options.idle_connections)
        ],
        **results.as_dictionary(),
    }
    path.write_text(json.dumps(report, indent=2) + "\n")
    print(f"\nwritten: {path}")


def _cells(results, scenario, name, yardstick):
    def text(value, form):
        return "–" if value is None else format(value, form)

    ratios = [results.ratio(scenario.name, name, figure, yardstick) if yardstick else None for figure in _RATIOS]
    figures = (
        ("requests_per_second", ",.0f"), ("p50_milliseconds", ".2f"), ("p99_milliseconds", ".2f"),
        ("server_microseconds", ".1f"), ("postgres_microseconds", ".1f"),
        ("context_switches", ".2f"), ("resident_megabytes", ".1f"),
    )
    return [text(ratio, ".2f") for ratio in ratios] + [
        text(results.median(scenario.name, name, figure), form) for figure, form in figures
    ]


def _processor():
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
