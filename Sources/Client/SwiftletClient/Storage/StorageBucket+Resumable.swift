public import Foundation

extension StorageBucket {
    /// Stores a file of this device in pieces, by TUS 1.0.0. What breaks off goes on where it was: within the call when
    /// the network is back, and with the next call for the same file and path, also after the app was ended.
    ///
    /// The address of what is under way is in the client's ``TokenStore``. Cancelling the task leaves it there.
    @discardableResult
    public func uploadResumable(
        _ path: String,
        file: URL,
        options: FileOptions = FileOptions(),
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> FileUploadResponse {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        let size = (attributes[.size] as? NSNumber)?.int64Value ?? 0
        let changed = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        let user = try await client.keeper.current()?.user.id
        let upload = ResumableUpload(
            bucket: self,
            path: path,
            user: user,
            size: size,
            options: options,
            fingerprint: "\(user ?? "-") \(id)/\(path) \(size) \(changed)"
        )
        try await upload.send(progress: progress) { offset in
            try handle.seek(toOffset: UInt64(offset))
            return try handle.read(upToCount: ResumableUpload.pieceSize) ?? Data()
        }
        return FileUploadResponse(id: nil, path: path, fullPath: "\(id)/\(path)")
    }

    /// Forgets what was under way for this path; the server removes it when it expires.
    static func forget(_ fingerprint: String, in client: APIClient) async throws {
        try await client.tokens.write(nil, as: ResumableUpload.name(of: fingerprint))
    }
}

/// One file on its way.
private struct ResumableUpload {
    let bucket: StorageBucket
    let path: String
    /// Whose file it is: nobody else's session sends a piece of it.
    let user: String?
    let size: Int64
    let options: FileOptions
    /// Of the user, the place and the file: what differs is another upload.
    let fingerprint: String

    /// In bytes. Hosted Supabase takes no other size.
    static let pieceSize = 6 * 1024 * 1024

    private var client: APIClient { bucket.client }

    /// What the store keeps of an upload under way.
    private struct Record: Codable {
        let fingerprint: String
        let identifier: String
    }

    func send(
        progress: (@Sendable (TransferProgress) -> Void)?,
        _ read: (Int64) throws -> Data
    ) async throws {
        let known = try await begun()
        var identifier = if let known { known.identifier } else { try await begin() }
        var offset = known?.offset ?? 0
        var failures = 0
        progress?(TransferProgress(completed: offset, total: size))
        while offset < size {
            do {
                offset = try await append(read(offset), to: identifier, at: offset)
                failures = 0
            } catch let error as APIError {
                failures += 1
                let retry = client.configuration.retry
                guard failures <= 10, let pause = pause(after: error, failures, retry) else { throw error }
                try await retry.sleep(pause)
                if let known = try? await self.offset(of: identifier) {
                    // It is where we are: what it refuses is the file, as one of that name is there meanwhile.
                    if error == .conflict, known == offset { throw error }
                    offset = known
                } else if error == .notFound || error.refusal?.status == 410 {
                    (identifier, offset) = (try await begin(), 0)
                }
            }
            progress?(TransferProgress(completed: offset, total: size))
        }
        try await StorageBucket.forget(fingerprint, in: client)
    }

    /// How long to wait before another attempt; nil where none helps.
    private func pause(after error: APIError, _ failures: Int, _ retry: RetryPolicy) -> TimeInterval? {
        switch error {
        case .network, .server, .rateLimited, .conflict, .notFound:
            return min(30, 0.25 * Double(1 << min(failures, 7)))
        case .refused(let refusal) where [410, 423].contains(refusal.status):
            return min(30, 0.25 * Double(1 << min(failures, 7)))
        default: return nil
        }
    }

    /// What an earlier call has begun and the server still has.
    private func begun() async throws -> (identifier: String, offset: Int64)? {
        guard let data = try await client.tokens.read(Self.name(of: fingerprint)),
            let record = try? JSONDecoder().decode(Record.self, from: data), record.fingerprint == fingerprint,
            let offset = try await offset(of: record.identifier)
        else { return nil }
        return (record.identifier, offset)
    }

    private func begin() async throws -> String {
        var endpoint = try await endpoint(.post, "upload/resumable")
        // One whose answer is lost is begun again; the server removes the first when it expires.
        endpoint.repetition = .safe
        endpoint.headers["Upload-Length"] = "\(size)"
        endpoint.headers["Upload-Metadata"] = try options.resumableMetadata(bucket: bucket.id, path: path)
        let answer = try await client.answer(endpoint)
        _ = try answer.checked()
        guard let location = answer.header("Location"), let last = location.split(separator: "/").last else {
            throw APIError.decoding("the server names no upload")
        }
        let record = Record(fingerprint: fingerprint, identifier: String(last))
        try await client.tokens.write(JSONEncoder().encode(record), as: Self.name(of: fingerprint))
        return record.identifier
    }

    /// nil for one that the server no longer has.
    private func offset(of identifier: String) async throws -> Int64? {
        let answer = try await client.answer(try await endpoint(.head, "upload/resumable/\(identifier)"))
        guard (200..<300).contains(answer.status) else {
            if [403, 404, 410].contains(answer.status) { return nil }
            _ = try answer.checked()
            return nil
        }
        return answer.header("Upload-Offset").flatMap { Int64($0) }
    }

    private func append(_ piece: Data, to identifier: String, at offset: Int64) async throws -> Int64 {
        // The file has become shorter.
        guard !piece.isEmpty else { throw APIError.invalidRequest("the file has changed while it was sent") }
        var endpoint = try await endpoint(.patch, "upload/resumable/\(identifier)")
        endpoint.headers["Upload-Offset"] = "\(offset)"
        endpoint.body = .data(piece, contentType: "application/offset+octet-stream")
        let answer = try await client.answer(endpoint)
        _ = try answer.checked()
        return answer.header("Upload-Offset").flatMap { Int64($0) } ?? offset + Int64(piece.count)
    }

    private func endpoint(_ method: APIEndpoint.Method, _ path: String) async throws -> APIEndpoint {
        guard try await client.keeper.current()?.user.id == user else { throw APIError.unauthorized }
        var endpoint = try await client.storage(method, path)
        endpoint.headers["Tus-Resumable"] = "1.0.0"
        endpoint.headers["x-upsert"] = options.upsert ? "true" : "false"
        return endpoint
    }

    /// Stores take short names: this one is a checksum (FNV-1a), and the record itself says whose it is.
    static func name(of fingerprint: String) -> String {
        var sum: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in fingerprint.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return "upload-" + String(sum, radix: 16)
    }
}
