"""One run of the backup benchmark from start to end."""

import argparse
import hashlib
import json
import os
import secrets
import statistics
import subprocess
import time
from pathlib import Path

from .cluster import Cluster
from .workspace import Workspace

_REPOSITORY = Path(__file__).resolve().parents[2]
_MAXIMUM_RATIO = 2


def main():
    """Prints the table; 1 if the goal is missed."""
    parser = argparse.ArgumentParser(prog="Benchmarks/backup", description=__doc__)
    parser.add_argument("--files", type=int, default=10_000, help="files of the storage (10000)")
    parser.add_argument("--bytes", type=int, default=20_000, help="bytes of each (20000)")
    parser.add_argument("--rounds", type=int, default=5, help="backups after a change, and dumps in turns (5)")
    parser.add_argument("--binary", type=Path, default=_REPOSITORY / ".build/release/swiftlet")
    parser.add_argument("--keep", action="store_true", help="keep the scratch folder")
    options = parser.parse_args()
    with Workspace(_REPOSITORY, options.keep) as run:
        cluster = Cluster(run)
        site = _Site(run, cluster, options)
        site.swiftlet("migrate", "up")
        cluster.query("INSERT INTO storage.buckets (id, name) VALUES ('b', 'b')")
        site.add(options.files)
        first = site.swiftlet("backup", "create")
        dumps, backups = [], []
        for _ in range(options.rounds):
            site.add(10)
            dumps.append(site.dump())
            backups.append(site.swiftlet("backup", "create"))
        verified = site.swiftlet("backup", "verify")
    ratio = statistics.median(backup / dump for backup, dump in zip(backups, dumps))
    rows = [
        (f"first backup of {options.files} files", f"{first:.2f} s"),
        ("pg_dump alone", f"{statistics.median(dumps):.3f} s"),
        ("backup after ten files", f"{statistics.median(backups):.3f} s"),
        ("of pg_dump alone", f"{ratio:.2f}, at most {_MAXIMUM_RATIO}"),
        ("verify", f"{verified:.2f} s"),
    ]
    for name, value in rows:
        print(f"{name:<40} {value:>20}")
    (run.cache / "backup.json").write_text(json.dumps({"first": first, "dumps": dumps, "backups": backups}, indent=1))
    return 0 if ratio <= _MAXIMUM_RATIO else 1


class _Site:
    """A storage and a database whose rows name its files."""

    def __init__(self, run, cluster, options):
        self._cluster, self._options, self._count = cluster, options, 0
        self._storage = run.scratch / "storage"
        self._folder = run.scratch
        self._environment = {
            **os.environ,
            "DATABASE_URL": cluster.url,
            "APPS": "none",
            "MIGRATIONS_DIR": str(_REPOSITORY / "migrations"),
            "STORAGE_PATH": str(self._storage),
            "BACKUP_TO": str(run.scratch / "backups"),
        }

    def add(self, number):
        """New files and their rows, as `/storage/v1` makes them."""
        rows = []
        for _ in range(number):
            digits, content = secrets.token_hex(16), secrets.token_bytes(self._options.bytes)
            folder = self._storage / "objects" / digits[:2]
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"s1.{digits}").write_bytes(b"application/octet-stream\n" + content)
            metadata = json.dumps({"size": len(content), "sha256": hashlib.sha256(content).hexdigest()})
            rows.append(f"b\tfile {self._count}\ts1.{digits}\t{metadata}\n")
            self._count += 1
        statement = "COPY storage.objects (bucket_id, name, version, metadata) FROM stdin;\n"
        self._cluster.query(statement + "".join(rows) + "\\.\n")

    def swiftlet(self, *arguments):
        """Runs a command, and returns its seconds."""
        return self._timed([self._options.binary.resolve(), *arguments], self._environment)

    def dump(self):
        """The dump that a backup contains, to a file."""
        command = [self._cluster.program("pg_dump"), "--format=custom", f"--file={self._folder / 'dump'}"]
        return self._timed(command, {**os.environ, **self._cluster.environment})

    def _timed(self, command, environment):
        start = time.monotonic()
        finished = subprocess.run(
            [str(part) for part in command], env=environment, cwd=self._folder, capture_output=True, text=True
        )
        if finished.returncode != 0:
            raise SystemExit(f"{command}: {finished.stderr}")
        return time.monotonic() - start
