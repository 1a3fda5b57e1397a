import SwiftletEssentials
import SwiftletHTTP
package import SwiftletOutbound
package import SwiftletStorage

/// Where the files of a project's objects are.
package enum ProjectFiles: Sendable {
    /// As Supabase's own file backend stores them: `bucket/name/version`.
    case folder(ForeignFolder)
    /// The same as keys of a bucket.
    case bucket(ForeignBucket)
    /// `/storage/v1` of the running project, asked with its service key.
    case project(ProjectClient)
    /// They stay there: rows are imported with the versions that they have.
    case none

    /// nil if there is no such file.
    func open(_ object: ProjectObject) async throws -> FileContent? {
        switch self {
        case .folder(let folder):
            let names = object.name.split(separator: "/").map(String.init)
            let file = try await folder.open([object.bucket] + names + [object.version])
            return file.map { .stored($0.chunks) }
        case .bucket(let bucket):
            return try await bucket.open("\(object.bucket)/\(object.name)/\(object.version)").map { .stored($0.chunks) }
        case .project(let client): return .remote(client.chunks(of: object))
        case .none: return nil
        }
    }
}

/// A row of `storage.objects` of the project.
struct ProjectObject: Sendable {
    let id: String
    let bucket: String
    let name: String
    let version: String
    /// What the row says; nil where it says nothing.
    let size: Int?
    /// The whole row, as JSON.
    let row: String
}

enum FileContent {
    case stored(ObjectChunks)
    case remote(RemoteChunks)
}

/// Speaks to `/storage/v1` of a project.
package struct ProjectClient: Sendable {
    private let base: String
    private let key: String
    private let trust: Trust

    static let pieceBytes = 8 << 20

    /// `base` is the project's URL: `https://ref.supabase.co`.
    package init(_ base: String, serviceKey: String, trust: Trust = .system) {
        var base = base
        while base.hasSuffix("/") { base.removeLast() }
        self.base = base
        key = serviceKey
        self.trust = trust
    }

    func chunks(of object: ProjectObject) -> RemoteChunks {
        let path =
            ([object.bucket] + object.name.split(separator: "/", omittingEmptySubsequences: false).map(String.init))
            .map(PercentCoding.encode).joined(separator: "/")
        return RemoteChunks(client: self, url: "\(base)/storage/v1/object/authenticated/\(path)")
    }

    /// A piece, and the size of all of it where the answer says it; nil if there is no such object.
    func piece(_ url: String, from offset: Int, tag: String?) async throws -> (HTTPResponse, size: Int?)? {
        var headers = [
            ("Authorization", "Bearer \(key)"), ("apikey", key),
            ("Range", "bytes=\(offset)-\(offset + Self.pieceBytes - 1)"),
        ]
        if let tag { headers.append(("If-Range", tag)) }
        var request = HTTPRequest("GET", url, headers: headers)
        request.timeout = .seconds(300)
        request.idleTimeout = request.timeout
        request.maximumBodyBytes = Self.pieceBytes + (1 << 20)
        request.redirects = 3
        let response = try await HTTPEngine.background(trust: trust).send(request)
        switch response.status {
        case 200, 206, 416:
            let range = response.header("Content-Range")?.split(separator: "/").last
            return (response, range.flatMap { Int($0) })
        case 401, 403: throw ImportError.refused("\(base) refuses the service key (status \(response.status))")
        case 429, 500...: throw ImportError.refused("\(base) answers with \(response.status): run it again later")
        default: return nil
        }
    }
}

/// An object of a project, piece by piece.
struct RemoteChunks: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let client: ProjectClient
    let url: String

    func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

    struct Iterator: AsyncIteratorProtocol {
        let chunks: RemoteChunks
        private var offset = 0
        private var tag: String?
        private var isOver = false

        init(chunks: RemoteChunks) { self.chunks = chunks }

        mutating func next() async throws -> [UInt8]? {
            guard !isOver else { return nil }
            guard let (response, size) = try await chunks.client.piece(chunks.url, from: offset, tag: tag) else {
                throw MissingFile()
            }
            if response.status == 416 {
                // An object without a byte has no range.
                isOver = true
                return nil
            }
            // Another version answers from its beginning.
            guard response.status == 206 || offset == 0 else { throw MissingFile() }
            offset += response.body.count
            tag = response.header("ETag")
            isOver = response.status == 200 || response.body.isEmpty || offset >= size ?? offset
            return response.body
        }
    }
}

/// The object has a row and no content, or another one meanwhile.
struct MissingFile: Error {}
