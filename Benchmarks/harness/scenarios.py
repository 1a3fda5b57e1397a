"""What is measured: each kind of request with its yardstick."""

import json
from dataclasses import dataclass

from . import web

READING_TENANT = "00000000-0000-4000-8000-000000000007"
WRITING_TENANT = "00000000-0000-4000-8000-000000000101"
USER = "11111111-1111-4111-8111-111111111111"
PAGE_SIZE = 25
# As many rows are read in turn. pgbench needs a script per row, as its variables cannot hold lists of texts.
SAMPLED_TASKS = 16

NEW_TASK = {
    "title": "Replace the fuser unit",
    "description": "Customer reports streaks on every page; bring the cleaning kit.",
    "status": "todo",
    "priority": "high",
    "assigned_to": USER,
    "due_date": "2026-12-01T09:30:00Z",
    "estimated_hours": 3,
    "tags": ["service", "on site"],
}

HEALTH = web.Request(paths=("/health",))
# Of the business functions. pgbench runs the statements that Swiftlet was seen to send.
BUSINESS = {
    "customers": "/customers?limit=25",
    "tickets": "/service-tickets?limit=25",
    "invoices": "/invoices?limit=25",
    "dashboard": "/today-dashboard",
    "search": "/search?q=0a1b",
}
PIPELINED = ("dashboard", "search")
# Of /rest/v1: path, preference, content. Settings and statement are one transaction, which pgbench runs in one pipeline.
# What a client may send: who made a row follows from the token.
_NEW_ROW = {"title": NEW_TASK["title"], "tenant_id": WRITING_TENANT}
REST = {
    "rest-point": ("/rest/v1/tasks?id=eq.{task}&select=*", None, None),
    "rest-page": ("/rest/v1/tasks?select=*&order=created_at.desc.nullslast,id&limit=25", "count=exact", None),
    "rest-embed": (
        "/rest/v1/tasks?select=id,title,task_comments(id,comment)&order=id&limit=20", None, None
    ),
    "rest-insert": ("/rest/v1/tasks", "return=representation", _NEW_ROW),
    "rest-bulk": ("/rest/v1/tasks", "return=minimal", [_NEW_ROW] * 1000),
}
NAMES = ("health", "point", "page", *BUSINESS, "rest-point", "rest-page", "rest-embed", "insert", "rest-insert", "rest-bulk")


@dataclass(frozen=True)
class Scenario:
    """One block of the table: a request, who answers it, and who is the yardstick."""

    name: str
    title: str
    request: web.Request
    contestants: tuple
    yardstick: str
    statements: tuple = ()
    variables: tuple = ()
    writes: bool = False
    varying_keys: tuple = ()
    # Whether pgbench runs what was seen, in one pipeline if there is one.
    is_captured: bool = False
    is_pipelined: bool = False

    def request_to(self, contestant):
        """nginx answers `/health` only: beside other requests, it shows how fast the machine is in that round."""
        return HEALTH if contestant == "nginx" else self.request


def all_scenarios(task_ids):
    """The scenarios in the order of the run; writes come last, so that reads see the table as it was loaded."""
    reader = web.mint_token(READING_TENANT, USER)
    writer = web.mint_token(WRITING_TENANT, USER)
    with_database = ("swiftlet", "before", "nginx", "pgbench", "deno", "go")
    return [
        Scenario(
            name="health",
            title="GET /health",
            request=HEALTH,
            contestants=("swiftlet", "before", "nginx", "deno", "go"),
            yardstick="nginx",
            varying_keys=("timestamp",),
        ),
        Scenario(
            name="point",
            title="GET /tasks/:id",
            request=web.Request(paths=tuple(f"/tasks/{identifier}" for identifier in task_ids), token=reader),
            contestants=("swiftlet", "before", "nginx", "swiftlet-info", "pgbench", "deno", "go"),
            yardstick="pgbench",
            statements=("point",),
            variables=tuple({"tenant": READING_TENANT, "id": identifier} for identifier in task_ids),
        ),
        Scenario(
            name="page",
            title=f"GET /tasks?limit={PAGE_SIZE}",
            request=web.Request(paths=(f"/tasks?limit={PAGE_SIZE}",), token=reader),
            contestants=with_database,
            yardstick="pgbench",
            statements=("page", "count"),
            variables=({"tenant": READING_TENANT, "limit": PAGE_SIZE, "offset": 0},),
        ),
        *(
            Scenario(
                name=name,
                title=f"GET {path}",
                request=web.Request(paths=(path,), token=reader),
                contestants=("swiftlet", "before", "nginx", "pgbench"),
                yardstick="pgbench",
                is_captured=True,
                is_pipelined=name in PIPELINED,
            )
            for name, path in BUSINESS.items()
        ),
        *(_rest(name, task_ids[0], reader, writer) for name in REST if name not in ("rest-insert", "rest-bulk")),
        Scenario(
            name="insert",
            title="POST /tasks",
            request=web.Request(paths=("/tasks",), method="POST", token=writer, body=json.dumps(NEW_TASK)),
            contestants=with_database,
            yardstick="pgbench",
            statements=("insert",),
            variables=({**NEW_TASK, "tenant": WRITING_TENANT, "user": USER, "tags": '{service,"on site"}'},),
            writes=True,
            varying_keys=("id", "created_at", "updated_at"),
        ),
        *(_rest(name, task_ids[0], reader, writer) for name in REST if name in ("rest-insert", "rest-bulk")),
    ]


def _rest(name, task_id, reader, writer):
    """A request to /rest/v1 beside pgbench, which runs the statements that Swiftlet was seen to send."""
    path, prefer, content = REST[name]
    request = web.Request(
        paths=(path.replace("{task}", task_id),),
        method="POST" if content else "GET",
        token=writer if content else reader,
        body=json.dumps(content) if content else None,
        prefer=prefer,
    )
    return Scenario(
        name=name,
        title=f"{request.method} {path}" + (f" ({len(content)} rows)" if isinstance(content, list) else ""),
        request=request,
        contestants=("swiftlet", "before", "nginx", "pgbench"),
        yardstick="pgbench",
        is_captured=True,
        is_pipelined=True,
        writes=content is not None,
        varying_keys=("id", "created_at", "updated_at"),
    )
