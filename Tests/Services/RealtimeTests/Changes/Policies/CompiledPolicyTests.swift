import Foundation
import SwiftletAuth
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletRealtime

/// `REALTIME_POLICIES` and `REALTIME_SEED` try more of them.
@Suite(.needsDatabase, .timeLimit(.minutes(10)))
struct CompiledPolicyTests {
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    @Test func `a compiled policy says what PostgreSQL says, of any row and to anybody, or nothing`() async throws {
        try await TestChanges.with(RandomPolicies.functions + RandomPolicies.table, reads: false) {
            changes async throws in
            let seed = UInt64(Self.number("REALTIME_SEED") ?? Int.random(in: 0..<1_000_000))
            var random = RandomPolicies(seed: seed)
            let connection = try BlockingConnection.connect(to: changes.url)
            try changes.execute((1...40).map { random.row($0) }.joined())
            let images = try connection.query("SELECT to_jsonb(samples) FROM samples ORDER BY id").compactMap { row in
                (try? JSONParser.parse(Array((row[0] ?? "").utf8)))?.object
            }
            #expect(images.count == 40)
            var (compiled, same, unsure) = (0, 0, 0)
            let rounds = Self.number("REALTIME_POLICIES") ?? 150
            for _ in 0..<rounds {
                let (create, drop) = random.policies()
                try changes.execute(create)
                let catalog = VisibleTables(changes.database)
                let found = try await catalog.table("public", "samples")
                let table = try #require(found)
                for role in ["authenticated", "anon"] {
                    let facts = try await catalog.facts(of: role, on: table)
                    guard let policy = facts.compiled else { continue }
                    compiled += 1
                    for _ in 0..<6 {
                        let claims = random.claims(role: role)
                        let bound = PolicyClaims(Array(claims.utf8)).flatMap { policy.bound(to: $0) }
                        let ours = images.map { bound?.admits($0) }
                        unsure += ours.count { $0 == nil }
                        let answer = Self.seen(role, claims, connection)
                        if case .failure = answer {
                            #expect(ours.contains(nil), "seed \(seed): \(facts.condition ?? "") \(claims) fails")
                        }
                        guard case .ids(let theirs) = answer else { continue }
                        for (number, answer) in ours.enumerated() {
                            guard let answer else { continue }
                            same += 1
                            let isSeen = theirs.contains("\(number + 1)")
                            #expect(
                                answer == isSeen,
                                "seed \(seed): \(facts.condition ?? "") \(claims) \(JSONValue.object(images[number]))"
                            )
                        }
                    }
                }
                try changes.execute(drop)
            }
            #expect(compiled > rounds / 4, "seed \(seed): \(compiled) of \(2 * rounds)")
            #expect(same > compiled * 60)
            if Self.number("REALTIME_POLICIES") != nil {
                print(
                    "seed \(seed): \(compiled) of \(2 * rounds) compiled, \(same) answers the same, \(unsure) left to PostgreSQL"
                )
            }
        }
    }

    private enum Answer {
        case ids(Set<String>)
        case failure
        /// The planner stumbles over conditions without a column, such as `auth.uid() = auth.uid()`: "cannot cope with
        /// variable-free clause".
        case fault
    }

    /// The ids of the rows that row security lets the caller see.
    private static func seen(_ role: String, _ claims: String, _ connection: borrowing BlockingConnection) -> Answer {
        defer { _ = try? connection.query("ROLLBACK") }
        do throws(BlockingConnectionError) {
            _ = try connection.query("BEGIN")
            _ = try connection.query(
                "SELECT set_config('role', $1, true), set_config('request.jwt.claims', $2, true)",
                [role, claims]
            )
            return .ids(Set(try connection.query("SELECT id FROM samples").compactMap { $0[0] }))
        } catch {
            return error.state.hasPrefix("XX") ? .fault : .failure
        }
    }

    private static let owned = """
        CREATE TABLE notes (id int PRIMARY KEY, owner uuid, shared boolean);
        ALTER TABLE notes REPLICA IDENTITY FULL;
        ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
        GRANT ALL ON notes TO authenticated;
        CREATE POLICY own ON notes USING (owner = (SELECT auth.uid()));
        CREATE PUBLICATION supabase_realtime FOR TABLE notes;
        """
    private static let ada = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"

    @Test func `a proven policy needs no query, and one that is changed meanwhile counts from the next change on`()
        async throws
    {
        try await TestChanges.with(RandomPolicies.functions + Self.owned) { changes async throws in
            let claims: JSONObject = ["role": "authenticated", "sub": .string(Self.ada)]
            let received = try await changes.subscriber(claims, ChangeRequest(table: "notes"))
            try changes.execute("INSERT INTO notes SELECT n, '\(Self.ada)', n % 2 = 0 FROM generate_series(1, 400) n")
            try await received.wait(for: 400)
            let before = changes.hub.policyCounts
            #expect(before.asked >= 200)
            try changes.execute(
                "INSERT INTO notes VALUES (401, gen_random_uuid(), true), (402, NULL, true), (403, '\(Self.ada)', false)"
            )
            try await received.wait(for: 401)
            #expect(received.summary.last == "INSERT 403")
            #expect(changes.hub.policyCounts.asked == before.asked)
            #expect(changes.hub.policyCounts.decided == before.decided + 3)
            try changes.execute("ALTER POLICY own ON notes USING (shared)")
            try changes.execute("INSERT INTO notes VALUES (404, '\(Self.ada)', false), (405, NULL, true)")
            try await received.wait(for: 402)
            #expect(received.summary.last == "INSERT 405")
        }
    }

    @Test func `a long value that the stream leaves out is not taken for null`() async throws {
        let letters = """
            CREATE TABLE letters (id int PRIMARY KEY, title text, "Kept from" text);
            ALTER TABLE letters ALTER "Kept from" SET STORAGE EXTERNAL;
            ALTER TABLE letters ENABLE ROW LEVEL SECURITY;
            GRANT ALL ON letters TO authenticated;
            CREATE POLICY open ON letters USING ("Kept from" IS NULL);
            CREATE PUBLICATION supabase_realtime FOR TABLE letters;
            """
        try await TestChanges.with(RandomPolicies.functions + letters) { changes async throws in
            let claims: JSONObject = ["role": "authenticated", "sub": .string(Self.ada)]
            let received = try await changes.subscriber(claims, ChangeRequest(table: "letters"))
            try changes.execute("INSERT INTO letters VALUES (1, 'a', repeat('x', 10000)), (2, 'b', NULL)")
            try changes.execute("UPDATE letters SET title = 'c' WHERE id = 1")
            try changes.execute("UPDATE letters SET title = 'd' WHERE id = 2")
            try await received.wait(for: 2)
            #expect(received.summary == ["INSERT 2", "UPDATE 2"])
        }
    }

    @Test func `where a project has made auth.uid anew, PostgreSQL is asked`() async throws {
        try await TestChanges.with(RandomPolicies.functions + Self.owned) { changes async throws in
            let catalog = VisibleTables(changes.database)
            func isCompiled(_ catalog: VisibleTables = catalog) async throws -> Bool {
                let found = try await catalog.table("public", "notes")
                let table = try #require(found)
                return try await catalog.facts(of: "authenticated", on: table).compiled != nil
            }
            #expect(try await isCompiled())
            for change in [
                """
                CREATE OR REPLACE FUNCTION auth.uid() RETURNS uuid LANGUAGE sql STABLE AS
                    $$ SELECT '00000000-0000-0000-0000-000000000000'::uuid $$
                """,
                RandomPolicies.functions
                    + "CREATE FUNCTION auth.uid(other int DEFAULT 1) RETURNS uuid RETURN NULL::uuid",
                """
                DROP FUNCTION auth.uid(int);
                REVOKE EXECUTE ON FUNCTION auth.uid() FROM PUBLIC
                """,
                "GRANT EXECUTE ON FUNCTION auth.uid() TO PUBLIC; ALTER FUNCTION auth.uid() SET search_path = public",
            ] {
                try changes.execute(change)
                #expect(try await !isCompiled(), "\(change)")
            }
            try changes.execute("ALTER FUNCTION auth.uid() RESET search_path")
            #expect(try await isCompiled())
            // These are looked at anew with the role, at the latest after half a minute.
            for (change, undoing) in [
                (
                    """
                    CREATE FUNCTION public.arrow(jsonb, text) RETURNS text LANGUAGE sql RETURN 'x';
                    CREATE OPERATOR public.->> (LEFTARG = jsonb, RIGHTARG = text, FUNCTION = public.arrow)
                    """, "DROP OPERATOR public.->> (jsonb, text)"
                ),
                (
                    """
                    CREATE FUNCTION public.written(uuid) RETURNS text LANGUAGE sql RETURN 'x';
                    CREATE CAST (uuid AS text) WITH FUNCTION public.written(uuid)
                    """, "DROP CAST (uuid AS text)"
                ),
            ] {
                try changes.execute(change)
                #expect(try await !isCompiled(VisibleTables(changes.database)), "\(change)")
                try changes.execute(undoing)
                #expect(try await isCompiled(VisibleTables(changes.database)))
            }
        }
    }

    @Test func `a compiled policy that differs is found out, and not used again`() {
        let trust = PolicyTrust()
        let table = TableFacts(relation: 1, schema: "public", name: "notes", columns: [], version: "1")
        let next = TableFacts(relation: 1, schema: "public", name: "notes", columns: [], version: "2")
        #expect(trust.admits("x", table) && !trust.isProven("x", table))
        #expect(!trust.compared("x", table, 150, isSame: true))
        #expect(!trust.isProven("x", table))
        #expect(!trust.compared("x", table, 50, isSame: true))
        #expect(trust.isProven("x", table))
        #expect(trust.compared("x", table, 1, isSame: false))
        #expect(!trust.compared("x", table, 1, isSame: false))
        #expect(!trust.admits("x", table))
        #expect(trust.admits("x", next) && !trust.isProven("x", next))
    }
}
