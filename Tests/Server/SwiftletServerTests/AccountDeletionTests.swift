import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletOutbound
import SwiftletPostgres
import SwiftletTesting
import Testing

/// What the services of `swiftlet serve` hold of an account goes with it.
@Suite(.needsDatabase, .hangLimit)
final class AccountDeletionTests: Sendable {
    private let folder: String
    private let url: String

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        url = try TestDatabase.create()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await request.sent()
    }

    /// What is held of anybody.
    private func held() throws -> [String] {
        let rows = try BlockingConnection.connect(to: url).query(
            """
            SELECT 'object ' || name FROM storage.objects
            UNION ALL SELECT 'upload ' || name FROM storage.swiftlet_uploads WHERE state = 'open'
            UNION ALL SELECT 'job ' || payload FROM swiftlet.jobs WHERE name = 'letter'
            UNION ALL SELECT 'failure ' || payload FROM swiftlet.job_history WHERE name = 'letter'
            UNION ALL SELECT 'answer ' || key FROM swiftlet.idempotency_keys
            UNION ALL SELECT 'copy ' || last_digest FROM swiftlet.sync_clients
            UNION ALL SELECT 'code ' || auth_code FROM auth.flow_state
            ORDER BY 1
            """
        )
        return rows.compactMap { $0[0] }
    }

    /// Fills the tables for an account, everything named after it.
    private static func fill(_ name: String, _ id: String) -> String {
        """
        INSERT INTO storage.objects (bucket_id, name, owner_id, version, metadata)
            VALUES ('b', '\(name)', '\(id)', 's1.\(String(repeating: "0", count: 32))', '{"size": 1}');
        INSERT INTO storage.swiftlet_uploads
            (id, version, bucket_id, name, length, metadata, is_upsert, role, owner_id, expires_at)
            VALUES (gen_random_uuid(), 'x', 'b', '\(name)', 1, '', false, 'authenticated', '\(id)', now() + interval '1 day');
        INSERT INTO swiftlet.jobs (name, due, caller, payload)
            VALUES ('letter', now() + interval '1 day', '{"sub":"\(id)"}', '\(name)');
        INSERT INTO swiftlet.idempotency_keys (scope, key, fingerprint, status, headers)
            VALUES (E't\\n\(id)', '\(name)', 'f', 200, '');
        INSERT INTO swiftlet.job_history
            (id, name, state, priority, due, attempts, enqueued_at, scope, caller, payload)
            VALUES ((SELECT coalesce(max(id), 0) + 1 FROM swiftlet.job_history), 'letter', 'failed', 1, now(), 3, now(), '', '{"sub":"\(id)"}', '\(name)');
        INSERT INTO swiftlet.sync_clients (id, user_id, last_digest) VALUES (gen_random_uuid(), '\(id)', '\(name)');
        INSERT INTO auth.flow_state (
            id, user_id, auth_code, code_challenge_method, code_challenge, provider_type, provider_access_token,
            authentication_method, created_at
        ) VALUES (gen_random_uuid(), '\(id)', '\(name)', 's256', '', 'github', 'secret', 'oauth', now());
        """
    }

    @Test func `files, jobs, kept answers, copies and codes of the account, and of nobody else`() async throws {
        try await served { ada, base async throws in
            let deletion = HTTPRequest(
                "DELETE",
                "\(base)/user",
                headers: [("Authorization", "Bearer \(ada.token)")]
            )
            #expect(try await send(deletion).status == 200)
            #expect(try held() == Self.left)
            let purge = "SELECT count(*) FROM storage.swiftlet_purge"
            #expect(try BlockingConnection.connect(to: url).query(purge).first?[0] == "1")
        }
    }

    @Test(arguments: [#"{"should_soft_delete":true}"#, "{}", nil])
    func `an administrator, and SQL, leave nothing but files, which others may need`(body: String?) async throws {
        try await served { ada, base async throws in
            if let body {
                let deletion = HTTPRequest(
                    "DELETE",
                    "\(base)/admin/users/\(ada.id)",
                    body: Array(body.utf8),
                    headers: [("Authorization", "Bearer \(Self.service)"), ("Content-Type", "application/json")]
                )
                #expect(try await send(deletion).status == 200)
            } else {
                try BlockingConnection.connect(to: url).execute("DELETE FROM auth.users WHERE id = '\(ada.id)'")
            }
            #expect(try held() == (Self.left + ["object ada", "upload ada"]).sorted())
        }
    }

    private static let left = [
        "answer bob", "code bob", "copy bob", "failure bob", "job bob", "object bob", "upload bob",
    ]
    private static let service = "service-key-of-these-tests"

    /// A server with everything of two accounts, of which one can sign in.
    private func served(_ body: ((id: String, token: String), _ base: String) async throws -> Void) async throws {
        let (process, port) = try await SwiftletProcess.serveReady(
            in: folder,
            [
                "DATABASE_URL": url, "HOST": "127.0.0.1", "JWT_SECRET": TestApplication.secret,
                "STORAGE_PATH": "\(folder)/files", "SUPABASE_SERVICE_ROLE_KEY": Self.service,
            ]
        )
        let base = "http://127.0.0.1:\(port)/auth/v1"
        let fields = #"{"email":"ada@example.org","password":"correct horse battery"}"#
        let answer = try await send(.post("\(base)/signup", Array(fields.utf8)))
        let session = try JSONParser.parse(answer.body)
        let token = session["access_token"]?.string ?? ""
        let id = session["user"]?["id"]?.string ?? ""
        #expect(!id.isEmpty, "\(answer.status)")
        let bob = "11111111-1111-4111-8111-111111111111"
        try BlockingConnection.connect(to: url).execute(
            """
            INSERT INTO storage.buckets (id, name) VALUES ('b', 'b');
            INSERT INTO auth.users (id, email) VALUES ('\(bob)', 'bob@example.org');
            \(Self.fill("ada", id)) \(Self.fill("bob", bob))
            """
        )
        #expect(try held().count == 14)
        try await body((id, token), base)
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }
}
