"""Folders, ports and child processes of one run, all given back at its end."""

import contextlib
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path


class Workspace(contextlib.ExitStack):
    """A scratch folder for this run, a cache folder that outlives it, and the processes started in between."""

    def __init__(self, repository, keep):
        super().__init__()
        self.repository = repository
        self.benchmarks = repository / "Benchmarks"
        self.cache = repository / ".build" / "benchmarks"
        self.cache.mkdir(parents=True, exist_ok=True)
        self.scratch = Path(tempfile.mkdtemp(prefix="swiftlet-bench-"))
        self.scratch.chmod(0o755)
        if keep:
            print(f"scratch folder: {self.scratch}")
        else:
            self.callback(shutil.rmtree, self.scratch, ignore_errors=True)

    def spawn(self, command, log_name, environment=None, user=None, stop_signal=signal.SIGTERM):
        """Starts a process whose output goes to `scratch/log_name`; it ends with the run, however that ends."""
        with open(self.scratch / log_name, "ab") as log:
            process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **(environment or {})},
                cwd=self.scratch,
                start_new_session=True,
                preexec_fn=lambda: _become(user),
            )
        self.callback(stop, process, stop_signal)
        return process

    def log_tail(self, log_name, lines=15):
        """The last lines that a process wrote, for an error message."""
        path = self.scratch / log_name
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:]) if path.exists() else ""


def stop(process, stop_signal=signal.SIGTERM, seconds=5):
    """Ends one process: the polite signal, some seconds, then SIGKILL."""
    if process.poll() is None:
        process.send_signal(stop_signal)
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port():
    """A TCP port of 127.0.0.1 that nobody listens on right now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def _become(user):
    """Runs in the child before exec: gives up root, and asks to be ended should the driver be killed."""
    if user is not None:
        os.initgroups(user.pw_name, user.pw_gid)
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)
    parent_death_signal = 1
    ctypes.CDLL(None).prctl(parent_death_signal, signal.SIGTERM)
