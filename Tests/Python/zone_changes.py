#!/usr/bin/env python3
"""Prints every time zone of the machine's database, and when its offset changes, as Python reads it: a line for each.

zone_changes.py FROM TO STEP: seconds since 1970, and how far apart the times are between which changes are looked for.
"""

import sys
import zoneinfo
from datetime import datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def main():
    start, end, step = map(int, sys.argv[1:])
    for name in sorted(zoneinfo.available_timezones()):
        zone = zoneinfo.ZoneInfo(name)

        def offset(seconds):
            return int((EPOCH + timedelta(seconds=seconds)).astimezone(zone).utcoffset().total_seconds())

        changes = [(start, offset(start))]
        for time in range(start + step, end, step):
            now = offset(time)
            if now != changes[-1][1]:
                changes.append((first(offset, time - step, time, now), now))
        print(name, *(f"{time}:{offset}" for time, offset in changes))


def first(offset, before, after, wanted):
    """The first second with the offset, of those that have been looked at."""
    while after - before > 1:
        middle = (before + after) // 2
        if offset(middle) == wanted:
            after = middle
        else:
            before = middle
    return after


main()
