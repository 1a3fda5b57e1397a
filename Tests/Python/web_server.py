"""A web server that behaves as badly as asked, for tests of our HTTP client. Standard library only.

Prints one line of JSON: the port of plain http, those of https (its certificate is for localhost, for another name, or
it speaks TLS 1.1 at most), and the file with the certificate of the first. Ends when its standard input does.

Anything can be put at a path and looked at again: POST /__put?path=/keys&status=200&cache=max-age=60 with a body,
GET /__count?path=/keys tells how often it was asked for since, GET /__last?path=/hook what was last posted there.
"""

import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

lock = threading.Lock()
pages = {}
counts = {}
busy = {}
posts = {}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path == "/__put":
            with lock:
                pages[query["path"]] = (int(query.get("status", "200")), body, query.get("cache"), query.get("delay"))
                busy[query["path"]] = int(query.get("busy", "0"))
                counts[query["path"]] = 0
            return self.answer(200)
        with lock:
            page = pages.get(url.path)
            if page:
                counts[url.path] += 1
                is_busy = counts[url.path] <= busy[url.path]
                posts[url.path] = {"body": body.decode(), "headers": {k.lower(): v for k, v in self.headers.items()}}
        if page:
            if is_busy:
                return self.answer(503, b"", [("Retry-After", "1")])
            if page[3]:
                time.sleep(float(page[3]))
            return self.answer(page[0], page[1])
        self.respond(url.path, query, body)

    def do_GET(self):
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path == "/__count":
            with lock:
                return self.answer(200, str(counts.get(query["path"], 0)).encode())
        if url.path == "/__last":
            with lock:
                return self.answer(200, json.dumps(posts.get(query["path"])).encode())
        with lock:
            page = pages.get(url.path)
            if page:
                counts[url.path] += 1
        if page:
            status, body, cache, delay = page
            if delay:
                time.sleep(float(delay))
            return self.answer(status, body, [("Cache-Control", cache)] if cache else [])
        self.respond(url.path, query, b"")

    def respond(self, path, query, body):
        if path == "/echo":
            seen = {"method": self.command, "path": self.path, "body": body.decode(),
                    "headers": [[name, value] for name, value in self.headers.items()],
                    "connection": self.client_address[1]}
            self.answer(200, json.dumps(seen).encode(), [("X-One", "a"), ("x-one", "b"), ("X-Empty", "")])
        elif path == "/big":
            self.answer(200, b" " * int(query["bytes"]))
        elif path == "/stream":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            left = int(query["bytes"])
            try:
                while left > 0:
                    part = b" " * min(left, 10000)
                    left -= len(part)
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                self.wfile.write(b"0\r\n\r\n")
            except OSError:
                self.close_connection = True
        elif path == "/slow":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            try:
                for _ in range(1000):
                    self.wfile.write(b" ")
                    self.wfile.flush()
                    time.sleep(0.05)
            except OSError:
                self.close_connection = True
        elif path == "/hang":
            time.sleep(20)
        elif path == "/half":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"half of it")
            self.close_connection = True
        elif path == "/nothing":
            self.close_connection = True
        elif path == "/garbage":
            self.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n")
            self.close_connection = True
        elif path == "/hugehead":
            try:
                self.wfile.write(b"HTTP/1.1 200 OK\r\n")
                for number in range(20000):
                    self.wfile.write(b"X-%d: %s\r\n" % (number, b"a" * 50))
                self.wfile.write(b"Content-Length: 0\r\n\r\n")
            except OSError:
                self.close_connection = True
        elif path == "/redirect":
            self.answer(int(query.get("status", "302")), b"moved", [("Location", query["to"])])
        elif path.startswith("/steps/"):
            left = int(path.rsplit("/", 1)[1])
            if left == 0:
                self.answer(200, b"arrived")
            else:
                self.answer(302, b"", [("Location", "/steps/%d" % (left - 1))])
        elif path == "/loop":
            self.answer(302, b"", [("Location", "/loop")])
        else:
            self.answer(404)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


def serve(context=None):
    server = Server(("127.0.0.1", 0), Handler)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def certificate(folder, name):
    files = [os.path.join(folder, f"{name}.{kind}") for kind in ("pem", "key")]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}", "-out", files[0], "-keyout", files[1]],
        check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    return files[0], context


# Somebody who listens and never says a word, so that a TLS handshake hangs.
mute = socket.socket()
mute.bind(("127.0.0.1", 0))
mute.listen()

def leave(*_):
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


with tempfile.TemporaryDirectory() as folder:
    # Whoever started us may have done so on a thread that lets no signal through.
    signal.signal(signal.SIGTERM, leave)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    file, good = certificate(folder, "localhost")
    _, other = certificate(folder, "other.example")
    _, old = certificate(folder, "localhost-old")
    old.set_ciphers("ALL:@SECLEVEL=0")
    warnings.simplefilter("ignore", DeprecationWarning)
    old.minimum_version = ssl.TLSVersion.TLSv1
    old.maximum_version = ssl.TLSVersion.TLSv1_1
    print(json.dumps({"http": serve(), "https": serve(good), "other": serve(other), "old": serve(old),
                      "mute": mute.getsockname()[1], "file": file}), flush=True)
    sys.stdin.read()
