import SwiftletPostgres

/// A row of `storage.swiftlet_uploads`.
struct ResumableUpload: Sendable {
    enum State: String {
        case open
        case finished
        case ended
    }

    let id: String
    let version: FileVersion
    let bucket: String
    let name: String
    /// In bytes, of all of it.
    let length: Int
    let metadata: String
    let isUpsert: Bool
    let party: Party
    var state = State.open
    /// Seconds since 1970.
    let expires: Int

    /// Whose an upload is: only they see it.
    struct Party: Equatable {
        /// Empty for whoever has a link.
        let role: String
        let id: String?
    }

    static func find(_ id: String) -> SQL {
        """
        SELECT id, version, bucket_id, name, length, metadata, is_upsert, role, owner_id, state,
            floor(extract(epoch FROM expires_at))::bigint AS expires
        FROM storage.swiftlet_uploads WHERE id = \(id)::uuid
        """
    }

    /// Lets its party begin one after another until the transaction ends, so that each counts those before it.
    var turn: SQL {
        "SELECT pg_advisory_xact_lock(hashtextextended(\("\(party.role)\n\(party.id ?? "")"), 43)) IS NULL"
    }

    /// Returns a row unless its party has `most` open ones, or all of them together would have more bytes.
    func insertion(most: Int, maximumBytes: Int) -> SQL {
        """
        INSERT INTO storage.swiftlet_uploads (
            id, version, bucket_id, name, length, metadata, is_upsert, role, owner_id, expires_at
        ) SELECT
            \(id)::uuid, \(version.text), \(bucket), \(name), \(String(length))::bigint, \(metadata),
            \(isUpsert ? "t" : "f")::boolean, \(party.role), \(party.id), to_timestamp(\(String(expires))::bigint)
        WHERE (
            SELECT count(*) < \(String(most))::bigint
                AND coalesce(sum(length), 0) <= \(String(maximumBytes - length))::bigint
            FROM storage.swiftlet_uploads
            WHERE state = 'open' AND role = \(party.role) AND owner_id IS NOT DISTINCT FROM \(party.id)
        )
        RETURNING id
        """
    }

    /// Fails with ``SQLState/noDataFound`` unless the upload is open.
    var finish: SQL { "SELECT storage.swiftlet_finish_upload(\(id)::uuid)" }

    /// Returns a row if it was open until now.
    var end: SQL {
        "UPDATE storage.swiftlet_uploads SET state = 'ended' WHERE id = \(id)::uuid AND state = 'open' RETURNING id"
    }

    /// Once its content is removed.
    var deletion: SQL { "DELETE FROM storage.swiftlet_uploads WHERE id = \(id)::uuid AND state = 'ended'" }
}

extension ResumableUpload {
    init(_ row: Row) throws(PostgresError) {
        self.init(
            id: try row.decode(String.self, "id"),
            version: FileVersion(text: try row.decode(String.self, "version")),
            bucket: try row.decode(String.self, "bucket_id"),
            name: try row.decode(String.self, "name"),
            length: try row.decode(Int.self, "length"),
            metadata: try row.decode(String.self, "metadata"),
            isUpsert: try row.decode(Bool.self, "is_upsert"),
            party: Party(role: try row.decode(String.self, "role"), id: try row.decode(String?.self, "owner_id")),
            state: State(rawValue: try row.decode(String.self, "state")) ?? .ended,
            expires: try row.decode(Int.self, "expires")
        )
    }
}

extension SQLState {
    /// `no_data_found` of PL/pgSQL.
    static let noDataFound = SQLState(rawValue: "P0002")
}
