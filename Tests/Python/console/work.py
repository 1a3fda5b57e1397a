"""Users, functions, jobs, logs and metrics."""

import base64
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time

from .harness import ADA, ConsoleCase


class Work(ConsoleCase):
    def test_40_a_user_is_made_banned_and_let_in_again(self):
        email = "carl@acme.example"
        self.browser.go("users")
        self.browser.button("New user").click()
        address, password = self.browser.all(".sheet input")
        address.send_keys(email)
        password.send_keys("a long password")
        self.browser.button("Create user").click()
        self.browser.wait(lambda: email in self.browser.text(".list-box"))

        def sign_in():
            body = json.dumps({"email": email, "password": "a long password"})
            return self.server.request(
                "/auth/v1/token?grant_type=password", "POST", body, {"Content-Type": "application/json"}
            )[0]

        self.assertEqual(sign_in(), 200)
        self.browser.run("[...document.querySelectorAll('.list a')].find((each) => each.textContent === arguments[0]).click()", email)
        self.browser.button("Ban").click()
        self.browser.wait(lambda: "Ban carl" in self.browser.text())
        self.browser.all(".sheet-foot .danger")[-1].click()
        self.browser.button("Lift the ban")
        self.assertNotEqual(sign_in(), 200)
        self.browser.button("Lift the ban").click()
        self.browser.button("Ban")
        self.assertEqual(sign_in(), 200)

    def test_41_a_token_to_act_as_somebody(self):
        status, _ = self.browser.ask("POST", "/users/token", {"id": ADA, "minutes": 5})
        self.assertEqual(status, 400)
        status, text = self.browser.ask("POST", "/users/token", {"id": ADA, "minutes": 5, "reason": "a customer asks"})
        self.assertEqual(status, 200, text)
        token = json.loads(text)["token"]
        self.assertEqual(self.server.request("/tasks", headers={"Authorization": "Bearer " + token})[0], 200)

        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        self.assertEqual(claims["act"]["sub"], "link")
        self.assertLessEqual(claims["exp"] - claims["iat"], 300)
        self.assertEqual(self.server.sql("SELECT count(*) FROM swiftlet.console_audit WHERE action = 'impersonate' AND after->>'reason' = 'a customer asks'"), "1")

    # --- Functions, jobs, logs, metrics

    def test_42_an_account_among_many_is_found_at_once(self):
        self.server.sql(
            "INSERT INTO auth.users (id, email, aud, role, created_at, updated_at, raw_app_meta_data, raw_user_meta_data)"
            " SELECT gen_random_uuid(), 'person' || n || '@crowd.example', 'authenticated', 'authenticated', now() - n * interval '1 s', now(), '{}', '{}'"
            " FROM generate_series(1, 100000) n; ANALYZE auth.users"
        )
        self.addCleanup(self.server.sql, "DELETE FROM auth.users WHERE email LIKE '%@crowd.example'")
        self.browser.go("users")
        # A part within an address needs pg_trgm, as docs/console.md says.
        self.server.sql("CREATE EXTENSION IF NOT EXISTS pg_trgm; SELECT swiftlet.index_accounts()")
        times = []
        for number in [77123, 5, 99999, 31415, 50000, 12, 65536, 4711, 88888]:
            address = f"person{number}@crowd.example"
            for text in [address, address[2:]]:
                took, count, first = self.browser.driver.execute_async_script(
                    """
                    const [text, done] = arguments, begun = performance.now();
                    fetch("/console/api/users?search=" + encodeURIComponent(text), {headers: {"X-Console": "1"}})
                        .then((answer) => answer.json()).then((users) => done([performance.now() - begun, users.length, users[0]?.email]));
                    """,
                    text,
                )
                self.assertIn(address, [first] if count == 1 else [first, address])
                times.append(took)
        # The median, as others use the machine too.
        self.assertLess(sorted(times)[len(times) // 2], 100, times)
        field = self.browser.one(".find input")
        field.send_keys("person54321@crowd")
        self.browser.wait(lambda: self.browser.text(".list tbody").count("@crowd.example") == 1)

    def test_43_a_function_is_tried(self):
        self.browser.go("functions/createTask")
        self.browser.one("[list=try-as]").send_keys("ada@acme.example")
        # The options draw the form anew, which would undo `clear`: it is no input of a person.
        self.browser.wait(lambda: "ada@acme.example" in self.browser.run("return [...document.querySelectorAll('#try-as option')].map((each) => each.value).join()"))
        body = self.browser.one(".pane textarea")
        body.clear()
        body.send_keys('{"title": "From the console"}')
        self.browser.button("Send").click()
        count = lambda: self.server.sql("SELECT count(*) FROM tasks WHERE title = 'From the console' AND tenant_id = 'acme'")
        # The pane has named the status before there was an answer.
        self.browser.wait(lambda: count() == "1" and "201" in self.browser.text(".pane"))
        # What is to be copied works as it is.
        snippet = lambda: self.browser.run("return document.querySelector('.snippets .code code').textContent")
        done = subprocess.run(["sh", "-c", snippet()], capture_output=True, text=True)
        self.assertIn('"title":"From the console"', done.stdout, done.stderr)
        self.assertEqual(count(), "2")
        self.server.sql("DELETE FROM tasks WHERE title = 'From the console'")
        with tempfile.TemporaryDirectory() as folder:
            for language, name, command in [
                ("Swift", "main.swift", ["swiftc", "-typecheck"]),
                ("TypeScript", "main.ts", ["tsc", "--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--lib", "es2022,dom"]),
            ]:
                if not shutil.which(command[0]):
                    continue
                self.browser.button(language).click()
                path = os.path.join(folder, name)
                with open(path, "w") as file:
                    file.write(snippet())
                done = subprocess.run([*command, path], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{snippet()}\n{done.stdout}{done.stderr}")

    def test_44_a_failed_job_runs_again(self):
        self.server.sql("""INSERT INTO swiftlet.job_history (id, name, state, priority, due, attempts, enqueued_at, scope, last_error, payload)
            SELECT n, 'no-such-job', 'failed', 1, now(), 3, now(), '', 'it broke', '{}' FROM generate_series(900001, 900120) n""")
        self.browser.go("jobs?state=failed")
        self.browser.wait(lambda: "it broke" in self.browser.text())
        self.browser.button("Retry all 120").click()
        self.browser.button("Retry 120 jobs").click()
        self.browser.wait(lambda: "120 jobs run again" in self.browser.text(".messages"))
        self.assertEqual(self.server.sql("SELECT count(*) FROM swiftlet.jobs WHERE name = 'no-such-job'"), "120")
        self.server.sql("DELETE FROM swiftlet.jobs WHERE name = 'no-such-job'")

    def test_45_retry_all_touches_what_it_says(self):
        self.server.sql("""INSERT INTO swiftlet.job_history (id, name, state, priority, due, attempts, enqueued_at, scope, last_error, payload)
            SELECT n, CASE WHEN n <= 910344 THEN 'no-such-mail' ELSE 'no-such-other' END, 'failed', 1, now(), 3, now(), '', 'it broke', '{}'
            FROM generate_series(910001, 910400) n;
            INSERT INTO swiftlet.job_history (id, name, state, priority, due, attempts, enqueued_at, scope, payload)
            SELECT n, 'no-such-mail', 'done', 1, now(), 1, now(), '', '{}' FROM generate_series(910401, 910410) n""")
        self.addCleanup(self.server.sql, "DELETE FROM swiftlet.jobs WHERE name LIKE 'no-such-%'; DELETE FROM swiftlet.job_history WHERE name LIKE 'no-such-%'")
        self.browser.go("jobs?state=failed&name=no-such-mail")
        self.browser.wait(lambda: len(self.browser.all(".list tbody tr")) >= 50)
        self.browser.button("Retry all 344 of no-such-mail").click()
        self.browser.wait(lambda: "also those that the list does not show" in self.browser.text(".sheet"))
        # One more has failed by then: nothing happens.
        self.server.sql("UPDATE swiftlet.job_history SET name = 'no-such-mail' WHERE id = 910400")
        self.browser.button("Retry 344 jobs").click()
        self.browser.wait(lambda: "There are 345 by now, not 344" in self.browser.text(".sheet"))
        self.assertEqual(self.server.sql("SELECT count(*) FROM swiftlet.jobs WHERE name LIKE 'no-such-%'"), "0")
        self.server.sql("UPDATE swiftlet.job_history SET name = 'no-such-other' WHERE id = 910400")
        self.browser.button("Retry 344 jobs").click()
        self.browser.wait(lambda: "344 jobs run again" in self.browser.text(".messages"))
        self.assertEqual(
            self.server.sql("SELECT count(*), min(id), max(id) FROM swiftlet.jobs WHERE name = 'no-such-mail'"), "344|910001|910344"
        )
        self.assertEqual(self.server.sql("SELECT count(*) FROM swiftlet.job_history WHERE state = 'failed' AND name = 'no-such-other'"), "56")
        self.assertEqual(self.server.sql("SELECT count(*) FROM swiftlet.job_history WHERE state = 'done' AND name = 'no-such-mail'"), "10")

    def test_46_a_request_is_in_the_tail(self):
        self.browser.go("logs")
        _, headers, _ = self.server.request("/tasks/follow-me")
        self.browser.wait(lambda: "/tasks/follow-me" in self.browser.text(".log-box"), 5)
        self.browser.go("logs?id=" + headers["X-Request-ID"])
        self.browser.wait(lambda: len(self.browser.all(".log-box tr")) == 1)

    def test_47_a_flood_of_lines_leaves_the_page_usable(self):
        ended = threading.Event()
        lines = [0]

        def flood():
            # Many requests in one write, and their answers thrown away: two thousand a second.
            with socket.create_connection(("127.0.0.1", int(self.server.port))) as connection:
                begun = time.time()
                while not ended.is_set():
                    if lines[0] > (time.time() - begun) * 2000:
                        ended.wait(0.005)
                        continue
                    connection.sendall(b"GET /tasks/flood HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
                    lines[0] += 50
                    connection.settimeout(0)
                    try:
                        while connection.recv(1 << 20):
                            pass
                    except BlockingIOError:
                        pass
                    connection.settimeout(20)

        self.browser.go("home")
        self.browser.go("logs")
        self.browser.wait(lambda: self.browser.all(".log-box tr"))
        thread = threading.Thread(target=flood, daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(ended.set)
        self.browser.wait(lambda: re.search(r"[\d,]+ more matched and are not shown", self.browser.text()))
        delays = self.browser.driver.execute_async_script(
            """
            // How long an input waits until the page has drawn what it says.
            const done = arguments[0], input = document.querySelector(".find-log input"), delays = [];
            let turn = 0;
            const type = () => {
                const begun = performance.now();
                input.value = "/tasks/flood".slice(0, 1 + turn % 12);
                input.dispatchEvent(new Event("input", {bubbles: true}));
                requestAnimationFrame(() => setTimeout(() => {
                    delays.push(performance.now() - begun);
                    if (++turn < 30) setTimeout(type, 150); else done(delays);
                }));
            };
            type();
            """
        )
        self.assertLess(sorted(delays)[int(len(delays) * 0.9)], 100, delays)
        self.browser.wait(lambda: re.search(r"[\d,]+ more matched and are not shown", self.browser.text()))
        self.assertGreater(lines[0], 3000)
        ended.set()
        self.browser.go("logs?search=")

    def test_48_charts_stand_still_while_hidden(self):
        self.browser.go("metrics")
        self.browser.wait(lambda: len(self.browser.all(".chart")) == 6, 40)
