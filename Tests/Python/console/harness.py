"""A server with demo data, Chromium, and what the cases of the console share."""

import atexit
import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

# Selenium Manager would download a driver.
os.environ["SE_OFFLINE"] = "true"

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PROGRAM = os.environ.get("SWIFTLET_PROGRAM", "")
ADA = "a0000000-0000-4000-8000-000000000001"
PAGES = [
    "home", "tables", "tables/public/tasks", "access", "access/public/tasks?who=ada%40acme.example", "access?tab=matrix",
    "users", f"users/{ADA}", "functions", "functions/listTasks", "jobs", "logs", "metrics", "sql", "schema", "settings",
    "files", "push", "push?tab=messages", "live", "live/public/tasks", "backups", "settings/configuration", "settings/migrations", "settings/operators", "settings/audit",
]


class Server:
    """`swiftlet dev` in a folder of its own."""

    def __init__(self, **environment):
        self.secret = "a secret for tokens that is long enough for every test"
        self.environment = {"JWT_SECRET": self.secret, **environment}
        self.folder = tempfile.mkdtemp(prefix="swiftlet-console-")
        self.log = open(os.path.join(self.folder, "log"), "w+b")
        self.process = None
        self.start("0")

    def start(self, port):
        environment = {**os.environ, "MIGRATIONS_DIR": os.path.join(ROOT, "migrations"), "LOG_FORMAT": "json", **self.environment}
        environment = {name: value for name, value in environment.items() if value is not None}
        begin = self.log.seek(0, os.SEEK_END)
        self.process = subprocess.Popen(
            [PROGRAM, "dev", "--port", port], cwd=self.folder, env=environment, stdout=self.log, stderr=self.log
        )
        for _ in range(600):
            found = re.search(r"^Console: (http://[^/]+)/console/#enter=([0-9a-f]+)$", self.text(begin), re.M)
            if found:
                self.url, self.token = found.groups()
                self.port = self.url.rsplit(":", 1)[1]
                private = re.search(r"psql '([^']+)'", self.text(begin))
                self.database = private.group(1) if private else self.environment["DATABASE_URL"]
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError("the server does not start:\n" + self.text(begin)[-3000:])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def text(self, begin=0):
        with open(self.log.name, "rb") as file:
            file.seek(begin)
            return file.read().decode("utf-8", "replace")

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)

    def close(self):
        self.stop()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def sql(self, text):
        result = subprocess.run(
            ["psql", self.database, "-AtX", "-v", "ON_ERROR_STOP=1", "-c", text],
            capture_output=True,
            text=True,
        )
        if result.returncode:
            raise RuntimeError(result.stderr)
        return result.stdout.strip()

    def bearer(self, claims=None, email="ada@acme.example", password="demo-password"):
        """A token of `claims`, signed with the server's secret, or of an account that signs in."""
        if claims is None:
            body = json.dumps({"email": email, "password": password})
            _, _, text = self.request("/auth/v1/token?grant_type=password", "POST", body, {"Content-Type": "application/json"})
            return json.loads(text)["access_token"]
        encode = lambda part: base64.urlsafe_b64encode(part).rstrip(b"=")
        signed = encode(b'{"alg":"HS256","typ":"JWT"}') + b"." + encode(json.dumps(claims).encode())
        return (signed + b"." + encode(hmac.new(self.secret.encode(), signed, "sha256").digest())).decode()

    def run(self, *arguments):
        """Another command of the program, in the server's folder."""
        environment = dict(os.environ, MIGRATIONS_DIR=os.path.join(ROOT, "migrations"), DATABASE_URL=self.database, **self.environment)
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True)

    def memory(self):
        """Resident bytes."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def database_as(self, role):
        """The address of the database for another login role."""
        return re.sub(r"(?<=[?&]user=)[^&]+", role, self.database)

    def link(self, role="owner"):
        token = secrets.token_hex(16)
        self.sql(
            "INSERT INTO swiftlet.console_entries (token_hash, role, expires_at) VALUES "
            f"('{hashlib.sha256(token.encode()).hexdigest()}', '{role}', clock_timestamp() + interval '5 minutes')"
        )
        return f"{self.url}/console/#enter={token}"

    def request(self, path, method="GET", body=None, headers=None):
        """Status, headers and text."""
        return self.answer(self.url + path, method, body, headers)

    @staticmethod
    def answer(url, method="GET", body=None, headers=None):
        request = urllib.request.Request(url, method=method, data=body and body.encode())
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read().decode()


class Browser:
    def __init__(self, width=1280, height=860, dark=False, mobile=False):
        options = Options()
        options.binary_location = shutil.which("chromium")
        for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--window-size={width},{height}"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.resize(width, height, mobile)
        self.scheme(dark)

    def resize(self, width, height, mobile=False):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile},
        )

    def scheme(self, dark):
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def ask(self, method, path, body=None):
        """As the page itself does."""
        script = """
            const [method, path, body, done] = arguments;
            fetch("/console/api" + path, {method, headers: {"X-Console": "1", "Content-Type": "application/json"},
                body: body === null ? undefined : JSON.stringify(body)})
                .then(async (answer) => done([answer.status, await answer.text()]));
        """
        return self.driver.execute_async_script(script, method, path, body)

    def go(self, page):
        # Another address first, so that the same page is loaded anew.
        self.run("location.hash = arguments[0]", "#/" + page)
        self.quiet()

    def quiet(self):
        """Waits until nothing loads."""
        self.wait(lambda: not self.all(".spinner"))

    def wait(self, condition, seconds=20):
        end = time.time() + seconds
        while True:
            try:
                value = condition()
                if value:
                    return value
            except Exception as error:
                if time.time() > end:
                    raise error
            if time.time() > end:
                raise AssertionError("it does not happen: " + self.run("return document.body.innerText")[:1500])
            time.sleep(0.02)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.wait(lambda: next(iter(self.all(selector)), None))

    def text(self, selector="body"):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def button(self, text):
        return self.wait(
            lambda: self.run(
                "return [...document.querySelectorAll('button, a.button')].findLast((each) => each.offsetParent && "
                "(each.innerText || each.ariaLabel || '').includes(arguments[0]))",
                text,
            )
        )

    def messages(self):
        return [each["message"] for each in self.driver.get_log("browser") if each["level"] in ("SEVERE", "WARNING")]

    def picture(self, name):
        folder = os.environ.get("CONSOLE_PICTURES")
        if folder:
            os.makedirs(folder, exist_ok=True)
            self.driver.save_screenshot(os.path.join(folder, name + ".png"))


_shared = {}


class ConsoleCase(unittest.TestCase):
    """Cases of one server and one browser, both made at first use."""

    @classmethod
    def setUpClass(cls):
        if not _shared:
            server = Server()
            atexit.register(server.close)
            browser = Browser()
            atexit.register(browser.driver.quit)
            _shared.update(server=server, browser=browser)
            cls.server = server
            cls.enter(browser)
        cls.server, cls.browser = _shared["server"], _shared["browser"]

    @classmethod
    def enter(cls, browser, role="owner"):
        browser.driver.get("about:blank")
        browser.driver.get(cls.server.link(role))
        browser.wait(lambda: browser.all(".rail, .bar"))

    def other(self, role="owner", **size):
        browser = Browser(**size)
        self.addCleanup(browser.driver.quit)
        self.enter(browser, role)
        return browser


# Every visible text's colour against what is behind it (WCAG 2.2, 1.4.3).
CONTRAST = """
const parse = (text) => { const all = text.match(/[\\d.]+/g).map(Number); return [all[0], all[1], all[2], all[3] ?? 1]; };
const over = (top, under) => top.slice(0, 3).map((value, index) => value * top[3] + under[index] * (1 - top[3]));
const light = (rgb) => { const [r, g, b] = rgb.map((value) => { value /= 255; return value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4; }); return .2126 * r + .7152 * g + .0722 * b; };
const behind = (element) => { const stack = []; for (let each = element; each; each = each.parentElement) stack.push(parse(getComputedStyle(each).backgroundColor)); return stack.reverse().reduce((under, top) => over(top, under), [255, 255, 255]); };
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.offsetParent || element.closest('svg, option, [aria-hidden=true], :disabled, textarea, .skip')) continue;
    const style = getComputedStyle(element);
    const back = behind(element), front = over(parse(style.color), back);
    const [a, b] = [light(front), light(back)].sort((a, b) => b - a);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) found.push(walker.currentNode.data.trim().slice(0, 30) + ' ' + ratio.toFixed(2));
}
return [...new Set(found)];
"""
