import SwiftletBytes
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import Synchronization

/// Rows to insert from a file: all of them or none.
struct CSVImport {
    let table: ConsoleTable
    let columns: [ConsoleTable.Column]
    let records: [CSVReader.Record]

    /// The first line names the columns.
    init(_ text: String, _ table: ConsoleTable) throws {
        if let reason = table.reasonToBeReadOnly { throw ConsoleError(403, "READ_ONLY", reason) }
        var records = try Self.records(text)
        guard !records.isEmpty else { throw ConsoleError.bad("The file is empty.") }
        let head = records.removeFirst()
        self.table = table
        columns = try head.fields.map { try table.column($0 ?? "") }
        guard Set(columns.map(\.name)).count == columns.count else {
            throw ConsoleError.bad("Line 1 names a column twice.")
        }
        self.records = records
        for record in records where record.fields.count != columns.count {
            throw ConsoleError.bad(
                "Line \(record.line) has \(record.fields.count) values, where line 1 names \(columns.count) columns."
            )
        }
    }

    /// Throws ``ConsoleError`` that names the line and, where it is known, the column.
    func perform(_ asked: ConsoleRequest, in database: ConsoleDatabase) async throws -> JSONObject {
        let progress = Progress()
        do {
            return try await database.write(timeout: 60_000) { transaction in
                for record in records {
                    progress.record = record
                    try await transaction.run(insertion(of: record))
                }
                let number = try await OperatorAction(
                    action: "import",
                    object: "\(table.schema).\(table.name)",
                    after: #"{"rows":\#(records.count)}"#
                )
                .write(asked, in: transaction)
                return ["count": .number(JSONNumber(records.count)), "audit": .number(JSONNumber(number))]
            }
        } catch let error as ConsoleError where error.code == "DATABASE" {
            guard let record = progress.record else { throw error }
            let column = try await culprit(record, error, database)
            var details = error.details
            details["line"] = .number(JSONNumber(record.line))
            if let column { details["column"] = .string(column) }
            let place = column.map { "Line \(record.line), column \($0)" } ?? "Line \(record.line)"
            throw ConsoleError(error.status, "IMPORT", "\(place): \(error.message)", details: details)
        }
    }

    private final class Progress: Sendable {
        private let current = Mutex<CSVReader.Record?>(nil)

        var record: CSVReader.Record? {
            get { current.withLock(\.self) }
            set { current.withLock { $0 = newValue } }
        }
    }

    private static func records(_ text: String) throws(ConsoleError) -> [CSVReader.Record] {
        do throws(CSVReader.OpenQuotation) {
            return try CSVReader.read(text.utf8)
        } catch {
            throw .bad("Line \(error.line): a quotation mark is never closed.")
        }
    }

    private func insertion(of record: CSVReader.Record) -> StatementBuilder {
        var builder = StatementBuilder("INSERT INTO ")
        table.add(to: &builder)
        builder.add(" (")
        builder.list(columns) { $0.add(name: $1.name) }
        builder.add(") VALUES (")
        builder.list(Array(zip(columns, record.fields))) { builder, pair in
            builder.bind(pair.1)
            builder.add("::")
            builder.add(trusted: pair.0.type)
        }
        builder.add(")")
        return builder
    }

    /// PostgreSQL does not say which value has not the form of its type, so each is tried alone.
    private func culprit(
        _ record: CSVReader.Record,
        _ error: ConsoleError,
        _ database: ConsoleDatabase
    ) async throws -> String? {
        if let known = error.details["column"]?.string { return known }
        guard error.details["sqlstate"]?.string?.hasPrefix("22") == true else { return nil }
        for (column, value) in zip(columns, record.fields) {
            var builder = StatementBuilder("SELECT ")
            builder.bind(value)
            builder.add("::")
            builder.add(trusted: column.type)
            let trial = builder
            do {
                _ = try await database.read { try await $0.run(trial) }
            } catch let error as ConsoleError where error.code == "DATABASE" {
                return column.name
            }
        }
        return nil
    }
}
