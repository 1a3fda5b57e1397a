import SwiftletPostgres

extension Migrator {
    /// Tries the pending files in order, in one transaction that is rolled back, and returns their names. Throws what
    /// ``apply(progress:)`` would, with file and line.
    ///
    /// What the files lock is locked until the last of them has been tried. A file that needs what another has committed,
    /// such as a new value of an enumeration, fails here and not there.
    package func rehearse() throws(MigrationError) -> [String] {
        let connection = try connect()
        try openLedger(connection)
        let entries = try entries(on: connection)
        let edited = entries.filter(\.isEdited)
        guard edited.isEmpty else { throw .edited(edited.map(\.name)) }
        let adoptions = try findAdoptions(on: connection)
        let pending = Set(entries.filter(\.isPending).map { "\($0.owner)/\($0.name)" })
        var tried: [String] = []
        for file in files where pending.contains("\(file.owner)/\(file.name)") {
            let hasAdopted = try run(file, adoptions, on: connection) { (connection) throws(BlockingConnectionError) in
                try connection.executeWithinTransaction(file.text)
                try connection.execute(Self.checkConstraints)
            }
            if hasAdopted { try execute(connection, Self.dropRemembered) }
            tried.append(file.name)
        }
        try execute(connection, "ROLLBACK")
        return tried
    }

    /// As COMMIT would. Later files can defer theirs again.
    private static let checkConstraints = "SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED"
}
