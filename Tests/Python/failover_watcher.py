"""Who listens to the changes of a tenant's rows while the primary is taken away."""

import collections
import http.client
import json
import time
import types

from chaos_watcher import Watcher


class FailoverWatcher(Watcher):
    """Reads all rows anew whenever it is told that changes may be missing, as an app does."""

    def __init__(self, port, tenant, token, seed):
        super().__init__([types.SimpleNamespace(port=port)], tenant, token, seed)
        self.port, self.isStale, self.resets, self.read_rows, self.last = port, False, 0, set(), {}

    def refuse(self, status, body):
        if status != 410:
            return super().refuse(status, body)
        self.position = None
        self.lose()

    def take(self, event):
        kind = event.get("event")
        if kind == "reset":
            self.position = event["id"]
            self.lose()
        else:
            super().take(event)
        if kind == "INSERT":
            self.check_order(json.loads(event["data"])["record"]["title"])
        if self.isStale and kind in ("ready", "reset"):
            self.read_anew()

    def lose(self):
        self.resets += not self.isStale
        self.isStale = True

    def check_order(self, title):
        """A caller writes one row after another."""
        caller, number = title.split("-")
        if int(number) <= self.last.get(caller, 0):
            self.faults.append(f"a stream tells of {title} behind {self.last[caller]}")
        self.last[caller] = int(number)

    def read_anew(self):
        fields = {"Authorization": f"Bearer {self.token}", "X-Swiftlet-Position": "new"}
        while not self.isOver.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
            try:
                connection.request("GET", "/rest/v1/tasks?select=id", headers=fields)
                response = connection.getresponse()
                body = response.read()
                if response.status == 200:
                    self.read_rows |= {row["id"] for row in json.loads(body)}
                    self.isStale = False
                    return
                if response.status < 500:
                    self.faults.append(f"reading anew was answered with {response.status} {body[:200]}")
            except (OSError, http.client.HTTPException):
                pass
            finally:
                connection.close()
            time.sleep(0.1)

    def check(self, rows, patience):
        """What does not hold of the acknowledged rows: each is told once, or was read behind a reset."""
        end = time.monotonic() + patience
        while time.monotonic() < end and not rows <= self.read_rows | set(self.rows):
            time.sleep(0.2)
        self.isOver.set()
        told = collections.Counter(self.rows)
        return self.faults + [f"{key} was neither told to a stream nor read" for key in rows - set(told) - self.read_rows] + [
            f"{key} was told {count} times to a stream" for key, count in told.items() if count > 1]
