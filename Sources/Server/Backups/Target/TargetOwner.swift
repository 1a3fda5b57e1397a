import SwiftletBlockingPool
import SwiftletEssentials
import SwiftletPostgres
import SwiftletStorage

/// Whose backups a target has, in its file `owner.json`: of two databases, each would remove the other's contents.
struct TargetOwner: Codable, Equatable, Sendable {
    let database: String
    /// That of the PostgreSQL server, which is made with its folder.
    let systemIdentifier: String

    private static let key: ObjectKey = "owner.json"
    private static let maximumBytes = 1 << 16

    static func of(_ url: String, _ threads: BlockingPool) async throws -> TargetOwner {
        let row = try await DatabaseSession.open(url, threads).run { connection in
            try connection.query(
                "SELECT current_database(), system_identifier FROM pg_catalog.pg_control_system()"
            ).first ?? []
        }
        guard row.count == 2, let database = row[0], let identifier = row[1] else {
            throw BackupError.refused("the database does not say which it is")
        }
        return TargetOwner(database: database, systemIdentifier: identifier)
    }

    /// Makes a target that is nobody's ours. Throws ``BackupError/refused(_:)`` if it is another's.
    func claim(_ target: BackupTarget) async throws {
        if try await target.open(Self.key) == nil {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            encoder.keyEncodingStrategy = .convertToSnakeCase
            _ = try await target.write(Array(try encoder.encode(self)) + [UInt8(ascii: "\n")], to: Self.key)
        }
        try await expect(in: target)
    }

    /// Throws ``BackupError/refused(_:)`` if the target is another's. One that is nobody's is not.
    func expect(in target: BackupTarget) async throws {
        guard try await target.open(Self.key) != nil else { return }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let bytes = try await target.read(Self.key, limit: Self.maximumBytes)
        guard let owner = try? decoder.decode(TargetOwner.self, from: Data(bytes)) else {
            throw BackupError.damaged("owner.json cannot be read")
        }
        guard owner == self else {
            throw BackupError.refused(
                """
                \(target.name) has the backups of the database \(owner.database) of another server or name: choose \
                another BACKUP_TO, or remove owner.json there if this database takes its place
                """
            )
        }
    }
}
