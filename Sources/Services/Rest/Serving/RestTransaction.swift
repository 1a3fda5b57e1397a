import SwiftletEssentials
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Runs what a request asks for as its caller: one transaction, one round trip.
struct RestTransaction {
    let request: RestRequest
    let catalog: RestCatalog
    let statements: StatementCache
    let reads: RestPlanCache
    let largeRoutines: LargeRoutines
    let context: Context
    /// What functions and policies read as `request.path`.
    let path: String
    /// What the function that is called sets for its transaction.
    var routineSettings: [RoleSetting] = []
    /// A function is called.
    var isCall = false
    /// One that is open already, in which all is done; nil for one of its own.
    var open: Transaction?

    /// The row of a ``MainStatement``.
    struct MainRow {
        var total: Int?
        /// How many rows PostgreSQL guesses, where it was asked.
        var estimate: Int?
        var count: Int
        var body: [UInt8]
        var headers: String?
        var status: String?
        var inserted: Int?
        var keys: String?
    }

    /// Runs a ``MainStatement``. `estimate` is an `EXPLAIN` whose number of rows is the estimate.
    func run(
        _ main: StatementCall,
        isReadOnly: Bool,
        mayTakeLong: Bool,
        estimate: StatementText? = nil
    ) async throws(RestError) -> MainRow {
        var calls = opening(isReadOnly: isReadOnly)
        if let estimate { calls.append(call(estimate, isReadOnly: true)) }
        calls.append(main)
        // What would fail at the end fails all the same.
        let checksConstraints = isUndone && !isReadOnly
        if checksConstraints {
            var text = StatementText()
            text.add("SET CONSTRAINTS ALL IMMEDIATE")
            calls.append(call(text, isReadOnly: true))
        }
        var boxes = try await run(calls, isReadOnly: isReadOnly, mayTakeLong: mayTakeLong)
        if checksConstraints { _ = boxes.popLast() }
        guard let last = boxes.popLast() else { throw .unavailable }
        do throws(PostgresError) {
            var answer = MainRow(try last.take())
            if estimate != nil, let box = boxes.popLast() { answer.estimate = Self.plannedRows(try box.take()) }
            return answer
        } catch {
            throw RestError(error, isAnonymous: request.caller.isAnonymous)
        }
    }

    /// Rows that are sent while they are read.
    struct StreamedAnswer {
        let count: Int
        /// What a function has set for the answer.
        var headers: String?
        var status: String?
        let rows: RowStream
    }

    /// Opens a cursor for rows, and counts them; nil for what is not sent row by row. Both see one snapshot, and hold a
    /// connection until the rows are read or given up.
    func stream(_ plan: RestPlan) async throws(RestError) -> StreamedAnswer? {
        guard let reading = plan.streamed else { return nil }
        @Sendable func fetch(_ wanted: Int) -> StatementCall {
            var text = StatementText()
            text.add("FETCH \(wanted) FROM \(RowStream.cursor)")
            return call(text, isReadOnly: true)
        }
        var calls = opening(isReadOnly: true, isolation: reading.count == nil ? nil : "repeatable read")
        calls.append(call(reading.cursor, isReadOnly: true))
        // Either tells how many there are.
        calls.append(reading.count.map { call($0, isReadOnly: true) } ?? fetch(1))
        // The function is done by then.
        if reading.count == nil { calls.append(call(Self.settingsOfAnswer, isReadOnly: true)) }
        let (all, leavesTraces) = (calls, mayLeaveTraces)
        let found: HeldTransaction?
        do throws(PostgresError) {
            found = try await context.server.database.hold(for: request.caller.guest)
        } catch {
            throw RestError(error, isAnonymous: request.caller.isAnonymous)
        }
        guard let held = found else { throw .tooManyLargeAnswers }
        do throws(PostgresError) {
            var boxes = try await context.measureDatabase(rows: { _ in 0 }, of: all.map(\.statement.text)) {
                () async throws(PostgresError) in try await held.run(all, mayLeaveTraces: leavesTraces)
            }
            let set = reading.count == nil ? try boxes.popLast()?.take() : nil
            guard let last = try boxes.popLast()?.take() else { return nil }
            var first: [[UInt8]] = []
            if reading.count == nil, last.count > 0 { first = [last.bytes(0, 0)] }
            let number = last.count == 0 ? nil : last.text(0, first.isEmpty ? 0 : 1)
            let rows = RowStream(held, reading.form, first: first) { fetch($0) }
            return StreamedAnswer(
                count: number.flatMap { Int($0) } ?? 0,
                headers: set?.text(0, 0),
                status: set?.text(0, 1),
                rows: rows
            )
        } catch {
            throw RestError(error, isAnonymous: request.caller.isAnonymous)
        }
    }

    private static var settingsOfAnswer: StatementText {
        var text = StatementText()
        text.add("SELECT \(MainStatement.headers), \(MainStatement.status)")
        return text
    }

    func call(_ main: MainStatement) -> StatementCall { call(main.text, isReadOnly: main.isReadOnly) }

    /// The plan of a statement, as PostgreSQL prints it.
    func explain(_ main: MainStatement, _ options: RequestedMediaType.PlanOptions) async throws(RestError) -> [UInt8] {
        var words = [options.isText ? "FORMAT TEXT" : "FORMAT JSON"]
        words += options.options.map { $0.uppercased() }
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

    /// What the caller has a privilege on in the request's schema, as the OpenAPI description follows it.
    func privileges() async throws(RestError) -> Privileges {
        var text = StatementText()
        text.add(
            """
            SELECT (SELECT coalesce(json_agg(c.relname), '[]') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND (pg_has_role(c.relowner, 'USAGE')
                    OR has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
                    OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')))::text,
            (SELECT coalesce(json_agg(p.oid::text), '[]') FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
                WHERE n.nspname = $1 AND has_function_privilege(p.oid, 'EXECUTE'))::text
            """
        )
        text.addParameter(request.schema)
        let calls = opening(isReadOnly: true) + [call(text, isReadOnly: true)]
        guard let last = try await run(calls).last else { throw .unavailable }
        do throws(PostgresError) {
            let rows = try last.take()
            return Privileges(relations: Self.names(rows.bytes(0, 0)), routines: Self.names(rows.bytes(0, 1)))
        } catch {
            throw RestError(error, isAnonymous: request.caller.isAnonymous)
        }
    }

    struct Privileges {
        let relations: Set<String>
        /// By their numbers.
        let routines: Set<String>
    }

    private static func names(_ json: [UInt8]) -> Set<String> {
        Set((try? JSONParser.parse(json).array)?.compactMap(\.string) ?? [])
    }

    /// `isolation` is the level if the role has none of its own.
    private func opening(isReadOnly: Bool, isolation: String? = nil) -> [StatementCall] {
        let texts = request.contextTexts
        let ownSettings = self.ownSettings
        let transaction = TransactionSettings(
            request.caller,
            method: request.method.rawValue,
            path: path,
            headers: texts.headers,
            cookies: texts.cookies,
            searchPath: catalog.searchPaths[request.schema] ?? "",
            others: ownSettings
                + settings.transactionSettings.map { RoleSetting(name: $0.name, value: $0.value) },
            timeZone: request.preferences.timeZone,
            isReadOnly: isReadOnly
        )
        var calls = [statements.call(transaction)]
        if open == nil, let level = isolationLevel ?? isolation {
            var text = StatementText()
            text.add("SET LOCAL transaction_isolation = '\(level)'")
            // PostgreSQL takes it before any query alone.
            calls.insert(call(text, isReadOnly: isReadOnly), at: 0)
        }
        if let function = settings.preRequest {
            var text = StatementText()
            text.add("SELECT ")
            text.list(function.split(separator: ".").map(String.init), separator: ".") { $0.add(name: $1) }
            text.add("()")
            calls.append(call(text, isReadOnly: isReadOnly))
        }
        return calls
    }

    /// Those of the caller's role, and of the function.
    private var ownSettings: [RoleSetting] { (catalog.roleSettings[request.caller.role] ?? []) + routineSettings }

    private var settings: RestSettings { catalog.settings }

    /// Another level than that of every transaction.
    var isolationLevel: String? {
        let wanted = ownSettings.last { $0.sets("default_transaction_isolation") }?.value.lowercased()
        return wanted.flatMap { ["serializable", "repeatable read"].contains($0) ? $0 : nil }
    }

    private func call(_ text: StatementText, isReadOnly: Bool) -> StatementCall {
        statements.call(text, role: "\(request.caller.role) \(request.schema)", isReadOnly: isReadOnly)
    }

    private func run(
        _ calls: [StatementCall],
        isReadOnly: Bool = false,
        mayTakeLong: Bool = true
    ) async throws(RestError) -> [RowsBox] {
        let guest = request.caller.guest.asking(mayTakeLong: mayTakeLong)
        request.timings?.end(.parsing)
        request.timings?.end(.planning)
        defer { request.timings?.end(.transaction) }
        do throws(PostgresError) {
            return try await context.measureDatabase(rows: { _ in 0 }, of: calls.map(\.statement.text)) {
                () async throws(PostgresError) in
                if let open { return try await open.run(calls, mayLeaveTraces: mayLeaveTraces) }
                // The level has to be set before the first query, which would be the replica's own.
                if isReadOnly, !isUndone, !mayLeaveTraces, isolationLevel == nil, context.mayReadOnReplica,
                    let boxes = try await context.readOnReplica(calls, isIsolated: true, guest: guest)
                {
                    return boxes
                }
                return try await context.server.database.runIsolated(
                    calls,
                    isUndone: isUndone,
                    guest: guest,
                    mayLeaveTraces: mayLeaveTraces
                )
            }
        } catch {
            throw RestError(error, isAnonymous: request.caller.isAnonymous)
        }
    }

    /// Functions, also those of triggers, may set something for the rest of the session.
    private var mayLeaveTraces: Bool { isCall || !request.isRead || settings.preRequest != nil }

    /// `Prefer: tx=rollback`, where the server honors it.
    var isUndone: Bool {
        guard settings.ending.isOverridable, let wanted = request.preferences.ending else {
            return settings.ending.isUndone
        }
        return wanted == .rollback
    }

    /// `[{"Plan": {…, "Plan Rows": 42, …}}]`
    private static func plannedRows(_ rows: borrowing Rows) -> Int? {
        let text = String(decoding: rows.bytes(0, 0), as: UTF8.self)
        guard let mark = text.firstRange(of: "\"Plan Rows\": ") else { return nil }
        return Int(text[mark.upperBound...].prefix { $0.isNumber })
    }
}

extension RestTransaction.MainRow {
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
