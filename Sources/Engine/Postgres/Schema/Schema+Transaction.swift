extension Schema {
    /// Reads the catalog as a transaction sees it, with what it has changed and not committed.
    package static func read(
        _ schemas: [String] = ["public"],
        in transaction: Transaction
    ) async throws -> Schema {
        let results = try await transaction.undoing { transaction in
            try await transaction.query(
                CatalogQueries.all.enumerated().map { index, statement in
                    var parameters = Parameters()
                    if index == 0 { parameters.append(array: schemas) }
                    return PendingQuery.Part(statement: statement, parameters: parameters)
                }
            )
        }
        let rows = try results.map { try $0.rows().map { CatalogRow($0) } }
        return Schema(version: 1, CatalogReader.read(rows) ?? .empty, searching: schemas)
    }
}
