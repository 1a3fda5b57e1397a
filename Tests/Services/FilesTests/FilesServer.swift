import SwiftletAuth
import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletStorage
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletFiles

/// `/storage/v1` with three buckets: `own`, where users have a folder each; `pictures`, which everybody reads and users
/// fill; `small`, with limits, where users may only insert.
struct FilesServer {
    let application: TestApplication

    static let ada = "11111111-1111-4111-8111-111111111111"
    static let bob = "22222222-2222-4222-8222-222222222222"

    static func with(
        sql: String = "",
        maximumBytes: Int = 1 << 20,
        place: Place? = nil,
        store: (any ObjectStore)? = nil,
        tracer: Tracer? = nil,
        _ change: (inout FilesSettings) -> Void = { _ in },
        _ body: (FilesServer) async throws -> Void
    ) async throws {
        var settings = FilesSettings()
        settings.linkSecrets = { [Secret(TestApplication.secret)] }
        change(&settings)
        let chosen = settings
        let folder = place?.folder ?? Self.newFolder
        let storage = ObjectStorage(store ?? LocalFolder(path: folder), maximumBytes: maximumBytes)
        defer { if place == nil { try? FileManager.default.removeItem(atPath: folder) } }
        let application = try await TestApplication.start(
            sql: place == nil ? Self.buckets + sql : "",
            databaseURL: place?.url,
            storage: storage,
            configure: { $0.tracer = tracer }
        ) { parts in
            let authentication = Authentication(verifier: parts.verifier)
            return [FilesAPI(authentication: authentication, storage: storage, settings: chosen).function]
        }
        do {
            try await body(FilesServer(application: application, folder: folder))
        } catch {
            await application.stop()
            throw error
        }
        await application.stop()
    }

    let folder: String

    /// A database and a folder that outlive a server.
    struct Place: Codable, Sendable {
        let url: String
        let folder: String

        /// With the buckets, and what `sql` adds.
        static func make(sql: String = "") throws -> Place {
            let url = try TestDatabase.create()
            try BlockingConnection.connect(to: url).execute(FilesServer.buckets + sql)
            return Place(url: url, folder: FilesServer.newFolder)
        }

        func execute(_ sql: String) throws { try BlockingConnection.connect(to: url).execute(sql) }

        func remove() { try? FileManager.default.removeItem(atPath: folder) }
    }

    private static var newFolder: String {
        "\(FileManager.default.temporaryDirectory.path)/swiftlet-objects-\(UUID().uuidString)"
    }

    private init(application: TestApplication, folder: String) {
        self.application = application
        self.folder = folder
    }

    /// The files of the store, those that are not finished too.
    var files: [String] {
        FileManager.default.enumerator(atPath: folder)?.compactMap { path in
            guard let path = path as? String else { return nil }
            var isFolder: ObjCBool = false
            _ = unsafe FileManager.default.fileExists(atPath: "\(folder)/\(path)", isDirectory: &isFolder)
            return isFolder.boolValue ? nil : path
        } ?? []
    }

    /// A token of a signed-in user, or of a role.
    static func token(_ subject: String? = nil, role: String = "authenticated") throws -> String {
        let sub = subject.map { #""sub":"\#($0)","# } ?? ""
        return try token(payload: #"{\#(sub)"role":"\#(role)","iat":1700000000,"exp":4000000000}"#)
    }

    static func token(payload: String, secret: String = TestApplication.secret) throws -> String {
        try TokenIssuer(secret: Secret(secret)).issue(payload: Array(payload.utf8))
    }

    /// As a user, or with the service key.
    func send(
        _ method: SwiftletHTTP.Method,
        _ path: String,
        _ body: String = "",
        as subject: String? = nil,
        _ headers: KeyValuePairs<Headers.Name, String> = [:]
    ) async throws -> Response {
        let token = try subject.map { try Self.token($0) } ?? Self.token(role: "service_role")
        return try await application.send(
            method,
            "/storage/v1/\(path)",
            token: token,
            Array(body.utf8),
            headers: headers.map { ($0.key, $0.value) }
        )
    }

    /// Without a token.
    func sendAnonymously(
        _ method: SwiftletHTTP.Method,
        _ path: String,
        _ body: String = "",
        _ headers: KeyValuePairs<Headers.Name, String> = [:]
    ) async throws -> Response {
        try await application.send(
            method,
            "/storage/v1/\(path)",
            Array(body.utf8),
            headers: headers.map { ($0.key, $0.value) }
        )
    }

    /// The JSON of a request that must succeed.
    func json(
        _ method: SwiftletHTTP.Method,
        _ path: String,
        _ body: String = "",
        as subject: String? = nil,
        _ headers: KeyValuePairs<Headers.Name, String> = [:]
    ) async throws -> JSONValue {
        let response = try await send(method, path, body, as: subject, headers)
        #expect(response.status == .ok, "\(method) \(path): \(response.text)")
        return try JSONParser.parse(response.body)
    }

    /// `404 Object not found` of a body that clients read.
    static func fault(_ response: Response) throws -> String {
        let body = try JSONParser.parse(response.body)
        _ = try #require(body["error"]?.string)
        return "\(try #require(body["statusCode"]?.string)) \(try #require(body["message"]?.string))"
    }

    private static let buckets = """
        INSERT INTO storage.buckets (id, name, public, file_size_limit, allowed_mime_types) VALUES
            ('own', 'own', false, NULL, NULL), ('pictures', 'pictures', true, NULL, NULL),
            ('small', 'small', false, 10, '{text/plain,image/*}');
        CREATE POLICY own ON storage.objects TO authenticated
            USING (bucket_id = 'own' AND (storage.foldername(name))[1] = auth.uid()::text);
        CREATE POLICY pictures ON storage.objects FOR INSERT TO authenticated WITH CHECK (bucket_id = 'pictures');
        CREATE POLICY small ON storage.objects FOR INSERT TO authenticated WITH CHECK (bucket_id = 'small');

        """
}
