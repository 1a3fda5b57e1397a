import SwiftletJSON
import SwiftletTesting

/// Policies, rows and claims by a seed: most of simple shape, with everything that makes PostgreSQL's answers surprising.
struct RandomPolicies {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    static let functions = """
        CREATE SCHEMA IF NOT EXISTS auth;
        GRANT USAGE ON SCHEMA auth TO anon, authenticated;
        CREATE OR REPLACE FUNCTION auth.uid() RETURNS uuid LANGUAGE sql STABLE AS $$
            select
            coalesce(
                nullif(current_setting('request.jwt.claim.sub', true), ''),
                (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')
            )::uuid
        $$;
        CREATE OR REPLACE FUNCTION auth.role() RETURNS text LANGUAGE sql STABLE AS $$
            SELECT coalesce(
                nullif(current_setting('request.jwt.claim.role', true), ''),
                nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
            )
        $$;
        CREATE OR REPLACE FUNCTION auth.jwt() RETURNS jsonb LANGUAGE sql STABLE AS $$
            SELECT coalesce(
                nullif(current_setting('request.jwt.claim', true), ''),
                nullif(current_setting('request.jwt.claims', true), '')
            )::jsonb
        $$;
        """

    static let table = """
        CREATE TYPE hue AS ENUM ('a', 'b');
        CREATE TABLE samples (
            id int PRIMARY KEY, owner uuid, team text, code varchar, short varchar(3), plain text COLLATE "C", level int,
            "Big" bigint, small smallint, open boolean, price numeric, hue hue, padded char(3), "true" text, "AND" boolean,
            "NULL" text, odd text COLLATE "POSIX"
        );
        ALTER TABLE samples ENABLE ROW LEVEL SECURITY;
        GRANT SELECT ON samples TO anon, authenticated;
        """

    private mutating func one<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &generator)]
    }

    private mutating func happens(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    private static let uuids = [
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "00000000-0000-0000-0000-000000000002",
        "ffffffff-0000-0000-0000-00000000000f",
    ]
    /// The last two look the same, and are not.
    private static let texts = ["a", "b", "A", "", "5", "it's", "authenticated", "a ", "true", "\u{E9}", "e\u{301}"]

    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

    // MARK: - Rows and claims

    mutating func row(_ id: Int) -> String {
        var texts: [String] { Self.texts.map(Self.quoted) + ["NULL"] }
        let uuid = one(Self.uuids.map(Self.quoted) + ["NULL"])
        let (team, code, plain, word) = (one(texts), one(texts), one(texts), one(texts))
        let short = one(["'a'", "'b'", "NULL"])
        let numbers = ["0", "3", "5", "-5", "NULL"]
        let (level, big, small) = (one(numbers + ["2147483647"]), one(numbers + ["9007199254740993"]), one(numbers))
        let (open, and) = (one(["true", "false", "NULL"]), one(["true", "false", "NULL"]))
        let (price, hue, padded) = (one(["1.50", "5", "NULL"]), one(["'a'", "'b'", "NULL"]), one(["'a'", "'b'"]))
        return """
            INSERT INTO samples VALUES (\(id), \(uuid), \(team), \(code), \(short), \(plain), \(level), \(big), \(small), \
            \(open), \(price), \(hue), \(padded), \(word), \(and), \(plain), \(word));
            """
    }

    /// As the text of a token's payload.
    mutating func claims(role: String) -> String {
        let texts = Self.texts.map { JSONValue.string($0).description }
        var members = ["\"role\":\"\(role)\""]
        if happens(85) {
            let upper = Self.uuids[0].uppercased()
            let odd = ["\"{\(upper)}\"", "\"x\"", "\"\"", "7", "null", "\"\(upper.replacing("-", with: ""))\""]
            members.append(
                "\"sub\":" + (happens(85) ? one(Self.uuids.map { "\"\($0)\"" } + ["\"\(upper)\""]) : one(odd))
            )
        }
        let values =
            texts + ["null", "5", "5.0", "1e1", "-0", "true", "[1]", "{\"team\":\"a\"}", "\"\\u00e9\"", "\"a\\\\b\""]
        if happens(85) { members.append("\"team\":" + one(happens(70) ? texts : values)) }
        if happens(10) { members.append("\"team\":" + one(texts)) }
        if happens(80) {
            members.append(
                "\"level\":"
                    + one(["\"5\"", "5", "3", "\"-5\"", "\"05\"", "\" 5\"", "\"+5\"", "\"x\"", "40000", "5e0"])
            )
        }
        if happens(80) {
            members.append("\"admin\":" + one(["true", "false", "\"true\"", "\"t\"", "\"yes\"", "\"TRUE\"", "null"]))
        }
        if happens(80) {
            members.append(
                "\"app_metadata\":"
                    + (happens(80) ? "{\"team\":\(one(values))}" : one(["null", "\"a\"", "[\"a\"]", "5"]))
            )
        }
        return "{\(members.joined(separator: ","))}"
    }

    // MARK: - Policies

    /// Statements that give the table policies of its own.
    mutating func policies() -> (create: String, drop: String) {
        var create = ""
        var drop = ""
        for number in 0..<Int.random(in: 1...4, using: &generator) {
            let kind = number > 0 && happens(35) ? "RESTRICTIVE" : "PERMISSIVE"
            let role = one(["PUBLIC", "PUBLIC", "authenticated", "anon", "anon, authenticated"])
            let command = one(["SELECT", "SELECT", "ALL", "UPDATE"])
            create +=
                "CREATE POLICY p\(number) ON samples AS \(kind) FOR \(command) TO \(role) USING (\(condition(3)));\n"
            drop += "DROP POLICY p\(number) ON samples;\n"
        }
        return (create, drop)
    }

    private mutating func condition(_ depth: Int) -> String {
        if depth > 0, happens(45) {
            let parts = (0..<Int.random(in: 2...3, using: &generator)).map { _ in condition(depth - 1) }
            return "(" + parts.joined(separator: one([" AND ", " OR "])) + ")"
        }
        if depth > 0, happens(8) { return "NOT (\(condition(depth - 1)))" }
        let equals = one(["=", "=", "=", "<>"])
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<4: return "\(uuid()) \(equals) \(uuid())"
        case 4..<7: return "\(text()) \(equals) \(text())"
        case 7, 8: return "\(integer()) \(equals) \(integer())"
        case 9: return one([boolean(), "\(boolean()) \(equals) \(boolean())"])
        case 10:
            let term = [uuid(), text(), integer(), boolean()]
            return "(\(one(term))) IS \(one(["", "NOT "]))NULL"
        default:
            return happens(70)
                ? one(["true", "true", "false", "auth.role() = 'authenticated'", "(SELECT auth.uid()) = owner"])
                : one([
                    "team LIKE 'a%'", "team IN ('a', 'b')", "level > 3", "hue = 'a'", "padded = 'a'", "price = 5",
                    "short = 'a'",
                    "current_user = 'authenticated'", "owner IS NOT DISTINCT FROM auth.uid()",
                    "team = 'a' COLLATE \"C\"",
                    "coalesce(open, false)", "E'\\\\' = team", "NULL", "team = NULL", "plain = odd",
                    "samples.\"NULL\" = team", "open IS TRUE", "team = (SELECT code)",
                    "current_setting('request.jwt.claims', true)::json ->> 'team' = team", "level = 5.0",
                    "level::smallint = 5",
                    "code::varchar(1) = 'a'", "auth.jwt() -> 'team' = '\"a\"'", "auth.jwt() ? 'team'",
                ])
        }
    }

    private mutating func uuid() -> String {
        one([
            "owner", "owner", "auth.uid()", "(SELECT auth.uid())", "(SELECT auth.uid() AS who)",
            "(auth.jwt() ->> 'sub')::uuid",
            "'\(Self.uuids[0])'::uuid",
        ])
    }

    private mutating func text() -> String {
        one([
            "team", "team", "code", "plain", "samples.\"true\"", "(auth.jwt() ->> 'team')",
            "(SELECT auth.jwt() ->> 'team')",
            "((SELECT auth.jwt()) ->> 'team')", "(auth.jwt() -> 'app_metadata' ->> 'team')", "auth.role()",
            "auth.uid()::text",
            "owner::text", "level::text", "'a'::text", "'it''s'::text", "'\u{E9}'::text", "lower(team)",
            "(auth.jwt() -> 'app_metadata' -> 'team' ->> 'team')",
        ])
    }

    private mutating func integer() -> String {
        one([
            "level", "\"Big\"", "small", "(auth.jwt() ->> 'level')::int", "(auth.jwt() ->> 'level')::bigint",
            "(auth.jwt() ->> 'level')::smallint", "5", "(-5)", "9007199254740993", "level::bigint", "(level + 1)",
            "code::int",
        ])
    }

    private mutating func boolean() -> String {
        one(["open", "\"AND\"", "(auth.jwt() ->> 'admin')::boolean", "true", "false"])
    }
}
