"""Stories of the official Python client of PostgREST, against a server whose address is in the first argument."""

import json
import sys
import traceback

from postgrest import APIError, CountMethod, SyncPostgrestClient

settings = json.loads(sys.argv[1])


def client(token=None, schema="public"):
    token = token or settings["anon"]
    return SyncPostgrestClient(
        settings["url"], schema=schema, headers={"apikey": settings["anon"], "Authorization": f"Bearer {token}"})


service = client(settings["service"])
ada = client(settings["ada"])
bob = client(settings["bob"])


def equal(value, wanted, what=""):
    if value != wanted:
        raise AssertionError(f"{what} is {value!r}, not {wanted!r}")


def refused(call, code):
    try:
        answer = call()
    except APIError as error:
        equal(error.code, code, f"the code of {error.message!r}")
        return error
    raise AssertionError(f"{answer!r} instead of {code}")


def selects():
    equal(service.table("labels").select("*").order("id").execute().data,
          [{"id": 1, "word": "urgent"}, {"id": 2, "word": "quiet"}], "labels")
    answer = service.table("projects").select("id, clients(name)", count=CountMethod.exact).limit(2).order("id").execute()
    equal(answer.count, 4, "count")
    equal(answer.data[0], {"id": 1, "clients": {"name": "Ärzte \"Nord\""}}, "first")
    head = service.table("projects").select("*", count=CountMethod.exact, head=True).execute()
    equal(head.count, 4, "count of HEAD")
    one = service.table("labels").select("word").eq("id", 2).single().execute()
    equal(one.data, {"word": "quiet"}, "single")
    equal(service.table("labels").select("word").eq("id", 99).maybe_single().execute(), None, "maybe_single")
    refused(lambda: service.table("labels").select("word").single().execute(), "PGRST116")
    page = service.table("projects").select("id").order("id").range(1, 2).execute()
    equal(page.data, [{"id": 2}, {"id": 3}], "range")
    csv = service.table("labels").select("*").csv().execute()
    equal(csv.data.split("\n")[0], "id,word", "csv")


def filters():
    def ids(query):
        return [row["id"] for row in query.order("id").execute().data]

    steps = lambda: service.table("steps").select("id")
    equal(ids(steps().in_("id", [1, 3])), [1, 3], "in")
    equal(ids(steps().neq("id", 2)), [1, 3], "neq")
    equal(ids(steps().gt("id", 1).lte("id", 2)), [2], "gt, lte")
    equal(ids(steps().is_("parent_id", "null")), [1, 3], "is")
    equal(ids(steps().not_.is_("parent_id", "null")), [2], "not is")
    equal(ids(steps().like("title", "%wall%")), [2], "like")
    equal(ids(steps().ilike("title", "%WALL%")), [2], "ilike")
    equal(ids(steps().or_("id.eq.1,title.eq.Sell")), [1, 3], "or")
    equal(ids(steps().text_search("words", "'walls'", {"config": "english"})), [2], "text search")
    equal(ids(steps().match({"project_id": 1, "state": "open"})), [1, 2], "match")
    clients = lambda: service.table("clients").select("id")
    equal(ids(clients().contains("tags", ["a"])), [1], "cs of an array")
    equal(ids(clients().contains("meta", {"level": 3})), [1], "cs of JSON")
    equal(ids(clients().overlaps("tags", ["b", "z"])), [1], "ov")
    equal(ids(clients().eq("meta->place->>city", "Kiel")), [1], "JSON path")


def changes():
    made = service.table("labels").insert({"id": 20, "word": "new"}).execute()
    equal(made.data, [{"id": 20, "word": "new"}], "insert")
    many = service.table("steps").insert([{"title": "A"}, {"title": "B", "state": "done"}], default_to_null=False).execute()
    equal([row["state"] for row in many.data], ["open", "done"], "bulk insert with defaults")
    merged = service.table("labels").upsert([{"id": 20, "word": "old"}, {"id": 21, "word": "x"}]).execute()
    equal(len(merged.data), 2, "upsert")
    ignored = service.table("clients").upsert({"id": 9, "name": "Bakery"}, on_conflict="name", ignore_duplicates=True).execute()
    equal(ignored.data, [], "upsert that ignores")
    updated = service.table("labels").update({"word": "newer"}).eq("id", 20).execute()
    equal(updated.data, [{"id": 20, "word": "newer"}], "update")
    gone = service.table("labels").delete().in_("id", [20, 21]).execute()
    equal(len(gone.data), 2, "delete")
    refused(lambda: service.table("labels").insert({"id": 1, "word": "x"}).execute(), "23505")
    refused(lambda: service.table("labels").insert({"id": 30, "nope": 1}).execute(), "PGRST204")
    refused(lambda: service.table("nothing").select("*").execute(), "PGRST205")
    refused(lambda: service.table("labels").select("*").eq("id", "x").execute(), "22P02")


def functions():
    equal(service.rpc("add", {"a": 1, "b": 2}).execute().data, 3, "rpc")
    equal(service.rpc("add", {"a": 1, "b": 2}, get=True).execute().data, 3, "rpc by GET")
    rows = service.rpc("projects_of", {"client": 1}).select("id").order("id", desc=True).execute()
    equal(rows.data, [{"id": 2}, {"id": 1}], "rpc with rows")
    error = refused(lambda: service.rpc("refuse", {"state": "P0001"}).execute(), "P0001")
    equal((error.message, error.details, error.hint), ("no", "because", "ask nicely"), "the error")


def policies():
    mine = ada.table("notes").insert({"text": "mine"}).execute().data[0]
    equal(len(ada.table("notes").select("*").execute().data), 1, "own notes")
    equal(bob.table("notes").select("*").execute().data, [], "notes of others")
    equal(bob.table("notes").update({"text": "x"}).eq("id", mine["id"]).execute().data, [], "change of others")
    equal(bob.table("notes").delete().eq("id", mine["id"]).execute().data, [], "deletion of others")
    refused(lambda: client().table("notes").select("*").execute(), "42501")
    deleted = ada.table("notes").update({"deleted_at": "2025-03-15T17:44:35Z"}).eq("id", mine["id"]).execute().data
    equal(deleted[0]["deleted_at"], "2025-03-15T17:44:35+00:00", "soft delete")
    equal(ada.table("notes").select("id").is_("deleted_at", "null").execute().data, [], "notes that are left")


for story in [selects, filters, changes, functions, policies]:
    try:
        story()
        print(f"ok {story.__name__}", flush=True)
    except Exception:
        print(f"{story.__name__}: {traceback.format_exc()}", flush=True)
