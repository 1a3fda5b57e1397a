"""Who enters, and who does not."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request

from .harness import ADA, PAGES, ROOT, PROGRAM, Browser, ConsoleCase, Server


class Entering(ConsoleCase):
    def test_01_nothing_is_there_without_the_setting(self):
        folder = tempfile.mkdtemp()
        environment = dict(os.environ, MIGRATIONS_DIR=os.path.join(ROOT, "migrations"), CONSOLE="off")
        log = open(os.path.join(folder, "log"), "w+b")
        process = subprocess.Popen([PROGRAM, "dev", "--port", "0"], cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            def port():
                with open(log.name, "rb") as file:
                    return re.search(rb"serves http://[^:]+:(\d+)", file.read())
            self.browser.wait(port, 60)
            url = "http://127.0.0.1:" + port().group(1).decode()
            for path in ["/console", "/console/api/me", "/console/api/x", "/no-such-function"]:
                with self.assertRaises(urllib.error.HTTPError) as raised:
                    urllib.request.urlopen(url + path)
                self.assertEqual(raised.exception.code, 404)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
            log.close()
            shutil.rmtree(folder, ignore_errors=True)

    def test_02_a_link_enters_once(self):
        browser = Browser()
        self.addCleanup(browser.driver.quit)
        link = self.server.link()
        browser.driver.get(link)
        browser.wait(lambda: browser.all(".rail"))
        browser.driver.delete_all_cookies()
        browser.driver.get("about:blank")
        browser.driver.get(link)
        browser.wait(lambda: "used up" in browser.text())

    def test_03_the_token_stays_nowhere(self):
        browser = Browser()
        self.addCleanup(browser.driver.quit)
        link = self.server.link()
        browser.driver.get(link)
        browser.wait(lambda: browser.all(".rail"))
        token = link.split("=")[1]
        self.assertNotIn(token, browser.driver.current_url)
        self.assertNotIn(token, self.server.text())

    def test_04_nothing_answers_without_a_session(self):
        with open(os.path.join(ROOT, "Sources/Services/Console/Console.swift")) as file:
            routes = re.findall(r'(Get|Post|Put|Delete)\("(/api/[^"]+)"', file.read())
        routes = [(method, path) for method, path in routes if path not in ("/api/enter", "/api/sign-in")]
        self.assertGreater(len(routes), 25)
        headers = {"X-Console": "1", "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"}
        for method, path in routes:
            path = "/console" + re.sub(":[a-z]+", "x", path)
            for cookie in [{}, {"Cookie": "swiftlet_console=" + "0" * 64}]:
                body = None if method == "Get" else "{}"
                status, _, text = self.server.request(path, method.upper(), body, {**headers, **cookie})
                self.assertEqual(status, 401, path + text)

    def test_05_no_script_reads_the_session(self):
        for page in PAGES:
            self.browser.go(page)
        stores = self.browser.run("return document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)")
        cookie = self.browser.driver.get_cookie("swiftlet_console")
        self.assertTrue(cookie["httpOnly"])
        self.assertEqual(cookie["sameSite"], "Strict")
        self.assertEqual(cookie["path"], "/console")
        self.assertNotIn(cookie["value"], stores)
        self.assertEqual(self.browser.run("return document.cookie"), "")

    def test_06_pages_of_other_origins_are_refused(self):
        import http.server
        import threading

        class Quiet(http.server.SimpleHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!doctype html><title>other</title>")

            def log_message(self, *_):
                pass

        other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
        threading.Thread(target=other.serve_forever, daemon=True).start()
        self.addCleanup(other.server_close)
        self.addCleanup(other.shutdown)
        sessions = self.server.sql("SELECT count(*) FROM swiftlet.console_sessions")
        self.browser.driver.get(f"http://127.0.0.1:{other.server_address[1]}/")
        outcome = self.browser.driver.execute_async_script(
            """
            const [base, done] = arguments;
            (async () => {
                const all = [];
                for (const [path, options] of [["/me", {}], ["/me", {headers: {"X-Console": "1"}}], ["/sign-out", {method: "POST"}],
                    ["/sign-out", {method: "POST", headers: {"X-Console": "1"}}]]) {
                    try { const answer = await fetch(base + path, {credentials: "include", ...options}); all.push(answer.status); }
                    catch { all.push("refused"); }
                }
                await new Promise((next) => { const image = new Image(); image.onerror = image.onload = next; image.src = base + "/me"; });
                const frame = document.createElement("iframe"); frame.name = "there"; document.body.append(frame);
                const form = document.createElement("form"); form.method = "post"; form.target = "there"; form.action = base + "/sign-out";
                document.body.append(form); form.submit();
                setTimeout(() => done(all), 500);
            })();
            """,
            self.server.url + "/console/api",
        )
        self.assertEqual(outcome, ["refused"] * 4)
        self.assertEqual(self.server.sql("SELECT count(*) FROM swiftlet.console_sessions"), sessions)
        self.browser.driver.get(self.server.url + "/console")
        self.browser.wait(lambda: self.browser.all(".rail"))

    def test_07_only_hosts_that_are_ours(self):
        for host, status in [("evil.example", 421), ("localhost", 200), ("127.0.0.1:1", 200)]:
            self.assertEqual(self.server.request("/console", headers={"Host": host})[0], status)
        with Server(API_EXTERNAL_URL="https://api.acme.example") as other:
            for host, status in [("evil.example", 421), ("api.acme.example", 200), ("api.acme.example:443", 200)]:
                self.assertEqual(other.request("/console", headers={"Host": host})[0], status)

    def test_08_wrong_passwords_lock(self):
        status, text = self.browser.ask(
            "POST", "/operators", {"action": "set", "name": "eve@acme.example", "role": "editor", "password": "correct horse battery"}
        )
        self.assertEqual(status, 200, text)
        browser = Browser()
        self.addCleanup(browser.driver.quit)
        browser.driver.get(self.server.url + "/console")

        def sign_in(password):
            name, field = browser.wait(lambda: len(browser.all("input")) == 2 and browser.all("input"))
            name.clear()
            name.send_keys("eve@acme.example")
            field.clear()
            field.send_keys(password)
            browser.button("Sign in").click()
            browser.wait(lambda: browser.all(".rail") or not browser.one("button.primary").get_attribute("disabled"))

        for _ in range(6):
            sign_in("wrong password")
        browser.wait(lambda: "Too many wrong passwords" in browser.text())
        sign_in("correct horse battery")
        browser.wait(lambda: "Too many wrong passwords" in browser.text())
        self.assertEqual(browser.all(".rail"), [])
        # The lock's time is over.
        self.server.sql("UPDATE swiftlet.console_operators SET locked_until = now() - interval '1 s' WHERE name = 'eve@acme.example'")
        sign_in("correct horse battery")
        browser.wait(lambda: browser.all(".rail"))

    def test_09_signing_out_everywhere_ends_the_other_browser(self):
        other = self.other()
        third = self.other()
        third.go("settings/operators")
        third.button("Sign me out everywhere").click()
        third.wait(lambda: "session has ended" in third.text())
        other.go("users")
        other.wait(lambda: "session has ended" in other.text())
        self.enter(self.browser)

    def test_10_a_viewer_changes_nothing(self):
        viewer = self.other("viewer")
        viewer.go("tables/public/tasks")
        viewer.one(".grid tbody tr")
        self.assertNotIn("Insert row", viewer.text())
        viewer.go("users")
        self.assertNotIn("New user", viewer.text())
        viewer.go("sql")
        self.assertIn("SQL is for owners here", viewer.text())
        viewer.go(f"users/{ADA}")
        self.assertNotIn("Sign out everywhere", viewer.text())
        for path, body in [
            ("/tables/public/tasks/change", {"kind": "delete", "key": ["acme-task-1"], "values": {}}),
            ("/users/change", {"action": "ban", "id": ADA}), ("/users/token", {"id": ADA, "reason": "because"}),
            ("/sql", {"sql": "SELECT 1"}), ("/jobs", {"action": "retry", "id": 1}),
            ("/operators", {"action": "set", "name": "x@y.z", "role": "owner", "password": "twelve letters"}),
        ]:
            self.assertEqual(viewer.ask("POST", path, body)[0], 403, path)

    def test_11_an_apps_account_cannot_enter(self):
        status, text = self.browser.ask("POST", "/sign-in", {"name": "ada@acme.example", "password": "demo-password"})
        self.assertEqual(status, 401, text)

    def test_12_no_secret_is_in_any_answer(self):
        secret = open(os.path.join(self.server.folder, ".swiftlet/secret")).read().strip() if os.path.exists(
            os.path.join(self.server.folder, ".swiftlet/secret")
        ) else None
        for path in ["/me", "/home", "/settings", "/operators", "/audit", "/tables", "/logs?console=1", "/metrics"]:
            text = self.browser.ask("GET", path)[1]
            self.assertNotIn("encrypted_password", text)
            if secret:
                self.assertNotIn(secret, text)

    def test_13_a_tour_makes_no_complaint_and_asks_no_other_host(self):
        browser = self.other()
        browser.messages()
        for page in PAGES:
            browser.go(page)
        browser.driver.get(self.server.url + "/docs")
        browser.one(".operations .group")
        self.assertEqual(browser.messages(), [])
        hosts = set()
        for entry in browser.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if url.startswith("http"):
                    hosts.add(url.split("/")[2])
        self.assertEqual(hosts, {self.server.url.split("/")[2]})

    def test_14_framing_is_refused(self):
        import http.server
        import threading

        url = self.server.url

        class Frame(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = f'<!doctype html><iframe src="{url}/console"></iframe>'.encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Frame)
        threading.Thread(target=other.serve_forever, daemon=True).start()
        self.addCleanup(other.server_close)
        self.addCleanup(other.shutdown)
        browser = Browser()
        self.addCleanup(browser.driver.quit)
        for page in [f"http://127.0.0.1:{other.server_address[1]}/", f"http://localhost:{other.server_address[1]}/"]:
            browser.driver.get(page)
            refusals = browser.wait(lambda: [each for each in browser.messages() if "frame-ancestors" in each or "X-Frame-Options" in each])
            self.assertTrue(refusals)
            browser.driver.switch_to.frame(browser.one("iframe"))
            self.assertNotIn("Swiftlet Console", browser.run("return document.body ? document.body.innerText : ''"))
            browser.driver.switch_to.default_content()
