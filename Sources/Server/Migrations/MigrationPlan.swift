/// What a migration of this database would do, and what it knows that these files do not.
package struct MigrationPlan: Sendable {
    package let entries: [Migrator.Entry]
    /// In the order in which they would be applied.
    package let pending: [MigrationFile]

    package var edited: [String] { entries.filter(\.isEdited).map(\.name) }

    /// Applied migrations without a file: by a program that is newer than this one.
    package var unknown: [Migrator.Entry] {
        entries.filter { if case .missing = $0.state { true } else { false } }
    }

    /// What the pending files do to servers that run meanwhile. None run on a database to which nothing was applied.
    package var hazards: [MigrationHazard] {
        entries.allSatisfy(\.isPending) ? [] : MigrationHazard.find(in: pending)
    }
}

extension Migrator {
    /// Changes nothing.
    package func plan() throws(MigrationError) -> MigrationPlan {
        let entries = try status()
        let pending = Set(entries.filter(\.isPending).map { "\($0.owner)/\($0.name)" })
        return MigrationPlan(entries: entries, pending: files.filter { pending.contains("\($0.owner)/\($0.name)") })
    }
}
