import Foundation
import HTTP
import Postgres
import Web

/// Runs what a request asks for as its caller: one transaction, one round trip.
struct RestTransaction {
    let request: RestRequest
    let settings: RestSettings
    let catalogue: Catalogue
    let shapes: StatementShapes
    let reads: KnownReads
    let context: Context
    /// What functions and policies read as `request.path`.
    let path: String

    /// The row of a ``MainStatement``.
    struct Answer {
        var total: Int?
        var count: Int
        var body: [UInt8]
        var headers: String?
        var status: String?
        var inserted: Int?
        var keys: String?
    }

    /// Runs a ``MainStatement``. `estimate` is an `EXPLAIN` whose number of rows becomes the total.
    func run(
        _ main: StatementCall,
        isReadOnly: Bool,
        estimate: StatementText? = nil
    ) async throws(RestError) -> Answer {
        var calls = opening(isReadOnly: isReadOnly)
        if let estimate { calls.append(call(estimate, isReadOnly: true)) }
        calls.append(main)
        var boxes = try await run(calls)
        guard let last = boxes.popLast() else { throw .unavailable }
        do throws(PostgresError) {
            var answer = Answer(try last.take())
            if estimate != nil, let box = boxes.popLast() { answer.total = Self.plannedRows(try box.take()) }
            return answer
        } catch {
            throw RestError(error, isAnonymous: request.caller.isAnonymous)
        }
    }

    func call(_ main: MainStatement) -> StatementCall { call(main.text, isReadOnly: main.isReadOnly) }

    func prepare(_ main: MainStatement, _ shape: AnswerShape, offset: Int?) -> PreparedRead {
        PreparedRead(call: call(main), shape: shape, offset: offset ?? 0)
    }

    /// The plan of a statement, as PostgreSQL prints it.
    func explain(_ main: MainStatement, _ options: AnswerFormat.PlanOptions) async throws(RestError) -> [UInt8] {
        var words = [options.isText ? "FORMAT TEXT" : "FORMAT JSON"]
        for option in ["analyze", "verbose", "settings", "buffers", "wal"] where options.options.contains(option) {
            words.append(option.uppercased())
        }
        var text = main.text
        text.prefix("EXPLAIN (\(words.joined(separator: ", "))) ")
        var calls = opening(isReadOnly: main.isReadOnly)
        calls.append(call(text, isReadOnly: main.isReadOnly))
        guard let last = try await run(calls).last else { throw .unavailable }
        do throws(PostgresError) {
            let rows = try last.take()
            var output: [UInt8] = []
            for row in 0..<rows.count {
                if row > 0 { output.append(UInt8(ascii: "\n")) }
                output += rows.bytes(row, 0)
            }
            return output
        } catch {
            throw RestError(error, isAnonymous: request.caller.isAnonymous)
        }
    }

    private func opening(isReadOnly: Bool) -> [StatementCall] {
        let texts = request.contextTexts
        let transaction = TransactionSettings(
            role: request.caller.role,
            claims: request.caller.claims,
            method: request.method.rawValue,
            path: path,
            headers: texts.headers,
            cookies: texts.cookies,
            searchPath: settings.searchPath(of: request.schema),
            roleSettings: catalogue.roleSettings[request.caller.role] ?? [],
            timeZone: request.preferences.timeZone,
            isReadOnly: isReadOnly
        )
        var calls = [shapes.call(transaction)]
        if let function = settings.preRequest {
            var text = StatementText()
            text.add("SELECT ")
            text.list(function.split(separator: ".").map(String.init), separator: ".") { $0.add(name: $1) }
            text.add("()")
            calls.append(call(text, isReadOnly: isReadOnly))
        }
        return calls
    }

    private func call(_ text: StatementText, isReadOnly: Bool) -> StatementCall {
        shapes.call(text, role: "\(request.caller.role) \(request.schema)", isReadOnly: isReadOnly)
    }

    private func run(_ calls: [StatementCall]) async throws(RestError) -> [RowsBox] {
        do throws(PostgresError) {
            return try await context.measureDatabase(rows: { _ in 0 }) { () async throws(PostgresError) in
                try await context.server.database.runIsolated(calls, isUndone: isUndone)
            }
        } catch {
            throw RestError(error, isAnonymous: request.caller.isAnonymous)
        }
    }

    /// `Prefer: tx=rollback`, where the server honours it.
    var isUndone: Bool { settings.allowsRollback && request.preferences.ending == .rollback }

    /// `[{"Plan": {…, "Plan Rows": 42, …}}]`
    private static func plannedRows(_ rows: borrowing Rows) -> Int? {
        let text = String(decoding: rows.bytes(0, 0), as: UTF8.self)
        guard let mark = text.range(of: "\"Plan Rows\": ") else { return nil }
        return Int(text[mark.upperBound...].prefix { $0.isNumber })
    }
}

extension RestTransaction.Answer {
    init(_ rows: borrowing Rows) {
        typealias Column = MainStatement.Column
        total = rows.text(0, Column.total).flatMap { Int($0) }
        count = rows.text(0, Column.count).flatMap { Int($0) } ?? 0
        body = rows.bytes(0, Column.body)
        headers = rows.text(0, Column.headers)
        status = rows.text(0, Column.status)
        inserted = rows.text(0, Column.inserted).flatMap { Int($0) }
        keys = rows.text(0, Column.keys)
    }
}

extension Rows {
    fileprivate func bytes(_ row: Int, _ column: Int) -> [UInt8] {
        let cell = cell(row, column)
        return unsafe cell.withUnsafeBufferPointer { unsafe Array($0) }
    }

    fileprivate func text(_ row: Int, _ column: Int) -> String? {
        isNull(row, column) ? nil : String(decoding: bytes(row, column), as: UTF8.self)
    }
}
