"""The SQL of `sql/`: the same texts for pgbench and for the peers, held against what Swiftlet sends."""

import re
import time

_PARAMETER = re.compile(r"(?<!:):([a-z]\w*)")


class Statements:
    """The files with `{columns}` filled in, as every column of the table in its order."""

    NAMES = ("point", "page", "count", "insert")

    def __init__(self, benchmarks, cluster):
        self._captured = {}
        rows = cluster.query(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'tasks'::regclass AND attnum > 0 AND NOT attisdropped "
            "ORDER BY attnum"
        )
        columns = ", ".join(row[0] for row in rows)
        self._texts = {
            name: (benchmarks / "sql" / f"{name}.sql").read_text().strip().replace("{columns}", columns)
            for name in self.NAMES
        }

    def capture(self, scenario, cluster, action):
        """Keeps what `action` makes a server send, with the values in their places."""
        if scenario.name.startswith("rest-"):
            # The first request waits for the server's catalog, whose statements would be among its own.
            action()
        statements = [text + ";" for text in sent_during(cluster, action, with_values=True)]
        if scenario.name.startswith("rest-"):
            start = max(index for index, text in enumerate(statements) if "set_config('role'" in text)
            statements = statements[start:start + 2]
        if scenario.is_pipelined:
            statements = ["\\startpipeline", *statements, "\\endpipeline"]
        self._captured[scenario.name] = "\n".join(statements) + "\n"

    def captured(self, scenario):
        """The script of what was kept."""
        return self._captured[scenario.name]

    def script(self, names, number):
        """A pgbench script whose variables end in the script's number, as all scripts share one set of variables."""
        return "".join(_PARAMETER.sub(rf":\1_{number}", self._texts[name]) + ";\n" for name in names)

    def numbered(self, name):
        """For drivers: `:name` becomes `$1`, `$2` … in order of appearance, and the names in that order."""
        names = list(dict.fromkeys(_PARAMETER.findall(self._texts[name])))
        return _PARAMETER.sub(lambda match: f"${names.index(match.group(1)) + 1}", self._texts[name]), names

    def differences(self, names, sent):
        """Which of `sent`, the texts that a server sent, are none of ours. Quotes, aliases and ids do not count."""
        ours = {_canonical(self._texts[name]) for name in names}
        return [text for text in sent if _canonical(text) not in ours]


def sent_during(cluster, action, with_values=False):
    """Runs `action` with PostgreSQL's statement log switched on and returns what was executed meanwhile, each on one line
    with its values in place of `$1` if asked for."""
    cluster.query("ALTER SYSTEM SET log_min_duration_statement = 0")
    cluster.query("SELECT pg_reload_conf()")
    time.sleep(0.3)
    already = len(cluster.log_text())
    action()
    time.sleep(0.3)
    entries = cluster.log_text()[already:].split(cluster.LOG_MARK)
    cluster.query("ALTER SYSTEM RESET log_min_duration_statement")
    cluster.query("SELECT pg_reload_conf()")
    if with_values:
        return _with_values(entries)
    executed = [re.match(r"LOG:  duration: .*?  execute [^:]*: (.*)", entry, re.DOTALL) for entry in entries]
    return [match.group(1).strip() for match in executed if match]


def _with_values(entries):
    """The statements of a log; the entry behind each tells its values."""
    statements = []
    for entry in entries:
        executed = re.match(r"LOG:  duration: .*?  execute [^:]*: (.*)", entry, re.DOTALL)
        values = re.match(r"DETAIL:  [Pp]arameters: (.*)", entry, re.DOTALL)
        if executed:
            statements.append(re.sub(r"\s+", " ", executed.group(1).strip()))
        elif values and statements:
            found = dict(re.findall(r"\$(\d+) = ('(?:[^']|'')*'|NULL)", values.group(1)))
            statements[-1] = re.sub(r"\$(\d+)", lambda match: _for_pgbench(found[match.group(1)]), statements[-1])
    return statements


def _for_pgbench(literal):
    """pgbench takes a colon before a letter or digit for a variable, in strings too."""
    if not re.search(r":\w", literal):
        return literal
    return "E" + re.sub(r":(?=\w)", r"\\x3A", literal.replace("\\", "\\\\"))


def _canonical(text):
    text = _PARAMETER.sub("?", text.replace("gen_random_uuid()", "?"))
    text = re.sub(r"\$\d+", "?", text).replace('"', "")
    text = re.sub(r"\bpublic\.|\bt\.|\bAS t\b|\bt\b", "", text)
    return re.sub(r"\s+", "", text).rstrip(";").lower()
