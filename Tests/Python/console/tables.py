"""Rows: reading, changing, taking out and in."""

import hashlib
import json
import os
import subprocess
import time
import urllib.request

from selenium.webdriver.common.keys import Keys

from .harness import ADA, ConsoleCase


class Tables(ConsoleCase):
    def test_15_the_grid_says_how_many_and_of_which_types(self):
        self.browser.go("tables/public/tasks")
        self.browser.wait(lambda: len(self.browser.all(".grid tbody tr")) == 100)
        self.browser.wait(lambda: "600 rows" in self.browser.text(".grid-foot"))
        self.assertIn("timestamp", self.browser.text(".grid thead"))

    def test_16_a_million_rows_page_quickly(self):
        self.server.sql(
            "CREATE TABLE IF NOT EXISTS many AS SELECT n AS id, 'name ' || n AS name, now() - n * interval '1 s' AS at,"
            " n % 7 AS kind, md5(n::text) AS hash FROM generate_series(1, 1000000) n;"
            "ALTER TABLE many ADD PRIMARY KEY (id); ANALYZE many"
        )
        self.addCleanup(self.server.sql, "DROP TABLE many")
        self.browser.go("tables/public/many")
        self.browser.wait(lambda: "about 1,000,000 rows" in self.browser.text(".grid-foot"))
        times = []
        for label, first in [("Next page", "101"), ("Last page", "999901"), ("Previous page", "999801"), ("First page", "1")]:
            started = time.time()
            self.browser.button(label).click()
            self.browser.wait(lambda: self.browser.text(".grid tbody tr td:nth-child(2)") == first)
            times.append(time.time() - started)
        # The way through the driver is in it; a machine under load takes its time.
        self.assertLess(sorted(times)[1], 1.5, times)

    def test_17_three_hundred_columns_scroll_smoothly(self):
        columns = ", ".join(f"md5((n * {index})::text) AS column_{index}" for index in range(1, 300))
        self.server.sql(f"CREATE TABLE wide AS SELECT n AS id, {columns} FROM generate_series(1, 100) n; ALTER TABLE wide ADD PRIMARY KEY (id)")
        self.addCleanup(self.server.sql, "DROP TABLE wide")
        self.server.sql("ALTER TABLE wide ADD document jsonb; UPDATE wide SET document = jsonb_build_object('text', repeat('lorem ipsum ', 430000)) WHERE id = 1")
        self.browser.go("tables/public/wide")
        self.browser.wait(lambda: len(self.browser.all(".grid tbody tr")) == 100 and self.browser.all(".grid tbody td:nth-child(3)"))

        def scroll():
            """The best of three, as a machine that has others to serve drops frames of any page."""
            return min(self.browser.driver.execute_async_script(SCROLL) for _ in range(3))

        worst = scroll()
        self.browser.go("tables/public/tasks")
        self.browser.wait(lambda: len(self.browser.all(".grid tbody tr")) == 100)
        usual = scroll()
        self.assertLess(worst[0], max(100, 4 * usual[0]), [worst, usual])
        self.assertGreater(worst[1], 30000)
        self.assertGreater(worst[2], 1000)
        # Of three hundred columns those in sight are on the page; keys reach all of them.
        self.browser.go("tables/public/wide")
        self.browser.wait(lambda: len(self.browser.all(".grid tbody tr")) == 100)
        self.assertLess(len(self.browser.all(".grid tbody tr:first-child td")), 30)
        active = lambda: self.browser.run("return [document.activeElement.ariaColIndex, document.activeElement.closest('tr')?.rowIndex]")
        self.browser.run("document.querySelector('.grid td[aria-colindex=\"1\"]').focus()")
        for key, column in [(Keys.END, "301"), (Keys.ARROW_LEFT, "300"), (Keys.HOME, "1"), (Keys.ARROW_RIGHT, "2")]:
            self.browser.driver.switch_to.active_element.send_keys(key)
            self.browser.wait(lambda: active() == [column, 1])
        for column in range(3, 20):
            self.browser.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
            self.browser.wait(lambda: active() == [str(column), 1])
        heads, cells = self.browser.run("""
            const places = (row) => [...row.querySelectorAll("[aria-colindex]")].map((each) => [each.ariaColIndex, Math.round(each.getBoundingClientRect().left)]);
            return [places(document.querySelector(".grid thead tr")), places(document.querySelector(".grid tbody tr"))];
        """)
        self.assertEqual(heads, cells)
        self.browser.go("tables/public/wide?row=" + '["1"]')
        self.browser.wait(lambda: "longer than can be edited" in self.browser.text(".sheet"))
        self.browser.go("tables")

    def test_18_a_filter_is_in_the_address(self):
        self.browser.go("tables/public/tasks")
        self.browser.button("Filter").click()
        column, operator = self.browser.all(".filter select")
        column.send_keys("status")
        self.browser.one(".filter input").send_keys("todo", Keys.ENTER)
        self.browser.wait(lambda: 'status is "todo"' in self.browser.text(".filters"))
        expected = self.server.sql("SELECT count(*) FROM tasks WHERE status = 'todo'")
        self.browser.wait(lambda: f"{expected} rows" in self.browser.text(".grid-foot"))
        self.browser.driver.refresh()
        self.browser.wait(lambda: f"{expected} rows" in self.browser.text(".grid-foot"))

    def test_19_a_filter_takes_any_text_literally(self):
        texts = ["100% sure", "a,b", 'say "so"', "back\\slash", "🦜 green", "שלום עולם", "under_score", "' OR 1=1 --", "x*y(z)"]
        self.server.sql("CREATE TABLE words (id serial PRIMARY KEY, text text)")
        self.addCleanup(self.server.sql, "DROP TABLE words")
        for text in texts + ["100x sure", "aXb", "underXscore"]:
            self.server.sql("INSERT INTO words (text) VALUES ($$" + text + "$$)")
        for operator in ["eq", "contains"]:
            for text in texts:
                self.browser.go("home")
                self.browser.go("tables/public/words")
                self.browser.button("Filter").click()
                column, choice = self.browser.all(".filter select")
                column.send_keys("text")
                self.browser.run(
                    """
                    const [operator, text] = arguments, [, choice] = document.querySelectorAll(".filter select");
                    choice.value = operator; choice.dispatchEvent(new Event("change", {bubbles: true}));
                    const input = document.querySelector(".filter input");
                    input.value = text; input.dispatchEvent(new Event("input", {bubbles: true}));
                    """,
                    operator,
                    text,
                )
                self.browser.button("Apply").click()
                self.browser.wait(lambda: self.browser.text(".grid-foot").strip().startswith("1 row"))
                self.assertEqual(self.browser.text(".grid tbody tr td:nth-child(3)").strip(), text)
                self.browser.driver.refresh()
                self.browser.wait(lambda: self.browser.text(".grid-foot").strip().startswith("1 row"))

    def test_20_a_missing_field_is_named_beside_it(self):
        self.server.sql("CREATE TABLE strict (id integer PRIMARY KEY DEFAULT 1, title text NOT NULL)")
        self.addCleanup(self.server.sql, "DROP TABLE strict")
        self.browser.go("tables/public/strict?row=new")
        self.browser.wait(lambda: self.browser.all(".sheet .value"))
        self.browser.one(".sheet-foot .button.primary").click()
        self.browser.wait(lambda: self.browser.all(".sheet .field-error"))
        self.assertIn("title", self.browser.text(".value:has(.field-error)"))
        self.browser.driver.switch_to.active_element.send_keys(Keys.ESCAPE)

    def test_21_a_cell_is_edited_by_keyboard_alone(self):
        self.browser.go("tables/public/tasks?f=" + '[["id","eq","acme-task-3"]]')
        self.browser.wait(lambda: len(self.browser.all(".grid tbody tr")) == 1)
        self.browser.run("document.querySelector('.grid td[tabindex=\"0\"]').focus()")
        active = lambda: self.browser.driver.switch_to.active_element
        active().send_keys(Keys.ARROW_RIGHT)
        active().send_keys(Keys.ARROW_RIGHT)
        active().send_keys(Keys.ENTER)
        self.browser.wait(lambda: 'UPDATE "public"."tasks" SET "title"' in self.browser.text(".statement"))
        active().send_keys("Typed by hand", Keys.ENTER)
        self.browser.wait(lambda: "Saved. Audit" in self.browser.text(".messages"))
        self.assertEqual(self.server.sql("SELECT title FROM tasks WHERE id = 'acme-task-3'"), "Typed by hand")
        self.browser.wait(lambda: self.browser.all(".grid tr.changed"))

    def test_22_two_browsers_edit_one_row(self):
        other = self.other()
        page = "tables/public/tasks?row=" + '["acme-task-4"]'
        for browser in (self.browser, other):
            browser.go(page)
            browser.one("#value-title")
        for browser, text in [(other, "theirs"), (self.browser, "mine")]:
            field = browser.one("#value-title")
            field.clear()
            field.send_keys(text)
            browser.button("Save").click()
            browser.wait(lambda: browser.all(".messages .message") or browser.all(".sheet [role=alert]"))
        self.browser.wait(lambda: "Somebody else has changed" in self.browser.text(".sheet"))
        self.assertIn('"theirs"', self.browser.text(".sheet"))
        self.assertIn('"mine"', self.browser.text(".sheet"))
        self.assertEqual(self.server.sql("SELECT title FROM tasks WHERE id = 'acme-task-4'"), "theirs")
        self.browser.go("tables")

    def test_23_null_empty_and_default_are_three_things(self):
        self.server.sql("CREATE TABLE kinds (id serial PRIMARY KEY, note text DEFAULT 'by default')")
        self.addCleanup(self.server.sql, "DROP TABLE kinds")
        for choice, expected in [("default", "by default"), ("null", None), ("value", ""), ("untouched", "by default")]:
            self.browser.go("tables/public/kinds")
            self.browser.go("tables/public/kinds?row=new")
            self.browser.wait(lambda: len(self.browser.all(".sheet .value")) == 2)
            if choice != "untouched":
                for each in self.browser.all(".sheet .value")[1].find_elements("css selector", ".segments button"):
                    if each.text == choice:
                        each.click()
                        self.browser.wait(lambda: each.get_attribute("aria-pressed") == "true")
                        break
                else:
                    self.fail(f"there is no choice {choice}")
            self.browser.one(".sheet-foot .button.primary").click()
            self.browser.wait(lambda: not self.browser.all(".sheet"))
            found = self.server.sql("SELECT coalesce(to_json(note)::text, 'null') FROM kinds ORDER BY id DESC LIMIT 1")
            self.assertEqual(json.loads(found), expected, choice)
        # A row that exists: from the empty text to NULL, and to the default.
        for choice, expected in [("null", None), ("default", "by default"), ("value", "")]:
            self.server.sql("UPDATE kinds SET note = 'before' WHERE id = 1")
            self.browser.go("tables/public/kinds")
            self.browser.go("tables/public/kinds?row=" + '["1"]')
            self.browser.one("#value-note")
            if choice == "value":
                self.browser.one("#value-note").send_keys(*[Keys.BACKSPACE] * 6)
            else:
                self.browser.run("[...document.querySelectorAll('.value:has(#value-note) .segments button')].find((each) => each.innerText === arguments[0]).click()", choice)
            self.browser.wait(lambda: not self.browser.one(".sheet-foot .button.primary").get_attribute("disabled"))
            self.browser.one(".sheet-foot .button.primary").click()
            self.browser.wait(lambda: not self.browser.all(".sheet"))
            found = self.server.sql("SELECT coalesce(to_json(note)::text, 'null') FROM kinds WHERE id = 1")
            self.assertEqual(json.loads(found), expected, choice)

    def test_24_a_reference_is_followed_both_ways(self):
        self.browser.go("tables/public/tasks?row=" + '["acme-task-1"]')
        self.browser.wait(lambda: "Referred to by" in self.browser.text(".sheet"))
        self.browser.go("tables")
        # Out by a reference, and back to where one was: the same page, the same place.
        self.server.sql(
            "CREATE TABLE owners (id integer PRIMARY KEY, name text); INSERT INTO owners VALUES (7, 'Seven');"
            "CREATE TABLE owned (id integer PRIMARY KEY, owner integer REFERENCES owners); INSERT INTO owned SELECT n, 7 FROM generate_series(1, 300) n"
        )
        self.addCleanup(self.server.sql, "DROP TABLE owned, owners")
        self.browser.go("tables/public/owned")
        self.browser.wait(lambda: len(self.browser.all(".grid tbody tr")) == 100)
        self.browser.button("Next page").click()
        self.browser.wait(lambda: self.browser.text(".grid tbody tr td:nth-child(2)") == "101")
        self.browser.run("document.querySelector('.grid-box').scrollTop = 900")
        self.browser.wait(lambda: self.browser.run("return document.querySelector('.grid-box').scrollTop") == 900)
        self.browser.run("document.querySelectorAll('.grid tbody tr')[40].querySelector('a').click()")
        self.browser.wait(lambda: "owners" in self.browser.driver.current_url and self.browser.all(".sheet .value"))
        self.browser.wait(lambda: "300" in self.browser.text(".sheet"))
        self.browser.driver.back()
        self.browser.wait(lambda: self.browser.text(".grid tbody tr td:nth-child(2)") == "101")
        self.browser.wait(lambda: self.browser.run("return document.querySelector('.grid-box').scrollTop") == 900)
        self.browser.go("tables")

    def test_25_deleting_shows_what_refers(self):
        self.browser.go("tables/public/business_records")
        self.browser.one(".grid tbody tr")
        self.browser.run("document.querySelector('.grid tbody td.first button').click()")
        self.browser.button("Delete").click()
        self.browser.wait(lambda: "Delete this row?" in self.browser.text())
        self.browser.button("Keep it").click()
        self.browser.go("tables")

    def test_26_csv_of_many_rows_is_streamed(self):
        self.server.sql(
            "CREATE TABLE export AS SELECT n AS id, CASE n % 5 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN '=1+' || n"
            " WHEN 3 THEN 'a \"quoted\", text' || chr(10) || n ELSE 'grüße 🦜 ' || n END AS text, now() - n * interval '1 s' AS at"
            " FROM generate_series(1, 300000) n; ALTER TABLE export ADD PRIMARY KEY (id)"
        )
        self.addCleanup(self.server.sql, "DROP TABLE export")
        cookie = self.browser.driver.get_cookie("swiftlet_console")["value"]
        headers = {"X-Console": "1", "Sec-Fetch-Site": "same-origin", "Cookie": "swiftlet_console=" + cookie, "Content-Type": "application/json"}
        expected = subprocess.run(
            ["psql", self.server.database, "-X", "-c", "\\copy (SELECT * FROM export ORDER BY id) TO STDOUT CSV HEADER"], capture_output=True
        ).stdout

        def export():
            request = urllib.request.Request(self.server.url + "/console/api/tables/public/export/export", method="POST", data=b"{}", headers=headers)
            started = time.time()
            digest, size, most = hashlib.sha256(), 0, 0
            with urllib.request.urlopen(request) as answer:
                first = None
                while part := answer.read(1 << 20):
                    first = first or time.time() - started
                    digest.update(part)
                    size += len(part)
                    most = max(most, self.server.memory())
            return first, digest.hexdigest(), size, most

        export()
        before = self.server.memory()
        first, digest, size, most = export()
        self.assertEqual(size, len(expected))
        self.assertEqual(digest, hashlib.sha256(expected).hexdigest())
        self.assertLess(first, 1)
        self.assertLess(most - before, 20 << 20)
        # A value that a spreadsheet takes for a formula goes in again as text.
        self.server.sql("CREATE TABLE again (LIKE export INCLUDING ALL)")
        self.addCleanup(self.server.sql, "DROP TABLE again")
        head = b"".join(line + b"\n" for line in expected.split(b"\n")[:3])
        status, text = self.browser.ask("POST", "/tables/public/again/import", {"csv": head.decode()})
        self.assertEqual(status, 200, text)
        self.assertEqual(self.server.sql("SELECT text FROM again WHERE id = 2"), "=1+2")

    def test_27_a_file_with_a_wrong_line_is_refused_as_a_whole(self):
        self.server.sql("CREATE TABLE intake (id integer PRIMARY KEY, amount numeric NOT NULL)")
        self.addCleanup(self.server.sql, "DROP TABLE intake")
        path = os.path.join(self.server.folder, "intake.csv")
        with open(path, "w") as file:
            file.write("id,amount\n")
            for line in range(2, 102):
                file.write(f"{line},{'twelve' if line == 57 else line}\n")
        self.browser.go("tables/public/intake")
        self.browser.one(".pane input[type=file]").send_keys(path)
        self.browser.wait(lambda: "Line 57, column amount" in self.browser.text(".sheet"))
        self.assertEqual(self.server.sql("SELECT count(*) FROM intake"), "0")
        self.browser.button("Close").click()
        with open(path) as file:
            right = file.read().replace("twelve", "12")
        with open(path, "w") as file:
            file.write(right)
        self.browser.one(".pane input[type=file]").send_keys(path)
        self.browser.wait(lambda: "100 rows inserted" in self.browser.text(".messages"))
        self.assertEqual(self.server.sql("SELECT count(*), sum(id) FROM intake"), "100|5150")

    def test_28_markup_is_text_everywhere(self):
        attack = "<img src=x onerror=window.hit=1><script>window.hit=1</script>"
        self.server.sql(f"UPDATE tasks SET title = '{attack}' WHERE id = 'acme-task-5'")
        self.server.sql(f'CREATE TABLE "{attack[:40]}" (id integer PRIMARY KEY)')
        self.server.sql(f"UPDATE auth.users SET raw_user_meta_data = jsonb_build_object('firstName', '{attack}') WHERE id = '{ADA}'")
        self.server.request("/" + urllib.request.quote(attack))
        for page in [
            "tables/public/tasks?f=" + '[["id","eq","acme-task-5"]]', "tables/public/tasks?row=" + '["acme-task-5"]',
            "access/public/tasks?who=ada%40acme.example", f"users/{ADA}", "logs?status=400", "schema",
        ]:
            self.browser.go(page)
            self.browser.wait(lambda: "<img" in self.browser.run("return document.body.innerText + [...document.querySelectorAll('input')].map((each) => each.value)"))
            self.assertIsNone(self.browser.run("return window.hit"))
        self.server.sql(f'DROP TABLE "{attack[:40]}"')

    def test_29_a_table_without_a_key_says_why(self):
        self.server.sql("CREATE TABLE keyless (a text); INSERT INTO keyless VALUES ('x')")
        self.addCleanup(self.server.sql, "DROP TABLE keyless")
        self.browser.go("tables/public/keyless")
        self.browser.wait(lambda: "no primary key" in self.browser.text(".pane"))

    def test_30_a_new_column_appears_by_itself(self):
        self.server.sql("CREATE TABLE growing (id integer PRIMARY KEY, a text); INSERT INTO growing VALUES (1, 'first')")
        self.addCleanup(self.server.sql, "DROP TABLE growing")
        self.browser.go("tables/public/growing")
        self.browser.wait(lambda: "first" in self.browser.text(".grid tbody"))
        self.server.sql("ALTER TABLE growing ADD later text DEFAULT 'second'; ALTER TABLE growing DROP a")
        self.browser.wait(lambda: "later" in self.browser.text(".grid thead"), 2)
        self.browser.wait(lambda: "second" in self.browser.text(".grid tbody"), 2)
        self.assertNotIn("first", self.browser.text(".grid tbody"))


# The longest frame while the grid is scrolled to its end, and where it is then.
SCROLL = """
const done = arguments[0], box = document.querySelector(".grid-box");
box.scrollTo(0, 0);
let last, worst = 0, step = 0;
const frame = (now) => {
    if (last !== undefined) worst = Math.max(worst, now - last);
    last = now;
    step += 1;
    if (step > 120) return done([worst, box.scrollLeft, box.scrollTop, box.scrollWidth]);
    if (step > 5) { if (step < 90) box.scrollLeft += 500; else box.scrollTop += 80; }
    requestAnimationFrame(frame);
};
requestAnimationFrame(frame);
"""
