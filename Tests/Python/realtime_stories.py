"""Stories of the official Python client of Realtime, against a server whose address is in the first argument."""

import asyncio
import json
import sys
import traceback

from realtime import AsyncRealtimeClient

settings = json.loads(sys.argv[1])


def equal(value, wanted, what=""):
    if value != wanted:
        raise AssertionError(f"{what} is {value!r}, not {wanted!r}")


async def connected():
    client = AsyncRealtimeClient(settings["url"], settings["token"])
    await client.connect()
    return client


async def subscribed(channel):
    states = asyncio.Queue()
    await channel.subscribe(lambda state, error: states.put_nowait((state, error)))
    state, error = await asyncio.wait_for(states.get(), 15)
    equal(str(getattr(state, "value", state)), "SUBSCRIBED", f"state ({error})")
    return channel


async def broadcasts():
    first, second = await connected(), await connected()
    got = asyncio.Queue()
    sender = first.channel("room", {"config": {"broadcast": {"ack": False, "self": True}}})
    own = asyncio.Queue()
    sender.on_broadcast("shout", own.put_nowait)
    receiver = second.channel("room")
    receiver.on_broadcast("shout", got.put_nowait)
    await subscribed(sender)
    await subscribed(receiver)
    await sender.send_broadcast("shout", {"text": "hé"})
    for queue in (got, own):
        message = await asyncio.wait_for(queue.get(), 15)
        equal(message["payload"], {"text": "hé"}, "payload")
    await first.close()
    await second.close()


async def presence():
    client = await connected()
    synced = asyncio.Queue()
    channel = client.channel("lobby", {"config": {"presence": {"key": "ada", "enabled": True}}})
    channel.on_presence_sync(lambda *_: synced.put_nowait(None))
    await subscribed(channel)
    await channel.track({"mood": "fine"})
    while "ada" not in channel.presence_state():
        await asyncio.wait_for(synced.get(), 15)
    equal(channel.presence_state()["ada"][0]["mood"], "fine", "mood")
    await channel.untrack()
    while "ada" in channel.presence_state():
        await asyncio.wait_for(synced.get(), 15)
    await channel.unsubscribe()
    await client.close()


async def changes():
    """The test writes rows of the teams a and b as soon as both channels are known to the server."""
    client = await connected()
    ours, inserts = asyncio.Queue(), asyncio.Queue()
    every = client.channel("every")
    every.on_postgres_changes("*", ours.put_nowait, table="todos", schema="public", filter="team=eq.a")
    every.on_postgres_changes("INSERT", inserts.put_nowait, table="todos", schema="public")
    await subscribed(every)
    other = client.channel("other")
    none = []
    other.on_postgres_changes("*", none.append, table="todos", schema="public", filter="team=eq.c")
    await subscribed(other)
    told = [(await asyncio.wait_for(ours.get(), 30))["data"] for _ in range(3)]
    equal([change["type"] for change in told], ["INSERT", "UPDATE", "DELETE"], "types")
    equal(told[0]["record"], {"id": 1, "team": "a", "title": "hé", "done": False}, "record")
    equal(told[1]["record"]["done"], True, "new row")
    equal(told[1]["old_record"]["done"], False, "old row")
    equal(told[2]["old_record"]["id"], 1, "deleted row")
    rows = [(await asyncio.wait_for(inserts.get(), 30))["data"]["record"]["id"] for _ in range(2)]
    equal(rows, [1, 2], "inserted rows")
    equal((ours.qsize(), inserts.qsize(), none), (0, 0, []), "what came beside them")
    await client.close()


async def main():
    for story in (broadcasts, presence, changes):
        try:
            await asyncio.wait_for(story(), 60)
            print(f"ok {story.__name__}")
        except BaseException:
            print(f"failed {story.__name__}: {traceback.format_exc()}")


asyncio.run(main())
