"""Where the tenants would lie with Citus, on paper: 32 ranges of `hashtext`, dealt to the workers in turn."""

_SHARDS = 32
_ROWS = """
SELECT (hashtext(tenant_id)::bigint + 2147483648) / (4294967296 / {shards}), count(*)
FROM tasks GROUP BY tenant_id ORDER BY 2 DESC
"""


def show(cluster, counts=(2, 4, 8)):
    """Prints rows by worker as they fall, and with the largest tenants in shards of their own, moved by their size."""
    tenants = [(int(shard), int(rows)) for shard, rows in cluster.query(_ROWS.format(shards=_SHARDS))]
    total = sum(rows for _, rows in tenants)
    shards = _by_shard(tenants)
    print(f"\n{_SHARDS} shards of {total:,} rows: the largest has {max(shards):,}, {max(shards) * _SHARDS / total:.1f} × the "
          f"mean, the smallest {min(shards):,}\n")
    print("| workers | as they fall: most rows, × mean | moved by size | 1 tenant isolated, moved | 8 isolated, moved |")
    print("|---|---|---|---|---|")
    for workers in counts:
        placements = [_in_turn(shards, workers), _by_size(shards, workers)]
        for isolated in (1, 8):
            alone = [rows for _, rows in tenants[:isolated]]
            placements.append(_by_size(_by_shard(tenants[isolated:]) + alone, workers))
        cells = [f"{max(rows):,}, {max(rows) * workers / total:.2f}" for rows in placements]
        print(f"| {workers} | " + " | ".join(cells) + " |")


def _by_shard(tenants):
    shards = [0] * _SHARDS
    for shard, rows in tenants:
        shards[shard] += rows
    return shards


def _in_turn(shards, workers):
    return [sum(shards[first::workers]) for first in range(workers)]


def _by_size(shards, workers):
    """The largest first, each to the worker that has least."""
    rows = [0] * workers
    for shard in sorted(shards, reverse=True):
        rows[rows.index(min(rows))] += shard
    return rows
