import SwiftletEssentials
import SwiftletHTTP
import SwiftletPostgres
import SwiftletStorage
import SwiftletWeb

/// Uploads that come in several requests, by TUS 1.0.0. Whoever has made one goes on with it, asks how far it is, or
/// ends it. Its object is made with its last byte, under the policies as they are then.
struct ResumableAction {
    let call: FilesCall
    let files: FileStore
    let settings: FilesSettings
    /// The link that stands in for the caller's own rights.
    var link: FileLink?

    static let contentType = "application/offset+octet-stream"
    private static let lifeSeconds = 24 * 3600

    /// Asks the policies, and notes the upload. It may bring content.
    func create() async throws -> (upload: ResumableUpload, offset: Int) {
        let metadata = try UploadMetadata(call.request.combinedHeader("Upload-Metadata") ?? "")
        let (bucket, name) = (try metadata.required("bucketName"), try call.name(metadata.required("objectName")))
        guard let length = try call.request.count("Upload-Length") else {
            throw FilesError.badRequest("Upload-Length is missing")
        }
        try expectLink(to: bucket, name.text)
        let upload = ResumableUpload(
            id: UUID().uuidString.lowercased(),
            version: .unique(),
            bucket: bucket,
            name: name.text,
            length: length,
            metadata: metadata.text,
            isUpsert: link?.isUpsert ?? (call.request.header("x-upsert") == "true"),
            party: party,
            expires: call.now + Self.lifeSeconds
        )
        let content = try PartialContent(files, upload.version, length: length)
        try await admit(upload)
        let limits = (settings.mostOpenUploads, settings.maximumOpenBytes)
        let results = try await call.run(own: [upload.turn, upload.insertion(most: limits.0, maximumBytes: limits.1)])
        guard results.last?.isEmpty == false else { throw FilesError.tooManyUploads }
        var offset = 0
        if call.request.header(.contentType) == Self.contentType {
            offset = try await append(to: upload, content, at: 0)
        }
        if offset == length { try await finish(upload, content) }
        return (upload, offset)
    }

    /// How far it is. A client that is told of the end comes never again, so what a failure has kept from being
    /// finished is finished here.
    func inspect(_ id: String) async throws -> (upload: ResumableUpload, offset: Int) {
        let upload = try await find(id)
        if upload.state == .finished { return (upload, upload.length) }
        let content = try PartialContent(files, upload.version, length: upload.length)
        let offset = try await content.offset()
        if offset == upload.length { try await finish(upload, content) }
        return (upload, offset)
    }

    /// Goes on with it.
    func patch(_ id: String) async throws -> (upload: ResumableUpload, offset: Int) {
        guard call.request.header(.contentType) == Self.contentType else {
            throw FilesError.forbidden("Content-Type must be \(Self.contentType)")
        }
        guard let stated = try call.request.count("Upload-Offset") else {
            throw FilesError.forbidden("Upload-Offset is missing")
        }
        let upload = try await find(id)
        if upload.state == .finished {
            guard stated == upload.length else { throw FilesError.wrongOffset }
            return (upload, stated)
        }
        let content = try PartialContent(files, upload.version, length: upload.length)
        guard try await content.offset() == stated else { throw FilesError.wrongOffset }
        let offset = try await append(to: upload, content, at: stated)
        if offset == upload.length { try await finish(upload, content) }
        return (upload, offset)
    }

    /// Ends it. What is finished is an object, and stays.
    func terminate(_ id: String) async throws {
        let upload = try await find(id)
        guard upload.state == .open, try await end(upload) else {
            throw FilesError.badRequest("the upload is finished")
        }
    }

    private func append(to upload: ResumableUpload, _ content: PartialContent, at offset: Int) async throws -> Int {
        if let length = call.request.contentLength, length > upload.length - offset { throw FilesError.tooLarge }
        return try await content.append(call.request.bodyChunks, at: offset)
    }

    // MARK: - Whose it is

    private var party: ResumableUpload.Party {
        if let link { return .init(role: "", id: link.owner) }
        return .init(role: call.caller.role, id: call.ownerID)
    }

    /// Throws ``FilesError`` unless it is the caller's, and can go on.
    private func find(_ text: String) async throws -> ResumableUpload {
        guard let id = UUID(uuidString: text)?.uuidString.lowercased(),
            let row = try await call.run(own: [ResumableUpload.find(id)], isReadOnly: true)[0].first
        else { throw FilesError.noUpload }
        let upload = try ResumableUpload(row)
        guard upload.party == party, upload.state != .ended else { throw FilesError.noUpload }
        try expectLink(to: upload.bucket, upload.name)
        guard call.now < upload.expires else { throw FilesError.expiredUpload }
        return upload
    }

    private func expectLink(to bucket: String, _ name: String) throws(FilesError) {
        guard let link else { return }
        guard link.url == "\(bucket)/\(name)" else { throw .badSignature("Invalid signature") }
    }

    // MARK: - The object

    private func writer(_ upload: ResumableUpload) throws -> (ObjectWriter, NewObject) {
        let name = try call.name(upload.name)
        var writer = ObjectWriter(call: call, bucket: upload.bucket, name: name, isUpsert: upload.isUpsert)
        if let link { writer.authority = .link(owner: link.owner) }
        return (writer, try UploadMetadata(upload.metadata).object(upload.bucket, name))
    }

    private func admit(_ upload: ResumableUpload) async throws {
        let (writer, object) = try writer(upload)
        let bucket = try await writer.admit(object, length: upload.length, isTried: true)
        _ = try writer.check(object, bucket, length: upload.length, atMost: settings.maximumResumableBytes)
    }

    /// Makes the object, once, whoever else finishes it too. What is refused is ended; what fails otherwise can be
    /// tried again.
    private func finish(_ upload: ResumableUpload, _ content: PartialContent) async throws {
        do {
            try await admit(upload)
            let (writer, object) = try writer(upload)
            _ = try await writer.insert(object, content.store(), after: [upload.finish])
            await content.tidy()
        } catch {
            if (error as? PostgresError)?.state == .noDataFound {
                guard try await find(upload.id).state == .finished else { throw FilesError.noUpload }
                return
            }
            if Self.isRefusal(error) { _ = try? await end(upload) }
            throw error
        }
    }

    private static func isRefusal(_ error: any Error) -> Bool {
        if error is FilesError { return true }
        guard let error = error as? PostgresError, error.kind == .server else { return false }
        return error.state == .insufficientPrivilege || ["22", "23", "P0"].contains(error.state.errorClass)
    }

    /// Whether it was open. What is left of it by a failure, the purge removes.
    private func end(_ upload: ResumableUpload) async throws -> Bool {
        guard try await !call.run(own: [upload.end])[0].isEmpty else { return false }
        try await PartialContent(files, upload.version, length: upload.length).remove()
        _ = try await call.run(own: [upload.deletion])
        return true
    }
}

extension FilesError {
    static let noUpload = FilesError(404, "NoSuchUpload", "not_found", "The file for this url was not found")
    static let tooManyUploads = FilesError(429, "SlowDown", "SlowDown", "Too many uploads are open", status: 429)
    static let expiredUpload = FilesError(410, "NoSuchUpload", "Gone", "The file for this url no longer exists")
}

extension Request {
    /// nil without such a header. Throws ``FilesError`` unless it is a number of bytes.
    fileprivate func count(_ header: Headers.Name) throws(FilesError) -> Int? {
        guard let text = self.header(header) else { return nil }
        guard let count = Int(text), count >= 0, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }) else {
            throw .badRequest("\(header.text) is no number of bytes")
        }
        return count
    }
}
