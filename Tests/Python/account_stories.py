"""Stories that need no mail: sign-ups count at once."""

import time
import uuid

import httpx
from supabase_auth.errors import AuthApiError, AuthError, AuthSessionMissingError, AuthWeakPasswordError

from supabase_client import PASSWORD, address, claims, client, equal, expect, raw, refused, settings, signed_up


def signs_up_and_in():
    auth, email, answer = signed_up(options={"data": {"name": "Ada", "age": 36}})
    expect(answer.session is not None, "there is no session")
    equal(answer.user.email, email, "the address")
    equal(answer.user.user_metadata.get("name"), "Ada", "the name")
    equal(answer.user.app_metadata.get("provider"), "email", "the provider")
    equal(answer.user.app_metadata.get("providers"), ["email"], "the providers")
    equal([identity.provider for identity in answer.user.identities], ["email"], "the identities")
    equal(answer.session.token_type, "bearer", "the token's type")
    expect(abs(answer.session.expires_at - time.time() - answer.session.expires_in) < 10, "expires_at is off")
    token = claims(answer.session.access_token)
    equal(token["sub"], answer.user.id, "sub")
    equal((token["aud"], token["role"], token["aal"]), ("authenticated", "authenticated", "aal1"), "aud, role, aal")
    equal(token["email"], email, "the claim email")
    equal(token["is_anonymous"], False, "is_anonymous")
    equal(token["amr"][0]["method"], "password", "amr")
    expect(token["iss"].endswith("/auth/v1") and token["session_id"], "iss or session_id is odd")
    again = client().sign_in_with_password({"email": email.upper(), "password": PASSWORD})
    equal(again.user.id, answer.user.id, "the user who signs in")
    expect(again.session.refresh_token != answer.session.refresh_token, "both sessions have one refresh token")
    expect(again.user.last_sign_in_at is not None, "last_sign_in_at is missing")


def refreshes():
    auth, _, answer = signed_up()
    fresh = auth.refresh_session()
    expect(fresh.session.refresh_token != answer.session.refresh_token, "the refresh token stays the same")
    equal(fresh.user.id, answer.user.id, "the user")
    equal(claims(fresh.session.access_token)["session_id"], claims(answer.session.access_token)["session_id"],
          "the session")
    equal(auth.get_user().user.id, answer.user.id, "the user that the new token names")
    other = client()
    other.set_session(fresh.session.access_token, fresh.session.refresh_token)
    equal(other.get_user().user.id, answer.user.id, "the user of a session that was carried over")


def forgives_a_lost_answer():
    auth, _, answer = signed_up()
    first = client().refresh_session(answer.session.refresh_token)
    # The answer got lost: the same token again, much later even.
    second = client().refresh_session(answer.session.refresh_token)
    equal(second.session.refresh_token, first.session.refresh_token, "the successor")


def ends_a_stolen_session():
    _, _, answer = signed_up()
    first = answer.session.refresh_token
    second = client().refresh_session(first).session.refresh_token
    third = client().refresh_session(second).session.refresh_token
    time.sleep(settings.get("reuse_interval", 1) + 1)
    refused(lambda: client().refresh_session(first), "refresh_token_already_used", 400,
            message="Invalid Refresh Token: Already Used")
    refused(lambda: client().refresh_session(third), "refresh_token_not_found", 400)


def refuses_refresh_tokens():
    refused(lambda: client().refresh_session("nonsense-token"), "refresh_token_not_found", 400,
            message="Invalid Refresh Token: Refresh Token Not Found")
    auth, _, answer = signed_up()
    auth.sign_out()
    error = None
    try:
        client().refresh_session(answer.session.refresh_token)
    except AuthApiError as caught:
        error = caught
    expect(error is not None, "a signed-out session is refreshed")
    expect(error.code in ("refresh_token_not_found", "session_not_found"), f"the code is {error.code}")


def reads_and_updates_the_user():
    auth, email, _ = signed_up(options={"data": {"a": 1, "b": 2}})
    user = auth.update_user({"data": {"b": None, "c": {"d": [1, 2]}}}).user
    metadata = {name: user.user_metadata.get(name) for name in ("a", "b", "c")}
    equal(metadata, {"a": 1, "b": None, "c": {"d": [1, 2]}}, "user_metadata")
    equal(auth.get_user().user.user_metadata.get("c"), {"d": [1, 2]}, "user_metadata, read again")
    refused(lambda: auth.update_user({"password": PASSWORD}), "same_password", 422)
    auth.update_user({"password": "another horse 2"})
    refused(lambda: client().sign_in_with_password({"email": email, "password": PASSWORD}), "invalid_credentials", 400)
    client().sign_in_with_password({"email": email, "password": "another horse 2"})
    error = refused(lambda: auth.update_user({"password": "short"}), "weak_password", 422, AuthWeakPasswordError)
    equal(error.reasons, ["length"], "the reasons")
    new = address("new")
    equal(auth.update_user({"email": new}).user.email, new, "the new address")
    client().sign_in_with_password({"email": new, "password": "another horse 2"})
    _, taken, _ = signed_up()
    refused(lambda: auth.update_user({"email": taken}), "email_exists", 422)
    answer = raw("PUT", "/user", auth.get_session().access_token, json={"app_metadata": {"role": "admin"}},
                 headers={"X-Supabase-Api-Version": "2024-01-01"})
    equal((answer.status_code, answer.json().get("code")), (403, "not_admin"), "app_metadata by a user")


def ends_other_sessions_with_the_password():
    auth, email, _ = signed_up()
    other = client()
    other.sign_in_with_password({"email": email, "password": PASSWORD})
    auth.update_user({"password": "another horse 2"})
    expect(auth.get_user() is not None, "the session that changed the password is gone")
    try:
        other.refresh_session()
    except AuthError:
        return
    raise AssertionError("another session outlives the password")


def refuses_wrong_passwords():
    _, email, _ = signed_up()
    texts = set()
    for who, password in [(email, "wrong horse 9"), (address("nobody"), PASSWORD), (email, "x" * 200)]:
        try:
            client().sign_in_with_password({"email": who, "password": password})
        except AuthApiError as error:
            equal(error.status, 400, "the status")
            texts.add((error.code, error.message))
    equal(texts, {("invalid_credentials", "Invalid login credentials")}, "what tells users from strangers")


def refuses_bad_sign_ups():
    error = refused(lambda: client().sign_up({"email": address(), "password": "short"}), "weak_password", 422,
                    AuthWeakPasswordError, "Password should be at least 6 characters.")
    equal(error.reasons, ["length"], "the reasons")
    _, email, _ = signed_up()
    for who in (email, email.upper()):
        refused(lambda: client().sign_up({"email": who, "password": PASSWORD}), "user_already_exists", 422,
                message="User already registered")
    refused(lambda: client().sign_up({"email": "no address", "password": PASSWORD}), "validation_failed", 400,
            message="Unable to validate email address: invalid format")
    refused(lambda: client().sign_up({"email": "a@example.com\r\nBcc: b@example.com", "password": PASSWORD}),
            "validation_failed", 400)
    # The client itself refuses an empty password.
    empty = raw("POST", "/signup", json={"email": address(), "password": ""})
    equal((empty.status_code, empty.json()["error_code"], empty.json()["msg"]),
          (400, "validation_failed", "Signup requires a valid password"), "an empty password")
    refused(lambda: client().sign_up({"email": address(), "password": "x" * 73}), "validation_failed", 400)


def takes_odd_addresses():
    for email in (f"a+tag-{uuid.uuid4().hex[:8]}@example.com", f"o'neil-{uuid.uuid4().hex[:8]}@example.com"):
        answer = client().sign_up({"email": email, "password": "pass\u00e4wort \U0001F512"})
        equal(answer.user.email, email, "the address")
        client().sign_in_with_password({"email": email, "password": "pass\u00e4wort \U0001F512"})


def signs_out():
    auth, email, answer = signed_up()
    others = [client() for _ in range(2)]
    for other in others:
        other.sign_in_with_password({"email": email, "password": PASSWORD})
    tokens = [other.get_session().access_token for other in others]
    others[0].sign_out({"scope": "local"})
    expect(others[0].get_session() is None, "the client keeps its session")
    refused(lambda: client().get_user(tokens[0]), "session_not_found", 403, AuthError)
    expect(client().get_user(tokens[1]) is not None, "local ends another session")
    auth.sign_out({"scope": "others"})
    refused(lambda: client().get_user(tokens[1]), "session_not_found", 403, AuthError)
    expect(client().get_user(answer.session.access_token) is not None, "others ends its own session")
    auth.sign_out()
    refused(lambda: client().get_user(answer.session.access_token), "session_not_found", 403, AuthError)
    # Twice is no error for the client.
    auth.sign_out()


def asks_for_a_session():
    try:
        client().update_user({"data": {}})
    except AuthSessionMissingError:
        pass
    else:
        raise AssertionError("update_user needs no session")
    refused(lambda: client().get_user("a.b.c"), "bad_jwt", 403)
    refused(lambda: client().get_user(settings["anon"]), "bad_jwt", 403)
    answer = httpx.get(settings["url"] + "/user", headers={"X-Supabase-Api-Version": "2024-01-01"})
    equal((answer.status_code, answer.json().get("code")), (401, "no_authorization"), "no bearer at all")


def signs_in_nobody_in_particular():
    auth = client()
    answer = auth.sign_in_anonymously({"options": {"data": {"theme": "dark"}}})
    expect(answer.user.is_anonymous, "the user is somebody")
    expect(not answer.user.email, "the user has an address")
    equal(answer.user.user_metadata.get("theme"), "dark", "user_metadata")
    equal(claims(answer.session.access_token)["is_anonymous"], True, "is_anonymous")
    equal(auth.get_user().user.id, answer.user.id, "the user")
    auth.refresh_session()


def tells_claims():
    # With a public key the client verifies by itself, with the shared secret it asks the server.
    auth, email, answer = signed_up()
    claimed = auth.get_claims()
    equal(claimed["claims"]["email"], email, "the claims")
    equal(claimed["headers"]["alg"], settings.get("algorithm", "HS256"), "the algorithm")


def administers():
    admin = client(settings["service"]).admin
    email = address("made")
    made = admin.create_user({"email": email, "password": PASSWORD, "email_confirm": True,
                              "user_metadata": {"a": 1}, "app_metadata": {"tenant_id": "t1"}}).user
    equal((made.email, made.user_metadata.get("a"), made.app_metadata.get("tenant_id")), (email, 1, "t1"), "the user")
    expect(made.email_confirmed_at is not None, "the address is not confirmed")
    token = client().sign_in_with_password({"email": email, "password": PASSWORD}).session.access_token
    equal(claims(token)["app_metadata"].get("tenant_id"), "t1", "the tenant in the token")
    refused(lambda: admin.create_user({"email": email, "password": PASSWORD}), "email_exists", 422)
    equal(admin.get_user_by_id(made.id).user.id, made.id, "the user by id")
    refused(lambda: admin.get_user_by_id(str(uuid.uuid4())), "user_not_found", 404)
    expect(made.id in [user.id for user in admin.list_users()], "the list lacks the newest user")
    equal(len(admin.list_users(page=1, per_page=1)), 1, "a page of one")
    page = raw("GET", "/admin/users?page=1&per_page=1", settings["service"])
    equal(page.json().get("aud"), "authenticated", "aud of the list")
    expect(int(page.headers["x-total-count"]) > 1, "X-Total-Count is odd")
    expect('rel="next"' in page.headers["link"] and 'rel="last"' in page.headers["link"], "Link is odd")
    changed = admin.update_user_by_id(made.id, {"app_metadata": {"x": 2}, "user_metadata": {"b": 3}, "password": "new one 3"})
    equal(changed.user.app_metadata.get("x"), 2, "app_metadata")
    equal(changed.user.app_metadata.get("tenant_id"), "t1", "app_metadata that was not named")
    client().sign_in_with_password({"email": email, "password": "new one 3"})
    admin.update_user_by_id(made.id, {"ban_duration": "24h"})
    refused(lambda: client().sign_in_with_password({"email": email, "password": "new one 3"}), "user_banned", 400)
    admin.update_user_by_id(made.id, {"ban_duration": "none"})
    client().sign_in_with_password({"email": email, "password": "new one 3"})
    admin.delete_user(made.id)
    refused(lambda: admin.get_user_by_id(made.id), "user_not_found", 404)
    refused(lambda: client().sign_in_with_password({"email": email, "password": "new one 3"}), "invalid_credentials")
    refused(lambda: client().get_user(token), "user_not_found", 403, AuthError)


def imports_hashes():
    # bcrypt of "moved horse 3" by glibc's crypt, cost 4.
    stored = "$2a$04$N9qo8uLOickgx2ZMRZoMyeR/vpPt3PxSqs2g6pYMnITrLZ0c2de8S"
    admin = client(settings["service"]).admin
    email = address("moved")
    user = admin.create_user({"email": email, "password_hash": stored, "email_confirm": True}).user
    equal(client().sign_in_with_password({"email": email, "password": "moved horse 3"}).user.id, user.id, "the user")
    refused(lambda: client().sign_in_with_password({"email": email, "password": stored}), "invalid_credentials", 400)


def keeps_admin_for_admins():
    auth, _, answer = signed_up()
    for key in (settings["anon"], answer.session.access_token):
        admin = client(key).admin
        refused(admin.list_users, "not_admin", 403, message="User not allowed")
        refused(lambda: admin.create_user({"email": address(), "password": PASSWORD}), "not_admin", 403)
        refused(lambda: admin.delete_user(answer.user.id), "not_admin", 403)


def tells_about_itself():
    health = raw("GET", "/health").json()
    equal(health["name"], "GoTrue", "the name")
    external = raw("GET", "/settings").json()["external"]
    equal((external["email"], external["anonymous_users"]), (True, True), "what /settings says")
    expect(isinstance(raw("GET", "/.well-known/jwks.json").json()["keys"], list), "the key set is odd")


def has_both_error_shapes():
    body = {"email": address(), "password": PASSWORD}
    new = raw("POST", "/token?grant_type=password", json=body, headers={"X-Supabase-Api-Version": "2024-01-01"})
    equal((new.status_code, new.json()["code"]), (400, "invalid_credentials"), "the new shape")
    equal(new.headers.get("x-supabase-api-version"), "2024-01-01", "the echoed version")
    equal(new.headers.get("x-sb-error-code"), "invalid_credentials", "x-sb-error-code")
    old = raw("POST", "/token?grant_type=password", json=body)
    equal((old.json()["code"], old.json()["error_code"], old.json()["msg"]),
          (400, "invalid_credentials", "Invalid login credentials"), "the old shape")
    bad = raw("POST", "/token?grant_type=password", content=b"{", headers={"X-Supabase-Api-Version": "2024-01-01"})
    equal((bad.status_code, bad.json()["code"]), (400, "bad_json"), "broken JSON")


def signs_in_by_id_token():
    given = settings["id_token"]
    auth = client()
    answer = auth.sign_in_with_id_token(
        {"provider": given["provider"], "token": given["token"], "nonce": given["nonce"]})
    expect(answer.session is not None, "there is no session")
    equal([identity.provider for identity in answer.user.identities], [given["provider"]], "the identities")
    equal(answer.user.identities[0].identity_data["sub"], given["subject"], "the subject")
    again = client().sign_in_with_id_token(
        {"provider": given["provider"], "token": given["token"], "nonce": given["nonce"]})
    equal(again.user.id, answer.user.id, "the user at the second sign-in")
    for nonce in ("another", None):
        try:
            client().sign_in_with_id_token({"provider": given["provider"], "token": given["token"], "nonce": nonce})
        except AuthError as error:
            expect("once" in error.message, f"the message is {error.message}")
        else:
            raise AssertionError("a wrong nonce is taken")


STORIES = [
    signs_up_and_in, refreshes, forgives_a_lost_answer, ends_a_stolen_session, refuses_refresh_tokens,
    reads_and_updates_the_user, ends_other_sessions_with_the_password, refuses_wrong_passwords, refuses_bad_sign_ups,
    takes_odd_addresses, signs_out, asks_for_a_session, signs_in_nobody_in_particular, tells_claims, administers,
    imports_hashes, keeps_admin_for_admins, tells_about_itself, has_both_error_shapes, signs_in_by_id_token,
]
