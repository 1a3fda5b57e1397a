"""Calls of the official client that the other stories have no reason to make, and a list of all of them."""

import glob
import inspect
import os
import re
import uuid

from supabase_auth import SyncGoTrueClient
from supabase_auth._sync.gotrue_admin_api import SyncGoTrueAdminAPI
from supabase_auth._sync.gotrue_admin_mfa_api import SyncGoTrueAdminMFAAPI
from supabase_auth._sync.gotrue_admin_oauth_api import SyncGoTrueAdminOAuthAPI
from supabase_auth._sync.gotrue_mfa_api import SyncGoTrueMFAAPI
from supabase_auth._sync.storage import SyncMemoryStorage

from supabase_client import PASSWORD, client, equal, expect, refused, settings, signed_up


def keeps_a_session_between_starts():
    storage = SyncMemoryStorage()
    first = client(storage=storage)
    _, email, _ = signed_up()
    user = first.sign_in_with_password({"email": email, "password": PASSWORD}).user
    for start in ("initialize", "initialize_from_storage"):
        again = client(storage=storage)
        getattr(again, start)()
        equal(again.get_user().user.id, user.id, f"the user after {start}()")
    again.sign_out({"scope": "local"})
    gone = client(storage=storage)
    gone.initialize()
    equal(gone.get_session(), None, "the session after the sign-out")


def takes_a_session_from_a_link():
    _, _, answer = signed_up()
    session = answer.session
    url = (f"https://app.example/?access_token={session.access_token}&refresh_token={session.refresh_token}"
           f"&expires_in={session.expires_in}&token_type=bearer&type=recovery")
    auth, events = client(flow_type="implicit"), []
    subscription = auth.on_auth_state_change(lambda event, _session: events.append(event))
    auth.initialize_from_url(url)
    equal(auth.get_user().user.id, answer.user.id, "the user")
    equal(events, ["SIGNED_IN", "PASSWORD_RECOVERY"], "the events")
    auth.refresh_session()
    equal(events[-1], "TOKEN_REFRESHED", "the last event")
    subscription.unsubscribe()
    auth.sign_out()
    equal(events[-1], "TOKEN_REFRESHED", "the last event after unsubscribing")
    auth.close()


def has_no_single_sign_on():
    for credentials in ({"domain": "acme.example"}, {"provider_id": str(uuid.uuid4())}):
        refused(lambda: client().sign_in_with_sso(credentials), "saml_provider_disabled", 404)


def is_no_oauth_server():
    oauth, name = client(settings["service"]).admin.oauth, str(uuid.uuid4())
    for call in (
        lambda: oauth.list_clients(), lambda: oauth.get_client(name), lambda: oauth.delete_client(name),
        lambda: oauth.create_client({"client_name": "x", "redirect_uris": ["https://app.example"]}),
        lambda: oauth.update_client(name, {"client_name": "y"}), lambda: oauth.regenerate_client_secret(name),
    ):
        refused(call, "feature_disabled", 404)


def leaves_no_call_out():
    texts = [open(name).read() for name in glob.glob(os.path.dirname(os.path.abspath(__file__)) + "/*_stories.py")]
    for kind in (SyncGoTrueClient, SyncGoTrueAdminAPI, SyncGoTrueAdminMFAAPI, SyncGoTrueAdminOAuthAPI, SyncGoTrueMFAAPI):
        names = [name for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")]
        expect(len(names) >= 2, f"{kind.__name__} has no calls")
        missing = [name for name in names if not any(re.search(rf"\.{name}\b|\"{name}\"", text) for text in texts)]
        equal(missing, [], f"what no story calls of {kind.__name__}")


STORIES = [
    keeps_a_session_between_starts, takes_a_session_from_a_link, has_no_single_sign_on, is_no_oauth_server,
    leaves_no_call_out,
]
