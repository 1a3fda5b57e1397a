"""The SQL of `sql/`: the same texts for pgbench and for the peers, held against what Swiftlet sends."""

import re
import time

_PARAMETER = re.compile(r"(?<!:):([a-z]\w*)")


class Statements:
    """The files with `{columns}` filled in, as every column of the table in its order."""

    NAMES = ("point", "page", "count", "insert")

    def __init__(self, benchmarks, cluster):
        rows = cluster.query(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'tasks'::regclass AND attnum > 0 AND NOT attisdropped "
            "ORDER BY attnum"
        )
        columns = ", ".join(row[0] for row in rows)
        self._texts = {
            name: (benchmarks / "sql" / f"{name}.sql").read_text().strip().replace("{columns}", columns)
            for name in self.NAMES
        }

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


def sent_during(cluster, action):
    """Runs `action` with PostgreSQL's statement log switched on and returns what was executed meanwhile."""
    cluster.query("ALTER SYSTEM SET log_min_duration_statement = 0")
    cluster.query("SELECT pg_reload_conf()")
    time.sleep(0.3)
    already = len(cluster.log_text())
    action()
    time.sleep(0.3)
    entries = cluster.log_text()[already:].split(cluster.LOG_MARK)
    cluster.query("ALTER SYSTEM RESET log_min_duration_statement")
    cluster.query("SELECT pg_reload_conf()")
    executed = [re.match(r"LOG:  duration: .*?  execute [^:]*: (.*)", entry, re.DOTALL) for entry in entries]
    return [match.group(1).strip() for match in executed if match]


def _canonical(text):
    text = _PARAMETER.sub("?", text.replace("gen_random_uuid()", "?"))
    text = re.sub(r"\$\d+", "?", text).replace('"', "")
    text = re.sub(r"\bpublic\.|\bt\.|\bAS t\b|\bt\b", "", text)
    return re.sub(r"\s+", "", text).rstrip(";").lower()
