"""A scratch PostgreSQL: own folder, unix socket only, gone after the run."""

import os
import pwd
import shutil
import signal
import subprocess
import time
from pathlib import Path

from . import usage

# fsync is off for every contestant alike: the disk is not what is measured. The rest keeps background work
# (checkpoints, autovacuum, parallel workers) out of measurements of a few seconds; no answer depends on it.
_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "shared_buffers": "512MB",
    "work_mem": "16MB",
    "max_connections": "200",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "1h",
    "autovacuum": "off",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    "timezone": "UTC",
    "log_timezone": "UTC",
}


# Names the socket file only, as nothing listens on TCP; a PGPORT of the caller's environment must not interfere.
_PORT = "5432"


class Cluster:
    """The running server, and what it has cost so far."""

    LOG_MARK = "\x1e"

    def __init__(self, workspace, database="bench", **settings):
        self._settings = {**_SETTINGS, **settings}
        self._binaries = binaries_folder()
        self._user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        self.socket_folder = workspace.scratch / "postgres"
        self.socket_folder.mkdir()
        if self._user:
            shutil.chown(self.socket_folder, self._user.pw_uid, self._user.pw_gid)
        self._log = workspace.scratch / "postgres.log"
        self.database = database
        self._initialize(workspace)
        self._process = self._start(workspace)
        self._wait_until_ready(workspace)
        self.run("createdb", "-T", "template0", database)

    @property
    def url(self):
        """A libpq URI; libpq, node-postgres and pgx all read it."""
        return f"postgresql://bench@/{self.database}?host={self.socket_folder}&port={_PORT}"

    @property
    def environment(self):
        """The same, for the command-line programs."""
        address = {"PGHOST": str(self.socket_folder), "PGPORT": _PORT}
        return {**address, "PGUSER": "bench", "PGDATABASE": self.database}

    def program(self, name):
        """The path of a program of the same PostgreSQL version."""
        return str(self._binaries / name)

    def run(self, name, *arguments, **options):
        """Runs one of PostgreSQL's programs against this cluster and returns what it printed."""
        environment = {**os.environ, **self.environment, "PGDATABASE": options.pop("database", "postgres")}
        finished = subprocess.run(
            [self.program(name), *map(str, arguments)],
            env=environment, capture_output=True, text=True, timeout=300, **options,
        )
        if finished.returncode != 0:
            raise SystemExit(f"{name} failed: {finished.stderr.strip()}")
        return finished.stdout

    def query(self, sql):
        """Runs SQL text and returns its rows as lists of texts, cells cut at the unit separator."""
        output = self.run(
            "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-F", "\x1f", "-f", "-", input=sql, database=self.database
        )
        return [line.split("\x1f") for line in output.splitlines()]

    def cpu_seconds(self):
        """CPU of the postmaster and all backends, the exited ones included."""
        return usage.of_family(self._process.pid)

    def log_text(self):
        """What the server has logged; each entry begins with `LOG_MARK`."""
        return self._log.read_text(errors="replace")

    def _initialize(self, workspace):
        command = [self.program("initdb"), "-D", str(self.socket_folder / "data"), "-U", "bench", "-A", "trust"]
        command += ["--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
        process = workspace.spawn(command, "initdb.log", user=self._user)
        if process.wait(timeout=120) != 0:
            raise SystemExit("initdb failed:\n" + workspace.log_tail("initdb.log"))

    def _start(self, workspace):
        settings = {
            **self._settings,
            "port": _PORT,
            "log_line_prefix": self.LOG_MARK,
            "unix_socket_directories": self.socket_folder,
        }
        command = [self.program("postgres"), "-D", self.socket_folder / "data"]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        return workspace.spawn(command, "postgres.log", user=self._user, stop_signal=signal.SIGINT)

    def _wait_until_ready(self, workspace):
        deadline = time.monotonic() + 30
        ready = [self.program("pg_isready"), "-q", "-h", str(self.socket_folder), "-p", _PORT]
        while subprocess.run(ready).returncode != 0:
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise SystemExit("PostgreSQL did not start:\n" + workspace.log_tail("postgres.log"))
            time.sleep(0.1)


def binaries_folder():
    """Where `initdb` lives: the newest Debian folder, what `pg_config` says, or PATH. None when it is not installed."""
    candidates = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    if shutil.which("pg_config"):
        candidates.append(Path(subprocess.check_output(["pg_config", "--bindir"], text=True).strip()))
    if shutil.which("initdb"):
        candidates.append(Path(shutil.which("initdb")).resolve().parent)
    return next((folder for folder in candidates if (folder / "initdb").exists()), None)
