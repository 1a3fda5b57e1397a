"""A plain HTTP client for checks, and the tokens that requests carry."""

import base64
import hashlib
import hmac
import http.client
import json
import time
from dataclasses import dataclass, field

JWT_SECRET = "benchmark-secret-that-is-long-enough-for-hs256"
ORIGIN = "http://localhost:5173"


@dataclass(frozen=True)
class Request:
    """One kind of request; with several paths the load generator takes them in turn."""

    paths: tuple
    method: str = "GET"
    token: str = None
    body: str = None
    prefer: str = None

    @property
    def headers(self):
        """What the mobile app sends, in brief."""
        fields = {"Content-Type": "application/json"} if self.body else {}
        if self.token:
            fields["Authorization"] = f"Bearer {self.token}"
        if self.prefer:
            fields["Prefer"] = self.prefer
        return fields


@dataclass(frozen=True)
class Answer:
    """Status, header fields in order, body."""

    status: int
    fields: list = field(repr=False)
    body: bytes = field(repr=False)


def send(port, request, path=None, timeout=10):
    """Sends one request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        body = request.body.encode() if request.body else None
        connection.request(request.method, path or request.paths[0], body, request.headers)
        response = connection.getresponse()
        return Answer(response.status, response.getheaders(), response.read())
    finally:
        connection.close()


class KeepAlive:
    """Several requests on one connection; anything but 200 ends the run."""

    def __init__(self, port, timeout=10):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def get(self, path):
        self._connection.request("GET", path)
        response = self._connection.getresponse()
        response.read()
        if response.status != 200:
            raise SystemExit(f"{path} answers {response.status}")

    def close(self):
        self._connection.close()


def mint_token(tenant, user):
    """An HS256 token with the claims of the mobile API, good for a day."""
    now = int(time.time())
    claims = {
        "sub": user,
        "email": "bench@example.com",
        "aud": "authenticated",
        "role": "authenticated",
        "iat": now,
        "exp": now + 86400,
        "app_metadata": {
            "tenantId": tenant, "tenant_id": tenant, "roleLevel": 4, "role_level": 4,
            "isPlatformUser": False, "is_platform_user": False,
        },
        "user_metadata": {"firstName": "Bench", "lastName": "Mark"},
    }
    signed = _encode(json.dumps({"alg": "HS256", "typ": "JWT"})) + "." + _encode(json.dumps(claims))
    signature = hmac.new(JWT_SECRET.encode(), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def _encode(text):
    return base64.urlsafe_b64encode(text.replace(" ", "").encode()).rstrip(b"=").decode()
