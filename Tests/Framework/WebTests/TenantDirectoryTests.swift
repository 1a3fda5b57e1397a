import SwiftletAuth
import SwiftletHTTP
import SwiftletPostgres
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletWeb

/// The tenants that a platform user names in `x-tenant-id`.
@Suite(.needsDatabase, .hangLimit)
struct TenantDirectoryTests {
    @Test func `a missing tenant is remembered for five seconds, a found one for a minute`() async throws {
        try await with("INSERT INTO tenants (id, name, slug) VALUES ('t1', 'One', 'one')") { visit async throws in
            #expect(try await visit.tenant("t1") == "t1")
            #expect(try await visit.tenant("t2") == "home")
            try visit.server.execute("UPDATE tenants SET id = 't2'")
            #expect(try await visit.tenant("t2", after: 4) == "home")
            #expect(try await visit.tenant("t2", after: 2) == "t2")
            #expect(try await visit.tenant("t1", after: 50) == "t1")
            #expect(try await visit.tenant("t1", after: 10) == "home")
        }
    }

    /// As text, the column has `a0…` in lower case: another spelling names no rows where `tenant_id` is a text.
    @Test(arguments: ["A0000000-0000-4000-8000-000000000001", "t1", "{a0000000-0000-4000-8000-000000000001}", "x'"])
    func `a tenant has one spelling, and what its type cannot hold is none`(name: String) async throws {
        let tenants = """
            DROP TABLE tenants CASCADE; CREATE TABLE tenants (id uuid PRIMARY KEY);
            INSERT INTO tenants VALUES ('a0000000-0000-4000-8000-000000000001');
            """
        try await with(tenants) { visit async throws in
            #expect(try await visit.tenant(name) == "home")
            #expect(
                try await visit.tenant("a0000000-0000-4000-8000-000000000001")
                    == "a0000000-0000-4000-8000-000000000001"
            )
        }
    }

    @Test(arguments: [
        "DROP TABLE tenants CASCADE", "ALTER TABLE tenants RENAME id TO name2",
        "DROP TABLE tenants CASCADE; CREATE TABLE tenants (id json)",
    ])
    func `without tenants to look among, there is none`(sql: String) async throws {
        try await with(sql) { visit async throws in
            #expect(try await visit.tenant("t1") == "home")
        }
    }

    @Test func `it is found by its key's index`() async throws {
        let many = """
            INSERT INTO tenants (id, name, slug) SELECT 't' || n, n::text, n::text FROM generate_series(1, 2000) AS n;
            ANALYZE tenants;
            """
        try await with(many) { visit async throws in
            let tenant = try #require(TenantID(rawValue: "t7"))
            let plan = try await visit.server.database.query("EXPLAIN \(TenantDirectory.lookup(of: tenant))")
            #expect(plan.contains { $0["QUERY PLAN"]?.contains("Index Cond") == true })
        }
    }

    private func with(_ sql: String, _ body: (Visitor) async throws -> Void) async throws {
        try await TestApplication.with([], sql: sql) { try await body(Visitor($0)) }
    }

    private final class Visitor: Sendable {
        let server: TestApplication
        private let user: User
        private let seconds: Seconds
        private let directory: TenantDirectory

        init(_ server: TestApplication) throws {
            let payload = #"{"sub":"root","app_metadata":{"tenant_id":"home","role_level":8}}"#
            let seconds = Seconds()
            self.server = server
            self.seconds = seconds
            user = try User(payload: Array(payload.utf8))
            directory = TenantDirectory(
                clock: ServerClock(
                    nanoseconds: { seconds.passed.withLock { $0 } * 1_000_000_000 },
                    milliseconds: { 0 }
                )
            )
        }

        func tenant(_ name: String, after seconds: UInt64 = 0) async throws -> String? {
            self.seconds.passed.withLock { $0 += seconds }
            var headers = Headers()
            headers.append(.xTenantID, name)
            let request = try Request(target: "/", headers: headers)
            return try await directory.tenant(for: user, request, server.database)?.rawValue
        }
    }

    private final class Seconds: Sendable {
        let passed = Mutex<UInt64>(1)
    }
}
