import SwiftletBytes
import SwiftletEssentials
import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// The content of an upload on its way to us, with what its form or its head says of it.
struct UploadBody {
    /// Reads as the client sends: the form's fields, then its file.
    enum Source {
        case form(FormReader, part: Int)
        case raw(RequestBody)
    }

    let source: Source
    /// As far as it is known before the content.
    private(set) var object: NewObject

    private static let maximumFieldBytes = 1 << 20
    private static let maximumTextBytes = 500

    /// Reads up to the content. Throws ``FilesError`` and `MultipartError`.
    init(_ request: Request, bucket: String, name: ObjectName) async throws {
        object = NewObject(bucket: bucket, name: name)
        object.userMetadata = request.header("x-metadata").flatMap(Self.encodedObject)
        if let robots = request.header("x-robots-tag") {
            object.robots = try RobotsTag(String(robots.prefix(Self.maximumTextBytes))).text
        }
        let header = request.header(.contentType)
        let type = header.flatMap { MediaType($0) }
        if let header, !header.isEmpty, type == nil { throw FilesError.badType("Invalid Content-Type header") }
        guard let type, type.essence == "multipart/form-data" else {
            if let header, !header.isEmpty { object.contentType = header }
            if let cache = request.header(.cacheControl) {
                object.cacheControl = String(cache.prefix(Self.maximumTextBytes))
            }
            source = .raw(request.bodyChunks)
            return
        }
        let reader = try FormReader(request.bodyChunks, type)
        var declared: String?
        while let (head, number) = try await reader.nextPart() {
            guard Self.isFile(head) else {
                try await Self.read(head, number, reader, into: &object, &declared)
                continue
            }
            object.contentType = declared ?? head.contentType?.description ?? object.contentType
            source = .form(reader, part: number)
            return
        }
        throw FilesError.badRequest("the form has no file")
    }

    var chunks: Chunks { Chunks(source: source) }

    /// What the form says after its file.
    func finished() async throws -> NewObject {
        guard case .form(let reader, _) = source else { return object }
        var object = object
        var declared: String?
        while let (head, number) = try await reader.nextPart() {
            // One request stores one object.
            guard !Self.isFile(head) else { continue }
            try await Self.read(head, number, reader, into: &object, &declared)
        }
        if let declared { object.contentType = declared }
        return object
    }

    /// Clients give it a name of a file, an empty name, or the name `file`.
    private static func isFile(_ head: MultipartHead) -> Bool {
        head.fileName != nil || head.name.isEmpty || head.name == "file"
    }

    private static func read(
        _ head: MultipartHead,
        _ number: Int,
        _ reader: FormReader,
        into object: inout NewObject,
        _ declared: inout String?
    ) async throws {
        var bytes: [UInt8] = []
        while let more = try await reader.data(of: number) {
            bytes += more
            guard bytes.count <= maximumFieldBytes else { throw FilesError.tooLarge }
        }
        let text = String(decoding: bytes.prefix(maximumTextBytes), as: UTF8.self)
        switch head.name {
        case "cacheControl": object.cacheControl = Int(text).map { "max-age=\($0)" } ?? text
        case "metadata", "userMetadata":
            if let metadata = try? JSONParser.parse(bytes).object { object.userMetadata = metadata }
        case "contentType":
            guard MediaType(text) != nil else { throw FilesError.badType("Invalid Content-Type header") }
            declared = text
        default: break
        }
    }

    /// That of `x-metadata`: Base64 of JSON; nil for what is broken.
    static func encodedObject(_ text: String) -> JSONObject? {
        guard let data = Data(base64Encoded: text) else { return nil }
        return try? JSONParser.parse([UInt8](data)).object
    }

    /// The content, to be read once.
    struct Chunks: AsyncSequence {
        let source: Source

        func makeAsyncIterator() -> Iterator {
            switch source {
            case .form(let reader, let part): Iterator(source: .form(reader, part))
            case .raw(let body): Iterator(source: .raw(body.makeAsyncIterator()))
            }
        }

        struct Iterator: AsyncIteratorProtocol {
            fileprivate enum Reading {
                case form(FormReader, Int)
                case raw(RequestBody.AsyncIterator)
            }

            fileprivate var source: Reading

            mutating func next() async throws -> [UInt8]? {
                switch source {
                case .form(let reader, let part): return try await reader.data(of: part)
                case .raw(var iterator):
                    let chunk = try await iterator.next()
                    source = .raw(iterator)
                    return chunk
                }
            }
        }
    }
}
