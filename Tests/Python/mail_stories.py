"""Stories with mail: addresses are confirmed."""

import re
import urllib.parse

import httpx
from supabase_auth.errors import AuthApiError

from supabase_client import (
    PASSWORD, address, client, code, equal, expect, link, mail, refused, settings, signed_up, token_hash)


def confirms_a_sign_up_by_code():
    auth, email, answer = signed_up()
    expect(answer.session is None, "there is a session before the address is confirmed")
    equal(answer.user.email, email, "the address")
    refused(lambda: client().sign_in_with_password({"email": email, "password": PASSWORD}), "email_not_confirmed", 400,
            message="Email not confirmed")
    digits = code(mail(email))
    wrong = "000000" if digits != "000000" else "111111"
    refused(lambda: auth.verify_otp({"email": email, "token": wrong, "type": "signup"}), "otp_expired", 403)
    verified = auth.verify_otp({"email": email, "token": digits, "type": "signup"})
    expect(verified.session is not None, "there is no session")
    refused(lambda: client().verify_otp({"email": email, "token": digits, "type": "signup"}), "otp_expired", 403)
    client().sign_in_with_password({"email": email, "password": PASSWORD})


def confirms_a_sign_up_by_link():
    _, email, _ = signed_up()
    answer = httpx.get(link(mail(email)), follow_redirects=False)
    expect(answer.status_code in (302, 303), f"the link answers {answer.status_code}")
    place = answer.headers["location"]
    expect(place.startswith(settings["site"]) and "access_token=" in place and "refresh_token=" in place,
           f"the link leads to {place}")
    client().sign_in_with_password({"email": email, "password": PASSWORD})
    again = httpx.get(link(mail(email)), follow_redirects=False)
    expect("error" in again.headers["location"], "the link works twice")


def hides_who_is_registered():
    _, email, _ = signed_up()
    client().verify_otp({"email": email, "token": code(mail(email)), "type": "signup"})
    fake = client().sign_up({"email": email, "password": PASSWORD})
    expect(fake.session is None and fake.user.identities == [], "a registered address can be told")


def recovers():
    auth, email, _ = signed_up()
    auth.verify_otp({"email": email, "token": code(mail(email)), "type": "signup"})
    client().reset_password_email(email)
    recovered = client()
    recovered.verify_otp({"token_hash": token_hash(mail(email, 1)), "type": "recovery"})
    recovered.update_user({"password": "another horse 2"})
    client().sign_in_with_password({"email": email, "password": "another horse 2"})
    error = refused(lambda: client().reset_password_for_email(email), "over_email_send_rate_limit", 429)
    expect(re.fullmatch(r"For security purposes, you can only request this after \d+ seconds\.", error.message),
           f"the message is {error.message}")
    # Nobody is told that this one is unknown.
    client().reset_password_for_email(address("nobody"))


def signs_in_by_magic_link():
    auth, email, _ = signed_up()
    auth.verify_otp({"email": email, "token": code(mail(email)), "type": "signup"})
    client().sign_in_with_otp({"email": email})
    answer = client().verify_otp({"email": email, "token": code(mail(email, 1)), "type": "email"})
    expect(answer.session is not None, "there is no session")
    stranger = address("stranger")
    client().sign_in_with_otp({"email": stranger})
    made = client().verify_otp({"email": stranger, "token": code(mail(stranger)), "type": "email"})
    equal(made.user.email, stranger, "the user that a code made")
    nobody = address("nobody")
    try:
        client().sign_in_with_otp({"email": nobody, "options": {"should_create_user": False}})
    except AuthApiError as error:
        expect(error.code in ("otp_disabled", "signup_disabled"), f"the code is {error.code}")


def sends_again_but_not_at_once():
    _, email, _ = signed_up()
    refused(lambda: client().resend({"type": "signup", "email": email}), "over_email_send_rate_limit", 429)


def changes_the_address_after_confirmation():
    auth, email, _ = signed_up()
    auth.verify_otp({"email": email, "token": code(mail(email)), "type": "signup"})
    new = address("new")
    user = auth.update_user({"email": new}).user
    equal((user.email, user.new_email), (email, new), "the addresses before the confirmation")
    auth.verify_otp({"email": new, "token": code(mail(new)), "type": "email_change"})
    if auth.get_user().user.email != new:
        # Both addresses are asked.
        auth.verify_otp({"email": email, "token": code(mail(email, 1)), "type": "email_change"})
    client().sign_in_with_password({"email": new, "password": PASSWORD})


def auth_code(mail):
    """The code that the link leads to."""
    place = urllib.parse.urlsplit(httpx.get(link(mail), follow_redirects=False).headers["location"])
    expect(place.fragment == "", f"the link leads to {place.geturl()}")
    expect(place.geturl().startswith(settings["site"] + "?code="), f"the link leads to {place.geturl()}")
    return urllib.parse.parse_qs(place.query)["code"][0]


def exchanges_the_codes_of_links():
    auth, email = client(flow_type="pkce"), address()
    expect(auth.sign_up({"email": email, "password": PASSWORD}).session is None, "there is a session at once")
    issued = auth_code(mail(email))
    thief = client(flow_type="pkce")
    refused(lambda: thief.exchange_code_for_session({"auth_code": issued, "code_verifier": "x" * 43}),
            "bad_code_verifier", 400, message="code challenge does not match previously saved code verifier")
    refused(lambda: thief.exchange_code_for_session({"auth_code": issued}), "validation_failed", 400,
            message="invalid request: both auth code and code verifier should be non-empty")
    verifier = auth._storage.get_item(f"{auth._storage_key}-code-verifier")
    equal(auth.exchange_code_for_session({"auth_code": issued}).user.email, email, "the user")
    refused(lambda: thief.exchange_code_for_session({"auth_code": issued, "code_verifier": verifier}),
            "flow_state_not_found", 404)
    auth.refresh_session()

    auth.sign_in_with_otp({"email": email})
    auth.exchange_code_for_session({"auth_code": auth_code(mail(email, 1))})
    new = address("new")
    auth.update_user({"email": new})
    # The current address is asked as well, and leads to no code.
    half = urllib.parse.urlsplit(httpx.get(link(mail(email, 2)), follow_redirects=False).headers["location"])
    expect("message" in urllib.parse.parse_qs(half.query) and "code=" not in half.query, f"it leads to {half.geturl()}")
    equal(auth.exchange_code_for_session({"auth_code": auth_code(mail(new))}).user.email, new, "the new address")
    equal(auth.get_user().user.email, new, "the new address")

    other, stranger = client(flow_type="pkce"), address("stranger")
    other.sign_in_with_otp({"email": stranger})
    equal(other.exchange_code_for_session({"auth_code": auth_code(mail(stranger))}).user.email, stranger, "the user")
    # The digits do as well.
    third, typist = client(flow_type="pkce"), address("typist")
    third.sign_up({"email": typist, "password": PASSWORD})
    third.verify_otp({"email": typist, "token": code(mail(typist)), "type": "signup"})
    third.reset_password_for_email(typist)
    third.exchange_code_for_session({"auth_code": auth_code(mail(typist, 1))})
    third.update_user({"password": "another horse 2"})
    client().sign_in_with_password({"email": typist, "password": "another horse 2"})


def invites():
    admin, email = client(settings["service"]).admin, address("guest")
    invited = admin.invite_user_by_email(email, {"data": {"team": "red"}}).user
    equal((invited.email, invited.user_metadata.get("team")), (email, "red"), "the guest")
    expect(invited.invited_at is not None, "it is not said when")
    place = httpx.get(link(mail(email)), follow_redirects=False).headers["location"]
    expect("access_token=" in place and "type=invite" in place, f"the link leads to {place}")
    refused(lambda: admin.invite_user_by_email(email), "email_exists", 422)
    refused(lambda: client().admin.invite_user_by_email(address()), "not_admin", 403)


def generates_links():
    admin, email, new = client(settings["service"]).admin, address("linked"), address("linked-new")
    made = admin.generate_link({"type": "signup", "email": email, "password": PASSWORD})
    equal(made.properties.verification_type, "signup", "the type")
    verified = client().verify_otp({"token_hash": made.properties.hashed_token, "type": "signup"})
    equal(verified.user.email, email, "the user")
    client().sign_in_with_password({"email": email, "password": PASSWORD})
    for kind in ("magiclink", "recovery"):
        properties = admin.generate_link({"type": kind, "email": email}).properties
        answer = client().verify_otp({"email": email, "token": properties.email_otp, "type": kind})
        expect(answer.session is not None, f"{kind} gives no session")
        refused(lambda: client().verify_otp({"email": email, "token": properties.email_otp, "type": kind}),
                "otp_expired", 403)
    for kind, found in (("email_change_current", "message="), ("email_change_new", "access_token=")):
        place = httpx.get(admin.generate_link({"type": kind, "email": email, "new_email": new}).properties.action_link,
                          follow_redirects=False).headers["location"]
        expect(found in place, f"{kind} leads to {place}")
    client().sign_in_with_password({"email": new, "password": PASSWORD})
    refused(lambda: admin.generate_link({"type": "recovery", "email": address("nobody")}), "user_not_found", 404)


def proves_to_be_there():
    auth, email, _ = signed_up()
    auth.verify_otp({"email": email, "token": code(mail(email)), "type": "signup"})
    auth.reauthenticate()
    auth.update_user({"password": "another horse 2", "nonce": code(mail(email, 1))})
    client().sign_in_with_password({"email": email, "password": "another horse 2"})


STORIES = [
    invites, generates_links, proves_to_be_there,
    confirms_a_sign_up_by_code, confirms_a_sign_up_by_link, hides_who_is_registered, recovers, signs_in_by_magic_link,
    sends_again_but_not_at_once, changes_the_address_after_confirmation, exchanges_the_codes_of_links,
]
