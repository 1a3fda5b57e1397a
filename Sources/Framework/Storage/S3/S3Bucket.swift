package import SwiftletHTTP
import SwiftletOutbound

/// Objects of a bucket of an S3-compatible server.
package struct S3Bucket: ObjectStore {
    private let client: S3Client
    /// The most keys of a page; nil leaves it to the server.
    private let pageKeys: Int?
    package let partials: PartialFolder?

    /// A client that reads slowly holds one piece in memory, but neither a thread nor a connection to the server.
    private static let pieceBytes = 1 << 20
    private static let probeKey: ObjectKey = "probe"

    /// Contents that come in several requests are gathered in the folder. `timeout` is for one request.
    package init(
        _ settings: S3Settings,
        partials: PartialFolder? = nil,
        pageKeys: Int? = nil,
        timeout: Duration = .seconds(30)
    ) {
        client = S3Client(settings, timeout: timeout)
        self.pageKeys = pageKeys
        self.partials = partials
    }

    package func begin(_ key: ObjectKey, _ contentType: MediaType) async throws -> any ObjectUpload {
        S3Upload(client, key, contentType)
    }

    package func open(_ key: ObjectKey) async throws -> StoredObject? {
        try await client.open("/\(key)", pieceBytes: Self.pieceBytes)
    }

    package func adopt(_ partial: ObjectKey, of partials: PartialFolder, at key: ObjectKey) async throws {
        guard let content = try await partials.read(partial) else { throw StorageError.damaged }
        let upload = try await begin(key, .bytes)
        do {
            for try await chunk in content.chunks { try await upload.append(chunk) }
            try Task.checkCancellation()
            try await upload.commit()
        } catch {
            await upload.abandon()
            throw error
        }
    }

    package func delete(_ key: ObjectKey) async throws {
        _ = try await client.send("DELETE", key, expecting: [404])
    }

    package func list(
        _ folder: ObjectKey?,
        skipping skipped: ObjectKey?,
        _ visit: @escaping ObjectPageVisitor
    ) async throws {
        let prefix = folder.map { "\($0)/" } ?? ""
        var (token, start) = (String?.none, String?.none)
        var seen: Set<String> = []
        repeat {
            // In alphabetical order, as the signature needs them.
            let fields = [
                token.map { "continuation-token=\(PercentCoding.encode($0))" }, "list-type=2",
                pageKeys.map { "max-keys=\($0)" }, "prefix=\(PercentCoding.encode(prefix))",
                token == nil ? start.map { "start-after=\(PercentCoding.encode($0))" } : nil,
            ]
            let query = "?" + fields.compactMap(\.self).joined(separator: "&")
            let page = try S3Page(try await client.send("GET", nil, query: query))
            let objects = page.objects.filter { object in
                skipped.map { !object.key.text.hasPrefix("\($0)/") } ?? true
            }
            if !objects.isEmpty { try visit(objects) }
            token = page.nextToken
            // One that comes again would lead around for ever.
            if let token, !seen.insert(token).inserted { throw StorageError.brokenList }
            // The sign after "/" leads behind all that is skipped.
            if let skipped, token != nil, start == nil, page.lastKey?.hasPrefix("\(skipped)/") == true {
                (token, start) = (nil, "\(skipped)0")
            } else if token == nil {
                return
            }
        } while true
    }

    /// Asks for an object that need not exist: a 404 of a bucket that does says that our keys are good.
    package func probe() async throws {
        let answer = try await client.send(
            "GET",
            Self.probeKey,
            headers: [("Range", "bytes=0-0")],
            expecting: [404, 416]
        )
        if answer.status == 404, answer.element("Code") == "NoSuchBucket" {
            throw StorageError.unavailable("the S3 server has no such bucket")
        }
    }
}
