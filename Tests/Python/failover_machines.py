"""The machines of failover.py: what runs on them, how they are lost, and how they come back."""

import os
import shutil
import signal
import subprocess
import sys
import time

import psutil
import psycopg2

from chaos import free_port

PASSWORD = "failover"


def as_postgres(*command):
    if os.geteuid() != 0:
        return command
    return ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--", *command)


def until(what, patience, condition):
    """What `condition` returns, once it is true."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise SystemExit(f"{what} did not happen within {patience} s")


class Process:
    def __init__(self, name, folder, command, environment):
        self.log = open(f"{folder}/{name}.log", "a")
        self.process = subprocess.Popen(command, env={"PATH": os.environ["PATH"], "HOME": folder, **environment},
                                        stdout=self.log, stderr=self.log, cwd=folder)

    def end(self):
        self.process.kill()
        self.process.wait()


class Database:
    """PostgreSQL under Patroni: a machine that can be lost."""

    def __init__(self, name, folder, etcds):
        self.name, self.home, self.patroni, self.isFrozen = name, folder, None, False
        self.port, self.api = free_port(), free_port()
        self.data = f"{folder}/{name}"
        programs = sorted(os.listdir("/usr/lib/postgresql"), key=float)[-1]
        self.environment = {
            "PATRONI_NAME": name, "PATRONI_ETCD3_HOSTS": etcds,
            "PATRONI_POSTGRESQL_LISTEN": f"127.0.0.1:{self.port}",
            "PATRONI_POSTGRESQL_CONNECT_ADDRESS": f"127.0.0.1:{self.port}",
            "PATRONI_RESTAPI_LISTEN": f"127.0.0.1:{self.api}", "PATRONI_RESTAPI_CONNECT_ADDRESS": f"127.0.0.1:{self.api}",
            "PATRONI_POSTGRESQL_DATA_DIR": f"{self.data}/data",
            "PATRONI_POSTGRESQL_BIN_DIR": f"/usr/lib/postgresql/{programs}/bin",
            "PATRONI_SUPERUSER_PASSWORD": PASSWORD, "PATRONI_REPLICATION_PASSWORD": PASSWORD,
            "PATRONI_RESTAPI_USERNAME": "patroni", "PATRONI_RESTAPI_PASSWORD": PASSWORD,
            "SWIFTLET_PASSWORD": PASSWORD, "HOME": self.data,
        }
        os.makedirs(self.data)
        if os.geteuid() == 0:
            shutil.chown(self.data, "postgres")

    def start(self):
        self.patroni = Process(self.name, self.home, as_postgres(sys.executable, "-m", "patroni", f"{self.home}/patroni.yml"), self.environment)

    def processes(self):
        """Patroni, PostgreSQL and all that they have started."""
        found = [psutil.Process(self.patroni.process.pid)] if self.patroni.process.poll() is None else []
        try:
            with open(f"{self.data}/data/postmaster.pid") as file:
                found.append(psutil.Process(int(file.readline())))
        except (OSError, ValueError, psutil.NoSuchProcess):
            pass
        return {process for parent in found for process in (parent, *parent.children(recursive=True))}

    def signal_all(self, number):
        # Twice: one may have started another meanwhile.
        for _ in range(2):
            for process in self.processes():
                try:
                    process.send_signal(number)
                except psutil.NoSuchProcess:
                    pass

    def lose(self, how):
        self.isFrozen = how == "freeze"
        if self.isFrozen:
            return self.signal_all(signal.SIGSTOP)
        self.signal_all(signal.SIGSTOP)
        self.signal_all(signal.SIGKILL)
        self.patroni.process.wait()

    def come_back(self):
        if self.isFrozen:
            self.signal_all(signal.SIGCONT)
        else:
            self.start()
        self.isFrozen = False

    def end(self):
        if self.patroni:
            self.lose("kill")

    def connect(self):
        connection = psycopg2.connect(host="127.0.0.1", port=self.port, dbname="swiftlet", user="postgres",
                                      password=PASSWORD, connect_timeout=2)
        connection.autocommit = True
        return connection

    def query(self, text):
        connection = self.connect()
        try:
            with connection.cursor() as cursor:
                cursor.execute(text)
                return cursor.fetchall()
        finally:
            connection.close()

    def execute(self, text):
        connection = self.connect()
        try:
            with connection.cursor() as cursor:
                cursor.execute(text)
        finally:
            connection.close()

    def is_primary(self):
        try:
            return self.query("SELECT NOT pg_is_in_recovery()")[0][0]
        except psycopg2.Error:
            return False

    def has_standby(self):
        """Whether Patroni has named the standby as the synchronous one, and commits wait for it."""
        try:
            return self.query("SELECT true FROM pg_stat_replication WHERE sync_state = 'sync'")
        except psycopg2.Error:
            return False
