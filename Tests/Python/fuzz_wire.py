"""Requests as bytes that no client would send, and messages on channels: what a fuzz sends beneath HTTP's own grammar."""

import base64
import json
import os
import socket

LINES = [b"\r\n", b"\n", b"\r", b" ", b"\t", b":", b"\0", b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n",
         b"Expect: 100-continue\r\n", b"Connection: close\r\n", b"Upgrade: websocket\r\n", b"ffffffffffffffff\r\n",
         b"0\r\n\r\n", b"HTTP/1.0", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"Host: b\r\n", b"Range: bytes=-1\r\n",
         b"Content-Encoding: gzip\r\n", b"%00", b"\xff\xfe", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
EVENTS = ["phx_join", "phx_leave", "heartbeat", "broadcast", "presence", "access_token", "postgres_changes", "odd", ""]
# How long an answer is waited for: many of these requests are never whole.
PATIENCE = 0.2


def damaged(data, chance, pieces):
    """A few places of it taken out, doubled, or with something else in between."""
    data = bytearray(data)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.randrange(12))
        kind = chance.randrange(5)
        if kind == 0:
            data[at:end] = b""
        elif kind == 1:
            data[at:at] = chance.choice(pieces)
        elif kind == 2:
            data[at:at] = data[at:end]
        elif kind == 3 and at < len(data):
            data[at] = chance.randrange(256)
        else:
            del data[at:]
    return bytes(data)


def request_bytes(method, target, fields, body, caller, chance):
    """The request, in chunks now and then."""
    lines = [f"{method} {target} HTTP/1.1", "Host: fuzz", *(f"{name}: {value}" for name, value in fields.items())]
    if caller:
        lines.append(f"Authorization: Bearer {caller}")
    body = body or b""
    if body and chance.random() < 0.3:
        lines.append("Transfer-Encoding: chunked")
        at = chance.randrange(len(body))
        parts = [part for part in (body[:at], body[at:]) if part]
        body = b"".join(f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in parts) + b"0\r\n\r\n"
    elif body:
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "replace") + body


def send_raw(port, data, chance):
    """Sends it in up to three pieces on a connection of its own. What came back."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.settimeout(PATIENCE)
        cuts = sorted(chance.randrange(len(data) + 1) for _ in range(chance.randrange(3)))
        for start, end in zip([0, *cuts], [*cuts, len(data)]):
            connection.sendall(data[start:end])
        if chance.random() < 0.3:
            connection.shutdown(socket.SHUT_WR)
        return read(connection)


def read(connection):
    received = b""
    try:
        while len(received) < 1_000_000 and (part := connection.recv(65_536)):
            received += part
    except TimeoutError:
        pass
    return received


class Channels:
    """What one socket sends: joins, as a client may make them, and anything else."""

    def __init__(self, chance, grammar):
        self.chance, self.grammar = chance, grammar

    def config(self):
        changes = [{"event": self.chance.choice(["*", "INSERT", "odd", 1]), "schema": "public",
                    "table": self.chance.choice([*self.grammar.tables, "nothing"]),
                    **({"filter": f"{self.chance.choice(['id', 'tenant_id', 'x'])}={self.grammar.operation('tasks')}"}
                       if self.chance.random() < 0.5 else {})} for _ in range(self.chance.randrange(3))]
        return {"config": {"broadcast": {"self": True, "ack": self.chance.random() < 0.5},
                           "presence": {"key": self.grammar.text()}, "postgres_changes": changes,
                           "private": self.chance.random() < 0.2}}

    def message(self, version, caller):
        event = self.chance.choice(EVENTS)
        payload = self.grammar.value()
        if event == "phx_join" and self.chance.random() < 0.8:
            payload = {**self.config(), **({"access_token": caller} if caller else {})}
        elif event in ("broadcast", "presence") and self.chance.random() < 0.7:
            payload = {"type": event, "event": self.chance.choice(["track", "untrack", "x"]), "payload": payload}
        elif event == "access_token":
            payload = {"access_token": caller or self.grammar.text()}
        topic = self.chance.choice(["realtime:a", "realtime:a", "realtime:b", "phoenix", self.grammar.text()])
        parts = {"join_ref": "1", "ref": self.chance.choice(["1", "2", None]), "topic": topic, "event": event,
                 "payload": payload}
        return json.dumps(parts if version == "1.0.0" else list(parts.values())).encode("utf-8", "replace")

    def frame(self, version, caller):
        text = self.message(version, caller)
        if self.chance.random() < 0.2:
            text = damaged(text, self.chance, [b"\\u0000", b"\"", b"[", b"}", b"\xff", b",", b"1e999"])
        first = 0x81
        if self.chance.random() < 0.05:
            first = self.chance.choice([0x01, 0x80, 0x82, 0x88, 0x89, 0x8A, 0x83, 0xC1])
        if first == 0x82:
            text = bytes([3, 1, 1, len("realtime:a"), 1, 0, 1]) + b"11realtime:ae" + text
        mask = os.urandom(4)
        length = bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + len(text).to_bytes(2, "big")
        if len(text) > 65_535:
            length = b"\xff" + len(text).to_bytes(8, "big")
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(text))
        return bytes([first]) + length + mask + masked

    def talk(self, port, caller):
        """Opens a socket and sends up to twenty messages. What came back."""
        version = self.chance.choice(["1.0.0", "2.0.0"])
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.settimeout(PATIENCE)
            connection.sendall(
                f"GET /realtime/v1/websocket?apikey={caller or ''}&vsn={version} HTTP/1.1\r\nHost: fuzz\r\n"
                f"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n".encode()
            )
            frames = [self.frame(version, caller) for _ in range(self.chance.randrange(1, 20))]
            if self.chance.random() < 0.1:
                frames.append(damaged(frames.pop(), self.chance, [b"\xff", b"\x80\x80"]))
            for frame in frames:
                connection.sendall(frame)
            return read(connection)
