"""Signs in with the official Python client of Supabase Auth, as a server that calls itself compatible must bear it.

The argument is JSON: "url" of /auth/v1, the "anon" and "service" keys, and perhaps "box", where mail_server.py puts
mails, "texts", where web_server.py keeps texts, "id_token" (provider, token, nonce, subject), "provider" (url, ca) at which to sign in, 
"origin", the page that uses passkeys, or "browser", the server's address for one. Prints a line for each story, "ok name" or "FAILED name: why",
and ends with 1 when one failed.
"""

import sys

import account_stories
import client_stories
import factor_stories
import mail_stories
from supabase_client import settings

failures = 0
if "box" in settings:
    stories = mail_stories.STORIES
elif "texts" in settings:
    import text_stories

    stories = text_stories.STORIES
elif "browser" in settings:
    import browser_stories

    stories = browser_stories.STORIES
elif "provider" in settings:
    import provider_stories

    stories = provider_stories.STORIES
elif "origin" in settings:
    import passkey_stories

    stories = passkey_stories.STORIES
else:
    stories = account_stories.STORIES + factor_stories.STORIES + client_stories.STORIES
for story in stories:
    try:
        story()
        print("ok", story.__name__, flush=True)
    except Exception as error:
        failures += 1
        trace = error.__traceback__
        line = trace.tb_lineno
        while trace:
            if trace.tb_frame.f_code is story.__code__:
                line = trace.tb_lineno
            trace = trace.tb_next
        text = " ".join(str(error).split())
        print(f"FAILED {story.__name__}: {type(error).__name__} in line {line}: {text}", flush=True)
sys.exit(1 if failures else 0)
