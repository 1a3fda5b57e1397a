"""User-mode instructions per request, counted by callgrind: they do not depend on what else the machine does."""

import re
import shutil
import subprocess

from . import servers, workspace

_CONNECTIONS = 16
# Two runs, so that the start and the first requests cancel out. Below callgrind a server is some fifty times slower.
_SECONDS = (2, 8)


def is_possible():
    return shutil.which("valgrind") is not None


def per_request(run, cluster, options, wrk, chosen):
    """Instructions by the scenario's name."""
    # valgrind does not know all of the compiler's debug information, and would end.
    binary = run.scratch / "swiftlet-callgrind"
    subprocess.run(["strip", "-g", "-o", binary, options.binary], check=True)
    counts = {}
    for scenario in chosen:
        short, long = (_run(run, cluster, options, wrk, scenario, binary, seconds) for seconds in _SECONDS)
        counts[scenario.name] = (long[0] - short[0]) / (long[1] - short[1])
    return counts


def _run(run, cluster, options, wrk, scenario, binary, seconds):
    """All instructions of a server's life, and the requests that it has answered."""
    output = run.scratch / "callgrind.out"
    launcher = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}"]
    server = servers.start_swiftlet(run, cluster, options, spare="-callgrind", launcher=launcher, binary=binary)
    load = wrk.run(server.port, scenario.request, seconds, _CONNECTIONS)
    workspace.stop(server.processes[0], seconds=60)
    total = re.search(r"^summary: (\d+)", output.read_text(), re.MULTILINE)
    return int(total.group(1)), load.requests
