import SwiftletEssentials
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Makes the row of an object whose content is stored, and asks before that whether it may be made.
struct ObjectWriter {
    /// By whose right the row is made.
    enum Authority {
        /// The caller's own, under the policies.
        case caller
        /// That of a link, which has been asked for before. The owner is its maker.
        case link(owner: String?)
    }

    let call: FilesCall
    let bucket: String
    let name: ObjectName
    let isUpsert: Bool
    var authority = Authority.caller

    private static let placeholder = ".emptyFolderPlaceholder"

    /// The bucket. With `isTried`, the row is made and undone, so that what is refused is refused before it comes.
    func admit(_ object: NewObject, length: Int?, isTried: Bool) async throws -> Bucket {
        let trial = insertion(object, id: UUID().uuidString, version: "", object.trialMetadata(length: length))
        var isTried = isTried
        if case .link = authority, isUpsert { isTried = false }
        let rows = try await run(own: [Bucket.find(bucket)], isTried ? trial : nil, isUndone: true)
        guard let row = rows[0].first else { throw FilesError.noBucket }
        return try Bucket(row)
    }

    /// How long the content may be. Throws ``FilesError`` for what the bucket does not take.
    func check(
        _ object: NewObject,
        _ bucket: Bucket,
        length: Int?,
        atMost maximumBytes: Int
    ) throws(FilesError) -> Int {
        let isPlaceholder = name.text.split(separator: "/").last.map(String.init) == Self.placeholder
        let limit = isPlaceholder ? 0 : min(bucket.fileSizeLimit ?? .max, maximumBytes)
        if !isPlaceholder {
            guard let type = MediaType(object.contentType) else { throw .badType("Invalid Content-Type header") }
            try bucket.admit(type)
        }
        if let length, length > limit { throw .tooLarge }
        return limit
    }

    /// The id of the row. `own` goes before it in its transaction, by the server's own right.
    func insert(_ object: NewObject, _ file: StoredFile, after own: [SQL] = []) async throws -> String {
        let id = UUID().uuidString.lowercased()
        let statement = insertion(object, id: id, version: file.version.text, object.metadata(of: file))
        let rows = try await run(own: own, statement)
        return rows.last?.first?["id"] ?? id
    }

    private func insertion(_ object: NewObject, id: String, version: String, _ metadata: JSONObject) -> SQL {
        var owner = (uuid: call.ownerUUID, id: call.ownerID)
        if case .link(let maker) = authority {
            owner = (maker.flatMap { UUID(uuidString: $0) }?.uuidString.lowercased(), maker)
        }
        return object.insertion(id: id, version: version, metadata, owner: owner, isUpsert: isUpsert)
    }

    private func run(own: [SQL] = [], _ statement: SQL?, isUndone: Bool = false) async throws -> [[Row]] {
        guard let statement else { return try await call.run(own: own, isReadOnly: true) }
        do {
            switch authority {
            case .caller: return try await call.run(own: own, asCaller: [statement], isUndone: isUndone)
            case .link: return try await call.run(own: own + [statement], isUndone: isUndone)
            }
        } catch {
            throw refusal(error)
        }
    }

    /// The policies that an upsert needs are easily forgotten.
    private func refusal(_ error: PostgresError) -> any Error {
        guard isUpsert, error.state == .insufficientPrivilege else { return error }
        var refusal = FilesError(error)
        refusal.hint = "replacing an object needs policies for SELECT and UPDATE beside that for INSERT"
        return refusal
    }
}
