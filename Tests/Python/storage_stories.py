"""Stories of the official Python client of Supabase Storage, against a server whose address is in the first argument."""

import json
import struct
import sys
import traceback
import zlib

import httpx
from storage3 import SyncStorageClient
from storage3.utils import StorageException

settings = json.loads(sys.argv[1])


def client(token=None):
    token = token or settings["anon"]
    return SyncStorageClient(
        settings["url"] + "/", {"apikey": settings["anon"], "Authorization": f"Bearer {token}"})


service = client(settings["service"])
ada = client(settings["ada"])
bob = client(settings["bob"])
anon = client()
folder = settings["ada_id"]


def equal(value, wanted, what=""):
    if value != wanted:
        raise AssertionError(f"{what} is {value!r}, not {wanted!r}")


def refused(call, status):
    try:
        answer = call()
    except StorageException as error:
        equal(str(getattr(error, "status", None)), str(status), f"the status of {error}")
        return error
    raise AssertionError(f"{answer!r} instead of {status}")


def buckets():
    equal(service.create_bucket("docs", options={"public": False, "file_size_limit": 1000}).get("name"), "docs", "made")
    equal(service.get_bucket("docs").file_size_limit, 1000, "limit")
    service.update_bucket("docs", {"public": True})
    equal(service.get_bucket("docs").public, True, "public")
    equal(sorted(bucket.id for bucket in service.list_buckets()), ["docs", "own", "pictures"], "buckets")
    service.from_("docs").upload("a/b.txt", b"x")
    refused(lambda: service.delete_bucket("docs"), 409)
    service.empty_bucket("docs")
    service.delete_bucket("docs")
    refused(lambda: service.get_bucket("docs"), 404)
    refused(lambda: service.create_bucket("own"), 409)
    for who in (ada, anon):
        equal(who.list_buckets(), [], "buckets of others")
        refused(lambda: who.create_bucket("mine"), 403)
        refused(lambda: who.get_bucket("own"), 404)


def objects():
    mine = ada.from_("own")
    name = f"{folder}/café 1.txt"
    made = mine.upload(name, b"hello", {"content-type": "text/plain", "cache-control": "60", "metadata": {"k": "v"}})
    equal(made.full_path, f"own/{name}", "path")
    equal(mine.download(name), b"hello", "content")
    refused(lambda: mine.upload(name, b"again"), 409)
    mine.upload(name, b"upserted", {"upsert": "true", "content-type": "text/plain"})
    equal(mine.download(name), b"upserted", "content after the upsert")
    mine.update(name, b"updated", {"content-type": "text/plain"})
    equal(mine.download(name), b"updated", "content after the update")
    info = mine.info(name)
    equal(info["size"], 7, "size")
    equal(info["name"], name, "name")
    equal(mine.exists(name), True, "exists")
    equal(mine.exists(f"{folder}/none"), False, "what is not there")
    refused(lambda: mine.download(f"{folder}/none"), 404)
    for who in (bob, anon):
        refused(lambda: who.from_("own").download(name), 404)
        refused(lambda: who.from_("own").upload(f"{folder}/theirs", b"x"), 403)
        equal(who.from_("own").exists(name), False, "of others")
        equal(who.from_("own").remove([name]), [], "removed by others")
    equal(service.from_("own").download(name), b"updated", "content for the service key")
    mine.copy(name, f"{folder}/copy.txt")
    mine.move(f"{folder}/copy.txt", f"{folder}/deep/moved.txt")
    equal(mine.download(f"{folder}/deep/moved.txt"), b"updated", "content of the copy")
    removed = mine.remove([name, f"{folder}/none"])
    equal([row["name"] for row in removed], [name], "removed")
    equal(mine.exists(name), False, "removed")
    mine.remove([f"{folder}/deep/moved.txt"])


def lists():
    mine = ada.from_("own")
    for name in ("b.txt", "a.txt", "c/d.txt"):
        mine.upload(f"{folder}/{name}", b"x", {"content-type": "text/plain"})
    rows = mine.list(folder)
    equal([(row["name"], row["id"] is None) for row in rows], [("a.txt", False), ("b.txt", False), ("c", True)], "list")
    equal(rows[0]["metadata"]["mimetype"], "text/plain", "type")
    page = mine.list(folder, {"limit": 1, "offset": 1, "sortBy": {"column": "name", "order": "desc"}})
    equal([row["name"] for row in page], ["b.txt"], "page")
    equal([row["name"] for row in mine.list(folder, {"search": "A"})], ["a.txt"], "search")
    first = mine.list_v2({"prefix": f"{folder}/", "limit": 2, "with_delimiter": True})
    equal(first.hasNext, True, "more")
    second = mine.list_v2(
        {"prefix": f"{folder}/", "limit": 2, "with_delimiter": True, "cursor": first.nextCursor})
    equal([item.name for item in first.objects], [f"{folder}/a.txt", f"{folder}/b.txt"], "first page")
    equal([item.name for item in second.folders], [f"{folder}/c/"], "second page")
    equal(bob.from_("own").list(folder), [], "of others")
    equal(anon.from_("own").list(), [], "for nobody")


def links():
    mine = ada.from_("own")
    name = f"{folder}/link 1.txt"
    mine.upload(name, b"linked", {"content-type": "text/plain"})
    url = mine.create_signed_url(name, 60)["signedURL"]
    equal(httpx.get(url).content, b"linked", "content of the link")
    named = mine.create_signed_url(name, 60, {"download": "x.txt"})["signedURL"]
    equal("x.txt" in httpx.get(named).headers["content-disposition"], True, "name of the download")
    many = mine.create_signed_urls([name, "none"], 60)
    equal([entry["error"] is None for entry in many], [True, False], "links")
    equal(httpx.get(many[0]["signedURL"]).content, b"linked", "content of one of many")
    refused(lambda: bob.from_("own").create_signed_url(name, 60), 404)
    upload = mine.create_signed_upload_url(f"{folder}/by-link.txt")
    anon.from_("own").upload_to_signed_url(upload["path"], upload["token"], b"sent", {"content-type": "text/plain"})
    equal(mine.download(f"{folder}/by-link.txt"), b"sent", "content that came by a link")
    refused(lambda: bob.from_("own").create_signed_upload_url(f"{folder}/x"), 403)
    ada.from_("pictures").upload("p.png", b"picture", {"content-type": "image/png"})
    answer = httpx.get(anon.from_("pictures").get_public_url("p.png"))
    equal((answer.content, answer.headers["content-type"]), (b"picture", "image/png"), "public")
    equal(httpx.get(anon.from_("own").get_public_url(name)).status_code, 400, "what is not public")


def png(width, height):
    """A red picture."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + b"\xff\0\0" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def size(content):
    equal(content[:8], b"\x89PNG\r\n\x1a\n", "kind")
    return struct.unpack(">II", content[16:24])


def images():
    mine = ada.from_("own")
    name = f"{folder}/picture 1.png"
    mine.upload(name, png(60, 40), {"content-type": "image/png"})
    transform = {"width": 30, "height": 30, "resize": "contain"}
    equal(size(mine.download(name, {"transform": transform})), (30, 20), "size")
    refused(lambda: bob.from_("own").download(name, {"transform": transform}), 404)
    refused(lambda: anon.from_("own").download(name, {"transform": transform}), 404)
    equal(size(service.from_("own").download(name, {"transform": {"width": 15}})), (15, 10), "size for the service key")
    url = mine.create_signed_url(name, 60, {"transform": transform})["signedURL"]
    equal(size(httpx.get(url).content), (30, 20), "size by a link")
    ada.from_("pictures").upload("red.png", png(60, 40), {"content-type": "image/png"})
    public = anon.from_("pictures").get_public_url("red.png", {"transform": {"width": 30, "height": 30}})
    equal(size(httpx.get(public).content), (30, 30), "size of what is public")


for story in (buckets, objects, lists, links, images):
    try:
        story()
        print("ok", story.__name__)
    except Exception:
        print(story.__name__, "failed:", *traceback.format_exc().splitlines()[-6:], sep=" | ")
