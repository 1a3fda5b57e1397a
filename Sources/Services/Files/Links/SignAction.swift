import SwiftletEssentials
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Makes links for what the caller may read, or may upload. Nobody is asked again when the link is used.
struct SignAction {
    let call: FilesCall
    let keys: LinkKeys
    let bucket: String
    /// nil where no images are rendered.
    let images: ImageSettings?

    private static let mostPaths = 1000
    private static let longestSeconds = 1 << 40
    /// Two hours, as Supabase documents it.
    private static let uploadSeconds = 7200
    private static let missing = "Either the object does not exist or you do not have access to it"

    func one(_ name: ObjectName) async throws -> Response {
        let fields = try call.request.fields()
        let seconds = try Self.seconds(fields)
        let transformation = try transformation(fields)
        let rows = try await call.run(
            own: [Bucket.find(bucket)],
            asCaller: [ObjectRow.find(bucket, name.text)],
            isReadOnly: true
        )
        guard !rows[0].isEmpty else { throw FilesError.noBucket }
        guard !rows[1].isEmpty else { throw FilesError.noObject }
        return .json(["signedURL": .string(try path(name.text, seconds, transformation))])
    }

    /// One entry for each path, in their order.
    func many() async throws -> Response {
        let fields = try call.request.fields()
        let seconds = try Self.seconds(fields)
        let transformation = try transformation(fields)
        guard let paths = fields.object["paths"]?.array, !paths.isEmpty, paths.count <= Self.mostPaths else {
            throw FilesError.badRequest("body/paths must have 1 to \(Self.mostPaths) items")
        }
        let wanted = paths.map { path in (path.string ?? "", path.string.flatMap { try? call.name($0).text }) }
        let select: SQL = """
            SELECT name FROM storage.objects WHERE bucket_id = \(bucket)
                AND name = ANY (\(wanted.compactMap(\.1))::text[])
            """
        let found = Set(try await call.run(asCaller: [select], isReadOnly: true)[0].compactMap { $0["name"] })
        return try .json { json in
            try json.array { json in
                for (path, name) in wanted {
                    let url = try name.flatMap { found.contains($0) ? try self.path($0, seconds, transformation) : nil }
                    json.object { json in
                        json.member("error", url == nil ? Self.missing : nil)
                        json.member("path", path)
                        json.member("signedURL", url)
                    }
                }
            }
        }
    }

    /// A link with which whoever has it uploads this object, once or as often as the name may be replaced.
    func upload(_ name: ObjectName) async throws -> Response {
        let isUpsert = call.request.header("x-upsert") == "true"
        let object = NewObject(bucket: bucket, name: name)
        let trial = object.insertion(
            id: UUID().uuidString,
            version: "",
            object.trialMetadata(length: nil),
            owner: (call.ownerUUID, call.ownerID),
            isUpsert: isUpsert
        )
        guard try await !call.run(own: [Bucket.find(bucket)], asCaller: [trial], isUndone: true)[0].isEmpty else {
            throw FilesError.noBucket
        }
        var link = FileLink(url: "\(bucket)/\(name.text)", .upload, expires: call.now + Self.uploadSeconds)
        link.owner = call.ownerID
        link.isUpsert = isUpsert
        let token = try keys.sign(link.claims(issuedAt: call.now))
        return .json([
            "url": .string("/object/upload/sign/\(link.url)?token=\(token)"), "token": .string(token),
        ])
    }

    /// Below `/storage/v1`. The name is as it is: clients encode it.
    private func path(_ name: String, _ seconds: Int, _ transformation: ImageOptions?) throws -> String {
        var link = FileLink(url: "\(bucket)/\(name)", .download, expires: call.now + seconds)
        link.transformation = transformation
        let kind = transformation == nil ? "object" : "render/image"
        return "/\(kind)/sign/\(link.url)?token=\(try keys.sign(link.claims(issuedAt: call.now)))"
    }

    /// nil for the object as it is. Throws ``FilesError`` for what this server cannot render.
    private func transformation(_ fields: RequestFields) throws(FilesError) -> ImageOptions? {
        guard let options = try ImageOptions(transform: fields.object["transform"]) else { return nil }
        guard let images else { throw .imagesAreOff }
        try options.check(images)
        return options
    }

    private static func seconds(_ fields: RequestFields) throws(FilesError) -> Int {
        guard let seconds = try fields.number("expiresIn") else {
            throw .badRequest("body must have required property 'expiresIn'")
        }
        guard seconds >= 1 else { throw .badRequest("body/expiresIn must be >= 1") }
        return min(seconds, longestSeconds)
    }
}

extension FilesCall {
    /// Seconds since 1970.
    var now: Int { Int(context.server.clock.milliseconds() / 1000) }
}
