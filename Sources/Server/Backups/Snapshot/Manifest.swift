package import SwiftletEssentials

/// What a backup says of itself, for people and for what restores it.
package struct Manifest: Codable, Equatable, Sendable {
    /// That of the layout: 1.
    package var format = 1
    package let id: String
    package let began: Date
    package var finished: Date
    /// The version of the server that has made it.
    package let swiftlet: String
    /// The version of PostgreSQL, and that of its program.
    package let postgres: String
    package let dumpProgram: String
    package let database: String
    /// Tables of the database, without those of PostgreSQL itself.
    package let tables: Int
    /// Rows of `storage.objects`.
    package let objects: Int
    package var dumpBytes = 0
    /// Files of the store, and their bytes.
    package var files = 0
    package var fileBytes = 0
    /// Of these, what no earlier backup had.
    package var newFiles = 0
    package var newBytes = 0
    /// Files that rows name and the store does not have.
    package var missing = 0
    /// Files whose content is not what their row says. The backup has what was there.
    package var differing = 0

    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .iso8601
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }

    init(decoding bytes: [UInt8]) throws(BackupError) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        guard let manifest = try? decoder.decode(Manifest.self, from: Data(bytes)) else {
            throw .damaged("manifest.json cannot be read")
        }
        guard manifest.format == 1 else {
            throw .refused("the backup was made by a newer version (\(manifest.swiftlet)): use that one")
        }
        self = manifest
    }

    init(id: SnapshotID, swiftlet: String, dumpProgram: String, _ snapshot: SnapshotFacts) {
        self.id = id.text
        began = id.began
        finished = id.began
        self.swiftlet = swiftlet
        self.dumpProgram = dumpProgram
        postgres = snapshot.version
        database = snapshot.database
        tables = snapshot.tables
        objects = snapshot.objects
    }
}

/// What a database says of itself at one moment.
struct SnapshotFacts: Sendable {
    let version: String
    let major: Int
    let database: String
    let tables: Int
    let objects: Int
}
