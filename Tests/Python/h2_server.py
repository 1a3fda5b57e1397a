"""A TLS server that speaks HTTP/2 only, with h2 from PyPI, and answers as it is told to.

Prints one line of JSON: its port, and the file with its certificate, which is for localhost. Ends when its standard
input does.

POST /__put?path=P with {"answers": [{"status", "headers", "body", "action"}, …]}: what P answers, one after the other,
the last one for ever. Actions: "goaway" refuses the stream and says goodbye to the connection, "close" breaks the
connection off, "hang" never answers. GET /__seen?path=P: the requests there were, with their headers, their body and
the number of their connection. Everything else is answered with 200 and {}.
"""

import asyncio
import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
from urllib.parse import parse_qs, urlsplit

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import DataReceived, RequestReceived, StreamEnded, StreamReset
from h2.exceptions import ProtocolError, StreamClosedError

answers = {}
seen = {}
connections = 0


class Protocol(asyncio.Protocol):
    def connection_made(self, transport):
        global connections
        connections += 1
        self.number = connections
        self.transport = transport
        self.h2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self.requests = {}
        self.last = 0
        self.h2.initiate_connection()
        self.flush()

    def flush(self):
        self.transport.write(self.h2.data_to_send())

    def data_received(self, data):
        try:
            events = self.h2.receive_data(data)
        except ProtocolError:
            self.flush()
            return self.transport.close()
        for event in events:
            if isinstance(event, RequestReceived):
                self.requests[event.stream_id] = (dict(event.headers), bytearray())
            elif isinstance(event, DataReceived) and event.stream_id in self.requests:
                self.requests[event.stream_id][1].extend(event.data)
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, StreamReset):
                self.requests.pop(event.stream_id, None)
            elif isinstance(event, StreamEnded) and event.stream_id in self.requests:
                self.respond(event.stream_id, *self.requests.pop(event.stream_id))
            if self.transport.is_closing():
                return
        self.flush()

    def respond(self, stream, headers, body):
        url = urlsplit(headers[":path"])
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path == "/__put":
            answers[query["path"]] = json.loads(bytes(body))["answers"]
            seen[query["path"]] = []
            return self.send(stream, 200, b"{}")
        if url.path == "/__seen":
            return self.send(stream, 200, json.dumps(seen.get(query["path"], [])).encode())
        planned = answers.get(url.path, [])
        answer = (planned.pop(0) if len(planned) > 1 else planned[0]) if planned else {}
        seen.setdefault(url.path, []).append(
            {"headers": headers, "body": bytes(body).decode(), "connection": self.number})
        action = answer.get("action")
        if action == "goaway":
            # It has not been looked at, which the client may rely on (RFC 9113 §6.8).
            self.h2.close_connection(ErrorCodes.NO_ERROR, last_stream_id=self.last)
            self.flush()
            self.transport.close()
        elif action == "close":
            self.transport.abort()
        elif action == "hang":
            pass
        else:
            delay = answer.get("delay", 0)
            reply = (stream, answer.get("status", 200), answer.get("body", "{}").encode(), answer.get("headers", {}))
            self.last = stream
            if delay:
                asyncio.get_running_loop().call_later(delay, lambda: self.reply_later(*reply))
            else:
                self.send(*reply)

    def reply_later(self, *reply):
        try:
            self.send(*reply)
        except (ProtocolError, StreamClosedError):
            return
        self.flush()

    def send(self, stream, status, body, headers={}):
        fields = [(":status", str(status)), ("content-length", str(len(body)))]
        self.h2.send_headers(stream, fields + [(name.lower(), value) for name, value in headers.items()])
        # Bodies are small: within the first window.
        self.h2.send_data(stream, body, end_stream=True)


def certificate(folder):
    files = [os.path.join(folder, name) for name in ("localhost.pem", "localhost.key")]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-out", files[0], "-keyout", files[1]],
        check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    context.set_alpn_protocols(["h2"])
    return files[0], context


async def main(folder):
    file, context = certificate(folder)
    server = await asyncio.get_running_loop().create_server(Protocol, "127.0.0.1", 0, ssl=context)
    print(json.dumps({"h2": server.sockets[0].getsockname()[1], "file": file}), flush=True)
    await server.serve_forever()


def leave(*_):
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def leave_with_input():
    sys.stdin.read()
    leave()


with tempfile.TemporaryDirectory() as folder:
    # Whoever started us may have done so on a thread that lets no signal through.
    signal.signal(signal.SIGTERM, leave)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    threading.Thread(target=leave_with_input, daemon=True).start()
    asyncio.run(main(folder))
