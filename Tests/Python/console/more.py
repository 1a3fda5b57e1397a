"""What the design keeps for later releases: files, push messages, backups, /docs, an address of its own."""

import json
import os
import re
import shutil
import socket
import tempfile

from .harness import Browser, ConsoleCase, Server


class More(ConsoleCase):
    def test_61_files_are_stored_looked_at_and_deleted(self):
        self.browser.go("files")
        self.browser.wait(lambda: "No buckets yet" in self.browser.text())
        self.browser.button("New bucket").click()
        self.browser.one(".sheet input").send_keys("pictures")
        self.browser.button("Create bucket").click()
        self.browser.wait(lambda: "This bucket is empty" in self.browser.text())
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        # The smallest PNG, a text with markup, and three megabytes, which is more than a body may have elsewhere.
        png = bytes.fromhex(
            "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
        )
        for name, content in [("dot.png", png), ("attack.html", b"<script>window.hit=1</script>"), ("large.bin", os.urandom(3 << 20))]:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
            self.browser.one(".drop input[type=file]").send_keys(os.path.join(folder, name))
            self.browser.wait(lambda: name in self.browser.text(".list tbody"))
        self.assertEqual(
            self.server.sql("SELECT name, metadata ->> 'size' FROM storage.objects ORDER BY name"),
            f"attack.html|29\ndot.png|{len(png)}\nlarge.bin|{3 << 20}",
        )
        self.browser.go("files/pictures?file=dot.png")
        self.browser.wait(lambda: self.browser.run("return document.querySelector('.preview')?.naturalWidth") == 1)
        self.browser.go("files/pictures?file=attack.html")
        self.browser.wait(lambda: "<script>window.hit=1</script>" in self.browser.text(".preview-text"))
        self.assertIsNone(self.browser.run("return window.hit"))
        # Another file of the name is asked about, and nothing is replaced without.
        self.browser.go("files/pictures")
        with open(os.path.join(folder, "dot.png"), "wb") as file:
            file.write(png + b"more")
        self.browser.one(".drop input[type=file]").send_keys(os.path.join(folder, "dot.png"))
        self.browser.wait(lambda: "Replace dot.png?" in self.browser.text())
        self.assertEqual(self.server.sql("SELECT metadata ->> 'size' FROM storage.objects WHERE name = 'dot.png'"), str(len(png)))
        self.browser.button("Replace file").click()
        self.browser.wait(lambda: "Replaced" in self.browser.text(".messages"))
        self.assertEqual(self.server.sql("SELECT metadata ->> 'size' FROM storage.objects WHERE name = 'dot.png'"), str(len(png) + 4))
        viewer = self.other("viewer")
        viewer.go("files/pictures")
        viewer.wait(lambda: "dot.png" in viewer.text())
        self.assertNotIn("Upload", viewer.text())
        self.assertEqual(viewer.ask("POST", "/files/change", {"action": "delete", "bucket": "pictures", "names": ["dot.png"]})[0], 403)
        self.assertEqual(viewer.ask("POST", "/files/upload?bucket=pictures&name=x", {})[0], 403)
        self.browser.go("files/pictures?file=large.bin")
        self.browser.button("Delete").click()
        self.browser.button("Delete file").click()
        self.browser.wait(lambda: "large.bin" not in self.browser.text(".list tbody"))
        self.assertEqual(self.server.sql("SELECT count(*) FROM storage.objects"), "2")
        # A name that leads elsewhere is a name, or refused.
        for name in ["../../secret", "..", "a/../../b", "%2e%2e/x"]:
            status, _ = self.browser.ask("GET", "/files/object?bucket=pictures&name=" + name)
            self.assertIn(status, (400, 404), name)
        self.browser.go("files/pictures")
        self.browser.button("Delete the bucket").click()
        self.browser.button("Delete its files first").click()
        self.browser.button("Delete 2 files").click()
        self.browser.wait(lambda: "This bucket is empty" in self.browser.text())
        self.browser.button("Delete the bucket").click()
        self.browser.wait(lambda: "Only an empty bucket" in self.browser.text(".sheet"))
        self.browser.all(".sheet-foot .danger")[-1].click()
        self.browser.wait(lambda: "No buckets yet" in self.browser.text())
        actions = self.server.sql("SELECT string_agg(action, ', ' ORDER BY id) FROM swiftlet.console_audit WHERE action ~ 'file|bucket' AND object LIKE 'pictures%'")
        self.assertEqual(
            actions, "create bucket, upload file, upload file, upload file, upload file, delete file, empty bucket, delete bucket"
        )

    def test_62_a_test_message_is_sent(self):
        self.browser.go("push")
        self.browser.wait(lambda: "ada@acme.example" in self.browser.text(".list tbody"))
        self.browser.run("document.querySelector('.list tbody button').click()")
        self.browser.button("Send now").click()
        self.browser.wait(lambda: "accepted" in self.browser.text(".sheet .note"))
        self.assertIn('"A test"', self.server.text())
        self.server.sql(
            "INSERT INTO push_messages (user_id, recipient_id, title, body, status, attempts, last_error)"
            " VALUES ('a', 'b', 'It did not arrive', 'body', 'failed', 3, 'APNs 400 BadDeviceToken')"
        )
        self.addCleanup(self.server.sql, "DELETE FROM push_messages WHERE title = 'It did not arrive'")
        self.browser.go("push?tab=messages&status=failed")
        self.browser.wait(lambda: "APNs 400 BadDeviceToken" in self.browser.text())
        viewer = self.other("viewer")
        viewer.go("push")
        viewer.wait(lambda: viewer.all(".list tbody tr"))
        token = self.server.sql("SELECT token FROM push_tokens LIMIT 1")
        self.assertNotIn(token, viewer.ask("GET", "/push")[1])
        self.assertEqual(viewer.ask("POST", "/push/send", {"token": token})[0], 403)

    def test_63_the_backups_and_their_age(self):
        self.browser.go("backups")
        self.browser.wait(lambda: "No backups are made" in self.browser.text())
        place = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, place, True)
        with Server(BACKUP_TO=place) as server:
            browser = Browser()
            self.addCleanup(browser.driver.quit)
            browser.driver.get(server.link())
            browser.wait(lambda: browser.all(".rail"))
            browser.go("backups")
            browser.wait(lambda: "There is no good backup" in browser.text())
            made = server.run("backup", "create")
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            browser.go("home")
            browser.go("backups")
            browser.wait(lambda: "whole" in browser.text(".list tbody"))
            self.assertRegex(browser.text(".stats"), r"\d+ s ago")
            self.assertNotIn("There is no good backup", browser.text())

    def test_64_the_documentation_is_for_people(self):
        browser = Browser()
        self.addCleanup(browser.driver.quit)
        api = json.loads(self.server.request("/openapi.json")[2])
        auth = json.loads(self.server.request("/docs/auth.json")[2])
        for document in (api, auth):
            for path, item in document["paths"].items():
                for method, operation in item.items():
                    if method in ("get", "post", "put", "patch", "delete"):
                        self.assertGreater(len(operation.get("summary", "")), 3, f"{method} {path}")
        browser.driver.get(self.server.url + "/docs")
        browser.one(".operations input").send_keys("renew session")
        browser.wait(lambda: "Signs in, or renews a session" in browser.text(".operations"))
        browser.run("[...document.querySelectorAll('.operations a')].find((each) => each.innerText.includes('Signs in, or renews')).click()")
        browser.wait(lambda: "/auth/v1/token" in browser.text(".signature"))
        for page, words in [
            ("listTasks", ["Lists tasks", "/tasks", "curl"]), ("selectRestTasks", ["Reads rows of tasks", "/rest/v1/tasks"]),
            ("postTasksBulkDelete", ["Deletes many tasks"]),
        ]:
            browser.driver.get("about:blank")
            browser.driver.get(f"{self.server.url}/docs#/{page}")
            browser.wait(lambda: browser.all(".operation-page"))
            for word in words:
                self.assertIn(word, browser.text(".operation-page"))
            self.assertTrue(browser.one(".operation-link a").get_attribute("href").endswith("/docs#/" + page))
            # It is in sight on the left.
            top = browser.run("return document.querySelector('.operations [aria-current]').getBoundingClientRect().top")
            self.assertLess(top, 860)
        self.assertEqual(browser.messages(), [])

    def test_65_an_address_of_its_own(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with Server(CONSOLE_LISTEN=f"127.0.0.1:{port}") as server:
            self.assertEqual(server.port, str(port))
            public = json.loads(server.text().split("serves http://127.0.0.1:")[1].split("\n")[0].split()[0])
            here, there = Server.answer(f"http://127.0.0.1:{public}/console"), Server.answer(f"http://127.0.0.1:{public}/no-such-function")
            bare = lambda answer: re.sub("[0-9a-f]{8}-[0-9a-f-]{27}", "id", answer[2])
            self.assertEqual((here[0], bare(here)), (404, bare(there)))
            self.assertEqual(Server.answer(f"http://127.0.0.1:{public}/console/api/me")[0], 404)
            self.assertEqual(Server.answer(f"http://127.0.0.1:{public}/health")[0], 200)
            browser = Browser()
            self.addCleanup(browser.driver.quit)
            browser.driver.get(server.link())
            browser.wait(lambda: browser.all(".rail"))
            browser.go("tables/public/tasks")
            browser.wait(lambda: "600 rows" in browser.text())
            browser.go("functions/listTasks")
            browser.button("Send").click()
            browser.wait(lambda: "401" in browser.text(".pane"))
            link = server.run("console").stdout
            self.assertIn(f"http://127.0.0.1:{port}/console/#enter=", link)
