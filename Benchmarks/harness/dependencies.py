"""Finds the programs that the run needs, installs what is missing when allowed, and says what is not there."""

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from . import cluster

_GO_SOURCES = Path("/usr/share/gocode/src/github.com")
_NODE_PACKAGES = ("node-pg", "node-split2", "node-xtend")


@dataclass
class Dependencies:
    """Paths of the peers' tools; `missing` maps a contestant to the reason why it cannot run."""

    deno: Path = None
    node_modules: Path = None
    go: Path = None
    missing: dict = field(default_factory=dict)


def prepare(options, cache):
    """Makes sure of wrk and PostgreSQL (fatal without them), then of each contestant's own needs."""
    may_install = options.install and os.geteuid() == 0 and shutil.which("apt-get") is not None
    required = [
        ("wrk", lambda: shutil.which("wrk")),
        ("postgresql", lambda: (folder := cluster.binaries_folder()) and (folder / "pgbench").exists()),
    ]
    for package, is_present in required:
        if not is_present() and not (may_install and _install([package]) and is_present()):
            raise SystemExit(f"not installed: {package}. Install it with: apt-get install {package}")

    found = Dependencies()
    steps = {"nginx": _prepare_nginx, "deno": _prepare_deno, "go": _prepare_go}
    for contestant, step in steps.items():
        if contestant in options.contestants:
            reason = step(found, cache, may_install)
            if reason:
                found.missing[contestant] = reason
    if "swiftlet" in options.contestants and not options.binary.exists():
        found.missing["swiftlet"] = f"{options.binary} does not exist; build it with: swift build -c release"
    return found


def _prepare_nginx(_, __, may_install):
    if shutil.which("nginx") or (may_install and _install(["nginx"])):
        return None
    return "apt-get install nginx"


def _prepare_deno(found, cache, may_install):
    """Deno from the Python package index; node-postgres from Debian, unpacked only: it would pull another Node."""
    found.deno = Path(shutil.which("deno")) if shutil.which("deno") else cache / "deno"
    if not found.deno.exists():
        if not may_install:
            return "install Deno (pip install deno) so that `deno` is on PATH"
        if not _download_deno(cache):
            return "pip download deno failed"
    found.node_modules = next(
        (folder for folder in (cache / "node_modules", Path("/usr/share/nodejs")) if (folder / "pg").exists()), None
    )
    if found.node_modules is None:
        if not may_install:
            return "apt-get install node-pg"
        if not _unpack(_NODE_PACKAGES, cache):
            return "apt-get download node-pg failed"
        found.node_modules = cache / "node_modules"
    return None


def _prepare_go(found, _, may_install):
    packages = ["golang-go", "golang-github-valyala-fasthttp-dev", "golang-github-jackc-pgx-v4-dev"]

    def is_present():
        sources = ("valyala/fasthttp", "jackc/pgx/v4/pgxpool")
        return shutil.which("go") and all((_GO_SOURCES / source).exists() for source in sources)

    if not is_present() and not (may_install and _install(packages) and is_present()):
        return "apt-get install " + " ".join(packages)
    found.go = Path(shutil.which("go"))
    return None


def _install(packages):
    print("installing " + " ".join(packages), flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], env=environment, capture_output=True, timeout=300)
    command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    return _succeeds(command, environment=environment)


def _unpack(packages, cache):
    folder = cache / "debian"
    folder.mkdir(exist_ok=True)
    if not _succeeds(["apt-get", "download", "-qq", *packages], folder):
        return False
    for archive in folder.glob("*.deb"):
        if not _succeeds(["dpkg-deb", "-x", archive.name, "."], folder):
            return False
    shutil.move(folder / "usr/share/nodejs", cache / "node_modules")
    shutil.rmtree(folder)
    return True


def _download_deno(cache):
    """Takes the binary out of the wheel: nothing is installed into any Python."""
    folder = cache / "wheel"
    if not _succeeds([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), "deno"]):
        return False
    with zipfile.ZipFile(next(folder.glob("deno-*.whl"))) as wheel:
        member = next(name for name in wheel.namelist() if name.endswith("/scripts/deno"))
        with wheel.open(member) as source, open(cache / "deno", "wb") as target:
            shutil.copyfileobj(source, target)
    (cache / "deno").chmod(0o755)
    shutil.rmtree(folder)
    return True


def _succeeds(command, folder=None, environment=None):
    finished = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    if finished.returncode != 0:
        print(f"{command[0]} {command[1]}: {finished.stderr.strip()[-300:]}", file=sys.stderr)
    return finished.returncode == 0
