"""Two queues from PyPI on the same PostgreSQL, which do as little for each job: two processes each."""

import subprocess
import sys
import time

_PACKAGES = ("procrastinate==3.*", "pgqueuer==1.*", "asyncpg", "psycopg[binary,pool]")

_PROCRASTINATE = '''
import asyncio, sys, time
import procrastinate
app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=sys.argv[1]))

@app.task(name="nothing")
async def nothing(number):
    pass

async def main():
    async with app.open_async():
        if sys.argv[2] == "fill":
            await app.schema_manager.apply_schema_async()
            for _ in range(int(sys.argv[3]) // 1000):
                await nothing.batch_defer_async(*({"number": 1} for _ in range(1000)))
        else:
            await app.run_worker_async(concurrency=16, wait=False, listen_notify=False, delete_jobs="successful",
                                       install_signal_handlers=False)

asyncio.run(main())
'''

_PGQUEUER = '''
import asyncio, sys
import asyncpg
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries
from pgqueuer.types import QueueExecutionMode

async def main():
    connection = await asyncpg.connect(dsn=sys.argv[1])
    driver = AsyncpgDriver(connection)
    if sys.argv[2] == "fill":
        queries = Queries(driver)
        await queries.install()
        for _ in range(int(sys.argv[3]) // 1000):
            await queries.enqueue(["nothing"] * 1000, [b"{}"] * 1000, [0] * 1000)
    else:
        queue = PgQueuer(driver)

        @queue.entrypoint("nothing")
        async def nothing(job):
            pass

        await queue.run(batch_size=100, mode=QueueExecutionMode.drain)

asyncio.run(main())
'''


def measure(run, cluster, servers, count):
    from .figures import rate_of_two_servers

    python = _interpreter(run)
    if python is None:
        return []
    ours = rate_of_two_servers(cluster, servers, count * 5)
    results = []
    for name, source in (("procrastinate", _PROCRASTINATE), ("pgqueuer", _PGQUEUER)):
        rate = _rate(run, cluster, python, name, source, count)
        line = (f"{name}, two processes", f"{rate:,.0f} jobs/s", f"Swiftlet: {ours / rate:.1f} ×, goal ≥ 5" if rate else "")
        print(f"{line[0]}: {line[1]} {line[2]}", flush=True)
        results.append(line)
    return results


def _rate(run, cluster, python, name, source, count):
    # Not by the name of the package, which it would hide.
    script = run.scratch / f"queue_of_{name}.py"
    script.write_text(source)
    database = f"{name}_queue"
    cluster.run("createdb", "-T", "template0", database)
    url = f"postgresql://bench@/{database}?host={cluster.socket_folder}&port=5432"
    filled = subprocess.run([python, script, url, "fill", str(count)], capture_output=True, text=True, timeout=300)
    if filled.returncode != 0:
        print(f"{name} is not measured: {filled.stderr.strip()[-300:]}", file=sys.stderr)
        return 0
    began = time.monotonic()
    workers = [
        run.spawn([python, script, url, "work"], f"{name}.log") for _ in range(2)
    ]
    for worker in workers:
        worker.wait(timeout=300)
    return count / (time.monotonic() - began)


def _interpreter(run):
    folder = run.cache / "queues"
    python = folder / "bin/python"
    if python.exists():
        return python
    print("installing " + " ".join(_PACKAGES), flush=True)
    for command in ([sys.executable, "-m", "venv", folder], [python, "-m", "pip", "install", "-q", *_PACKAGES]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            print(f"procrastinate and pgqueuer are not measured: {done.stderr.strip()[-300:]}", file=sys.stderr)
            return None
    return python
