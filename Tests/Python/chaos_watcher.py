"""Who listens to the changes of a tenant's rows while everything is disturbed."""

import collections
import http.client
import json
import random
import threading
import time


class Watcher:
    """Reads `/realtime/v1/changes`, and comes back behind the last event that it got, on whichever server."""

    def __init__(self, servers, tenant, token, seed):
        self.servers, self.tenant, self.token, self.random = servers, tenant, token, random.Random(seed)
        self.position, self.rows, self.faults = None, [], []
        self.isReady, self.isOver, self.openings = threading.Event(), threading.Event(), 0
        self.thread = threading.Thread(target=self.loop, daemon=True)

    def loop(self):
        while not self.isOver.is_set():
            try:
                self.listen(self.random.choice(self.servers).port)
            except (OSError, http.client.HTTPException):
                pass
            self.isOver.wait(0.1)

    def listen(self, port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        fields = {"Authorization": f"Bearer {self.token}"}
        if self.position:
            fields["Last-Event-ID"] = self.position
        try:
            connection.request("GET", "/realtime/v1/changes?table=tasks&event=INSERT", headers=fields)
            response = connection.getresponse()
            if response.status < 500 and response.status != 200:
                self.refuse(response.status, response.read()[:200])
            if response.status == 200:
                self.openings += 1
                self.read(response)
        finally:
            connection.close()

    def refuse(self, status, body):
        self.faults.append(f"a stream was answered with {status} {body}")
        time.sleep(1)

    def read(self, response):
        event = {}
        while not self.isOver.is_set() and (line := response.readline()):
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name:
                event[name] = value
                continue
            self.take(event)
            event = {}

    def take(self, event):
        kind = event.get("event")
        if kind == "ready":
            # A position of its own only for who comes without one.
            self.position = self.position or event["id"]
            self.isReady.set()
        elif kind == "INSERT":
            record = json.loads(event["data"])["record"]
            self.rows.append(record["id"])
            self.position = event["id"]
            if record["tenant_id"] != self.tenant:
                self.faults.append(f"a stream of {self.tenant} tells of {record}")
        elif kind == "reset":
            self.faults.append("a stream was reset: changes are lost")
            self.position = event.get("id", self.position)

    def check(self, rows, patience):
        """What does not hold, once everything has come or nothing more does."""
        end = time.monotonic() + patience
        while time.monotonic() < end and not rows <= set(self.rows):
            time.sleep(0.2)
        self.isOver.set()
        told = collections.Counter(self.rows)
        return self.faults + [f"{key} was not told to a stream" for key in rows - set(told)] + [
            f"{key} was told {count} times to a stream" for key, count in told.items() if count > 1
        ] + [f"{key} was told to a stream, and is not there" for key in set(told) - rows]
