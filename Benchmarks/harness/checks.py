"""Before anything is measured: every contestant gives the same bytes, and refuses what it must refuse."""

import dataclasses
import json
import re

from . import web

_NOT_COMPARED = {"date", "server", "connection", "keep-alive", "content-length", "transfer-encoding"}


def same_answers(scenario, servers):
    """Compares bodies byte for byte with the first server's. Returns a map from contestant to its fault."""
    faults = {}
    expected = None
    for name, server in servers.items():
        fault = _refusal_fault(scenario, server)
        answers = [web.send(server.port, scenario.request, path) for path in scenario.request.paths]
        bodies = [_blank(answer.body, scenario.varying_keys) for answer in answers]
        if expected is None:
            expected = bodies
            fault = fault or _shape_fault(scenario, answers)
        elif fault is None:
            fault = next(filter(None, map(_difference, bodies, expected)), None)
        if any(answer.status not in (200, 201, 206) for answer in answers):
            fault = f"answers {answers[0].status}: {answers[0].body[:200]!r}"
        if fault:
            faults[name] = fault
    return faults


def missing_fields(server, reference, request):
    """Names of header fields that the reference sends and `server` does not, for a note beside the table."""
    names = [
        {name.lower() for name, _ in web.send(each.port, request).fields} - _NOT_COMPARED
        for each in (server, reference)
    ]
    return sorted(names[1] - names[0])


def _refusal_fault(scenario, server):
    """A server that skips the token check is fast for the wrong reason."""
    if scenario.request.token is None:
        return None
    header, claims, signature = scenario.request.token.split(".")
    forged = ".".join([header, claims, signature[::-1]])
    for token in (None, forged):
        status = web.send(server.port, dataclasses.replace(scenario.request, token=token)).status
        if status != 401:
            return f"answers {status} instead of 401 to a {'forged' if token else 'missing'} token"
    return None


def _shape_fault(scenario, answers):
    """Looks closer at the first server, as all others are compared with it."""
    if scenario.name.startswith("rest-"):
        return _rest_fault(scenario, answers[0].body)
    values = [json.loads(answer.body) for answer in answers]
    if scenario.name == "page" and (len(values[0]["data"]), values[0]["total"]) != (25, 1000):
        return "the page does not hold 25 of 1000 tasks"
    if scenario.name == "point" and any(not path.endswith(value["id"]) for path, value in
                                        zip(scenario.request.paths, values)):
        return "answers with another task than was asked for"
    stamps = re.findall(rb'"\w+_(?:at|date)":"([^"]*)"', b"".join(answer.body for answer in answers))
    if any(not re.fullmatch(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", stamp) for stamp in stamps):
        return "a timestamp is not YYYY-MM-DDTHH:MM:SSZ"
    return None


def _rest_fault(scenario, body):
    """These answers are PostgreSQL's own text, with as many rows as were asked for."""
    rows = json.loads(body) if body else []
    wanted = {"rest-point": 1, "rest-page": 25, "rest-embed": 20, "rest-insert": 1, "rest-bulk": 0}[scenario.name]
    if len(rows) != wanted:
        return f"answers with {len(rows)} rows instead of {wanted}"
    if scenario.name == "rest-embed" and any(len(row["task_comments"]) != 5 for row in rows):
        return "a task has not its five comments"
    return None


def _blank(body, keys):
    for key in keys:
        body = re.sub(rb'"%s":"[^"]*"' % key.encode(), b'"%s":"*"' % key.encode(), body)
    return body


def _difference(body, expected):
    if body == expected:
        return None
    offset = next((index for index, pair in enumerate(zip(body, expected)) if pair[0] != pair[1]),
                  min(len(body), len(expected)))
    window = slice(max(0, offset - 40), offset + 40)
    return f"differs at byte {offset}: {body[window]!r}, expected {expected[window]!r}"
