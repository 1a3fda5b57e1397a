public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Uploads that go on while the app sleeps, and are known again when it is started anew.
///
/// Each is begun here, by TUS 1.0.0 with a token for this one file, and sent by the system as one request. What is under
/// way is in the client's ``TokenStore``. When a request of the system has ended, the server is asked how far it is, and
/// what is missing is sent.
///
///     let session = BackgroundSession(identifier: "com.example.uploads")
///     let uploads = BackgroundUploads(client, transfers: session)
///     session.connect(uploads) { outcome in … }
///     for outcome in try await uploads.resume() { … }
///     try await uploads.begin("ada/film.mov", in: "avatars", file: film)
public actor BackgroundUploads {
    private let client: APIClient
    private let transfers: any BackgroundTransfers
    private let remainders: UploadRemainders
    /// As the store has them, or will; nil until it was read.
    private var uploads: [BackgroundUpload]?
    private var isChanged = false
    private var isWriting = false
    /// Those of which somebody asks the server or hands a part to the system, and who waits for that.
    private var busy: Set<String> = []
    private var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]

    private static let name = "background-uploads"
    private static let mostFailures = 10

    /// Remainders of files lie in the folder while they are sent.
    public init(_ client: APIClient, transfers: any BackgroundTransfers, folder: URL? = nil) {
        self.client = client
        self.transfers = transfers
        remainders = UploadRemainders(folder: folder ?? FileManager.default.temporaryDirectory)
    }

    /// Those that have not ended.
    public func pending() async throws -> [BackgroundUpload] {
        if let uploads { return uploads }
        let data = try await client.tokens.read(Self.name)
        let stored = data.flatMap { try? JSONDecoder().decode([BackgroundUpload].self, from: $0) } ?? []
        // Another call may have been faster.
        let known = uploads ?? stored
        uploads = known
        return known
    }

    /// Asks the server, and hands the file to the system. The file must lie where the app can read it after a restart.
    @discardableResult
    public func begin(
        _ path: String,
        in bucket: String,
        file: URL,
        options: FileOptions = FileOptions()
    ) async throws -> BackgroundUpload {
        let size = try BackgroundUpload.size(of: file)
        let files = StorageClient(client).from(bucket)
        let token = try await files.createSignedUploadURL(path: path, upsert: options.upsert).token
        var endpoint = Self.endpoint(.post, "", token)
        // One whose answer is lost is begun again; the server removes the first when it expires.
        endpoint.repetition = .safe
        endpoint.headers["Upload-Length"] = "\(size)"
        endpoint.headers["Upload-Metadata"] = try options.resumableMetadata(bucket: bucket, path: path)
        let answer = try await client.answer(endpoint)
        _ = try answer.checked()
        guard let id = answer.header("Location")?.split(separator: "/").last else {
            throw APIError.decoding("the server names no upload")
        }
        let upload = BackgroundUpload(
            id: String(id),
            bucket: bucket,
            path: path,
            file: file,
            size: size,
            isUpsert: options.upsert,
            token: token,
            offset: 0,
            failures: 0
        )
        await enter(upload.id)
        defer { leave(upload.id) }
        try await write(upload)
        try await send(upload)
        return upload
    }

    /// Goes on with what the system has given up, as when the person has ended the app. To be called when it starts.
    public func resume() async throws -> [BackgroundUpload.Outcome] {
        var outcomes: [BackgroundUpload.Outcome] = []
        for upload in try await pending() {
            if let outcome = try await goOn(upload.id, after: nil) { outcomes.append(outcome) }
        }
        return outcomes
    }

    /// To be called when a request of the system has ended; without an answer `status` is nil. Returns nil while the
    /// upload goes on, and for one that is not ours.
    public func ended(_ id: String, status: Int?) async throws -> BackgroundUpload.Outcome? {
        try await goOn(id, after: status)
    }

    /// `status` is that of the request that has ended. Whether the file is there whole only the server knows: it takes
    /// the bytes of a file that has become shorter, and waits for the others.
    private func goOn(_ id: String, after status: Int?) async throws -> BackgroundUpload.Outcome? {
        // Two would send the same part.
        await enter(id)
        defer { leave(id) }
        // What is told late is that of an earlier request.
        guard await !transfers.running().contains(id),
            var upload = try await pending().first(where: { $0.id == id })
        else { return nil }
        var answer: Wire.Response
        do {
            answer = try await client.answer(Self.endpoint(.head, upload.id, upload.token))
            if [400, 401, 403].contains(answer.status) {
                // The token has ended; whoever is signed in may have another.
                let files = StorageClient(client).from(upload.bucket)
                upload.token = try await files.createSignedUploadURL(path: upload.path, upsert: upload.isUpsert).token
                answer = try await client.answer(Self.endpoint(.head, upload.id, upload.token))
            }
        } catch let error as APIError {
            switch error {
            // The next start of the app tries again.
            case .network, .server, .rateLimited, .sessionUnreadable: return nil
            default: return try await end(upload, error, after: status)
            }
        }
        switch answer.status {
        case 200..<300: break
        case 429, 500...: return nil
        case 404, 410: return try await end(upload, BackgroundUpload.refusal(status) ?? .notFound, after: status)
        default: return try await end(upload, BackgroundUpload.refusal(answer.status) ?? .notFound, after: status)
        }
        let offset = answer.header("Upload-Offset").flatMap { Int64($0) } ?? 0
        guard offset < upload.size else {
            try await forget(upload)
            return .finished(upload)
        }
        if let size = try? BackgroundUpload.size(of: upload.file), size != upload.size {
            return try await fail(upload, .invalidRequest("the file has changed: it has \(size) bytes"))
        }
        upload.failures = offset > upload.offset ? 0 : upload.failures + 1
        upload.offset = offset
        guard upload.failures <= Self.mostFailures else {
            return try await fail(upload, .network(URLError(.networkConnectionLost)))
        }
        try await write(upload)
        do {
            try await send(upload)
        } catch {
            return try await fail(upload, .invalidRequest("the file cannot be read: \(error)"))
        }
        return nil
    }

    /// When the server says nothing of it any more, as the token or the upload has expired: what a request has brought
    /// to the end stays finished.
    private func end(
        _ upload: BackgroundUpload,
        _ error: APIError,
        after status: Int?
    ) async throws -> BackgroundUpload.Outcome {
        guard let status, (200..<300).contains(status),
            (try? BackgroundUpload.size(of: upload.file)) == upload.size
        else { return try await fail(upload, error) }
        try await forget(upload)
        return .finished(upload)
    }

    private func fail(_ upload: BackgroundUpload, _ error: APIError) async throws -> BackgroundUpload.Outcome {
        try await forget(upload)
        return .failed(upload, error)
    }

    private func send(_ upload: BackgroundUpload) async throws {
        var endpoint = Self.endpoint(.patch, upload.id, upload.token)
        endpoint.headers["Upload-Offset"] = "\(upload.offset)"
        endpoint.headers["Content-Type"] = "application/offset+octet-stream"
        endpoint.headers["apikey"] = client.configuration.apiKey
        var request = URLRequest(url: try client.configuration.url(of: endpoint))
        request.httpMethod = endpoint.method.rawValue
        for (name, value) in endpoint.headers { request.setValue(value, forHTTPHeaderField: name) }
        try await transfers.start(
            request,
            from: upload.offset == 0 ? upload.file : remainders.make(upload),
            as: upload.id
        )
    }

    // MARK: One after another

    private func enter(_ id: String) async {
        while busy.contains(id) { await withCheckedContinuation { waiting[id, default: []].append($0) } }
        busy.insert(id)
    }

    private func leave(_ id: String) {
        busy.remove(id)
        for continuation in waiting.removeValue(forKey: id) ?? [] { continuation.resume() }
    }

    // MARK: What is kept

    private func write(_ upload: BackgroundUpload) async throws {
        _ = try await pending()
        if let index = uploads?.firstIndex(where: { $0.id == upload.id }) {
            uploads?[index] = upload
        } else {
            uploads?.append(upload)
        }
        try await save()
    }

    private func forget(_ upload: BackgroundUpload) async throws {
        remainders.remove(upload.id)
        _ = try await pending()
        uploads?.removeAll { $0.id == upload.id }
        try await save()
    }

    /// One after another, so that what is newer is written last.
    private func save() async throws {
        isChanged = true
        guard !isWriting else { return }
        isWriting = true
        defer { isWriting = false }
        while isChanged {
            isChanged = false
            let uploads = uploads ?? []
            try await client.tokens.write(uploads.isEmpty ? nil : JSONEncoder().encode(uploads), as: Self.name)
        }
    }

    private static func endpoint(_ method: APIEndpoint.Method, _ id: String, _ token: String) -> APIEndpoint {
        let path = "/storage/v1/upload/resumable/sign" + (id.isEmpty ? "" : "/\(id)")
        var endpoint = APIEndpoint(method, path, requiresAuth: false)
        endpoint.headers["Tus-Resumable"] = "1.0.0"
        endpoint.headers["x-signature"] = token
        return endpoint
    }
}
