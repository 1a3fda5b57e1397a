"""A second factor, with the official client and pyotp as the authenticator app."""

import time

import httpx
import pyotp

from supabase_client import PASSWORD, address, claims, client, equal, expect, refused, settings, signed_up


def app(enrolled):
    """The authenticator app after it has read the QR code."""
    made = pyotp.parse_uri(enrolled.totp.uri)
    expect(isinstance(made, pyotp.TOTP), "the address is of another kind")
    equal((made.secret, made.digits, made.interval), (enrolled.totp.secret, 6, 30), "what the app has read")
    return made


def levels(auth):
    level = auth.mfa.get_authenticator_assurance_level()
    return level.current_level, level.next_level


def raises_a_session():
    auth, email, _ = signed_up()
    equal(levels(auth), ("aal1", "aal1"), "the levels before")
    enrolled = auth.mfa.enroll({"factor_type": "totp", "friendly_name": "my phone", "issuer": "Käse & Co"})
    equal((enrolled.type, enrolled.friendly_name), ("totp", "my phone"), "the factor")
    expect(enrolled.totp.qr_code.startswith("data:image/svg+xml;utf-8,<svg"), "the QR code is no SVG")
    made = app(enrolled)
    equal((made.name, made.issuer), (email, "Käse & Co"), "what the app shows")
    equal(auth.mfa.list_factors().totp, [], "the verified factors")
    challenge = auth.mfa.challenge({"factor_id": enrolled.id})
    expect(challenge.expires_at > time.time(), "the challenge has expired")
    began = time.time()
    used = made.at(began)
    verified = auth.mfa.verify({"factor_id": enrolled.id, "challenge_id": challenge.id, "code": used})
    equal(claims(verified.access_token)["aal"], "aal2", "the level in the token")
    equal(levels(auth), ("aal2", "aal2"), "the levels")
    methods = [entry.method for entry in auth.mfa.get_authenticator_assurance_level().current_authentication_methods]
    equal(methods, ["totp", "password"], "the methods")
    equal([factor.id for factor in auth.mfa.list_factors().totp], [enrolled.id], "the verified factors")
    auth.refresh_session()
    equal(levels(auth), ("aal2", "aal2"), "the levels after a refresh")

    other = client()
    other.sign_in_with_password({"email": email, "password": PASSWORD})
    equal(levels(other), ("aal1", "aal2"), "the levels of a new sign-in")
    refused(lambda: other.update_user({"password": "another horse 2"}), "insufficient_aal", 401)
    refused(lambda: other.mfa.unenroll({"factor_id": enrolled.id}), "insufficient_aal", 422)
    refused(lambda: other.mfa.enroll({"factor_type": "totp", "friendly_name": "thief"}), "insufficient_aal", 403)
    again = {"factor_id": enrolled.id, "code": used}
    refused(lambda: other.mfa.challenge_and_verify(again), "mfa_verification_failed", 422,
            message="Invalid TOTP code entered")
    # The app's next code, perhaps a little early: its clock is ahead.
    other.mfa.challenge_and_verify({"factor_id": enrolled.id, "code": made.at(began + 30)})
    equal(levels(other), ("aal2", "aal2"), "the levels with the next code")
    equal(auth.mfa.unenroll({"factor_id": enrolled.id}).id, enrolled.id, "the factor that is gone")
    auth.refresh_session()
    equal(levels(auth), ("aal1", "aal1"), "the levels without a factor")


def administers_factors():
    auth, _, answer = signed_up()
    enrolled = auth.mfa.enroll({"factor_type": "totp", "friendly_name": "lost phone"})
    auth.mfa.challenge_and_verify({"factor_id": enrolled.id, "code": app(enrolled).now()})
    admin = client(settings["service"]).admin
    listed = admin.mfa.list_factors({"user_id": answer.user.id})
    equal([(factor.id, factor.status) for factor in listed], [(enrolled.id, "verified")], "the factors")
    equal(admin.mfa.delete_factor({"user_id": answer.user.id, "id": enrolled.id}).id, enrolled.id, "the factor")
    equal(admin.mfa.list_factors({"user_id": answer.user.id}), [], "the factors after that")
    refused(lambda: client().admin.mfa.list_factors({"user_id": answer.user.id}), "not_admin", 403)


def opens_what_asks_for_it():
    """A policy that asks for aal2, over /rest/v1."""
    auth, _, _ = signed_up()
    table = settings["url"].replace("/auth/v1", "/rest/v1") + "/vault"

    def rows():
        token = auth.get_session().access_token
        answer = httpx.get(table, headers={"apikey": settings["anon"], "Authorization": f"Bearer {token}"})
        equal(answer.status_code, 200, f"the status of {answer.text}")
        return answer.json()

    equal(rows(), [], "the rows at aal1")
    enrolled = auth.mfa.enroll({"factor_type": "totp", "friendly_name": "phone"})
    auth.mfa.challenge_and_verify({"factor_id": enrolled.id, "code": app(enrolled).now()})
    equal(rows(), [{"id": 1}], "the rows at aal2")


STORIES = [raises_a_session, administers_factors, opens_what_asks_for_it]
