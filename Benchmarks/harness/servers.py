"""The servers under test: how each is started, and what it has used."""

import http.client
import os
import shlex
import string
import subprocess
import time
from dataclasses import dataclass, field

from . import sign_in, usage, web, workspace
from .cluster import Cluster
from .statements import Statements

# What nginx answers when Swiftlet is not part of the run; otherwise Swiftlet's own answer is copied.
SAMPLE_HEALTH = web.Answer(
    200,
    [("Content-Type", "application/json; charset=utf-8"), ("Cache-Control", "no-store")],
    b'{"status":"healthy","functions":["notifications","tasks"],"timestamp":"2026-01-01T00:00:00Z","version":"1.0.0"}',
)


@dataclass
class Server:
    """One contestant that speaks HTTP; `processes` are those we started, their children count as well."""

    title: str
    port: int
    processes: list = field(default_factory=list)
    log_name: str = ""

    def identifiers(self):
        return [member for process in self.processes for member in usage.descendants(process.pid)]

    def usage(self):
        return usage.of_processes(self.identifiers())

    def resident_megabytes(self):
        return usage.resident_megabytes(self.identifiers())

    def wait_until_healthy(self, run, seconds=30):
        """Asks for /health until it answers 200."""
        deadline = time.monotonic() + seconds
        while not self.is_healthy():
            if any(process.poll() is not None for process in self.processes) or time.monotonic() > deadline:
                raise SystemExit(f"{self.title} did not start:\n{run.log_tail(self.log_name)}")
            time.sleep(0.001)
        return self

    def is_healthy(self):
        try:
            return web.send(self.port, web.Request(paths=("/health",)), timeout=2).status == 200
        except (OSError, http.client.HTTPException):
            return False


@dataclass(frozen=True)
class PeerSettings:
    """What every peer is told; its SQL is the very text that pgbench runs."""

    cluster: Cluster
    statements: Statements
    health: web.Answer

    def environment(self, port, connections):
        numbered = {name.upper(): self.statements.numbered(name) for name in Statements.NAMES}
        return {
            "PORT": str(port),
            "DATABASE_URL": self.cluster.url,
            "DATABASE_CONNECTIONS": str(connections),
            "JWT_SECRET": web.JWT_SECRET,
            "ALLOWED_ORIGIN": web.ORIGIN,
            "HEALTH": self.health.body.decode(),
            **{f"SQL_{name}": text for name, (text, _) in numbered.items()},
            **{f"PARAMETERS_{name}": ",".join(names) for name, (_, names) in numbered.items()},
        }


def start_swiftlet(run, cluster, options, log_level="warning", spare="", launcher=(), binary=None, settings=None):
    """`swiftlet serve` as an operator would start it; request logs go to a file. `launcher` is a tool to run it in."""
    environment = {
        "DATABASE_URL": cluster.url,
        "JWT_SECRET": web.JWT_SECRET,
        "HOST": "127.0.0.1",
        "PORT": str(workspace.free_port()),
        "ALLOWED_ORIGINS": web.ORIGIN,
        "SITE_URL": sign_in.SITE,
        "PASSKEY_ENABLED": "on",
        "LOG_LEVEL": log_level,
        "LOG_FORMAT": "json",
        **({"WORKERS": str(options.workers)} if options.workers else {}),
        **(settings or {}),
    }
    log_name = f"swiftlet-{log_level}{spare}.log"
    title = "Swiftlet" if log_level == "warning" else f"Swiftlet, LOG_LEVEL={log_level}"
    server = Server(title, int(environment["PORT"]), log_name=log_name)
    server.processes = [run.spawn([*launcher, binary or options.binary, "serve"], log_name, environment)]
    return server.wait_until_healthy(run, seconds=120 if launcher else 30)


def start_nginx(run, health):
    """nginx with one worker, answering the given `/health` answer byte for byte; its own fields come on top."""
    folder = run.scratch / "nginx"
    folder.mkdir()
    added_by_nginx = {"content-type", "content-length", "connection", "date", "server", "keep-alive"}
    fields = [(name, value) for name, value in health.fields if name.lower() not in added_by_nginx]
    content_type = next(value for name, value in health.fields if name.lower() == "content-type")
    server = Server("nginx, 1 worker", workspace.free_port(), log_name="nginx.log")
    template = string.Template((run.benchmarks / "peers/nginx/nginx.conf.template").read_text())
    (folder / "nginx.conf").write_text(template.substitute(
        folder=folder,
        port=server.port,
        user="user root;" if os.geteuid() == 0 else "",
        content_type=content_type,
        fields="\n            ".join(f'add_header {name} "{value}";' for name, value in fields),
        body=health.body.decode(),
    ))
    server.processes = [run.spawn(["nginx", "-p", folder, "-c", folder / "nginx.conf"], "nginx.log")]
    return server.wait_until_healthy(run)


def start_deno(run, peers, dependencies):
    """Two Deno processes behind one port, as one of them runs JavaScript on one core only."""
    server = Server("Deno ×2, node-pg", workspace.free_port(), log_name="deno.log")
    environment = {
        **peers.environment(server.port, connections=8),
        "DENO_DIR": str(run.cache / "deno-cache"),
        "DENO_NO_UPDATE_CHECK": "1",
        "NODE_MODULES": str(dependencies.node_modules),
    }
    script = run.benchmarks / "peers/deno/server.ts"
    command = [dependencies.deno, "run", "--unstable-net", "-A", "--no-remote", "--no-check", "--no-lock", script]
    server.processes = [run.spawn(command, server.log_name, environment) for _ in range(2)]
    return server.wait_until_healthy(run)


def start_go(run, peers, dependencies):
    """fasthttp and pgx, built from Debian's source packages without a network."""
    binary = run.cache / "go-peer"
    source = run.benchmarks / "peers/go"
    environment = {
        **os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": str(run.cache / "go-build"),
        "GOFLAGS": "", "GOPROXY": "off",
    }
    command = [str(dependencies.go), "build", "-o", str(binary), "."]
    built = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True, timeout=300)
    if built.returncode != 0:
        raise SystemExit(f"{shlex.join(command)} failed:\n{built.stderr}")
    server = Server("Go fasthttp, pgx", workspace.free_port(), log_name="go.log")
    environment = peers.environment(server.port, connections=16)
    server.processes = [run.spawn([binary], server.log_name, environment)]
    return server.wait_until_healthy(run)
