"""Passkeys and security keys, with soft-webauthn as the authenticator and the requests of auth-js."""

import base64

from soft_webauthn import SoftWebauthnDevice

from supabase_client import PASSWORD, claims, client, equal, expect, raw, settings, signed_up

ORIGIN = settings.get("origin")


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def native(options):
    """The options as a browser hands them to an authenticator."""
    made = dict(options, challenge=decoded(options["challenge"]))
    if "user" in made:
        made["user"] = dict(made["user"], id=decoded(made["user"]["id"]))
    return {"publicKey": made}


def written(credential):
    """A credential as `toJSON` writes it."""
    response = {name: encoded(value) for name, value in credential["response"].items()}
    identifier = encoded(credential["rawId"])
    return {"id": identifier, "rawId": identifier, "type": "public-key", "response": response,
            "clientExtensionResults": {}}


def asked(path, token=None, body=None, status=200, method="POST"):
    answer = raw(method, path, token, json=body if body is not None else {})
    equal(answer.status_code, status, f"the status of {answer.text}")
    return answer.json() if answer.content else None


def with_passkey():
    auth, _, answer = signed_up()
    token = answer.session.access_token
    device = SoftWebauthnDevice()
    options = asked("/passkeys/registration/options", token)
    credential = written(device.create(native(options["options"]), ORIGIN))
    body = {"challenge_id": options["challenge_id"], "credential": credential}
    made = asked("/passkeys/registration/verify", token, body)
    expect(made["id"] and made["created_at"], "the passkey has no id or time")
    return answer.user.id, token, device, made["id"]


def signed(device, status=200, origin=ORIGIN):
    options = asked("/passkeys/authentication/options")
    credential = written(device.get(native(options["options"]), origin))
    body = {"challenge_id": options["challenge_id"], "credential": credential}
    return asked("/passkeys/authentication/verify", None, body, status), body


def signs_in_with_a_passkey():
    user, token, device, passkey = with_passkey()
    session, body = signed(device)
    equal(session["user"]["id"], user, "whose session it is")
    equal(claims(session["access_token"])["amr"][0]["method"], "passkey", "the method")
    auth = client()
    auth.set_session(session["access_token"], session["refresh_token"])
    equal(auth.get_user().user.id, user, "whom the official client sees")
    again = asked("/passkeys/authentication/verify", None, body, 400)
    equal(again["error_code"], "webauthn_challenge_not_found", "the code for a used challenge")
    device.sign_count -= 1
    refused, _ = signed(device, 400)
    equal(refused["error_code"], "webauthn_verification_failed", "the code for a copied key")
    device.sign_count += 1
    foreign, _ = signed(device, 400, "https://evil.example")
    equal(foreign["error_code"], "webauthn_verification_failed", "the code for another origin")
    listed = asked("/passkeys", token, method="GET")
    equal([item["id"] for item in listed], [passkey], "the passkeys")
    expect("last_used_at" in listed[0], "the use is not noted")
    named = asked(f"/passkeys/{passkey}", token, {"friendly_name": "my phone"}, method="PATCH")
    equal(named["friendly_name"], "my phone", "the name")
    asked(f"/passkeys/{passkey}", token, status=204, method="DELETE")
    signed(device, 400)


def raises_a_session_with_a_security_key():
    auth, email, answer = signed_up()
    token = answer.session.access_token
    enrolled = asked("/factors", token, {"factor_type": "webauthn", "friendly_name": "key"})
    path = f"/factors/{enrolled['id']}"
    device = SoftWebauthnDevice()
    challenge = asked(f"{path}/challenge", token, {"factorId": enrolled["id"]})
    equal(challenge["webauthn"]["type"], "create", "the first challenge")
    options = challenge["webauthn"]["credential_options"]["publicKey"]
    credential = written(device.create(native(options), ORIGIN))
    body = {"challenge_id": challenge["id"], "webauthn": {"type": "create", "credential_response": credential}}
    equal(claims(asked(f"{path}/verify", token, body)["access_token"])["aal"], "aal2", "the level")

    other = client()
    token = other.sign_in_with_password({"email": email, "password": PASSWORD}).session.access_token
    challenge = asked(f"{path}/challenge", token)
    options = challenge["webauthn"]["credential_options"]["publicKey"]
    credential = written(device.get(native(options), ORIGIN))
    body = {"challenge_id": challenge["id"], "webauthn": {"type": "request", "credential_response": credential}}
    raised = asked(f"{path}/verify", token, body)
    equal(claims(raised["access_token"])["aal"], "aal2", "the level of the second session")
    equal(claims(raised["access_token"])["amr"][0]["method"], "mfa/webauthn", "the method")
    equal([factor["factor_type"] for factor in raised["user"]["factors"]], ["webauthn"], "the factors")


STORIES = [signs_in_with_a_passkey, raises_a_session_with_a_security_key]
