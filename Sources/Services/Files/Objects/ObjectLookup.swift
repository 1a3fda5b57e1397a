import SwiftletHTTP
import SwiftletPostgres

/// Finds an object, and says why there is none.
struct ObjectLookup {
    let call: FilesCall
    let bucket: String
    let name: ObjectName

    /// As far as the policies let the caller see it; that of a public bucket is for everybody.
    func asCaller() async throws -> ObjectRow {
        let rows = try await call.run(
            own: [Bucket.find(bucket), ofPublicBucket],
            asCaller: [ObjectRow.find(bucket, name.text)],
            isReadOnly: true
        )
        if let row = rows[1].first ?? rows[2].first { return try ObjectRow(row) }
        // Whoever has no token does not learn which buckets there are.
        let isHidden = call.request.header(.authorization) == nil && rows[0].first?["public"] != "t"
        throw rows[0].isEmpty || isHidden ? FilesError.noBucket : FilesError.noObject
    }

    /// Of a public bucket.
    func asPublic() async throws -> ObjectRow {
        let rows = try await call.run(own: [Bucket.find(bucket), ofPublicBucket], isReadOnly: true)
        guard rows[0].first?["public"] == "t" else { throw FilesError.noBucket }
        guard let row = rows[1].first else { throw FilesError.noObject }
        return try ObjectRow(row)
    }

    /// Whatever the policies say, for a link that somebody has signed.
    func asServer() async throws -> ObjectRow {
        let rows = try await call.run(own: [ObjectRow.find(bucket, name.text)], isReadOnly: true)
        guard let row = rows[0].first else { throw FilesError.noObject }
        return try ObjectRow(row)
    }

    private var ofPublicBucket: SQL {
        var select = ObjectRow.find(bucket, name.text)
        select.append(" AND EXISTS (SELECT FROM storage.buckets WHERE id = \(bucket) AND public)")
        return select
    }
}
