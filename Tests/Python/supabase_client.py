"""What the stories of sign_in.py have in common."""

import base64
import glob
import json
import re
import sys
import time
import uuid

import httpx
from supabase_auth import SyncGoTrueClient
from supabase_auth.errors import AuthApiError, AuthError

settings = json.loads(sys.argv[1])
PASSWORD = "correct horse 1"


def client(key=None, **more):
    key = key or settings["anon"]
    return SyncGoTrueClient(
        url=settings["url"], headers={"apikey": key, "Authorization": f"Bearer {key}"}, auto_refresh_token=False,
        **more)


def raw(method, path, token=None, **more):
    headers = {"apikey": settings["anon"], **more.pop("headers", {})}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    return httpx.request(method, settings["url"] + path, headers=headers, **more)


def address(name="user"):
    return f"{name}-{uuid.uuid4().hex[:10]}@example.com"


def signed_up(**more):
    auth, email = client(), address()
    answer = auth.sign_up({"email": email, "password": PASSWORD, **more})
    return auth, email, answer


def claims(token):
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def equal(value, wanted, what):
    expect(value == wanted, f"{what} is {value!r}, not {wanted!r}")


def refused(call, code, status=None, kind=AuthApiError, message=None):
    """The exception that the call must raise."""
    try:
        answer = call()
    except AuthError as error:
        expect(isinstance(error, kind), f"{type(error).__name__} is raised: {error.message}")
        equal(error.code, code, "the code")
        if status:
            equal(error.status, status, "the status")
        if message:
            equal(error.message, message, "the message")
        return error
    raise AssertionError(f"nothing is raised, but {answer!r} returned")


def mail(email, after=0):
    """The newest mail to the address, but those seen already."""
    for _ in range(100):
        found = []
        for name in sorted(glob.glob(settings["box"] + "/*.mail")):
            with open(name, "rb") as file:
                head = json.loads(file.readline())
            if email.lower() in [name.lower() for name in head["to"]]:
                found.append(head)
        if len(found) > after:
            return found[-1]
        time.sleep(0.1)
    raise AssertionError(f"no mail came to {email}")


def code(mail):
    return re.search(r"\b(\d{6})\b", re.sub(r"https?://\S+", "", mail["text"])).group(1)


def link(mail):
    return re.search(r"https?://\S+", mail["text"]).group(0)


def token_hash(mail):
    return re.search(r"token_hash=([^&\s]+)", link(mail)).group(1)
