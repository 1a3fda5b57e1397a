import Foundation
import SwiftletHTTP
import SwiftletStorage
import SwiftletTesting
import SwiftletWeb

@testable import SwiftletFiles

/// A resumable upload, as a client of TUS sees it.
struct Upload {
    let files: FilesServer
    /// Below `/storage/v1`.
    let path: String
    /// What its creation was answered with.
    let made: Response
    var subject: String?
    var signature: String?

    /// nil if there is no such upload.
    func offset() async throws -> Int? {
        let response = try await send(.head, "", ["Tus-Resumable": "1.0.0"])
        guard response.status == .ok else { return nil }
        return response.headers["Upload-Offset"].flatMap { Int($0) }
    }

    /// The status and the offset that it says: `204 11`.
    func patch(_ content: String, at offset: Int) async throws -> String {
        let response = try await send(
            .patch,
            content,
            [
                "Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream",
                "Upload-Offset": "\(offset)",
            ]
        )
        return "\(response.status.rawValue) \(response.headers["Upload-Offset"] ?? "")"
    }

    /// The status.
    func end() async throws -> Int {
        try await send(.delete, "", ["Tus-Resumable": "1.0.0"]).status.rawValue
    }

    private func send(
        _ method: SwiftletHTTP.Method,
        _ body: String,
        _ headers: KeyValuePairs<Headers.Name, String>
    ) async throws -> Response {
        try await files.send(method, path, body, as: subject, signature: signature, headers)
    }
}

extension FilesServer {
    /// Creates an upload, with content if there is some.
    func begin(
        _ bucket: String,
        _ name: String,
        length: Int,
        content: String = "",
        isUpsert: Bool = false,
        cacheControl: String = "60",
        as subject: String? = nil,
        signature: String? = nil
    ) async throws -> Upload {
        let metadata = [
            ("bucketName", bucket), ("objectName", name), ("contentType", "text/plain"), ("cacheControl", cacheControl),
            ("metadata", #"{"k":1}"#),
        ].map { "\($0) \(Data($1.utf8).base64EncodedString())" }.joined(separator: ",")
        let endpoint = signature == nil ? "upload/resumable" : "upload/resumable/sign"
        let made = try await send(
            .post,
            endpoint,
            content,
            as: subject,
            signature: signature,
            [
                "Tus-Resumable": "1.0.0", "Upload-Length": "\(length)", "Upload-Metadata": metadata,
                "x-upsert": isUpsert ? "true" : "false",
                "Content-Type": content.isEmpty ? "" : "application/offset+octet-stream",
            ]
        )
        let base = URL(string: "http://x/\(endpoint)")
        let location = made.headers[.location].flatMap { URL(string: $0, relativeTo: base)?.path.dropFirst() } ?? ""
        return Upload(files: self, path: String(location), made: made, subject: subject, signature: signature)
    }

    /// As a user, with the service key, or with nothing but a link's token.
    fileprivate func send(
        _ method: SwiftletHTTP.Method,
        _ path: String,
        _ body: String,
        as subject: String?,
        signature: String?,
        _ headers: KeyValuePairs<Headers.Name, String>
    ) async throws -> Response {
        guard let signature else { return try await send(method, path, body, as: subject, headers) }
        return try await application.send(
            method,
            "/storage/v1/\(path)",
            Array(body.utf8),
            headers: headers.map { ($0.key, $0.value) } + [("x-signature", signature)]
        )
    }

    var storage: ObjectStorage { ObjectStorage(LocalFolder(path: folder)) }

    /// As jobs have it.
    var context: Context {
        application.application.backgroundContext(BackgroundWork(name: "purge", requestID: "-"))
    }

    /// Returns how many files it has removed.
    func purge(after age: Duration = .zero) async throws -> Int {
        try await FilePurge(storage: storage, after: age).run(context)
    }
}
