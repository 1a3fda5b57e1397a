import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletConsole

@Suite(.needsDatabase, .hangLimit) struct UserSearchTests {
    private static let people = """
        INSERT INTO auth.users (id, email, phone, created_at)
            SELECT ('a0000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Person' || n || '@crowd.example',
                '4930' || n, now() - n * interval '1 s'
            FROM generate_series(1, 20000) n;
        UPDATE auth.users SET email = 'half%price_now@odd.example' WHERE phone = '49303';
        ANALYZE auth.users;
        """

    /// The addresses found, and how many times the accounts were read from end to end.
    private static func find(
        _ text: String,
        in server: ConsoleServer
    ) async throws -> (emails: [String], readings: Int) {
        try await ConsoleDatabase(database: server.database).read { transaction in
            let before = try await readings(in: transaction)
            let users = try JSONParser.parse(Array(try await UserSearch(text).run(in: transaction).utf8))
            let emails = (users.array ?? []).compactMap { $0["email"]?.string }
            return (emails, try await readings(in: transaction) - before)
        }
    }

    /// By this connection.
    private static func readings(in transaction: Transaction) async throws -> Int {
        let count = try await transaction.json(
            "SELECT seq_scan::text AS n FROM pg_stat_xact_user_tables WHERE relid = 'auth.users'::regclass"
        )
        return Int(count) ?? 0
    }

    @Test(arguments: [true, false])
    func `an account is found by an index`(hasParts: Bool) async throws {
        try await ConsoleServer.with { server in
            try server.application.execute("DROP EXTENSION IF EXISTS pg_trgm CASCADE")
            if hasParts { try server.application.execute("CREATE EXTENSION pg_trgm") }
            try server.application.execute("SELECT swiftlet.index_accounts()")
            try server.application.execute(Self.people)
            for (text, email) in [
                ("person17123@crowd.example", "Person17123@crowd.example"),
                ("PERSON17123@", "Person17123@crowd.example"),
                ("493019999", "Person19999@crowd.example"), ("half%", "half%price_now@odd.example"),
                ("A0000000-0000-4000-8000-000000000042", "Person42@crowd.example"),
            ] {
                let found = try await Self.find(text, in: server)
                #expect(found.emails == [email], "\(text)")
                // Without an index of parts, what no address begins with is looked for in all of them.
                // Numbers are found by their end as well.
                if hasParts || email.lowercased().hasPrefix(text.lowercased()) {
                    #expect(found.readings == 0, "\(text)")
                }
            }
            let part = try await Self.find("erson17123@c", in: server)
            #expect(part.emails == ["Person17123@crowd.example"])
            #expect(try await Self.find("price_no", in: server).emails == ["half%price_now@odd.example"])
            #expect(try await Self.find("pricexno", in: server).emails == [])
            if hasParts { #expect(part.readings == 0) }
            let newest = try await Self.find("", in: server)
            #expect(newest.emails.count == 100)
            #expect(newest.emails.first == "Person1@crowd.example")
            #expect(newest.readings == 0)
        }
    }

    @Test func `tables of somebody else are left as they are`() async throws {
        try await ConsoleServer.with { server in
            let indexes = "pg_indexes WHERE indexname IN ('users_email_start_idx', 'users_email_parts_idx')"
            #expect(try server.application.count(indexes) >= 1)
            try server.application.execute(
                """
                DROP INDEX IF EXISTS auth.users_email_start_idx, auth.users_email_parts_idx;
                ALTER TABLE auth.users OWNER TO pg_monitor;
                SELECT swiftlet.index_accounts();
                """
            )
            #expect(try server.application.count(indexes) == 0)
        }
    }
}
