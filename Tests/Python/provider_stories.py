"""Sign-in at another provider, with the official client in front and oidc-provider-mock behind."""

import ssl
from urllib.parse import parse_qs, urlsplit

import httpx

from supabase_client import claims, client, equal, expect, refused, settings, signed_up

provider = settings["provider"]
web = httpx.Client(verify=ssl.create_default_context(cafile=provider["ca"]))


def make(subject, email):
    answer = web.put(f"{provider['url']}/users/{subject}", json={"email": email, "email_verified": True, "name": "Ada L."})
    equal(answer.status_code, 204, "the status of the new user")


def browse(url, subject):
    """What the browser does: to the provider, a click, and back; gives where it ends up."""
    if url.startswith(settings["url"]):
        there = web.get(url)
        equal(there.status_code, 302, f"the status of {there.text}")
        url = there.headers["location"]
    back = web.post(url, data={"sub": subject})
    equal(back.status_code, 302, "the provider's status")
    end = web.get(back.headers["location"])
    equal(end.status_code, 302, f"the status of {end.text}")
    return end.headers["location"]


def signs_in_at_a_provider():
    make("ada", "ada@work.example")
    auth = client(flow_type="pkce")
    asked = auth.sign_in_with_oauth({"provider": "keycloak", "options": {"scopes": "email"}})
    place = browse(asked.url, "ada")
    expect(place.startswith(settings["site"] + "?code="), f"it ends at {place}")
    code = parse_qs(urlsplit(place).query)["code"][0]
    answer = auth.exchange_code_for_session({"auth_code": code})
    equal(answer.user.email, "ada@work.example", "the address")
    expect(answer.session.provider_token and answer.session.provider_refresh_token, "the provider's tokens are missing")
    equal(claims(answer.session.access_token)["amr"][0]["method"], "oauth", "the method")
    equal(answer.user.user_metadata["full_name"], "Ada L.", "the name")
    other = client(flow_type="pkce")
    other.sign_in_with_oauth({"provider": "keycloak"})
    refused(lambda: other.exchange_code_for_session({"auth_code": code}), "flow_state_not_found", 404)


def links_and_unlinks():
    make("bob", "bob@work.example")
    auth, _, _ = signed_up()
    asked = auth.link_identity({"provider": "keycloak"})
    place = browse(asked.url, "bob")
    fragment = parse_qs(urlsplit(place).fragment)
    expect("access_token" in fragment, f"it ends at {place}")
    identities = auth.get_user_identities().identities
    equal([identity.provider for identity in identities], ["email", "keycloak"], "the identities")
    auth.unlink_identity(identities[1])
    left = auth.get_user_identities().identities
    equal([identity.provider for identity in left], ["email"], "the identities that are left")
    refused(lambda: auth.unlink_identity(left[0]), "single_identity_not_deletable", 422)


STORIES = [signs_in_at_a_provider, links_and_unlinks]
