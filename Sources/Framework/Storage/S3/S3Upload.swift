import SwiftletHTTP
import SwiftletOutbound
import Synchronization

/// An object on its way into a bucket.
///
/// S3 wants to know a body's length beforehand, while a client's chunks say none. They are gathered into parts: a
/// multipart upload needs no disk, holds one part in memory, and shows the object only when it is complete. What fits
/// into one part goes with a single PUT.
final class S3Upload: ObjectUpload {
    private struct State {
        var part: [UInt8] = []
        /// Of the multipart upload, once there is one.
        var uploadID: String?
        /// Those of the parts, in order.
        var tags: [String] = []
    }

    private let client: S3Client
    private let key: ObjectKey
    private let contentType: MediaType
    /// One call at a time uses it; the lock is for the compiler.
    private let state = Mutex(State())

    /// Of the part with this number, from 1. S3 takes 10,000 parts of 5 MiB at least: parts that grow hold little
    /// memory for what is small, and make room for 2.6 TiB.
    static func partBytes(_ number: Int) -> Int {
        switch number {
        case ...1000: 5 << 20
        case ...5000: 50 << 20
        default: 500 << 20
        }
    }

    init(_ client: S3Client, _ key: ObjectKey, _ contentType: MediaType) {
        self.client = client
        self.key = key
        self.contentType = contentType
    }

    func append(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let isFull = state.withLock { state in
                let size = Self.partBytes(state.tags.count + 1)
                let taken = rest.prefix(size - state.part.count)
                state.part += taken
                rest = rest.dropFirst(taken.count)
                return state.part.count == size
            }
            // A full part waits for the next byte: perhaps it is the whole object.
            if isFull, !rest.isEmpty { try await sendPart() }
        }
    }

    func commit() async throws {
        guard state.withLock({ $0.uploadID }) != nil else {
            let body = state.withLock { $0.part }
            _ = try await client.send("PUT", key, body, headers: [("Content-Type", "\(contentType)")])
            return
        }
        try await sendPart()
        let (uploadID, tags) = state.withLock { ($0.uploadID ?? "", $0.tags) }
        let parts = tags.enumerated().map { "<Part><PartNumber>\($0 + 1)</PartNumber><ETag>\($1)</ETag></Part>" }
        let body = Array("<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>".utf8)
        let type = [("Content-Type", "application/xml")]
        let query = Self.query(uploadID)
        let answer = try await client.send("POST", key, query: query, body, headers: type, mayRepeat: false)
        // The status is sent before the parts are joined, so a failure may follow it.
        guard answer.element("Code") == nil else {
            throw StorageError.unavailable("the S3 server cannot join the parts")
        }
        state.withLock { $0.uploadID = nil }
    }

    /// An upload that was never begun has left nothing; one that cannot be aborted stays invisible.
    func abandon() async {
        guard let uploadID = state.withLock({ $0.uploadID }) else { return }
        _ = try? await client.send("DELETE", key, query: Self.query(uploadID), expecting: [404])
    }

    private func sendPart() async throws {
        let uploadID = try await begin()
        let (number, body) = state.withLock { state in
            defer { state.part = [] }
            return (state.tags.count + 1, state.part)
        }
        let query = "?partNumber=\(number)&\(Self.query(uploadID).dropFirst())"
        let answer = try await client.send("PUT", key, query: query, body)
        guard let tag = answer.header("ETag") else { throw StorageError.unavailable("the S3 server says no ETag") }
        state.withLock { $0.tags.append(tag) }
    }

    private func begin() async throws -> String {
        if let uploadID = state.withLock({ $0.uploadID }) { return uploadID }
        // With "=", as the signature needs it.
        let answer = try await client.send(
            "POST",
            key,
            query: "?uploads=",
            headers: [("Content-Type", "\(contentType)")]
        )
        guard let uploadID = answer.element("UploadId") else {
            throw StorageError.unavailable("the S3 server begins no multipart upload")
        }
        state.withLock { $0.uploadID = uploadID }
        return uploadID
    }

    private static func query(_ uploadID: String) -> String { "?uploadId=\(PercentCoding.encode(uploadID))" }
}
