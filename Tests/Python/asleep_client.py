"""A client that follows the rows of `ticks` by a channel and by a stream, and writes the number of each row that it is told
into a file of its own: asleep_client.py PORT TOKEN FILE."""

import base64
import http.client
import json
import os
import re
import socket
import sys
import threading
import time


class Channel:
    """A joined channel of the first version, whose mask is zero. Rows are told behind `since`, or from now on."""

    def __init__(self, port, key, since=None):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.position = since
        try:
            self.open(key, since)
        except BaseException:
            self.socket.close()
            raise

    def open(self, key, since):
        self.socket.sendall(
            f"GET /realtime/v1/websocket?apikey={key}&vsn=1.0.0 HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\n"
            f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n".encode()
        )
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.receive()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head:
            raise OSError(head.decode())
        config = {"postgres_changes": [{"event": "*", "schema": "public", "table": "ticks"}]}
        if since:
            config["replay"] = {"since": since}
        self.send("realtime:ticks", "phx_join", {"config": config})

    def send(self, topic, event, payload):
        text = json.dumps({"topic": topic, "event": event, "payload": payload, "ref": "1", "join_ref": "1"}).encode()
        length = bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + len(text).to_bytes(2, "big")
        self.socket.sendall(b"\x81" + length + b"\0\0\0\0" + text)

    def receive(self):
        data = self.socket.recv(262_144)
        if not data:
            raise EOFError("the server has closed the socket")
        self.buffer += data

    def frames(self):
        start, buffer = 0, self.buffer
        while len(buffer) - start >= 2:
            length, head = buffer[start + 1] & 127, 2
            if length >= 126:
                head = 4 if length == 126 else 10
                length = int.from_bytes(buffer[start + 2 : start + head], "big")
            if len(buffer) - start < head + length:
                break
            yield buffer[start] & 15, buffer[start + head : start + head + length]
            start += head + length
        self.buffer = buffer[start:]

    def rows(self):
        """What has come, each row with its position."""
        self.receive()
        found = []
        for kind, text in self.frames():
            if kind == 9:
                self.socket.sendall(b"\x8a" + bytes([0x80 | len(text)]) + b"\0\0\0\0" + text)
            if kind == 8:
                raise EOFError("the server closes the socket")
            if kind != 1:
                continue
            message = json.loads(text)
            payload = message["payload"]
            if message["event"] == "phx_reply" and message["topic"] != "phoenix":
                if payload["status"] != "ok":
                    raise OSError(f"the join is refused: {payload}")
                self.position = self.position or payload["response"]["pos"]
            elif message["event"] == "postgres_changes":
                found.append((payload["data"]["record"]["id"], payload["data"]["pos"]))
            elif message["event"] == "phx_close" or (message["event"] == "system" and payload["status"] != "ok"):
                raise OSError(f"the channel ends: {payload}")
        return found


class Follower(threading.Thread):
    """Comes back behind the last row that it has, for ever."""

    def __init__(self, port, key, path):
        super().__init__(daemon=True)
        self.port, self.key, self.path, self.position = port, key, path, None
        self.file = open(path, "w", buffering=1)

    def run(self):
        while True:
            try:
                self.follow()
            except ConnectionRefusedError:
                pass
            except (OSError, EOFError, http.client.HTTPException) as error:
                print(f"{self.path}: {error}", flush=True)
            time.sleep(0.2)

    def ready(self):
        open(f"{self.path}.ready", "w").close()

    def take(self, row, position):
        self.file.write(f"{row}\n")
        self.position = position


class ChannelFollower(Follower):
    def follow(self):
        channel = Channel(self.port, self.key, self.position)
        beat = time.monotonic()
        try:
            while True:
                for row, position in channel.rows():
                    self.take(row, position)
                if channel.position and not self.position:
                    self.position = channel.position
                    self.ready()
                if time.monotonic() - beat > 5:
                    channel.send("phoenix", "heartbeat", {})
                    beat = time.monotonic()
        finally:
            channel.socket.close()


class StreamFollower(Follower):
    def follow(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        fields = {"Authorization": f"Bearer {self.key}"}
        if self.position:
            fields["Last-Event-ID"] = self.position
        try:
            connection.request("GET", "/realtime/v1/changes?table=ticks", headers=fields)
            response = connection.getresponse()
            if response.status != 200:
                raise OSError(f"{response.status} {response.read()[:200]}")
            event = {}
            while line := response.readline():
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    event[name] = value
                    continue
                if event.get("event") == "ready":
                    self.position = self.position or event["id"]
                    self.ready()
                elif event.get("event") == "INSERT":
                    self.take(json.loads(event["data"])["record"]["id"], event["id"])
                elif event.get("event"):
                    raise SystemExit(f"unexpected: {event}")
                event = {}
        finally:
            connection.close()


def main():
    port, key, path = sys.argv[1:]
    threads = [ChannelFollower(int(port), key, f"{path}-channel"), StreamFollower(int(port), key, f"{path}-stream")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
