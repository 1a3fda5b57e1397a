"""An OpenID provider (oidc-provider-mock on Authlib) at which anybody can sign in, for tests.

Prints one line of JSON: the ports of http and https, and the file with the certificate of the latter. PUT /users/<sub>
with claims makes a user; POST /oauth2/revoke revokes a refresh token (RFC 7009) with the client's credentials, after as
many refusals as POST /refusals/<count> has asked for; posting `sub` to the authorization endpoint signs in there. Ends when its standard input does.
"""

import json
import logging
import os
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
from urllib.parse import unquote_plus

import flask
import oidc_provider_mock
from oidc_provider_mock._storage import storage
from werkzeug.serving import make_server

logging.disable(logging.CRITICAL)
folder = tempfile.mkdtemp()


def leave(*_):
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def revoking(app):
    """Adds the endpoint that the package lacks."""
    refusals = [0]

    @app.post("/refusals/<int:count>")
    def refuse(count):
        refusals[0] = count
        return "", 204

    @app.post("/oauth2/revoke")
    def revoke():
        if refusals[0] > 0:
            refusals[0] -= 1
            return {"error": "temporarily_unavailable"}, 503
        caller = flask.request.authorization
        if caller is None or (caller.username, unquote_plus(caller.password)) != ("our-server", "a secret of ours"):
            return {"error": "invalid_client"}, 401
        storage.remove_refresh_token(flask.request.form["token"])
        return "", 200

    @app.get("/refresh-tokens")
    def tokens():
        return flask.jsonify([token.token for token in storage.refresh_tokens()])

    @app.after_request
    def name(response):
        if flask.request.path == "/.well-known/openid-configuration":
            document = response.get_json()
            document["revocation_endpoint"] = flask.request.host_url + "oauth2/revoke"
            response.set_data(json.dumps(document))
        return response

    return app


def serve(context=None):
    server = make_server("localhost", 0, revoking(oidc_provider_mock.app()), threaded=True, ssl_context=context)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


# Whoever started us may have done so on a thread that lets no signal through.
signal.signal(signal.SIGTERM, leave)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
files = [os.path.join(folder, name) for name in ("provider.pem", "provider.key")]
subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
     "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-out", files[0], "-keyout", files[1]],
    check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(*files)
print(json.dumps({"http": serve(), "https": serve(context), "file": files[0]}), flush=True)
sys.stdin.read()
leave()
