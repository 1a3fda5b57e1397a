"""A collector of traces: takes OTLP over HTTP in JSON, as strictly as the protocol says. Standard library only.

Prints its port as a line of JSON. For each line on its standard input it answers with what has come since: a list of
spans, and what was wrong with the requests. A line "fail N" lets the next N requests be answered with 503.
"""

import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

lock = threading.Lock()
spans, faults, requests = [], [], []
failing = 0

# opentelemetry/proto/trace/v1/trace.proto
SPAN = {"traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes", "status"}


def value(attribute):
    assert set(attribute) == {"key", "value"}, attribute
    (kind, content), = attribute["value"].items()
    if kind == "intValue":
        assert isinstance(content, str)
        return int(content)
    assert kind == "stringValue" and isinstance(content, str), attribute
    return content


def attributes(entries):
    names = [entry["key"] for entry in entries]
    assert len(names) == len(set(names)), names
    return {entry["key"]: value(entry) for entry in entries}


def decode(body):
    found = []
    assert set(body) == {"resourceSpans"}
    for resource in body["resourceSpans"]:
        service = attributes(resource["resource"]["attributes"])["service.name"]
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                assert set(span) <= SPAN, set(span) - SPAN
                assert re.fullmatch("[0-9a-f]{32}", span["traceId"]) and int(span["traceId"], 16)
                assert re.fullmatch("[0-9a-f]{16}", span["spanId"]) and int(span["spanId"], 16)
                assert re.fullmatch("[0-9a-f]{16}", span.get("parentSpanId", "0" * 16))
                assert span["kind"] in (1, 2, 3, 5) and span["name"]
                start, end = (span[name] for name in ("startTimeUnixNano", "endTimeUnixNano"))
                assert isinstance(start, str) and isinstance(end, str) and 10**18 < int(start) <= int(end)
                found.append({"service": service, "trace": span["traceId"], "span": span["spanId"],
                              "parent": span.get("parentSpanId"), "name": span["name"], "kind": span["kind"],
                              "failed": span.get("status", {}).get("code") == 2,
                              "attributes": attributes(span["attributes"])})
    return found


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        global failing
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with lock:
            status = 200
            requests.append(self.headers.get("x-key"))
            if failing > 0:
                failing -= 1
                status = 503
            else:
                try:
                    assert self.path == "/v1/traces" and self.headers["Content-Type"] == "application/json"
                    spans.extend(decode(json.loads(body)))
                except Exception as fault:  # noqa: BLE001: whatever it is, the test is told
                    faults.append(repr(fault))
                    status = 400
        self.send_response(status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"http": server.server_port}), flush=True)
for line in sys.stdin:
    with lock:
        if line.startswith("fail "):
            failing = int(line.split()[1])
        print(json.dumps({"spans": spans, "faults": faults, "requests": requests}), flush=True)
        spans, faults, requests = [], [], []
