"""A redis that lies: it answers a client in the way that its argument names, and prints its port as JSON."""

import json
import socketserver
import sys
import threading

KIND = sys.argv[1]
HELLO = b"%1\r\n$6\r\nserver\r\n$5\r\nredis\r\n"


def subscribed(request: bytes) -> bytes:
    name = request.split(b"SUBSCRIBE\r\n")[1].split(b"\r\n")[1]
    return b">3\r\n$9\r\nsubscribe\r\n$%d\r\n%s\r\n:1\r\n" % (len(name), name)


def hello_words(request: bytes) -> list[bytes]:
    lines = request.split(b"\r\n")
    return lines[4 : 2 * int(lines[0][1:]) + 1 : 2]


class Liar(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        request = b""
        while b"SUBSCRIBE\r\n" not in request or not request.endswith(b"\r\n"):
            data = self.request.recv(65536)
            if not data:
                return
            request += data
        if request.split(b"SUBSCRIBE\r\n")[1].count(b"\r\n") < 2:
            request += self.request.recv(65536)
        answer = {
            "noise": b"\x00\xff\x17HTTP/1.1 400 Bad Request\r\n\r\n",
            "endless": b"+" + b"x" * 100_000,
            "huge": b"$900000000\r\n",
            "deep": b"*1\r\n" * 1000,
            "negative": b"*-7\r\n",
            "old": b"-ERR unknown command `HELLO`, with args beginning with: %s\r\n"
            % b", ".join(b"`%s`" % word for word in hello_words(request)),
            "echo": b"-WRONGPASS %s\r\n" % b" ".join(hello_words(request)),
            "bare echo": b"-%s\r\n" % b" ".join(reversed(hello_words(request))),
            "refusal": b"-NOAUTH " + b"\x1b[31m\n" * 3 + b"secret\r\n",
            "ended": HELLO,
            "garbage after": HELLO + subscribed(request) + b"~~~~\r\n",
            "unsubscribed": HELLO + subscribed(request) + subscribed(request).replace(b"$9\r\ns", b"$11\r\nuns"),
            # It says everything right, but never what was published, and much that was not.
            "forger": HELLO + subscribed(request) + subscribed(request).replace(b"$9\r\nsubscribe", b"$7\r\nmessage").replace(
                b":1\r\n", b"$37\r\nx.1.{\"from\":\"a\",\"items\":[\"beat\"]}    \r\n") * 1000,
            "silent": b"",
            "deaf": HELLO + subscribed(request),
        }[KIND]
        try:
            self.request.sendall(answer)
            if KIND == "ended":
                return
            if KIND == "deaf":
                threading.Event().wait()
            while self.request.recv(65536):
                pass
        except OSError:
            pass


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


with Server(("127.0.0.1", 0), Liar) as server:
    print(json.dumps({"port": server.server_address[1]}), flush=True)
    server.serve_forever()
