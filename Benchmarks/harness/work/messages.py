"""Push messages to a local HTTP/2 server over one connection."""

import json
import shutil
import subprocess
import time

from .. import web, workspace


def measure(run, servers, count):
    if shutil.which("nghttpd") is None:
        print("push is not measured: apt-get install nghttp2-server")
        return []
    folder = run.scratch / "apple"
    (folder / "3/device").mkdir(parents=True)
    (folder / "3/device/00ff").write_text("")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True, capture_output=True,
    )
    apple = folder / "apple.p8"
    curve = subprocess.run(
        ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], check=True, capture_output=True
    )
    apple.write_bytes(curve.stdout)
    port = workspace.free_port()
    run.spawn(["nghttpd", "-n1", "-d", folder, str(port), key, certificate], "nghttpd.log")
    server = servers.start(
        "push", PUSH="real", APNS_KEY_FILE=apple, APNS_KEY_ID="KEY1234567", APNS_TEAM_ID="TEAM123456",
        APNS_TOPIC="com.example", APNS_URL=f"https://localhost:{port}", OUTBOUND_CA_FILE=certificate, WORKERS=1,
        REQUEST_TIMEOUT="10m",
    )
    results = []
    for _ in range(2):
        before, began = server.usage(), time.monotonic()
        answer = web.send(server.port, web.Request((f"/messages/{count}",), "POST", body="{}"), timeout=300)
        seconds, used = time.monotonic() - began, server.usage() - before
        if json.loads(answer.body).get("accepted") != str(count):
            raise SystemExit(f"not all messages are accepted: {answer.body!r}")
        results = [
            ("push messages to nghttpd", f"{count / seconds:,.0f} /s", "≥ 3000"),
            ("  our processor for each", f"{used.cpu_seconds / count * 1e6:.0f} µs", "≤ 60"),
        ]
    servers.stop(server)
    for name, value, _ in results:
        print(f"{name}: {value}", flush=True)
    return results
