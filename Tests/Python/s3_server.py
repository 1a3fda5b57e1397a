"""An S3 server, moto, that checks signatures: prints its port, a bucket and the keys of a user who may do everything.

Each line of its input is answered with one that says which objects and how many unfinished uploads there are. The line
`put FOLDER PREFIX` stores the files of a folder, which have no spaces in its own name, as objects. A line such as
`down 1000` sets what happens to the connections that go by the port `proxy` from then on, see `Proxy`.
"""
import json
import os
import signal
import socket
import sys
import threading

# So many requests need no signature: those that make the user, below.
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "3"

import boto3
from moto.s3.models import s3_backends
from moto.server import ThreadedMotoServer

signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
endpoint = "http://127.0.0.1:%d" % server.get_host_and_port()[1]


def client(service, key, secret):
    return boto3.client(service, endpoint_url=endpoint, region_name="eu-central-1", aws_access_key_id=key,
                        aws_secret_access_key=secret)


iam = client("iam", "none", "none")
iam.create_user(UserName="swiftlet")
everything = {"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}
iam.put_user_policy(UserName="swiftlet", PolicyName="everything", PolicyDocument=json.dumps(everything))
keys = iam.create_access_key(UserName="swiftlet")["AccessKey"]
s3 = client("s3", keys["AccessKeyId"], keys["SecretAccessKey"])
s3.create_bucket(Bucket="files", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})


class Proxy:
    """Passes connections on, with a fault: `none`; `refuse` closes each at once; `hang` answers nothing; `up N` and
    `down N` cut them after so many bytes of requests or responses; `once N` cuts the next response only."""

    def __init__(self, port):
        self.target = port
        self.fault = ("none", 0)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            one, _ = self.listener.accept()
            fault, count = self.fault
            if fault == "refuse":
                one.close()
                continue
            if fault == "once":
                self.fault = ("none", 0)
            other = socket.create_connection(("127.0.0.1", self.target))
            up = count if fault == "up" else None
            down = {"down": count, "once": count, "hang": 0}.get(fault)
            for source, sink, limit in ((one, other, up), (other, one, down)):
                arguments = (source, sink, limit, fault == "hang")
                threading.Thread(target=self.pump, args=arguments, daemon=True).start()

    @staticmethod
    def pump(source, sink, limit, is_silent):
        try:
            while data := source.recv(65536):
                if limit is not None:
                    if is_silent:
                        continue
                    data, limit = data[:limit], limit - len(data)
                sink.sendall(data)
                if limit is not None and limit <= 0:
                    break
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


proxy = Proxy(server.get_host_and_port()[1])
print(json.dumps({"endpoint": endpoint, "proxy": f"http://127.0.0.1:{proxy.port}", "bucket": "files", "access": keys["AccessKeyId"],
                  "secret": keys["SecretAccessKey"]}), flush=True)

for line in sys.stdin:
    words = line.split()
    if words and words[0] == "put":
        for place, _, names in os.walk(words[1]):
            for name in names:
                path = os.path.join(place, name)
                s3.upload_file(path, "files", words[2] + "/" + os.path.relpath(path, words[1]))
    elif words:
        proxy.fault = (words[0], int(words[1]) if len(words) > 1 else 0)
    bucket = s3_backends["123456789012"]["aws"].buckets["files"]
    print(json.dumps({"objects": sorted(bucket.keys.keys()), "uploads": len(bucket.multiparts)}), flush=True)
