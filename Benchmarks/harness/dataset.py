"""The database that every contestant works on: the repository's own migrations, then 100 000 tasks."""

from . import scenarios


def load(cluster, repository):
    """Applies `migrations/` and fills the tables. Returns the ids of the tasks that point reads ask for."""
    files = sorted((repository / "migrations").glob("*.sql"))
    if not files:
        raise SystemExit(f"no migrations in {repository / 'migrations'}")
    for file in files:
        cluster.run("psql", "-Xq1", "-v", "ON_ERROR_STOP=1", "-f", file, database=cluster.database)
    data = repository / "Benchmarks/sql/data.sql"
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
