"""The servers of Benchmarks/work."""

import os
import subprocess

from .. import servers, web, workspace


class WorkServers:
    """Starts any number of them on one database."""

    def __init__(self, run, cluster, binary):
        self._run = run
        self._cluster = cluster
        self._binary = binary

    def migrate(self):
        """The binary of Benchmarks/work has the server's own tables only; those of tasks come from a file."""
        environment = {**os.environ, "DATABASE_URL": self._cluster.url}
        done = subprocess.run([self._binary, "migrate", "up"], env=environment, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise SystemExit(f"{self._binary} migrate up failed:\n{done.stderr}")
        tasks = self._run.repository / "migrations/business/0003_tasks.sql"
        self._cluster.run("psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-o", "/dev/null", "-f", tasks, database=self._cluster.database)

    def start(self, name, **settings):
        """One server; settings are environment variables."""
        environment = {
            "DATABASE_URL": self._cluster.url, "JWT_SECRET": web.JWT_SECRET, "HOST": "127.0.0.1",
            "PORT": str(workspace.free_port()), "LOG_LEVEL": "warning", "LOG_FORMAT": "json",
            **{key: str(value) for key, value in settings.items()},
        }
        server = servers.Server(name, int(environment["PORT"]), log_name=f"{name}.log")
        server.processes = [self._run.spawn([self._binary, "serve"], server.log_name, environment)]
        return server.wait_until_healthy(self._run)

    def stop(self, *running):
        for server in running:
            workspace.stop(server.processes[0], seconds=20)
