"""Three stories of a day, timed: docs/console.md has what they took."""

import sys
import time

from selenium.webdriver.common.keys import Keys

from .harness import Browser, ConsoleCase, Server


class Stories(ConsoleCase):
    def story(self, name):
        """Notes when each step was done; the times go to standard error."""
        begun, steps = time.time(), []
        self.addCleanup(lambda: print(f"\n{name}: " + ", ".join(steps), file=sys.stderr))
        return lambda step: steps.append(f"{step} {time.time() - begun:.1f} s")

    def choose(self, browser, label, text):
        """In the list that has this label."""
        browser.run(
            """
            const [label, text] = arguments, select = document.querySelector(`select[aria-label="${label}"]`);
            select.value = [...select.options].find((each) => each.text === text).value;
            select.dispatchEvent(new Event("change", {bubbles: true}));
            """,
            label,
            text,
        )

    def test_74_from_an_empty_database_to_the_first_row(self):
        done = self.story("first row")
        # Of the platform alone, as in a folder of one's own.
        with Server(APPS="none", MIGRATIONS_DIR=None) as server:
            done("dev prints the link")
            browser = Browser()
            self.addCleanup(browser.driver.quit)
            browser.driver.get(f"{server.url}/console/#enter={server.token}")
            browser.wait(lambda: browser.all(".rail"))
            done("entered")
            browser.go("sql")
            editor = browser.one(".editor textarea")
            editor.send_keys(Keys.CONTROL, "a")
            editor.send_keys("CREATE TABLE notes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL)")
            browser.run("[...document.querySelectorAll('.editor-card input[type=checkbox]')].forEach((each) => each.click())")
            browser.button("Try").click()
            browser.button("Commit").click()
            browser.wait(lambda: "Committed" in browser.text(".messages"))
            done("table made")
            browser.go("tables/public/notes")
            browser.button("Insert row").click()
            browser.wait(lambda: browser.all(".sheet .value"))
            browser.run("[...document.querySelectorAll('.sheet .value')].find((each) => each.innerText.startsWith('text')).querySelector('textarea, input').focus()")
            browser.driver.switch_to.active_element.send_keys("Hello")
            browser.one(".sheet-foot .button.primary").click()
            browser.wait(lambda: "Hello" in browser.text(".grid"))
            done("row there")
            self.assertEqual(server.sql("SELECT text FROM notes"), "Hello")

    def test_75_why_a_customer_does_not_see_her_invoice(self):
        invoice, number = self.server.sql("SELECT id, invoice_number FROM invoices WHERE tenant_id = 'nordlicht' ORDER BY id LIMIT 1").split("|")
        done = self.story("invoice")
        browser = self.browser
        browser.go("home")
        browser.driver.switch_to.active_element.send_keys(Keys.CONTROL, "k")
        browser.one(".finder-box input").send_keys("invoices")
        browser.wait(lambda: "invoices" in browser.text(".finder-box li.on"))
        browser.one(".finder-box input").send_keys(Keys.ENTER)
        browser.button("Filter").click()
        self.choose(browser, "Column", "id")
        browser.one(".filter input").send_keys(invoice, Keys.ENTER)
        browser.wait(lambda: "1 row" in browser.text(".grid-foot") and number in browser.text(".grid"))
        done("found")
        browser.button("Access").click()
        browser.one("input[placeholder='address or id']").send_keys("ada@acme.example")
        browser.button("Ask").click()
        browser.wait(lambda: "0 of 1 row" in browser.text(".verdict-head"))
        browser.wait(lambda: "swiftlet_tenant" in browser.text(".matrix"))
        done("why")
        self.assertIn("tenant_id is nordlicht", browser.text(".matrix"))
        self.assertIn("Only rows where id is", browser.text("main"))
        browser.button("All rows").click()
        browser.wait(lambda: "0 of 1 row" not in browser.text(".verdict-head") and browser.text(".verdict-head"))

    def test_76_from_a_500_to_its_lines_and_its_job(self):
        self.server.sql(
            "CREATE FUNCTION breaks() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the ledger is closed' USING ERRCODE = 'XX000'; END $$;"
            "CREATE TRIGGER breaks BEFORE INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION breaks()"
        )
        self.addCleanup(self.server.sql, "DROP FUNCTION breaks CASCADE")
        status, headers, text = self.server.request(
            "/tasks", "POST", '{"title": "First"}', {"Authorization": "Bearer " + self.server.bearer(), "Content-Type": "application/json"}
        )
        self.assertGreaterEqual(status, 500, text)
        request = headers["X-Request-ID"]
        # What it had left to be done.
        self.server.sql(
            "INSERT INTO swiftlet.job_history (id, name, state, priority, due, attempts, enqueued_at, scope, request_id, last_error, payload)"
            f" VALUES (910001, 'tell-the-owner', 'failed', 1, now(), 3, now(), '', '{request}', 'the ledger is closed', '{{}}')"
        )
        self.addCleanup(self.server.sql, "DELETE FROM swiftlet.job_history WHERE id = 910001")
        done = self.story("500")
        browser = self.browser
        browser.go("home")
        # The app shows the number of the request; it is all that the operator has.
        browser.driver.switch_to.active_element.send_keys(Keys.CONTROL, "k")
        browser.one(".finder-box input").send_keys(request)
        browser.wait(lambda: "request in the logs" in browser.text(".finder-box"))
        browser.one(".finder-box input").send_keys(Keys.ENTER)
        browser.wait(lambda: "POST /tasks" in browser.text(".log-box"))
        done("its lines")
        browser.wait(lambda: "tell-the-owner" in browser.text(".request-jobs"))
        self.assertIn("the ledger is closed", browser.text(".request-jobs"))
        browser.one(".request-jobs a").click()
        browser.wait(lambda: "tell-the-owner" in browser.text(".sheet, main"))
        done("its job")
