"""The statements with which a server claims and completes jobs, for pgbench."""

import re
import subprocess
import time
from dataclasses import dataclass

from ..statements import sent_during


@dataclass(frozen=True)
class Best:
    rate: float
    clients: int
    batch: int


class Claims:
    """The two texts as the server sends them."""

    def __init__(self, claim, complete):
        self._claim = claim
        self._complete = complete

    @classmethod
    def captured(cls, cluster, servers, action):
        server = servers.start("watched")

        def watch():
            action()
            time.sleep(1)

        texts = sent_during(cluster, watch)
        servers.stop(server)
        claim = next(text for text in texts if "FOR UPDATE SKIP LOCKED" in text)
        complete = next(text for text in texts if "AS done (id, fence)" in text)
        return cls(claim, complete)

    def best_rate(self, run, cluster, fill):
        """Of some numbers of clients and jobs in a claim, the fastest."""
        tried = [
            Best(self._rate(run, cluster, fill, clients, batch), clients, batch)
            for clients in (1, 2, 4) for batch in (50, 200, 1000)
        ]
        return max(tried, key=lambda each: each.rate)

    def _rate(self, run, cluster, fill, clients, batch, seconds=2):
        from .figures import forget

        forget(cluster)
        fill()
        values = {"1": ":client_id + 1", "2": str(batch), "3": "'{nothing}'", "4": "30", "5": "'-infinity'", "6": "'-infinity'", "7": "'-infinity'"}
        # One row instead of one for each job, as pgbench keeps no others.
        head = self._claim[: self._claim.index("claimed.id, claimed.fence")]
        arrays = ", ".join(f"(SELECT array_agg({name})::text FROM claimed) AS {name}s" for name in ("id", "fence"))
        claim = re.sub(r"\$(\d)", lambda match: values[match.group(1)], f"{head} {arrays} FROM clock")
        complete = self._complete.replace("$1", ":ids").replace("$2", ":fences")
        script = run.scratch / f"claim-{clients}-{batch}.sql"
        script.write_text(f"{claim} \\gset\n{complete};\n")
        before = int(cluster.query("SELECT count(*) FROM swiftlet.job_history")[0][0])
        # A client that finds the queue empty ends.
        subprocess.run(
            [cluster.program("pgbench"), "-n", "-M", "prepared", "-f", script, "-c", str(clients), "-j", "1", "-T", str(seconds)],
            env=cluster.environment, capture_output=True, text=True, timeout=120, check=False,
        )
        row = cluster.query(
            f"SELECT (count(*) - {before}) / nullif(extract(epoch FROM max(finished_at) - min(started_at)), 0) FROM swiftlet.job_history"
        )
        return float(row[0][0] or 0)
