"""Requests by grammar: to /rest/v1 over the tables that it describes, and to functions over their OpenAPI document."""

import json
import string
import urllib.parse

OPERATORS = ["eq", "neq", "gt", "gte", "lt", "lte", "like", "ilike", "match", "imatch", "in", "is", "isdistinct", "fts",
             "plfts", "phfts", "wfts", "cs", "cd", "ov", "sl", "sr", "nxr", "nxl", "adj"]
CASTS = ["text", "int4", "jsonb", "date", "timestamptz", "uuid", "numeric", "bool", "text[]", "nonsense"]
AGGREGATES = ["count", "sum", "avg", "min", "max"]
PREFERENCES = ["return=representation", "return=minimal", "return=headers-only", "count=exact", "count=planned",
               "count=estimated", "resolution=merge-duplicates", "resolution=ignore-duplicates", "missing=default",
               "tx=rollback", "handling=strict", "handling=lenient", "max-affected=1", "timezone=Europe/Berlin", "odd"]
ACCEPTS = ["application/json", "text/csv", "application/vnd.pgrst.object+json", "application/vnd.pgrst.array+json",
           "application/vnd.pgrst.object+json;nulls=stripped", "application/geo+json", "*/*", "image/png", ""]
# Values that parsers, casts and limits trip over.
TEXTS = ["", "0", "1", "-1", "null", "NULL", "true", "t", "2147483648", "9223372036854775808", "-9223372036854775809",
         "1e400", "NaN", "Infinity", "0x10", "1970-01-01", "infinity", "294277-01-01", "0001-01-01 BC", "2026-02-30",
         "2026-11-28T00:00:00+99:99", "a0000000-0000-4000-8000-000000000001", "{}", "[]", "{\"a\":[1,{\"b\":null}]}",
         "{1,2}", "[1,2)", "empty", "*", "%", "\\", "'", "\"", "\";--", "a,b", "(a)", ")", "((", "é", "\u202e", "😀",
         "\u0000", "\ud7ff", "ü" * 300, "x" * 5000, " ", "\t", "\r\n", "not.eq.1", "any", "(1,2)", "\"a\\\"b\"", "..", "%00"]


class Grammar:
    def __init__(self, random, tables, procedures, operations, keys):
        self.random, self.tables, self.procedures = random, tables, procedures
        self.operations, self.keys = operations, keys
        # Every other request is one that a client may send; what is odd in it comes from its parts being together.
        self.isTame = False

    def chance(self, share):
        return self.random.random() < share

    def odd(self, share):
        return not self.isTame and self.chance(share)

    def text(self):
        if self.isTame:
            return self.random.choice([*self.keys, "1", "2026-11-28", "true", "a word"])
        if self.keys and self.chance(0.3):
            return self.random.choice(self.keys)
        if self.chance(0.8):
            return self.random.choice(TEXTS)
        return "".join(self.random.choice(string.printable) for _ in range(self.random.randrange(1, 20)))

    def value(self, depth=0):
        if self.isTame:
            return self.text()
        kind = self.random.randrange(9 if depth < 3 else 7)
        if kind < 3:
            return self.text().replace("\ud7ff", "x")
        if kind < 7:
            return [None, True, self.random.choice([0, 1, -1, 2**31, 2**63, 10**400, 1.5, -0.0]), False][kind - 3]
        if kind == 7:
            return [self.value(depth + 1) for _ in range(self.random.randrange(4))]
        return {self.text(): self.value(depth + 1) for _ in range(self.random.randrange(4))}

    # /rest/v1

    def column(self, table):
        columns = self.tables.get(table) or ["id"]
        name = self.random.choice(columns) if not self.odd(0.08) else self.text()
        if self.odd(0.08):
            name += self.random.choice(["->", "->>"]) + self.random.choice(["a", "0", "-1", "'x'"])
        return name

    def item(self, table, depth):
        if depth < 3 and self.chance(0.2):
            other = self.random.choice(list(self.tables))
            hint = self.random.choice(["", "", "", "!inner", "!left", *([] if self.isTame else ["!nothing", f"!{table}_id_fkey"])])
            spread = self.random.choice(["", "", "", "..."])
            return f"{spread}{other}{hint}({self.select(other, depth + 1)})"
        item = self.column(table)
        if self.chance(0.1):
            item = f"alias:{item}"
        if self.chance(0.1):
            item += "::" + self.random.choice(CASTS if not self.isTame else ["text"])
        if self.chance(0.06):
            item += f".{self.random.choice(AGGREGATES)}()"
        return item

    def select(self, table, depth=0):
        if self.chance(0.2):
            return "*"
        return ",".join(self.item(table, depth) for _ in range(self.random.randrange(0 if depth else 1, 5)))

    def pair(self, table):
        """A column and what is asked of it; often one that finds rows."""
        if self.isTame and self.chance(0.6):
            return "id", self.random.choice(["neq.x", "not.is.null", f"eq.{self.random.choice(self.keys)}", "like.*-*",
                                             f"in.({','.join(self.keys)})"])
        return self.column(table), self.operation(table)

    def operation(self, table):
        operator = self.random.choice(OPERATORS[:12] if self.isTame else OPERATORS) if not self.odd(0.05) else self.text()
        value = self.text()
        if operator == "in":
            value = "(" + ",".join(self.random.choice([self.text(), f'"{self.text()}"']) for _ in range(3)) + ")"
        elif operator == "is":
            value = self.random.choice(["null", "not_null", *([] if self.isTame else ["true", "false", "unknown", value])])
        elif "fts" in operator and self.chance(0.3):
            operator += "(english)"
        elif self.chance(0.1):
            operator, value = f"{operator}({self.random.choice(['any', 'all'])})", "{" + value + "}"
        return ("not." if self.chance(0.15) else "") + f"{operator}.{value}"

    def condition(self, table, depth=0):
        if depth < 3 and self.chance(0.25):
            inner = ",".join(self.condition(table, depth + 1) for _ in range(self.random.randrange(1, 4)))
            return ("not." if self.chance(0.2) else "") + self.random.choice(["and", "or"]) + f"({inner})"
        return f"{self.column(table)}.{self.operation(table)}"

    def query(self, table):
        pairs = []
        if self.chance(0.7):
            pairs.append(("select", self.select(table)))
        for _ in range(self.random.randrange(3)):
            if self.chance(0.25):
                inner = ",".join(self.condition(table, 1) for _ in range(self.random.randrange(1, 4)))
                pairs.append((self.random.choice(["and", "or", "not.and", "not.or"]), f"({inner})"))
            else:
                pairs.append(self.pair(table))
        if self.chance(0.4):
            order = self.column(table) + self.random.choice(["", ".asc", ".desc", ".desc.nullslast", ".nullsfirst", *([] if self.isTame else [".odd"])])
            pairs.append(("order", order))
        for name in ("limit", "offset"):
            if self.chance(0.3):
                pairs.append((name, self.random.choice(["0", "1", "5", *([] if self.isTame else ["-1", "99999999999999999999", self.text()])])))
        if self.odd(0.1):
            pairs.append((self.random.choice(["on_conflict", "columns"]), self.column(table)))
        self.random.shuffle(pairs)
        return pairs

    def row(self, table):
        columns = self.random.sample(self.tables[table], min(len(self.tables[table]), self.random.randrange(1, 6)))
        return {column: self.value() for column in columns}

    def rest(self):
        if self.procedures and self.chance(0.12):
            return self.procedure()
        table = self.random.choice(list(self.tables)) if not self.odd(0.03) else self.text()
        # The tables that have rows.
        if self.isTame and self.chance(0.5):
            table = self.random.choice([name for name in ("tasks", "business_records") if name in self.tables] or [table])
        known = table if table in self.tables else next(iter(self.tables))
        method = self.random.choice(["GET"] * 6 + ["HEAD", "POST", "POST", "PATCH", "PATCH", "PUT", "DELETE", "OPTIONS"])
        pairs, fields, body = self.query(known), self.fields(), None
        if method in ("PATCH", "DELETE") and self.chance(0.8):
            pairs.append(("id", f"eq.{self.random.choice(self.keys or ['x'])}"))
        if method in ("POST", "PATCH", "PUT"):
            body = self.rest_body(known, fields)
        return method, f"/rest/v1/{urllib.parse.quote(table)}", pairs, fields, body

    def rest_body(self, table, fields):
        kind = self.random.randrange(12)
        if kind == 0:
            fields["Content-Type"] = "text/csv"
            names = self.tables[table][:3]
            return ",".join(names) + "\n" + "\n".join(",".join(self.text() for _ in names) for _ in range(3))
        if kind == 1:
            fields["Content-Type"] = "application/x-www-form-urlencoded"
            return urllib.parse.urlencode({key: str(value) for key, value in self.row(table).items()})
        fields["Content-Type"] = "application/json"
        if kind < 5:
            return json.dumps([self.row(table) for _ in range(self.random.randrange(4))])
        return json.dumps(self.value() if kind == 5 else self.row(table))

    def procedure(self):
        name = self.random.choice(self.procedures)
        arguments = {self.random.choice(["a", "value", "target", "id"]): self.value() for _ in range(self.random.randrange(3))}
        if self.chance(0.4):
            return "GET", f"/rest/v1/rpc/{name}", [(key, str(value)) for key, value in arguments.items()], self.fields(), None
        fields = {**self.fields(), "Content-Type": "application/json"}
        return "POST", f"/rest/v1/rpc/{name}", [], fields, json.dumps(arguments)

    def fields(self):
        fields = {}
        if self.odd(0.5):
            fields["Prefer"] = ",".join(self.random.sample(PREFERENCES, self.random.randrange(1, 4)))
        if self.odd(0.4):
            fields["Accept"] = self.random.choice(ACCEPTS)
        if self.odd(0.1):
            fields["Range"] = self.random.choice(["0-1", "5-", "-1", "9-2", "0-99999999999999999999", "x"])
        if self.odd(0.05):
            fields[self.random.choice(["Accept-Profile", "Content-Profile"])] = self.random.choice(["public", "auth", "swiftlet"])
        if self.chance(0.05):
            fields["X-Swiftlet-Position"] = self.random.choice(["new", "x", "1764086400.00000000016B3748.0"])
        return fields

    # Functions

    def instance(self, schema, depth=0):
        """A value as the schema has it, but for one in five."""
        if depth > 4 or self.odd(0.2):
            return self.value(depth)
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        for key in ("oneOf", "anyOf", "allOf"):
            if schema.get(key):
                return self.instance(self.random.choice(schema[key]), depth + 1)
        kind = schema.get("type")
        kind = self.random.choice(kind) if isinstance(kind, list) else kind
        if kind == "object" or "properties" in schema:
            chosen = {name: value for name, value in schema.get("properties", {}).items() if self.chance(0.6)}
            return {name: self.instance(value, depth + 1) for name, value in chosen.items()}
        if kind == "array":
            return [self.instance(schema.get("items", {}), depth + 1) for _ in range(self.random.randrange(3))]
        if kind in ("integer", "number"):
            return self.random.choice([0, 1, 5] if self.isTame else [0, 1, 5, -1, 2**31, 2**63, 1e300, 0.1])
        if kind == "boolean":
            return self.chance(0.5)
        if schema.get("format") in ("date-time", "date") and self.chance(0.7):
            return self.random.choice(["2026-11-28T10:00:00Z", "2026-11-28", "2026-11-28T10:00:00+02:00"])
        return self.text()

    def function(self):
        path, method, operation = self.random.choice(self.operations)
        pairs, fields = [], {}
        for parameter in operation.get("parameters", []):
            if parameter.get("in") == "path":
                path = path.replace("{" + parameter["name"] + "}", urllib.parse.quote(self.text() or "x", safe=""))
            elif parameter.get("in") == "query" and self.chance(0.3):
                pairs.append((parameter["name"], str(self.instance(parameter.get("schema", {})))))
        while "{" in path and "}" in path:
            before, _, rest = path.partition("{")
            path = before + urllib.parse.quote(self.text() or "x", safe="") + rest.partition("}")[2]
        if self.odd(0.2):
            pairs.append((self.random.choice(["limit", "offset", "page", "sort", "search", "tz", "odd"]), self.text()))
        body = None
        if method in ("POST", "PUT", "PATCH"):
            content = operation.get("requestBody", {}).get("content", {})
            schema = next(iter(content.values()), {}).get("schema", {})
            fields["Content-Type"] = "application/json"
            body = json.dumps(self.instance(schema))
            if self.chance(0.1):
                fields["Idempotency-Key"] = self.text().encode("ascii", "ignore").decode().replace("\r", "").replace("\n", "") or "k"
        return method, path, pairs, fields, body

    def batch(self):
        calls = []
        for index in range(self.random.randrange(5)):
            method, path, pairs, _, body = self.function() if self.chance(0.6) else self.rest()
            call = {"method": method, "path": path + ("?" + urllib.parse.urlencode(pairs, errors="replace") if pairs else "")}
            if body and self.chance(0.9):
                try:
                    call["body"] = json.loads(body)
                except ValueError:
                    call["body"] = body
            if self.chance(0.4):
                call["id"] = self.random.choice([f"c{index}", self.text()])
            if self.chance(0.2):
                call["path"] = "/tasks/" + self.random.choice(["{c0.id}", "{c0.body.id}", "$c0.id", "{{c0.id}}", "{c9.x}"])
            calls.append(call)
        fields = {"Content-Type": "application/json"}
        content = {"requests": calls, "transaction": self.chance(0.5)} if self.chance(0.8) else self.value()
        return "POST", "/batch", [], fields, json.dumps(content)

    def request(self):
        self.isTame = self.chance(0.5)
        kind = self.random.random()
        method, path, pairs, fields, body = (
            self.rest() if kind < 0.5 else self.function() if kind < 0.93 else self.batch())
        target = path + ("?" + urllib.parse.urlencode(pairs, errors="replace", safe="(),.*:!->") if pairs else "")
        if self.odd(0.12):
            target = self.broken(target)
        if body is not None:
            body = body.encode("utf-8", "surrogatepass")
            if self.odd(0.15):
                at = self.random.randrange(len(body) + 1)
                body = body[:at] + bytes([self.random.randrange(256)]) + body[at + self.random.randrange(3):]
        return method, target, fields, body

    def broken(self, target):
        """One place of it changed, as far as a request line may have it."""
        at = self.random.randrange(1, len(target) + 1)
        piece = self.random.choice(["%", "%zz", "%00", "%ff", "&", "=", "?", "//", "/..", "#", "+", "%F0%9F", "(", ")"])
        return (target[:at] + piece + target[at + self.random.randrange(2):]).replace(" ", "+")
