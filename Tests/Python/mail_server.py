"""A real SMTP server (aiosmtpd) that keeps what it gets, for tests of our mailer.

Prints one line of JSON: the port with STARTTLS and AUTH (user "mailer", password "p@ss word"), the one with TLS from
the first byte, the plain one, and the certificate's file. What arrives is in the folder of the first argument, a file
per message: the envelope and what Python's own parser reads as a line of JSON, then the message. Recipients that begin with "later" get a 451, those that
begin with "never" a 550. Ends when its standard input does.
"""

import asyncio
import email
import email.policy
import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

box = sys.argv[1]
number = 0


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("later"):
            return "451 come back later"
        if address.startswith("never"):
            return "550 nobody of that name"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        global number
        number += 1
        head = {"from": envelope.mail_from, "to": envelope.rcpt_tos, "tls": server.transport.get_extra_info("sslcontext") is not None,
                "user": session.auth_data.login.decode() if session.authenticated else None}
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        parts = {part.get_content_type(): part.get_content() for part in mail.walk() if not part.is_multipart()}
        head["names"] = [name.lower() for name in mail.keys()]
        head["headers"] = {name.lower(): str(value) for name, value in mail.items()}
        head["text"], head["html"] = parts.get("text/plain"), parts.get("text/html")
        head["defects"] = [str(defect) for part in mail.walk() for defect in part.defects]
        name = os.path.join(box, f"{number:04}")
        with open(name + ".part", "wb") as file:
            file.write(json.dumps(head).encode() + b"\n" + envelope.content)
        os.rename(name + ".part", name + ".mail")
        return "250 kept"


def authenticate(server, session, envelope, mechanism, data):
    good = isinstance(data, LoginPassword) and data.login == b"mailer" and data.password == b"p@ss word"
    return AuthResult(success=good, handled=False, auth_data=data if good else None)


async def start(ssl_context=None, **options):
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Handler(), **options), "127.0.0.1", 0, ssl=ssl_context)
    return server.sockets[0].getsockname()[1]


async def serve(context, certificate):
    ports = {
        "starttls": await start(
            tls_context=context, require_starttls=True, authenticator=authenticate, auth_required=True),
        "tls": await start(
            ssl_context=context, authenticator=authenticate, auth_require_tls=False, auth_required=True),
        "plain": await start(),
    }
    print(json.dumps({**ports, "file": certificate}), flush=True)
    await asyncio.to_thread(sys.stdin.read)


def leave(*_):
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


with tempfile.TemporaryDirectory() as folder:
    # Whoever started us may have done so on a thread that lets no signal through.
    signal.signal(signal.SIGTERM, leave)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    certificate, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-out", certificate, "-keyout", key],
        check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    asyncio.run(serve(context, certificate))
