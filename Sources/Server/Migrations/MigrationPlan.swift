/// What a migration of this database would do, and what it knows that these files do not.
package struct MigrationPlan: Sendable {
    package let entries: [Migrator.Entry]
    /// In the order in which they would be applied.
    package let pending: [MigrationFile]
    /// What the database has: names of tables, functions and the like, with their schema unless that is `public`, and
    /// `table.column`.
    package let existing: Set<String>

    package var edited: [String] { entries.filter(\.isEdited).map(\.name) }

    /// Applied migrations without a file: by a program that is newer than this one.
    package var unknown: [Migrator.Entry] {
        entries.filter { if case .missing = $0.state { true } else { false } }
    }

    /// What the pending files do to servers that run meanwhile. None run on a database to which nothing was applied.
    package var hazards: [MigrationHazard] {
        entries.allSatisfy(\.isPending) ? [] : MigrationHazard.find(in: pending, existing: existing)
    }
}

extension Migrator {
    /// Changes nothing.
    package func plan() throws(MigrationError) -> MigrationPlan {
        let entries = try status()
        let pending = Set(entries.filter(\.isPending).map { "\($0.owner)/\($0.name)" })
        return MigrationPlan(
            entries: entries,
            pending: files.filter { pending.contains("\($0.owner)/\($0.name)") },
            existing: pending.isEmpty ? [] : try existingObjects()
        )
    }

    private func existingObjects() throws(MigrationError) -> Set<String> {
        Set(try rows(try connect(), Self.objectNames, []).compactMap { $0[0] })
    }

    private static let objectNames = """
        WITH schemas AS (
            SELECT oid, nspname, CASE WHEN nspname = 'public' THEN '' ELSE nspname || '.' END AS prefix
            FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$)'
        )
        SELECT nspname FROM schemas
        UNION SELECT extname FROM pg_extension
        UNION SELECT prefix || relname FROM pg_class JOIN schemas ON schemas.oid = relnamespace
        UNION SELECT prefix || proname FROM pg_proc JOIN schemas ON schemas.oid = pronamespace
        UNION SELECT prefix || typname FROM pg_type JOIN schemas ON schemas.oid = typnamespace
        UNION SELECT prefix || relname || '.' || attname FROM pg_attribute
            JOIN pg_class ON pg_class.oid = attrelid JOIN schemas ON schemas.oid = relnamespace
            WHERE attnum > 0 AND NOT attisdropped
        """
}
