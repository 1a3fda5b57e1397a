"""The database that every contestant works on: Swiftlet's migrations, then 100 000 tasks, and more if asked for."""

import os
import subprocess

from . import scenarios


def migrate(cluster, repository, binary):
    """Runs `swiftlet migrate up`."""
    environment = {**os.environ, "DATABASE_URL": cluster.url, "MIGRATIONS_DIR": str(repository / "migrations")}
    migrated = subprocess.run([binary, "migrate", "up"], env=environment, capture_output=True, text=True, timeout=60)
    if migrated.returncode != 0:
        raise SystemExit(f"{binary} migrate up failed:\n{migrated.stderr}")


def load(cluster, repository, binary, has_business, has_rest, has_fairness):
    """Migrates the database and fills the tables. Returns the ids of the tasks that point reads ask for."""
    migrate(cluster, repository, binary)
    for name in ("data", *(["business"] if has_business else []), *(["rest"] if has_rest else []), *(["fairness"] if has_fairness else [])):
        data = repository / f"Benchmarks/sql/{name}.sql"
        cluster.run("psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-o", "/dev/null", "-f", data, database=cluster.database)
    rows = cluster.query(
        f"SELECT id FROM tasks WHERE tenant_id = '{scenarios.READING_TENANT}' "
        f"ORDER BY md5(id::text) LIMIT {scenarios.SAMPLED_TASKS}"
    )
    return [row[0] for row in rows]


def remove_written_rows(cluster):
    """Undoes what an insert measurement left, so that the next one meets the table as it was."""
    cluster.query(f"DELETE FROM tasks WHERE tenant_id = '{scenarios.WRITING_TENANT}'")
    cluster.query("VACUUM tasks")
    cluster.query("CHECKPOINT")
