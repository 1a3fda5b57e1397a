"""One tenant, and what is asked of it."""

import contextlib
import hashlib
import http.client
import itertools
import json
import uuid

from .. import web

# `search` finds one row, the common word and the two letters every sixth; the filters find nothing.
ROUTES = ("by id", "list", "search", "search, common word", "search, two letters", "filter", "filter, two", "insert")
NEW_TASK = {"title": "Replace the fuser unit", "status": "todo"}


class Tenant:
    """`rank` is 1 for the largest one. The size is read where there is a cluster."""

    def __init__(self, cluster, rank):
        self.identifier = f"00000000-0000-4000-8000-{rank:012}"
        self.rank = rank
        self.token = web.mint_token(self.identifier, f"11111111-1111-4111-8111-{rank:012}")
        if cluster:
            self.size = int(cluster.query(f"SELECT count(*) FROM tasks WHERE tenant_id = '{self.identifier}'")[0][0])

    def request(self, route, number):
        """The method and the path; `number` is that of a task."""
        task = uuid.UUID(hashlib.md5(f"{self.rank}/{number}".encode()).hexdigest())
        return {
            "by id": ("GET", f"/tasks/{task}"),
            "list": ("GET", "/tasks?limit=20"),
            "search": ("GET", f"/search?q=%23{number:06}&limit=20"),
            "search, common word": ("GET", "/search?q=toner&limit=20"),
            "search, two letters": ("GET", "/search?q=ja&limit=20"),
            "filter": ("GET", "/tasks?assigned_to=nobody&limit=20"),
            "filter, two": ("GET", "/tasks?status=cancelled&priority=urgent&limit=20"),
            "insert": ("POST", "/tasks"),
        }[route]

    def forget_inserted(self, cluster):
        """A small tenant would be a large one after some thousand inserts."""
        cluster.query(f"DELETE FROM tasks WHERE tenant_id = '{self.identifier}' AND title = '{NEW_TASK['title']}'")
        cluster.query("VACUUM tasks")

    @contextlib.contextmanager
    def connect(self, port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            yield _Connection(self, connection)
        finally:
            connection.close()


class _Connection:
    """Tasks are asked for in turn, from the first one on."""

    def __init__(self, tenant, connection):
        self._tenant, self._connection, self._numbers = tenant, connection, itertools.count()

    def ask(self, route):
        number = 1 + next(self._numbers) * 7919 % self._tenant.size
        method, path = self._tenant.request(route, number)
        fields = {"Authorization": f"Bearer {self._tenant.token}", "Content-Type": "application/json"}
        self._connection.request(method, path, json.dumps(NEW_TASK) if method == "POST" else None, fields)
        response = self._connection.getresponse()
        body = response.read()
        if response.status not in (200, 201):
            raise SystemExit(f"{method} {path} answers {response.status}: {body[:200]!r}")
        return body
