"""What processes cost, read from /proc: CPU time, context switches, memory."""

import os
from dataclasses import dataclass
from pathlib import Path

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Usage:
    """Running totals; subtract two to know what lies between."""

    cpu_seconds: float
    context_switches: int

    def __sub__(self, earlier):
        return Usage(
            self.cpu_seconds - earlier.cpu_seconds,
            self.context_switches - earlier.context_switches,
        )


def of_processes(identifiers):
    """The usage of living processes with all their threads (not of their children)."""
    return Usage(
        sum(_processor_seconds(identifier) for identifier in identifiers),
        sum(_context_switches(identifier) for identifier in identifiers),
    )


def of_family(root):
    """CPU of `root` and its children, those that have already exited included (as init's cutime and cstime)."""
    children = [child for child, parent in _parents().items() if parent == root]
    living = sum(_processor_seconds(identifier) for identifier in [root, *children])
    return living + _reaped_children_seconds(root)


def descendants(root):
    """`root` and every process below it."""
    parents = _parents()
    family = [root]
    for member in family:
        family.extend(child for child, parent in parents.items() if parent == member)
    return family


def of_machine():
    """CPU of everything on this machine since its start, without what it waits for."""
    user, nice, system, idle, waiting, *interrupts = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:8]
    return (int(user) + int(nice) + int(system) + sum(map(int, interrupts))) / _TICKS_PER_SECOND


def resident_megabytes(identifiers):
    """The sum of the processes' resident sets."""
    return sum(_status(f"/proc/{identifier}/status", "VmRSS") for identifier in identifiers) / 1024


def _stat_fields(identifier):
    """The fields of /proc/PID/stat from `state` on, which is field 3 of proc(5)."""
    try:
        text = Path(f"/proc/{identifier}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text[text.rindex(")") + 2:].split()


def _processor_seconds(identifier):
    fields = _stat_fields(identifier)
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_SECOND if fields else 0.0


def _reaped_children_seconds(identifier):
    fields = _stat_fields(identifier)
    return (int(fields[13]) + int(fields[14])) / _TICKS_PER_SECOND if fields else 0.0


def _parents():
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            fields = _stat_fields(entry)
            if fields:
                parents[int(entry)] = int(fields[1])
    return parents


def _context_switches(identifier):
    try:
        threads = os.listdir(f"/proc/{identifier}/task")
    except FileNotFoundError:
        return 0
    return sum(
        _status(f"/proc/{identifier}/task/{thread}/status", "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")
        for thread in threads
    )


def _status(path, *names):
    try:
        lines = Path(path).read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return sum(int(line.split()[1]) for line in lines if line.split(":")[0] in names)
