"""What signing in costs: logins beside bare bcrypt, refreshed sessions, and passkeys."""

import base64
import ctypes
import json
import multiprocessing
import os
import secrets
import statistics
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from . import web

NAMES = ("login", "refresh", "passkey")

_EMAIL = "bench@example.com"
_PASSWORD = "correct horse battery staple"
_SESSIONS = 512
# Enough that a hash is always waiting for a core, few enough that nobody is refused.
_LOGIN_CONNECTIONS = 16
# Fewer than the challenges that one private address may ask for in five minutes.
_PASSKEY_SIGN_INS = 250
# Passkeys are for its page.
SITE = "https://bench.example"


@dataclass(frozen=True)
class SignIn:
    """One round. Rates are per second; a None was not measured."""

    bcrypt_rate: float = None
    login_rate: float = None
    health_p99_milliseconds: float = None
    refresh_rate: float = None
    refresh_server_microseconds: float = None
    refresh_postgres_microseconds: float = None
    passkey_rate: float = None
    passkey_server_microseconds: float = None


def make_account(server):
    """Signs the one user up."""
    account = json.dumps({"email": _EMAIL, "password": _PASSWORD})
    answer = web.send(server.port, web.Request(("/auth/v1/signup",), "POST", body=account))
    if answer.status != 200:
        raise SystemExit(f"sign-up answers {answer.status}: {answer.body[:200]!r}")


def new_sessions(cluster):
    """Gives the user many sessions, and returns their refresh tokens."""
    tokens = [secrets.token_hex(6) for _ in range(_SESSIONS)]
    values = ",".join(f"('{token}')" for token in tokens)
    cluster.query(
        f"WITH given (token) AS (VALUES {values}), account AS (SELECT id FROM auth.users WHERE email = '{_EMAIL}'),"
        " fresh AS MATERIALIZED (SELECT token, account.id AS owner, gen_random_uuid() AS session FROM given, account),"
        " made AS (INSERT INTO auth.sessions (id, user_id, created_at, updated_at, aal)"
        " SELECT session, owner, now(), now(), 'aal1' FROM fresh)"
        " INSERT INTO auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, session_id)"
        " SELECT '00000000-0000-0000-0000-000000000000', token, owner, false, now(), now(), session FROM fresh"
    )
    return tokens


def measure_login(server, wrk, seconds):
    """bcrypt alone on every core, then as many logins as the server manages while /health is asked beside them."""
    bcrypt_rate = _bare_bcrypt(seconds)
    body = json.dumps({"email": _EMAIL, "password": _PASSWORD})
    request = web.Request(("/mobile-auth/login",), "POST", body=body)
    with _HealthProbe(server.port) as probe:
        load = wrk.run(server.port, request, seconds, connections=_LOGIN_CONNECTIONS)
    return SignIn(
        bcrypt_rate=bcrypt_rate,
        login_rate=load.requests / load.seconds,
        health_p99_milliseconds=probe.p99_milliseconds(),
    )


def measure_refresh(server, cluster, wrk, tokens, seconds):
    """Every request spends a token and gets the next one. Returns the sample; `tokens` are used up afterwards."""
    postgres_before, server_before = cluster.cpu_seconds(), server.usage()
    load = wrk.refresh(server.port, tokens, seconds)
    used = server.usage() - server_before
    return SignIn(
        refresh_rate=load.requests / load.seconds,
        refresh_server_microseconds=used.cpu_seconds / load.requests * 1e6,
        refresh_postgres_microseconds=(cluster.cpu_seconds() - postgres_before) / load.requests * 1e6,
    )


def device():
    """An authenticator in software, from the tests' packages; None where it is not installed."""
    packages = Path(__file__).resolve().parents[2] / ".build-python" / "lib"
    sys.path.extend(str(folder) for folder in packages.glob("python3.*/site-packages"))
    try:
        from soft_webauthn import SoftWebauthnDevice
    except ImportError:
        return None
    return SoftWebauthnDevice()


def register_passkey(server, authenticator):
    """Gives the user a passkey."""
    body = json.dumps({"email": _EMAIL, "password": _PASSWORD})
    token = _ask(server, "/token?grant_type=password", body)["access_token"]
    options = _ask(server, "/passkeys/registration/options", "{}", token)
    credential = _written(authenticator.create(_native(options["options"]), SITE))
    answer = json.dumps({"challenge_id": options["challenge_id"], "credential": credential})
    _ask(server, "/passkeys/registration/verify", answer, token)


def measure_passkey(server, authenticator):
    """One after the other, as the authenticator is slower than the server: a challenge, and the session for it."""
    before, start = server.usage(), time.monotonic()
    for _ in range(_PASSKEY_SIGN_INS):
        options = _ask(server, "/passkeys/authentication/options", "{}")
        credential = _written(authenticator.get(_native(options["options"]), SITE))
        answer = json.dumps({"challenge_id": options["challenge_id"], "credential": credential})
        _ask(server, "/passkeys/authentication/verify", answer)
    used = server.usage() - before
    return SignIn(
        passkey_rate=_PASSKEY_SIGN_INS / (time.monotonic() - start),
        passkey_server_microseconds=used.cpu_seconds / _PASSKEY_SIGN_INS * 1e6,
    )


def _ask(server, path, body, token=None):
    answer = web.send(server.port, web.Request(("/auth/v1" + path,), "POST", token, body))
    if answer.status != 200:
        raise SystemExit(f"{path} answers {answer.status}: {answer.body[:200]!r}")
    return json.loads(answer.body)


def _native(options):
    """The options as a browser hands them to an authenticator."""
    made = dict(options, challenge=_decoded(options["challenge"]))
    if "user" in made:
        made["user"] = dict(made["user"], id=_decoded(made["user"]["id"]))
    return {"publicKey": made}


def _written(credential):
    """A credential as `toJSON` writes it."""
    identifier = _encoded(credential["rawId"])
    response = {name: _encoded(value) for name, value in credential["response"].items()}
    return {"id": identifier, "rawId": identifier, "type": "public-key", "response": response}


def _decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def median(samples, figure):
    """The median over rounds, or None."""
    values = [value for sample in samples if (value := getattr(sample, figure)) is not None]
    return statistics.median(values) if values else None


def login_ratio(samples):
    """Logins over bare hashes, the median of the rounds' ratios."""
    ratios = [sample.login_rate / sample.bcrypt_rate for sample in samples if sample.login_rate is not None]
    return statistics.median(ratios) if ratios else None


class _HealthProbe:
    """Asks for /health a hundred times a second on one connection, in a thread of its own."""

    def __init__(self, port):
        self._connection = web.KeepAlive(port)
        self._durations = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
        self._connection.close()

    def p99_milliseconds(self):
        ordered = sorted(self._durations)
        return ordered[int(len(ordered) * 0.99)] * 1000 if ordered else None

    def _run(self):
        while not self._stop.wait(0.01):
            start = time.monotonic()
            self._connection.get("/health")
            self._durations.append(time.monotonic() - start)


def _bare_bcrypt(seconds):
    """Hashes per second on all cores together, by the library that the server uses, at cost 10."""
    with multiprocessing.Pool(os.cpu_count()) as pool:
        counts = pool.map(_hash_for, [seconds] * os.cpu_count(), chunksize=1)
    return sum(counts) / seconds


def _hash_for(seconds):
    library = ctypes.CDLL("libcrypt.so.1")
    library.crypt.restype = ctypes.c_char_p
    end = time.monotonic() + seconds
    count = 0
    while time.monotonic() < end:
        library.crypt(_PASSWORD.encode(), b"$2b$10$abcdefghijklmnopqrstuu")
        count += 1
    return count
