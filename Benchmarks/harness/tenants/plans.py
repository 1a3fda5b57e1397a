"""What the statements of each route read, as PostgreSQL explains them with the very values that the server sends."""

import json
import urllib.parse

from .. import servers
from .tenant import ROUTES

_EXPLAINED = {
    "session_preload_libraries": "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_buffers": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_format": "json",
}
# Some statements are planned for their values five times, and then once for all.
_TIMES = 8
# They scan nothing.
_UNEXPLAINED = {"insert"}


# What a statement may read: a word's entries of all tenants, which are some hundred pages, and then the tenant's own rows.
_PAGES = 1000
_PAGES_PER_ROW = 3


def examine(run, cluster, options, tenants):
    """Prints a table; returns how many nodes read more rows or pages of `tasks` than are the tenant's."""
    explained = " ".join(f"-c {name}={value}" for name, value in _EXPLAINED.items())
    settings = {"DATABASE_URL": f"{cluster.url}&options={urllib.parse.quote(explained)}"}
    server = servers.start_swiftlet(run, cluster, options, spare="-explained", settings=settings)
    strangers = 0
    print(f"\nRows and pages of `tasks` that a statement of the route reads, the most of {_TIMES} requests, and by what:\n")
    print("| route | " + " | ".join(tenants) + " |\n|---" + "|---" * len(tenants) + "|")
    for route in ROUTES:
        cells = []
        for tenant in tenants.values():
            nodes = []
            with tenant.connect(server.port) as connection:
                for _ in range(_TIMES):
                    before = len(cluster.log_text())
                    connection.ask(route)
                    nodes += _nodes(cluster.log_text()[before:])
            if not nodes and route not in _UNEXPLAINED:
                raise SystemExit(f"PostgreSQL has told no plan of {route}: is auto_explain there?")
            pages, rows, way = max(nodes, default=(0, 0, "no scan"))
            # With what the mixed load has inserted.
            own = int(cluster.query(f"SELECT count(*) FROM tasks WHERE tenant_id = '{tenant.identifier}'")[0][0])
            strangers += sum(rows > own or pages > _PAGES + _PAGES_PER_ROW * own for pages, rows, _ in nodes)
            cells.append(f"{rows:,}, {pages:,}, {way}")
        print(f"| {route} | " + " | ".join(cells) + " |")
    print(f"\nScans that read what is of other tenants: {strangers}")
    return strangers


def _nodes(log):
    """Pages and rows read, and the way, of each node that reads `tasks`."""
    decoder, found = json.JSONDecoder(), []
    for entry in log.split("plan:\n")[1:]:
        plan, _ = decoder.raw_decode(entry.replace("\n\t", "\n").lstrip())
        waiting = [plan["Plan"]]
        while waiting:
            node = waiting.pop()
            waiting += node.get("Plans", [])
            index = node.get("Index Name", "")
            if node.get("Relation Name") != "tasks" and not index.startswith("tasks"):
                continue
            if "Scan" not in node["Node Type"]:
                continue
            removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
            rows = (node.get("Actual Rows", 0) + removed) * node.get("Actual Loops", 1)
            pages = node.get("Shared Hit Blocks", 0) + node.get("Shared Read Blocks", 0)
            if pages:
                found.append((pages, rows, index or node["Node Type"]))
    return found
