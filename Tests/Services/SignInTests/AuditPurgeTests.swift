import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit)
struct AuditPurgeTests {
    private func context(_ server: SignInServer) -> Context {
        server.application.application.backgroundContext(BackgroundWork(name: "purge", requestID: "-"))
    }

    @Test func `deletes entries that are older than the days that they are kept`() async throws {
        try await SignInServer.start().use { server in
            _ = try await server.signUp("ada@example.org")
            try server.application.execute(
                """
                INSERT INTO auth.audit_log_entries (instance_id, id, payload, created_at)
                SELECT NULL::uuid, gen_random_uuid(), '{}'::json, now() - interval '31 days' FROM generate_series(1, 5001) UNION ALL
                SELECT NULL::uuid, gen_random_uuid(), '{"action":"kept"}'::json, now() - interval '29 days'
                """
            )
            #expect(try await AuditPurge(days: 30).run(context(server)) == 5001)
            #expect(try await AuditPurge(days: 30).run(context(server)) == 0)
            let kept = try server.value(
                "SELECT string_agg(payload ->> 'action', ',' ORDER BY created_at) FROM auth.audit_log_entries"
            )
            #expect(kept?.hasPrefix("kept,") == true, "\(kept ?? "")")
        }
    }

    @Test func `does nothing where the log belongs to others`() async throws {
        let database = try GoTrueDatabase.create(.newest)
        try database.migrate()
        try await SignInServer.start(databaseURL: database.url).use { server in
            let administrator = try BlockingConnection.connect(to: database.administratorURL)
            try administrator.execute("REVOKE DELETE ON auth.audit_log_entries FROM swiftlet_test_server")
            #expect(try await AuditPurge(days: 1).run(context(server)) == 0)
        }
    }
}
