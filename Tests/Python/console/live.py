"""The changes of a table as they come."""

import json

from .harness import ConsoleCase


class Live(ConsoleCase):
    def test_72_changes_appear_as_they_are_committed(self):
        self.server.sql("CREATE TABLE watched (id integer PRIMARY KEY, state text, api_token text); GRANT SELECT ON watched TO service_role")
        self.addCleanup(self.server.sql, "DROP TABLE watched")
        # An empty page says what to do.
        self.browser.go("live")
        self.browser.wait(lambda: "swiftlet realtime add" in self.browser.text("main") or self.browser.all("main select"))
        self.browser.go("live/public/watched")
        self.browser.wait(lambda: "swiftlet realtime add" in self.browser.text("main"))
        added = self.server.run("realtime", "add", "watched")
        self.assertEqual(added.returncode, 0, added.stderr)
        self.addCleanup(self.server.run, "realtime", "remove", "watched")
        # The page finds out by itself.
        self.browser.wait(lambda: "Waiting for changes" in self.browser.text("main"), 40)
        self.server.sql("INSERT INTO watched VALUES (1, 'new', 'xyz'), (2, '<b>bold</b>', 'xyz')")
        rows = lambda: self.browser.text(".log-box")
        self.browser.wait(lambda: "id 1, state new" in rows() and "<b>bold</b>" in rows())
        self.server.sql("UPDATE watched SET state = 'done' WHERE id = 1; DELETE FROM watched WHERE id = 2")
        self.browser.wait(lambda: "state: new → done" in rows() and "delete" in rows())
        # The newest is the first; a click shows what was before and after.
        kinds = [each.text for each in self.browser.all(".log-box .tag")]
        self.assertEqual(kinds, ["delete", "update", "insert", "insert"])
        self.browser.all(".log-box .log-text")[1].click()
        self.browser.wait(lambda: '"new"' in self.browser.text(".sheet") and '"done"' in self.browser.text(".sheet"))
        self.browser.button("Close").click()
        # What happens in a pause is shown afterwards, once.
        self.browser.button("Pause").click()
        self.server.sql("INSERT INTO watched VALUES (3, 'meanwhile', 'xyz')")
        self.assertNotIn("meanwhile", rows())
        self.browser.button("Go on").click()
        self.browser.wait(lambda: "meanwhile" in rows())
        self.assertEqual(len(self.browser.all(".log-box tr")), 5)
        # A condition is in the address.
        field = self.browser.one("main input[type=search]")
        field.send_keys("state=eq.wanted")
        self.browser.button("Apply").click()
        self.browser.wait(lambda: "fit the condition" in self.browser.text("main"))
        self.assertIn("filter=state%3Deq.wanted", self.browser.driver.current_url)
        self.browser.wait(lambda: "Waiting for changes" in self.browser.text("main"))
        self.server.sql("INSERT INTO watched VALUES (4, 'other', 'xyz'), (5, 'wanted', 'xyz')")
        self.browser.wait(lambda: "id 5" in rows())
        self.assertNotIn("id 4", rows())
        self.browser.go("live/public/watched?filter=nothing%3Deq.1")
        self.browser.wait(lambda: "invalid column for filter nothing" in self.browser.text(".fault"))
        self.assertEqual([each for each in self.browser.messages() if "Content Security" in each], [])

    def test_73_secrets_are_not_told_to_viewers(self):
        self.server.sql("CREATE TABLE guarded (id integer PRIMARY KEY, state text, api_token text); GRANT SELECT ON guarded TO service_role")
        self.addCleanup(self.server.sql, "DROP TABLE guarded")
        self.assertEqual(self.server.run("realtime", "add", "guarded").returncode, 0)
        self.addCleanup(self.server.run, "realtime", "remove", "guarded")
        viewer = self.other("viewer")
        viewer.go("live/public/guarded")
        viewer.wait(lambda: "Waiting for changes" in viewer.text("main"), 40)
        self.server.sql("INSERT INTO guarded VALUES (1, 'open', 'hush')")
        viewer.wait(lambda: "id 1, state open" in viewer.text(".log-box"))
        viewer.one(".log-box .log-text").click()
        viewer.wait(lambda: "open" in viewer.text(".sheet"))
        self.assertNotIn("hush", viewer.run("return document.body.innerHTML"))
        status, text = viewer.ask("GET", "/live/public/guarded?filter=api_token%3Deq.hush")
        self.assertEqual((status, json.loads(text)["error"]["message"]), (400, "api_token is hidden from viewers."))
