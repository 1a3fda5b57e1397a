import SwiftletJSON
import SwiftletPostgres

/// Applies mutations within the caller's transaction, each behind a savepoint.
struct SyncWriter: Sendable {
    /// A table that may be written to.
    struct Target: Sendable {
        let facts: TableFacts
        /// The columns that the caller may read.
        let shown: [String]
    }

    private static let savepoint: SQL = "SAVEPOINT swiftlet_sync"
    private static let undo: SQL = "ROLLBACK TO SAVEPOINT swiftlet_sync"
    private static let release: SQL = "RELEASE SAVEPOINT swiftlet_sync"
    /// Of the rows of one table in an answer. Those beyond it are left out of it: they come with the next pull.
    private static let maximumBytes = 8_000_000

    let statements: SyncStatements
    let tables: [String: Target]
    let transaction: Transaction
    /// The change was tried among others before, and failed as it may do by another's fault.
    let isAlone: Bool

    /// What a mutation's row is now.
    enum Row: Sendable {
        /// There is none, or none that the caller may see.
        case none
        case text(String)
        /// It has no room in the answer.
        case tooLong
    }

    private func decides(_ error: PostgresError) -> Bool { error.isVerdict || isAlone && error.isVerdictAlone }

    func apply(_ mutation: SyncMutation) async throws -> SyncOutcome {
        guard let target = tables[mutation.table] else {
            return SyncOutcome(mutation.id, .rejected, code: "42P01", message: "no such table for sync")
        }
        let table = target.facts
        if let fault = Self.fault(mutation, table) {
            return SyncOutcome(mutation.id, .rejected, code: "22023", message: fault)
        }
        guard let (statement, parameters) = statement(for: mutation, table) else {
            return SyncOutcome(mutation.id, .rejected, code: "22023", message: "no such operation")
        }
        try await transaction.query(Self.savepoint)
        do throws(PostgresError) {
            let count = try await transaction.count(statement, parameters)
            try await transaction.query(Self.release)
            guard count == 0, mutation.operation != .insert else { return SyncOutcome(mutation.id, .applied) }
            return try await explain(mutation, target)
        } catch {
            guard decides(error) else { throw error }
            try await transaction.query(Self.undo)
            if error.state == .uniqueViolation, mutation.operation == .insert, try await isThere(mutation, target) {
                return SyncOutcome(mutation.id, .conflict, code: error.state.rawValue, message: "the row is there")
            }
            return SyncOutcome(mutation.id, .rejected, code: error.state.rawValue, message: error.message)
        }
    }

    /// What is wrong with a mutation itself; nil if nothing is.
    private static func fault(_ mutation: SyncMutation, _ table: TableFacts) -> String? {
        let columns = Set(table.columns.map(\.name))
        guard Set(mutation.key.keys) == Set(table.keys), mutation.key.allSatisfy({ !$0.value.isNull }) else {
            return "the key must be \(table.keys.joined(separator: ", "))"
        }
        for name in mutation.values.keys + (mutation.expected?.keys ?? []) where !columns.contains(name) {
            return "there is no column \(name)"
        }
        if mutation.operation == .update {
            guard !mutation.values.isEmpty else { return "there are no values" }
            for name in table.keys where mutation.values[name] != nil { return "\(name) is part of the key" }
        }
        return nil
    }

    private func statement(for mutation: SyncMutation, _ table: TableFacts) -> (Statement, Parameters)? {
        var parameters = Parameters()
        let expected = mutation.expected ?? [:]
        switch mutation.operation {
        case .insert:
            var row = mutation.values
            for (name, value) in mutation.key { row[name] = value }
            parameters.append(JSONValue.object(row).description)
            return (statements.insert(into: table, row.keys.sorted()), parameters)
        case .update:
            parameters.append(JSONValue.object(mutation.key).description)
            parameters.append(JSONValue.object(mutation.values).description)
            parameters.append(JSONValue.object(expected).description)
            let columns = mutation.values.keys.sorted()
            return (statements.update(table, columns, expecting: expected.keys.sorted()), parameters)
        case .delete:
            parameters.append(JSONValue.object(mutation.key).description)
            parameters.append(JSONValue.object(expected).description)
            return (statements.delete(from: table, expecting: expected.keys.sorted()), parameters)
        case nil: return nil
        }
    }

    /// Why an update or delete has found no row.
    private func explain(_ mutation: SyncMutation, _ target: Target) async throws(PostgresError) -> SyncOutcome {
        guard try await isThere(mutation, target) else {
            if mutation.operation == .delete { return SyncOutcome(mutation.id, .applied) }
            return SyncOutcome(mutation.id, .conflict, code: "02000", message: "the row is gone")
        }
        if mutation.expected?.isEmpty == false {
            return SyncOutcome(mutation.id, .conflict, code: "40001", message: "the row has changed")
        }
        return SyncOutcome(mutation.id, .rejected, code: "42501", message: "you may not change this row")
    }

    // MARK: - Rows as they are now

    /// The rows of the mutations, by their ids, as the caller sees them. Those that cannot be looked for are missing.
    func rows(of mutations: [SyncMutation]) async throws(PostgresError) -> [Int: Row] {
        var rows: [Int: Row] = [:]
        for (name, target) in tables {
            let ours = mutations.filter { $0.table == name && Self.fault($0, target.facts) == nil }
            guard !ours.isEmpty else { continue }
            if let found = try await read(ours, target) {
                rows.merge(found) { $1 }
                continue
            }
            // One of the keys is none of the table's.
            for mutation in ours {
                rows.merge(try await read([mutation], target) ?? [:]) { $1 }
            }
        }
        return rows
    }

    private func isThere(_ mutation: SyncMutation, _ target: Target) async throws(PostgresError) -> Bool {
        switch try await read([mutation], target)?[mutation.id] {
        case .text, .tooLong: true
        case Row.none?, nil: false
        }
    }

    /// nil if a key cannot be read.
    private func read(_ mutations: [SyncMutation], _ target: Target) async throws(PostgresError) -> [Int: Row]? {
        var parameters = Parameters()
        parameters.append(JSONValue.array(mutations.map { .object($0.key) }).description)
        parameters.append(Self.maximumBytes)
        try await transaction.query(Self.savepoint)
        do throws(PostgresError) {
            var rows = Dictionary(mutations.map { ($0.id, Row.none) }) { $1 }
            for row in try await transaction.texts(statements.rows(of: target.facts, target.shown), parameters) {
                guard let number = row[0].flatMap({ Int($0) }), mutations.indices.contains(number - 1) else { continue }
                rows[mutations[number - 1].id] = row[1].map(Row.text) ?? .tooLong
            }
            try await transaction.query(Self.release)
            return rows
        } catch {
            guard decides(error) else { throw error }
            try await transaction.query(Self.undo)
            return nil
        }
    }
}

extension PostgresError {
    /// The statement itself is at fault, so that trying again would not help.
    var isVerdict: Bool {
        kind == .invalidParameters
            || kind == .server && !["08", "25", "40", "53", "55", "57", "58", "XX"].contains(state.errorClass)
    }

    /// As ``isVerdict``, for a statement that fails in a transaction of its own for the second time. What is left is the
    /// server's state, not the statement: connections, conflicts with others, resources, a server that ends or only reads.
    var isVerdictAlone: Bool {
        kind == .server && !["08", "40", "53"].contains(state.errorClass) && !state.rawValue.hasPrefix("57P0")
            && state.rawValue != "25006"
    }
}

extension Transaction {
    /// The cells of all rows.
    func texts(_ statement: Statement, _ parameters: Parameters) async throws(PostgresError) -> [[String?]] {
        let rows = try await query(statement, parameters)
        return (0..<rows.count).map { row in (0..<rows.columnCount).map { rows.text(row, $0) } }
    }

    /// How many rows were changed.
    func count(_ statement: Statement, _ parameters: Parameters) async throws(PostgresError) -> Int {
        let rows = try await query(statement, parameters)
        return rows.affectedRows
    }
}
