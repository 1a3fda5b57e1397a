"""An S3 server, moto, that checks signatures: prints its port, a bucket and the keys of a user who may do everything.

Each line of its input is answered with one that says which objects and how many unfinished uploads there are.
"""
import json
import os
import signal
import sys

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
print(json.dumps({"endpoint": endpoint, "bucket": "files", "access": keys["AccessKeyId"],
                  "secret": keys["SecretAccessKey"]}), flush=True)

for _ in sys.stdin:
    bucket = s3_backends["123456789012"]["aws"].buckets["files"]
    print(json.dumps({"objects": sorted(bucket.keys.keys()), "uploads": len(bucket.multiparts)}), flush=True)
