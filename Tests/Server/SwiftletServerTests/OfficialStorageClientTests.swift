import SwiftletAuth
import Foundation
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

/// The official Python client of Supabase Storage against `swiftlet serve`, as anonymous, two users, and with the service
/// key. What it does is in `Tests/Python/storage_stories.py`.
@Suite(
    .enabled(
        if: Python.hasPackages && TestDatabase.url != nil,
        "NO PYTHON CLIENT: .ci/setup test could not install storage3, or there is no PostgreSQL"
    ),
    .hangLimit
)
struct OfficialStorageClientTests {
    private static let ada = "11111111-1111-4111-8111-111111111111"
    private static let bob = "22222222-2222-4222-8222-222222222222"

    @Test func `keeps buckets, objects, lists, links and images for its callers`() async throws {
        let folder = try SwiftletProcess.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let url = try TestDatabase.create()
        try BlockingConnection.connect(to: url).execute(Self.policies)
        let (process, port) = try await SwiftletProcess.serveReady(
            in: folder,
            [
                "DATABASE_URL": url, "HOST": "127.0.0.1", "JWT_SECRET": TestApplication.secret,
                "STORAGE_PATH": "\(folder)/files",
            ]
        )
        let settings: JSONValue = [
            "url": .string("http://127.0.0.1:\(port)/storage/v1"), "anon": .string(try token("anon")),
            "service": .string(try token("service_role")), "ada": .string(try token("authenticated", Self.ada)),
            "bob": .string(try token("authenticated", Self.bob)), "ada_id": .string(Self.ada),
        ]
        let output = try await Python.run("storage_stories.py", [settings.description], in: folder)
        #expect(output.count { $0.hasPrefix("ok ") } == 5)
        for line in output where !line.hasPrefix("ok ") { Issue.record("\(line)") }
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    /// Users have a folder each in `own`, and all of them fill `pictures`.
    private static let policies = """
        INSERT INTO storage.buckets (id, name, public) VALUES ('own', 'own', false), ('pictures', 'pictures', true);
        CREATE POLICY own ON storage.objects TO authenticated
            USING (bucket_id = 'own' AND (storage.foldername(name))[1] = auth.uid()::text);
        CREATE POLICY pictures ON storage.objects FOR INSERT TO authenticated WITH CHECK (bucket_id = 'pictures')
        """

    private func token(_ role: String, _ subject: String? = nil) throws -> String {
        let sub = subject.map { #""sub":"\#($0)","# } ?? ""
        let payload = #"{\#(sub)"iss":"supabase","role":"\#(role)","iat":1700000000,"exp":4000000000}"#
        return try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: Array(payload.utf8))
    }
}
