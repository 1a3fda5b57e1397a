import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Statements that operators type. Whoever has SQL has the rights of the connection: what else is done here protects
/// from slips.
struct SQLPages: Sendable {
    let database: ConsoleDatabase
    /// For the audit, and to cancel.
    let own: ConsoleDatabase
    /// Runs as a login role of its own.
    let isSeparate: Bool
    private let running = RunningStatements()

    init(database: ConsoleDatabase, own: ConsoleDatabase, isSeparate: Bool) {
        self.database = database
        self.own = own
        self.isSeparate = isSeparate
    }

    static let maximumRows = 1_000
    static let maximumBytes = 4 << 20
    private static let timeout = 10_000

    /// `{"sql", "role", "write", "commit", "expected", "explain": "plan" | "analyze", "id"}`. Without `write` nothing can
    /// be changed; with it and without `commit`, all is rolled back. `expected` is how many rows the trial has changed.
    func run(_ asked: ConsoleRequest) async throws -> Response {
        try asked.require(isSeparate ? .editor : .owner)
        let body = try asked.body()
        let text = (body["sql"]?.string ?? "").trimmed
        guard !text.isEmpty, !text.utf8.contains(0) else { throw ConsoleError.bad("Type a statement.") }
        let writes = body["write"]?.bool ?? false
        if writes { try asked.require(.owner) }
        let explains = body["explain"]?.string ?? ""
        let commits = writes && explains.isEmpty && body["commit"]?.bool ?? false
        let expected = body["expected"]?.int
        let id = Self.id(body["id"]?.string ?? "", asked)
        let role = body["role"]?.string ?? ""
        let statement =
            switch explains {
            case "": text
            case "analyze": "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) \(text)"
            default: "EXPLAIN (FORMAT JSON) \(text)"
            }
        // ANALYZE performs the statement, and is always rolled back.
        let isTrial = writes || explains == "analyze"
        guard running.begin(id) else {
            throw ConsoleError(503, "BUSY", "\(RunningStatements.maximum) statements are running already.")
        }
        defer { running.end(id) }
        let work: (Transaction) async throws -> Response = { transaction in
            // By its name a backend that has begun another statement meanwhile is told from ours.
            let begin = try await transaction.query(
                """
                SELECT pg_backend_pid() AS pid, pg_advisory_unlock_all(),
                    set_config('application_name', \(RunningStatements.name(of: id)), true)
                """
            )
            try running.perform(id, by: begin.first?["pid"])
            if !role.isEmpty { try await transaction.query("SELECT set_config('role', \(role), true)") }
            let started = ContinuousClock.now
            let result = try await perform(statement, transaction) { try running.check(id) }
            let milliseconds = started.duration(to: .now).milliseconds
            try running.finish(id)
            if commits {
                if let expected, expected != result.affected {
                    throw ConsoleError(409, "CHANGED", "It changes \(result.affected) rows by now, not \(expected).")
                }
                // Nothing that the statement has set stays for the next one.
                try await transaction.query("SELECT set_config('role', 'none', false)")
                try await transaction.query(
                    "SELECT set_config(name, reset_val, false) FROM pg_settings WHERE source = 'session'"
                )
                let entry = OperatorAction(
                    action: "sql",
                    object: role,
                    after: #"{"rows":\#(result.affected)}"#,
                    statement: text
                )
                // A login role of its own may not write the audit.
                if isSeparate {
                    _ = try await own.write { try await entry.write(asked, in: $0) }
                } else {
                    try await entry.write(asked, in: transaction)
                }
            }
            return result.response(milliseconds: milliseconds, isCommitted: commits)
        }
        if commits { return try await database.write(timeout: Self.timeout, work) }
        return try await database.rollingBack(timeout: Self.timeout) { transaction in
            if !isTrial {
                try await transaction.query("SET TRANSACTION READ ONLY")
                // From now on it cannot be made writable.
                try await transaction.query("SELECT 1")
            }
            return try await work(transaction)
        }
    }

    /// Ends the statement with the id, also one that is between two steps of its transaction, or has not begun yet.
    func cancel(_ asked: ConsoleRequest) async throws -> Response {
        let id = Self.id(try asked.body()["id"]?.string ?? "", asked)
        guard running.cancel(id) else { throw ConsoleError.notFound }
        // Whatever step begins after this finds the mark; the one that runs now is cancelled, and asked again in case it
        // had only just begun.
        for _ in 0..<Self.cancelAttempts {
            guard let pid = running.pid(of: id) else { break }
            // Only the role that runs it, or a greater one, may cancel it.
            try await (isSeparate ? database : own).read { transaction in
                _ = try await transaction.query(
                    """
                    SELECT pg_cancel_backend(pid) FROM pg_stat_activity
                    WHERE pid = \(pid)::integer AND application_name = \(RunningStatements.name(of: id))
                    """
                )
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        return .success
    }

    private static let cancelAttempts = 20

    /// Of a session, so that nobody cancels what another has begun.
    private static func id(_ text: String, _ asked: ConsoleRequest) -> String {
        text.isEmpty ? "" : "\(asked.visitor.session)/\(text.prefix(40))"
    }

    /// `check` throws once the statement is cancelled.
    private func perform(
        _ text: String,
        _ transaction: Transaction,
        _ check: () throws -> Void
    ) async throws -> SQLResult {
        let word = text.prefix { $0.isLetter }.lowercased()
        let isQuery = ["select", "values", "table"].contains(word)
        if isQuery {
            // A huge result stays in the database.
            _ = try await transaction.query(
                Statement("DECLARE console NO SCROLL CURSOR FOR \(text)", isReadOnly: false),
                .none
            )
            try check()
            let rows = try await transaction.query(
                Statement("FETCH \(Self.maximumRows + 1) FROM console", isReadOnly: false),
                .none
            )
            return SQLResult(rows)
        }
        return SQLResult(try await transaction.query(Statement(text, isReadOnly: false), .none))
    }
}

/// Rows as texts, with a cap.
struct SQLResult {
    let affected: Int
    private let json: [UInt8]

    init(_ rows: borrowing Rows) {
        affected = rows.affectedRows
        var json = JSONWriter(minimumCapacity: 4096)
        json.beginObject()
        json.member("affected", rows.affectedRows)
        json.member("command", rows.commandTag)
        json.key("columns")
        json.beginArray()
        for column in 0..<rows.columnCount { json.write(rows.columnName(column)) }
        json.endArray()
        json.key("types")
        json.beginArray()
        for column in 0..<rows.columnCount { json.write(Int(rows.columnType(column))) }
        json.endArray()
        json.key("rows")
        json.beginArray()
        var bytes = 0
        var shown = 0
        while shown < min(rows.count, SQLPages.maximumRows), bytes < SQLPages.maximumBytes {
            json.beginArray()
            for column in 0..<rows.columnCount {
                let cell = rows.cell(shown, column)
                bytes += cell.count
                if rows.isNull(shown, column) { json.writeNull() } else { json.writeText(utf8: cell) }
            }
            json.endArray()
            shown += 1
        }
        json.endArray()
        json.member("more", shown < rows.count)
        self.json = json.finish()
    }

    func response(milliseconds: Double, isCommitted: Bool) -> Response {
        // The object is not closed yet.
        let text = String(decoding: json, as: UTF8.self)
        return .text(#"\#(text),"milliseconds":\#(milliseconds),"committed":\#(isCommitted)}"#)
    }
}

extension Duration {
    var milliseconds: Double {
        Double(components.seconds) * 1_000 + Double(components.attoseconds / 1_000_000_000_000) / 1_000
    }
}

extension String {
    /// Without space at both ends and without the last semicolon.
    fileprivate var trimmed: String {
        var text = self[...]
        while let last = text.last, last.isWhitespace || last == ";" { text.removeLast() }
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        return String(text)
    }
}
