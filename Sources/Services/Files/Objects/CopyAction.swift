import SwiftletEssentials
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletStorage
import SwiftletWeb

/// Copies an object with its file, so that neither depends on the other. Source and copy are the caller's to read and to
/// make.
struct CopyAction {
    let call: FilesCall
    let files: FileStore

    func run(_ copy: Relocation, _ fields: RequestFields) async throws -> Response {
        let rows = try await call.run(
            own: [Bucket.find(copy.bucket), Bucket.find(copy.targetBucket)],
            asCaller: [ObjectRow.find(copy.bucket, copy.source.text)],
            isReadOnly: true
        )
        guard !rows[0].isEmpty, let found = rows[1].first else { throw FilesError.noBucket }
        guard let row = rows[2].first else { throw FilesError.noObject }
        let source = try ObjectRow(row)
        let object = try self.object(copy, source, fields)
        let bucket = try Bucket(found)
        guard let type = MediaType(object.contentType) else { throw FilesError.badType("Invalid Content-Type header") }
        try bucket.admit(type)
        let limit = min(bucket.fileSizeLimit ?? .max, files.maximumBytes)
        if let size = source.size, size > limit { throw FilesError.tooLarge }
        let content = try await files.open(source)
        let new = try await NewFile(call, files)
        return try await new.stored(content.chunks, limit: limit, call) { file, forgettingNote in
            let id = UUID().uuidString.lowercased()
            let insertion = object.insertion(
                id: id,
                version: file.version.text,
                object.metadata(of: file),
                owner: (call.ownerUUID, call.ownerID),
                isUpsert: call.request.header("x-upsert") == "true"
            )
            let made = try await call.run(
                own: [forgettingNote],
                asCaller: [insertion, ObjectRow.find(copy.targetBucket, copy.target.text)]
            )
            return try answer(copy, try made[2].first.map { try ObjectRow($0) }, id)
        }
    }

    private func object(
        _ copy: Relocation,
        _ source: ObjectRow,
        _ fields: RequestFields
    ) throws(FilesError) -> NewObject {
        var object = NewObject(bucket: copy.targetBucket, name: copy.target)
        object.contentType = source.contentType
        object.cacheControl = source.cacheControl
        if try fields.flag("copyMetadata") ?? true {
            object.userMetadata = source.userMetadata
        } else {
            object.userMetadata = call.request.header("x-metadata").flatMap(UploadBody.encodedObject)
        }
        if let metadata = fields.object["metadata"]?.object {
            if let cache = metadata["cacheControl"]?.string { object.cacheControl = cache }
            if let type = metadata["mimetype"]?.string { object.contentType = type }
        }
        return object
    }

    private func answer(_ copy: Relocation, _ row: ObjectRow?, _ id: String) throws -> Response {
        .json { json in
            json.object { json in
                json.member("Key", "\(copy.targetBucket)/\(copy.target.text)")
                json.member("Id", row?.id ?? id)
                // Whoever may not read the copy, gets no more.
                row?.writeMembers(&json)
            }
        }
    }
}
