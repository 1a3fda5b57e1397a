"""Stories of phone numbers, whose codes a hook is handed. "texts" is where web_server.py keeps what it was posted."""

import json
import random
import time

import httpx

from supabase_client import PASSWORD, claims, client, equal, expect, raw, refused, settings, signed_up

seen = set()
# The hook's service answers 200 to whatever it is posted.
httpx.post(settings["texts"] + "/__put?path=/sms")


def number():
    return "4915" + "".join(random.choice("0123456789") for _ in range(9))


def text(phone):
    """The newest text to the number, but those seen already."""
    for _ in range(200):
        posted = httpx.get(settings["texts"] + "/__last?path=/sms").json()
        if posted and posted["headers"]["webhook-id"] not in seen:
            body = json.loads(posted["body"])
            if body["sms"]["phone"] == phone:
                seen.add(posted["headers"]["webhook-id"])
                return body
        time.sleep(0.05)
    raise AssertionError(f"no text to {phone}")


def code(phone):
    return text(phone)["sms"]["otp"]


def says_that_phones_are_a_way_in():
    equal(raw("GET", "/settings").json()["external"]["phone"], True, "external.phone")


def signs_in_by_a_text():
    auth, phone = client(), number()
    asked = auth.sign_in_with_otp({"phone": "+" + phone, "options": {"data": {"name": "Ada"}}})
    equal((asked.user, asked.session, asked.message_id), (None, None, None), "the answer")
    body = text(phone)
    equal(body["user"]["phone"], phone, "the number of the hook's user")
    answer = auth.verify_otp({"phone": "+" + phone, "token": body["sms"]["otp"], "type": "sms"})
    equal(answer.user.phone, phone, "the number")
    equal(answer.user.id, body["user"]["id"], "the user")
    expect(answer.user.phone_confirmed_at is not None, "the number is not confirmed")
    equal(answer.user.user_metadata.get("name"), "Ada", "the name")
    equal(answer.user.app_metadata.get("provider"), "phone", "the provider")
    equal([identity.provider for identity in answer.user.identities], ["phone"], "the identities")
    token = claims(answer.session.access_token)
    equal((token["phone"], token["email"], token["amr"][0]["method"]), (phone, "", "otp"), "phone, email, amr")
    equal(auth.refresh_session().user.id, answer.user.id, "the user after a refresh")
    refused(lambda: client().verify_otp({"phone": phone, "token": body["sms"]["otp"], "type": "sms"}),
            "otp_expired", 403, message="Token has expired or is invalid")


def signs_up_by_phone():
    auth, phone = client(), number()
    answer = auth.sign_up({"phone": phone, "password": PASSWORD})
    equal(answer.session, None, "the session")
    equal((answer.user.phone, answer.user.phone_confirmed_at), (phone, None), "the number")
    refused(lambda: client().sign_in_with_password({"phone": phone, "password": PASSWORD}), "phone_not_confirmed", 400)
    refused(lambda: client().resend({"type": "sms", "phone": phone}), "over_sms_send_rate_limit", 429)
    verified = auth.verify_otp({"phone": phone, "token": code(phone), "type": "sms"})
    equal(verified.user.id, answer.user.id, "the user")
    again = client().sign_in_with_password({"phone": "+" + phone, "password": PASSWORD})
    equal(again.user.id, answer.user.id, "the user who signs in")
    refused(lambda: client().sign_in_with_password({"phone": phone, "password": "wrong"}), "invalid_credentials", 400,
            message="Invalid login credentials")


def changes_the_number():
    auth, _, answer = signed_up()
    phone = number()
    user = auth.update_user({"phone": phone}).user
    equal((user.phone, user.new_phone), ("", phone), "the numbers")
    refused(lambda: client().verify_otp({"phone": phone, "token": "000000", "type": "phone_change"}), "otp_expired", 403)
    changed = auth.verify_otp({"phone": phone, "token": code(phone), "type": "phone_change"})
    equal((changed.user.id, changed.user.phone), (answer.user.id, phone), "the user")
    equal(sorted(identity.provider for identity in changed.user.identities), ["email", "phone"], "the identities")
    equal(client().sign_in_with_password({"phone": phone, "password": PASSWORD}).user.id, answer.user.id, "the user")


def administers_numbers():
    admin, phone = client(settings["service"]).admin, number()
    user = admin.create_user({"phone": "+" + phone, "phone_confirm": True, "password": PASSWORD}).user
    equal((user.phone, user.app_metadata["providers"]), (phone, ["phone"]), "the number")
    expect(user.phone_confirmed_at is not None, "the number is not confirmed")
    equal(client().sign_in_with_password({"phone": phone, "password": PASSWORD}).user.id, user.id, "the user")
    refused(lambda: admin.create_user({"phone": phone}), "phone_exists", 422)
    other = number()
    equal(admin.update_user_by_id(user.id, {"phone": other}).user.phone, other, "the new number")


def tells_no_number_from_another():
    phone = number()
    known = client(settings["service"]).admin.create_user({"phone": phone, "phone_confirm": True}).user
    for one in (phone, number()):
        answer = client().sign_in_with_otp({"phone": one, "options": {"should_create_user": False}})
        equal(answer.message_id, None, "the answer")
        refused(lambda: client().sign_in_with_otp({"phone": one, "options": {"should_create_user": False}}),
                "over_sms_send_rate_limit", 429)
    equal(text(phone)["user"]["id"], known.id, "the user of the text")


def refuses_other_channels_and_nonsense():
    refused(lambda: client().sign_in_with_otp({"phone": number(), "options": {"channel": "pigeon"}}),
            "validation_failed", 400)
    refused(lambda: client().sign_in_with_otp({"phone": "0151"}), "validation_failed", 400,
            message="Invalid phone number format (E.164 required)")


def has_a_phone_as_a_second_factor():
    auth, _, _ = signed_up()
    phone = number()
    factor = auth.mfa.enroll({"factor_type": "phone", "friendly_name": "mine", "phone": "+" + phone})
    equal((factor.type, factor.phone), ("phone", "+" + phone), "type and number")
    challenge = auth.mfa.challenge({"factor_id": factor.id, "channel": "whatsapp"})
    sms = text(phone)["sms"]
    equal((sms["sms_type"], sms["channel"]), ("mfa", "whatsapp"), "sms_type and channel")
    wrong = "111111" if sms["otp"] != "111111" else "222222"
    refused(lambda: auth.mfa.verify({"factor_id": factor.id, "challenge_id": challenge.id, "code": wrong}),
            "mfa_verification_failed", 422, message="Invalid MFA Phone code entered")
    auth.mfa.verify({"factor_id": factor.id, "challenge_id": challenge.id, "code": sms["otp"]})
    token = claims(auth.get_session().access_token)
    equal(token["aal"], "aal2", "aal")
    expect("mfa/phone" in [each["method"] for each in token["amr"]], f"amr is {token['amr']}")
    equal([each.id for each in auth.mfa.list_factors().phone], [factor.id], "the phones")
    auth.mfa.unenroll({"factor_id": factor.id})
    equal(auth.mfa.list_factors().phone, [], "the phones after unenrolling")


def asks_for_whatsapp():
    phone = number()
    client().sign_in_with_otp({"phone": phone, "options": {"channel": "whatsapp"}})
    equal(text(phone)["sms"]["channel"], "whatsapp", "the channel")


STORIES = [
    has_a_phone_as_a_second_factor, asks_for_whatsapp,
    says_that_phones_are_a_way_in, signs_in_by_a_text, signs_up_by_phone, changes_the_number, administers_numbers,
    tells_no_number_from_another, refuses_other_channels_and_nonsense,
]
