"""Two apps as their official Python clients call the server, whose address is in the first argument.

The device log app registers devices at /devices and reads and writes poop_logs with their sessions; the gallery has
nothing but the app's key. Its schema is the default one here, poop_logs are in "public".
"""

import json
import sys
import traceback
import urllib.error
import urllib.request
import uuid

from postgrest import APIError, CountMethod, SyncPostgrestClient
from supabase_auth import SyncGoTrueClient

settings = json.loads(sys.argv[1])
base, anon = settings["url"], settings["anon"]


def equal(value, wanted, what=""):
    if value != wanted:
        raise AssertionError(f"{what} is {value!r}, not {wanted!r}")


def refused(call, code):
    try:
        answer = call()
    except APIError as error:
        return equal(error.code, code, f"the code of {error.message!r}")
    raise AssertionError(f"{answer!r} instead of {code}")


def tables(token=None, schema="gallery"):
    headers = {"apikey": anon, "Authorization": f"Bearer {token or anon}"}
    return SyncPostgrestClient(f"{base}/rest/v1", schema=schema, headers=headers)


def post(path, body):
    request = urllib.request.Request(
        f"{base}{path}", json.dumps(body).encode(), {"Content-Type": "application/json", "apikey": anon})
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def device():
    identifier = str(uuid.uuid4())
    status, session = post("/devices", {"deviceId": identifier, "platform": "ios"})
    equal(status, 201, "registration")
    equal(session["user"]["id"], identifier, "user")
    return identifier, session


def device_logs():
    mine, session = device()
    _, other = device()
    logs = tables(session["access_token"], "public").table("poop_logs")
    theirs = tables(other["access_token"], "public").table("poop_logs")
    row = {"device_id": mine, "logged_at": "2025-03-15T17:44:35Z", "duration_seconds": 240, "rating": "great",
           "consistency": 4, "notes": "نهار 💩"}
    made = logs.insert(row).execute().data[0]
    equal((made["notes"], made["flush_funds_earned"], made["deleted_at"]), ("نهار 💩", 0, None), "insert")
    logs.insert([dict(row, logged_at=f"2025-03-{day}T08:00:00Z", rating="okay") for day in (10, 11, 12)]).execute()
    listed = logs.select("*").is_("deleted_at", "null").gte("logged_at", "2025-03-11T00:00:00Z") \
        .lte("logged_at", "2025-03-15T23:59:59Z").order("logged_at", desc=True).range(0, 1).execute().data
    equal([log["logged_at"] for log in listed], ["2025-03-15T17:44:35+00:00", "2025-03-12T08:00:00+00:00"], "page")
    one = logs.select("*").eq("id", made["id"]).single().execute().data
    equal(one, made, "single")
    counted = logs.select("*", count=CountMethod.exact, head=True).is_("deleted_at", "null").execute()
    equal(counted.count, 4, "count")
    equal(theirs.select("*").execute().data, [], "rows of another device")
    equal(theirs.update({"rating": "bad"}).eq("id", made["id"]).execute().data, [], "change of another's")
    equal(theirs.delete().eq("id", made["id"]).execute().data, [], "deletion of another's")
    refused(lambda: theirs.insert(row).execute(), "42501")
    refused(lambda: logs.insert(dict(row, rating="meh")).execute(), "23514")
    gone = logs.update({"deleted_at": "2025-03-16T00:00:00Z"}).eq("id", made["id"]).execute().data
    equal(gone[0]["deleted_at"], "2025-03-16T00:00:00+00:00", "soft deletion")
    equal(logs.select("id", count=CountMethod.exact).is_("deleted_at", "null").execute().count, 3, "count of the rest")


def device_sessions():
    mine, session = device()
    equal(post("/devices", {"deviceId": mine})[0], 409, "again without the secret")
    equal(post("/devices", {"deviceId": mine, "deviceSecret": "stolen"})[0], 409, "again with a wrong one")
    status, again = post("/devices", {"deviceId": mine, "deviceSecret": session["device_secret"]})
    equal(status, 200, "again with the secret")
    auth = SyncGoTrueClient(url=f"{base}/auth/v1", headers={"apikey": anon}, auto_refresh_token=False)
    kept = auth.set_session(again["access_token"], again["refresh_token"])
    equal(kept.user.id, mine, "the client's user")
    equal(kept.user.is_anonymous, True, "anonymous")
    fresh = auth.refresh_session()
    equal(tables(fresh.session.access_token, "public").table("poop_logs").select("id").execute().data, [], "logs")


def gallery():
    app = tables()
    identifier = str(uuid.uuid4())
    user = {"id": identifier, "apple_id": "001.x", "email": None, "name": "سارة 🦊", "last_login": "2025-01-01T00:00:00Z"}
    equal(app.table("users").select("*").eq("apple_id", "001.x").execute().data, [], "nobody yet")
    equal(app.table("users").upsert(user, on_conflict="apple_id").execute().data[0]["name"], "سارة 🦊", "sign-in")
    again = app.table("users").upsert(dict(user, name="Sara"), on_conflict="apple_id").execute().data
    equal([(row["id"], row["name"], row["avatar_url"]) for row in again], [(identifier, "Sara", None)], "next sign-in")
    images = [{"user_id": identifier, "image_url": f"https://x.example/{number}.jpg",
               "photo_date": f"2025-03-{number}T17:44:35Z", "metadata": {"width": 4032, "tags": ["🌅"]}}
              for number in (14, 15, 16)]
    made = app.table("images").insert(images).execute().data
    equal([type(row["id"]) for row in made], [int] * 3, "ids")
    page = app.table("images").select("*, users(name)", count=CountMethod.exact).eq("user_id", identifier) \
        .order("photo_date", desc=True).range(0, 1).execute()
    equal(page.count, 3, "count")
    equal([row["image_url"][-6:] for row in page.data], ["16.jpg", "15.jpg"], "page")
    equal(page.data[0]["users"], {"name": "Sara"}, "embedded user")
    equal(page.data[0]["metadata"], {"width": 4032, "tags": ["🌅"]}, "metadata")
    equal(len(app.table("images").select("id").contains("metadata", {"tags": ["🌅"]}).execute().data), 3, "contains")
    equal(len(app.table("images").delete().eq("user_id", identifier).execute().data), 3, "deletion")


for story in [device_logs, device_sessions, gallery]:
    try:
        story()
        print(f"ok {story.__name__}", flush=True)
    except Exception:
        print(f"{story.__name__}: {traceback.format_exc()}", flush=True)
