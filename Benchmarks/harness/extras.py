"""The two figures that need no load: idle connections and the start."""

import contextlib
import resource
import socket
import statistics
import time

from . import servers, workspace

_HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"


def raise_descriptor_limit():
    """Lets this process and its children open as many descriptors as the system allows."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def megabytes_with_idle_connections(server, count):
    """RSS while `count` keep-alive connections are open that have each been served once."""
    with contextlib.ExitStack() as connections:
        for _ in range(count):
            connection = connections.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=10))
            connection.sendall(_HEALTH)
            if not connection.recv(4096).startswith(b"HTTP/1.1 200 "):
                raise SystemExit("an idle connection was not served")
        return server.resident_megabytes()


def milliseconds_to_first_answer(run, cluster, options, attempts=7):
    """Median time from starting the process to the first 200 on /health."""
    durations = []
    for _ in range(attempts):
        started = time.monotonic()
        server = servers.start_swiftlet(run, cluster, options, spare="-start")
        durations.append((time.monotonic() - started) * 1000)
        workspace.stop(server.processes[0])
    return statistics.median(durations)
