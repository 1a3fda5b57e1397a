"""Pictures of every page of the console, in four sizes and both schemes.

    console_pictures.py [--only SIZE,…] [--pages PAGE,…] PROGRAM FOLDER

PROGRAM is the built `swiftlet`; it serves its demo data, to which is added what makes pages worth a look. A picture is
FOLDER/<scheme>-<size>-<page>.png. Ends with 1 if a page shows an error, or is wider than the window.
"""

import argparse
import json
import os
import re
import sys

SIZES = {"phone": (390, 844), "tablet": (820, 1180), "desktop": (1280, 860), "large": (1920, 1080)}


def furnish(server, browser):
    """What a server has after a day."""
    server.run("realtime", "add", "tasks")
    token = {"Authorization": "Bearer " + server.bearer()}
    for path in ["/tasks", "/tasks?page=2", "/nothing", "/rest/v1/tasks?select=id&limit=1"]:
        server.request(path, headers=token)
    browser.ask("POST", "/files/change", {"action": "create bucket", "bucket": "invoices"})
    browser.ask("POST", "/files/change", {"action": "create bucket", "bucket": "portraits", "public": True})
    browser.ask("POST", "/files/upload?bucket=invoices&name=2026%2F11%2Freadme.txt", {"hello": "there"})
    browser.ask("POST", "/operators", {"action": "set", "name": "grace@acme.example", "role": "editor", "password": "twelve letters"})


def live(server, browser):
    browser.wait(lambda: "Waiting for changes" in browser.text("main"), 40)
    server.sql("UPDATE tasks SET status = 'done' WHERE id IN (SELECT id FROM tasks WHERE status <> 'done' ORDER BY id LIMIT 3)")
    browser.wait(lambda: browser.all(".log-box tr"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default=",".join(SIZES))
    parser.add_argument("--pages")
    parser.add_argument("program")
    parser.add_argument("folder")
    arguments = parser.parse_args()
    os.environ["SWIFTLET_PROGRAM"] = os.path.abspath(arguments.program)
    os.environ["CONSOLE_PICTURES"] = os.path.abspath(arguments.folder)
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from console.harness import PAGES, Browser, Server

    faults = []
    with Server() as server:
        browser = Browser()
        try:
            browser.driver.get(server.link())
            browser.wait(lambda: browser.all(".rail, .bar"))
            furnish(server, browser)
            for page in arguments.pages.split(",") if arguments.pages else PAGES:
                name = re.sub("[^a-z]+", "-", re.sub("[?].*=", "-", page).lower()).strip("-")
                for size in arguments.only.split(","):
                    browser.resize(*SIZES[size], size == "phone")
                    browser.go("home")
                    browser.go(page)
                    browser.wait(lambda: not re.search("Asking …|Waiting for lines", browser.text("main")))
                    if page == "live/public/tasks":
                        live(server, browser)
                    for scheme in ["light", "dark"]:
                        browser.scheme(scheme == "dark")
                        browser.picture(f"{scheme}-{size}-{name}")
                    browser.scheme(False)
                    if browser.run("return document.documentElement.scrollWidth > innerWidth"):
                        faults.append(f"{page} is wider than {size}")
                    if error := browser.text("main .fault"):
                        faults.append(f"{page} says: {error}")
            faults += [message for message in browser.messages() if "favicon" not in message]
        finally:
            browser.driver.quit()
    print(json.dumps(faults, indent=1) if faults else "No page shows an error.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
