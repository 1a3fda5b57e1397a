import SwiftletAuth
import Foundation
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

/// The official Python clients against `swiftlet serve`. What they do is in `Tests/Python/rest_stories.py`, and below.
@Suite(
    .enabled(
        if: Python.hasPackages && TestDatabase.url != nil,
        "NO PYTHON CLIENT: .ci/setup test could not install postgrest, or there is no PostgreSQL"
    ),
    .hangLimit
)
struct OfficialRestClientTests {
    @Test func `reads, filters, changes, calls, and keeps to row policies`() async throws {
        let folder = try SwiftletProcess.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let url = try TestDatabase.create()
        let fixture = "\(Python.scripts)/../Services/RestTests/studio.sql"
        try BlockingConnection.connect(to: url).execute(String(contentsOfFile: fixture, encoding: .utf8))
        let (process, port) = try await SwiftletProcess.serveReady(
            in: folder,
            ["DATABASE_URL": url, "HOST": "127.0.0.1", "JWT_SECRET": TestApplication.secret]
        )
        let ada = #""sub":"11111111-1111-4111-8111-111111111111","#
        let bob = #""sub":"22222222-2222-4222-8222-222222222222","#
        let settings: JSONValue = [
            "url": .string("http://127.0.0.1:\(port)/rest/v1"), "anon": .string(try token("anon")),
            "service": .string(try token("service_role")), "ada": .string(try token("authenticated", ada)),
            "bob": .string(try token("authenticated", bob)),
        ]
        let output = try await Python.run("rest_stories.py", [settings.description], in: folder)
        #expect(output.contains { $0.hasPrefix("ok ") })
        for line in output where !line.hasPrefix("ok ") { Issue.record("\(line)") }
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    /// See `Tests/Python/app_stories.py`.
    @Test func `serves the device log app and the gallery as their clients call them`() async throws {
        let folder = try SwiftletProcess.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let url = try TestDatabase.create()
        try BlockingConnection.connect(to: url).execute("SELECT gallery.allow_anonymous(true)")
        let (process, port) = try await SwiftletProcess.serveReady(
            in: folder,
            [
                "DATABASE_URL": url, "HOST": "127.0.0.1", "JWT_SECRET": TestApplication.secret,
                "REST_SCHEMAS": "gallery,public",
            ]
        )
        let settings: JSONValue = ["url": .string("http://127.0.0.1:\(port)"), "anon": .string(try token("anon"))]
        let output = try await Python.run("app_stories.py", [settings.description], in: folder)
        #expect(output.count { $0.hasPrefix("ok ") } == 3)
        for line in output where !line.hasPrefix("ok ") { Issue.record("\(line)") }
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    private func token(_ role: String, _ subject: String = "") throws -> String {
        let payload = #"{\#(subject)"iss":"supabase","role":"\#(role)","iat":1700000000,"exp":4000000000}"#
        return try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: Array(payload.utf8))
    }
}
