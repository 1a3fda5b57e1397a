"""The page as a whole: keyboard, contrast, size, restart."""

import json
import re

from selenium.webdriver.common.keys import Keys

from .harness import ADA, CONTRAST, PAGES, Browser, ConsoleCase, Server


class Whole(ConsoleCase):
    def test_54_every_change_leaves_one_entry(self):
        sql, ask = self.server.sql, self.browser.ask
        sql("CREATE TABLE noted (id integer PRIMARY KEY, text text, secret_token text); INSERT INTO noted VALUES (1, 'one', 'abc'), (2, 'two', 'def')")
        self.addCleanup(sql, "DROP TABLE noted")
        sql("""INSERT INTO swiftlet.job_history (id, name, state, priority, due, attempts, enqueued_at, scope, last_error, payload)
            VALUES (920001, 'no-such-note', 'failed', 1, now(), 3, now(), '', 'it broke', '{}'), (920002, 'no-such-note', 'failed', 1, now(), 3, now(), '', 'it broke', '{}')""")
        self.addCleanup(sql, "DELETE FROM swiftlet.jobs WHERE name = 'no-such-note'; DELETE FROM swiftlet.job_history WHERE name = 'no-such-note'")
        table = "/tables/public/noted/"
        change = lambda **body: ("POST", table + "change", body)
        user = lambda **body: ("POST", "/users/change", {"id": made["id"], **body})
        made = {}
        steps = [
            ("insert", lambda: change(kind="insert", values={"id": "3", "text": "three"}), False, True),
            ("update", lambda: change(kind="update", key=["1"], values={"text": "changed"}), True, True),
            ("delete", lambda: change(kind="delete", key=["2"], values={}), True, False),
            ("import", lambda: ("POST", table + "import", {"csv": "id,text\n7,seven\n8,eight\n"}), False, True),
            ("create user", lambda: ("POST", "/users/change", {"action": "create", "email": "dora@acme.example", "password": "a long password"}), False, True),
            ("ban user", lambda: user(action="ban"), True, True),
            ("unban user", lambda: user(action="unban"), True, True),
            ("confirm user", lambda: user(action="confirm"), True, True),
            ("set password", lambda: user(action="password", password="another long one", signOut=True), True, True),
            ("sign out user", lambda: user(action="signout"), True, True),
            ("impersonate", lambda: ("POST", "/users/token", {"id": made["id"], "minutes": 1, "reason": "the test"}), False, True),
            ("delete user", lambda: user(action="delete"), True, False),
            ("create user", lambda: ("POST", "/users/change", {"action": "create", "phone": "+49 151 12345678"}), False, True),
            ("delete user", lambda: user(action="delete"), True, False),
            ("retry job", lambda: ("POST", "/jobs", {"action": "retry", "id": 920001}), True, True),
            ("cancel job", lambda: ("POST", "/jobs", {"action": "cancel", "id": 920001}), True, True),
            ("retry all job", lambda: ("POST", "/jobs", {"action": "retry all", "name": "no-such-note", "expected": 1}), False, True),
            ("sql", lambda: ("POST", "/sql", {"sql": "UPDATE noted SET text = 'by hand'", "write": True, "commit": True}), False, True),
            ("operator: set", lambda: ("POST", "/operators", {"action": "set", "name": "fred@acme.example", "role": "editor", "password": "twelve letters"}), False, True),
            ("operator: set", lambda: ("POST", "/operators", {"action": "set", "name": "fred@acme.example", "role": "viewer"}), True, True),
            ("operator: remove", lambda: ("POST", "/operators", {"action": "remove", "name": "fred@acme.example"}), True, False),
            ("create bucket", lambda: ("POST", "/files/change", {"action": "create bucket", "bucket": "noted", "public": False}), False, True),
            ("change bucket", lambda: ("POST", "/files/change", {"action": "change bucket", "bucket": "noted", "public": True}), True, True),
            ("delete bucket", lambda: ("POST", "/files/change", {"action": "delete bucket", "bucket": "noted"}), True, False),
            ("send push", lambda: ("POST", "/push/send", {"token": "00fc13adff785122", "platform": "ios", "environment": "sandbox", "title": "A", "body": "B"}), False, True),
        ]
        for action, request, has_before, has_after in steps:
            last = int(sql("SELECT coalesce(max(id), 0) FROM swiftlet.console_audit"))
            status, text = ask(*request())
            self.assertEqual(status, 200, action + text)
            entries = json.loads(sql(f"SELECT json_agg(a) FROM swiftlet.console_audit a WHERE id > {last}"))
            self.assertEqual([each["action"] for each in entries], [action])
            entry = entries[0]
            self.assertEqual(entry["operator"], "link", action)
            self.assertEqual(entry["address"], "127.0.0.1", action)
            self.assertRegex(entry["request_id"], "^[0-9a-f-]{16,}$", action)
            self.assertEqual(entry["before"] is not None, has_before, action)
            self.assertEqual(entry["after"] is not None, has_after, action)
            self.assertNotIn("$2", json.dumps([entry["before"], entry["after"]]), "a hash of a password")
            if action == "create user":
                made["id"] = sql("SELECT id FROM auth.users WHERE 'dora@acme.example' = email OR phone = '4915112345678'")
        # What failed, and what only looks, leaves none.
        last = sql("SELECT max(id) FROM swiftlet.console_audit")
        for request in [
            change(kind="update", key=["1"], values={"id": "wrong"}), ("POST", "/sql", {"sql": "UPDATE noted SET text = 'x'", "write": True}),
            ("GET", "/audit", None), ("POST", "/users/change", {"action": "ban", "id": "00000000-0000-4000-8000-000000000000"}),
        ]:
            ask(*request)
        self.assertEqual(sql("SELECT max(id) FROM swiftlet.console_audit"), last)
        self.browser.go("settings/audit")
        self.browser.wait(lambda: "send push" in self.browser.text(".list tbody"))
        # Nobody takes an entry away: not an editor by any page, not an owner by SQL.
        editor = self.other("editor")
        for request in [
            ("POST", "/tables/swiftlet/console_audit/change", {"kind": "delete", "key": [last], "values": {}}),
            ("POST", "/tables/swiftlet/console_audit/import", {"csv": "id\n1\n"}),
            ("POST", "/sql", {"sql": "DELETE FROM swiftlet.console_audit", "write": True, "commit": True}),
        ]:
            self.assertEqual(editor.ask(*request)[0], 403, request)
        self.assertEqual(ask("POST", "/sql", {"sql": "DELETE FROM swiftlet.console_audit", "write": True, "commit": True})[0], 400)
        self.assertEqual(ask("POST", "/sql", {"sql": "TRUNCATE swiftlet.console_audit", "write": True, "commit": True})[0], 400)
        self.assertGreaterEqual(int(sql("SELECT count(*) FROM swiftlet.console_audit")), len(steps))

    def test_55_read_only_changes_nothing(self):
        with Server(CONSOLE="read-only") as server:
            browser = Browser()
            self.addCleanup(browser.driver.quit)
            browser.driver.get(server.link())
            browser.wait(lambda: browser.all(".rail"))

            def state():
                # Who is here, and the clocks of recurring jobs, are no operator's doing.
                own = ["console_sessions", "console_entries", "job_ticks", "job_workers", "jobs", "job_history", "job_limits"]
                names = server.sql(
                    "SELECT string_agg(format('%I.%I', schemaname, tablename), ' ' ORDER BY 1) FROM pg_tables WHERE schemaname NOT IN"
                    f" ('pg_catalog', 'information_schema') AND NOT (schemaname = 'swiftlet' AND tablename = ANY ('{{{','.join(own)}}}'))"
                ).split()
                return {name: server.sql(f"SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM {name} t") for name in names}

            before = state()
            self.assertGreater(len(before), 40)
            clicked = 0
            for page in PAGES:
                browser.go(page)
                # Each control of the page once, and those that appear then.
                seen = set()
                for _ in range(40):
                    label = browser.run(
                        """
                        const seen = new Set(arguments[0]);
                        const name = (each) => (each.innerText || each.ariaLabel || each.title || "").trim().slice(0, 40);
                        for (const each of document.querySelectorAll("main button, .sheet button, main [role=switch]")) {
                            if (!each.offsetParent || each.disabled || seen.has(name(each)) || /Sign out|Sign me out|CSV/.test(name(each))) continue;
                            const text = name(each); each.click(); return text || "?";
                        }
                        return null;
                        """,
                        list(seen),
                    )
                    if label is None:
                        break
                    seen.add(label)
                    clicked += 1
                browser.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))")
            self.assertGreater(clicked, 40)
            # And all that writes, by hand.
            for path, body in [
                ("/tables/public/tasks/change", {"kind": "delete", "key": ["acme-task-1"], "values": {}}), ("/tables/public/tasks/import", {"csv": "id\nx\n"}),
                ("/users/change", {"action": "ban", "id": ADA}), ("/users/token", {"id": ADA, "reason": "because"}), ("/jobs", {"action": "retry all"}),
                ("/sql", {"sql": "DELETE FROM tasks", "write": True, "commit": True}), ("/operators", {"action": "set", "name": "x@y.z", "role": "owner", "password": "twelve letters"}),
                ("/files/change", {"action": "create bucket", "bucket": "x"}), ("/files/upload?bucket=a&name=b", {}), ("/push/send", {"token": "x"}),
                ("/access", {"who": {"kind": "anon"}, "table": "tasks"}), ("/access/checks", {}),
            ]:
                self.assertEqual(browser.ask("POST", path, body)[0], 403, path)
            after = state()
            self.assertEqual({name for name in before if before[name] != after.get(name)}, set())

    def test_56_by_keyboard_from_the_link_to_the_edit(self):
        self.browser.go("home")
        self.browser.run("document.activeElement.blur(); document.querySelector('.skip').focus()")
        seen = []
        for _ in range(6):
            self.browser.driver.switch_to.active_element.send_keys(Keys.TAB)
            seen.append(self.browser.run("const e = document.activeElement; return [e.textContent, getComputedStyle(e).outlineStyle]"))
        self.assertTrue(all(outline == "solid" for _, outline in seen), seen)
        self.assertIn("Home", [text for text, _ in seen])
        body = self.browser.driver.switch_to.active_element
        body.send_keys(Keys.CONTROL, "k")
        self.browser.one(".finder-box input").send_keys("tasks")
        self.browser.wait(lambda: "tasks" in self.browser.text(".finder-box li.on"))
        self.browser.one(".finder-box input").send_keys(Keys.ENTER)
        self.browser.wait(lambda: "tables/public/tasks" in self.browser.driver.current_url)

    def test_57_contrast_and_width(self):
        for dark in (False, True):
            self.browser.scheme(dark)
            for page in PAGES:
                self.browser.resize(1280, 860)
                self.browser.go(page)
                self.browser.picture(f"{'dark' if dark else 'light'}-{re.sub('[^a-z]+', '-', page.split('?')[0])}")
                faults = self.browser.run(CONTRAST)
                self.assertEqual(faults, [], f"{page}, dark: {dark}")
                self.browser.resize(320, 700, True)
                wide = self.browser.run("return document.documentElement.scrollWidth")
                self.assertLessEqual(wide, 320, page)
        self.browser.scheme(False)
        self.browser.resize(1280, 860)

    def test_58_fingers_reach_everything(self):
        phone = self.other(width=390, height=844, mobile=True)
        for page in PAGES:
            phone.go(page)
            phone.picture("phone-" + re.sub("[^a-z]+", "-", page.split("?")[0]))
            small = phone.run(
                """
                return [...document.querySelectorAll('button, a.button, a.item, a.place, select, input:not([type=checkbox]):not([type=file])')]
                    .filter((each) => each.offsetParent && !each.closest('.log-box, .chip, .tree, .segments, .picture, .list, .grid'))
                    .map((each) => [each.textContent.slice(0, 30) || each.ariaLabel || each.placeholder, each.getBoundingClientRect().height])
                    .filter(([, height]) => height < 43.5)
                """
            )
            self.assertEqual(small, [], page)

    def test_59_the_first_load_is_small(self):
        fresh = self.other()
        sizes = fresh.run("return performance.getEntriesByType('resource').filter((each) => each.name.includes('/console/a/')).map((each) => [each.name, each.transferSize])")
        self.assertLess(sum(size for _, size in sizes), 120_000, sizes)
        fresh.driver.refresh()
        fresh.wait(lambda: fresh.all(".rail"))
        again = fresh.run("return performance.getEntriesByType('resource').filter((each) => each.name.includes('/console/a/')).map((each) => each.transferSize)")
        self.assertEqual(sum(again), 0)

    def test_60_a_restart_is_survived(self):
        self.browser.go("users")
        self.server.stop()
        self.browser.run("location.hash = '#/jobs'")
        self.browser.wait(lambda: "The server does not answer" in self.browser.text())
        self.server.start(self.server.port)
        self.browser.wait(lambda: "does not answer" not in self.browser.text() and self.browser.all(".list-box"), 40)
