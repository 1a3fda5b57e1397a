package import SwiftletPostgres

extension Migrator {
    /// Tries the pending files in order, in one transaction that is rolled back, and returns their names. Throws what
    /// ``apply(progress:)`` would, with file and line.
    ///
    /// What the files lock is locked until the last of them has been tried. A file that needs what another has committed,
    /// such as a new value of an enumeration, fails here and not there.
    package func rehearse() throws(MigrationError) -> [String] {
        let rehearsal = try beginRehearsal()
        rehearsal.transaction.rollBack()
        return rehearsal.tried
    }

    /// Pending files that were tried, and the transaction in which the database is as they leave it. Whoever gets it
    /// rolls it back.
    package struct Rehearsal: Sendable {
        package let tried: [String]
        package let transaction: Transaction
    }

    /// Tries the pending files as ``rehearse()`` does, and leaves the transaction open, to be looked into.
    package func beginRehearsal() throws(MigrationError) -> Rehearsal {
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
        return Rehearsal(tried: tried, transaction: Transaction(begunOn: connection))
    }

    /// As COMMIT would. Later files can defer theirs again.
    private static let checkConstraints = "SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED"
}
