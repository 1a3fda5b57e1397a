"""SQL and the picture of the schema."""

import json
import time

from .harness import Browser, ConsoleCase, Server


class Statements(ConsoleCase):
    def test_49_writing_needs_the_switch(self):
        self.browser.go("sql")
        area = self.browser.one(".editor textarea")
        area.clear()
        area.send_keys("DELETE FROM tasks WHERE id = 'acme-task-9'")
        self.browser.button("Run").click()
        self.browser.wait(lambda: "read-only transaction" in self.browser.text(".fault"))
        self.browser.one("[role=switch]").click()
        self.browser.button("Try").click()
        self.browser.wait(lambda: "It changed 1 row" in self.browser.text())
        self.assertEqual(self.server.sql("SELECT count(*) FROM tasks WHERE id = 'acme-task-9'"), "1")
        self.browser.button("Leave it").click()

    def test_50_a_role_of_its_own_is_a_wall(self):
        self.server.sql(
            "DROP ROLE IF EXISTS console_of_ours; CREATE ROLE console_of_ours LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE BYPASSRLS; GRANT pg_read_all_data TO console_of_ours"
        )
        own = self.server.database_as("console_of_ours")
        with Server(DATABASE_URL=self.server.database, CONSOLE_DATABASE_URL=own) as other:
            browser = Browser()
            self.addCleanup(browser.driver.quit)
            browser.driver.get(other.link())
            browser.wait(lambda: browser.all(".rail"))
            ask = lambda sql, **more: browser.ask("POST", "/sql", {"sql": sql, **more})
            status, text = ask("SELECT current_user, count(*) FROM tasks")
            self.assertEqual(status, 200, text)
            self.assertEqual(json.loads(text)["rows"][0], ["console_of_ours", "600"])
            for sql in [
                "COPY (SELECT 1) TO PROGRAM 'touch /tmp/never'", "SELECT pg_read_file('/etc/passwd')",
                "SELECT set_config('role', 'postgres', true), query_to_xml('SELECT pg_read_file(''/etc/passwd'')', true, true, '')",
                "SELECT set_config('role', (SELECT rolname FROM pg_roles WHERE rolsuper LIMIT 1), true)", "SET ROLE postgres",
                "DELETE FROM tasks", "SELECT lo_import('/etc/passwd')", "CREATE EXTENSION dblink",
            ]:
                for more in [{}, {"write": True}, {"write": True, "commit": True}]:
                    status, text = ask(sql, **more)
                    self.assertEqual(status, 400, f"{sql} {more} {text}")
            # What set_config leaves changes nothing either.
            text = ask("SELECT set_config('role', 'none', true), query_to_xml('SELECT current_user', true, true, '')::text")[1]
            self.assertIn("console_of_ours", text)
            begun = time.time()
            browser.go("sql?q=SELECT pg_sleep(9)")
            browser.button("Run").click()
            browser.button("Cancel").click()
            browser.wait(lambda: browser.all(".fault"), 3)
            self.assertLess(time.time() - begun, 4)
        self.server.sql("DROP OWNED BY console_of_ours; DROP ROLE console_of_ours")

    def test_51_a_statement_is_cancelled_and_a_result_stops(self):
        self.browser.go("home")
        self.browser.go("sql?q=SELECT pg_sleep(100)")
        other = self.other()
        self.browser.button("Run").click()
        cancel = self.browser.button("Cancel")
        other.go("sql?q=SELECT 42")
        begun = time.time()
        other.button("Run").click()
        other.wait(lambda: "42" in other.text(".result"))
        self.assertLess(time.time() - begun, 2)
        begun = time.time()
        cancel.click()
        self.browser.wait(lambda: "cancel" in self.browser.text(".fault"))
        self.assertLess(time.time() - begun, 1)
        self.assertEqual(self.server.sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(100)%' AND pid <> pg_backend_pid() AND state = 'active'"), "0")
        self.browser.go("home")
        self.browser.go("sql?q=SELECT n, repeat('x', 100) FROM generate_series(1, 2000000) n")
        self.browser.button("Run").click()
        self.browser.wait(lambda: "1,000 rows, and more: it stops here" in self.browser.text())
        self.browser.go("home")
        self.browser.go("sql?q=SELECT repeat('x', 100000) FROM generate_series(1, 1000) n")
        self.browser.button("Run").click()
        self.browser.wait(lambda: "and more: it stops here" in self.browser.text())
        self.assertLess(len(self.browser.all(".result tbody tr")), 60)

    def test_52_a_plan_is_a_tree(self):
        self.browser.go("home")
        self.browser.go("sql?q=SELECT * FROM tasks t JOIN task_comments c ON c.task_id = t.id")
        self.browser.button("Analyze").click()
        self.browser.wait(lambda: len(self.browser.all(".plan-node")) >= 3)

    def test_53_the_picture_has_every_table_and_none_overlap(self):
        self.browser.go("schema")
        self.browser.one(".er-table")
        boxes = self.browser.run(
            "return [...document.querySelectorAll('.er-box')].map((each) => { const r = each.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; })"
        )
        count = self.server.sql(
            "SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND NOT relispartition"
        )
        self.assertEqual(len(boxes), int(count))
        for index, a in enumerate(boxes):
            for b in boxes[index + 1 :]:
                self.assertFalse(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3])
