import SwiftletCLibpq

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A connection that blocks its thread: for commands, migrations and tests, never for an event loop.
@safe package struct BlockingConnection: ~Copyable {
    private let handle: OpaquePointer

    private init(adopting handle: OpaquePointer) { unsafe self.handle = handle }

    deinit { unsafe PQfinish(handle) }

    /// Connects within five seconds unless the URI says otherwise, also through a pooler, which refuses start-up
    /// options; the session runs in UTC and prints warnings, but no notices.
    package static func connect(to url: String) throws(BlockingConnectionError) -> BlockingConnection {
        guard !url.utf8.contains(0) else { throw .nulInText }
        SessionEnvironment.prepare()
        // Keywords before `dbname` are defaults: a URI given as dbname is expanded and overrides them.
        let settings = ConnectionSettings([
            "connect_timeout": "5", "application_name": "swiftlet", "client_encoding": "UTF8",
            "dbname": url,
        ])
        let handle = unsafe settings.withCStrings { keywords, values in
            unsafe PQconnectdbParams(keywords, values, 1)
        }
        guard let handle = unsafe handle else {
            throw BlockingConnectionError(state: "53200", message: "libpq is out of memory")
        }
        let connection = unsafe BlockingConnection(adopting: handle)
        _ = unsafe PQsetNoticeReceiver(handle, { _, report in unsafe Self.printWarning(report) }, nil)
        guard unsafe PQstatus(handle) == CONNECTION_OK else { throw connection.refusal }
        return connection
    }

    /// Why no connection was made. libpq tells the SQLSTATE only in verbose messages, which it writes from the second
    /// attempt on.
    private var refusal: BlockingConnectionError {
        let message = message
        // libpq asks nobody without a password.
        if unsafe PQconnectionNeedsPassword(handle) == 1 {
            return BlockingConnectionError(state: "28000", message: message)
        }
        _ = unsafe PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        unsafe PQreset(handle)
        let verbose = unsafe String(cString: PQerrorMessage(handle))
        let state = verbose.firstMatch(of: #/[^:]:  ([0-9A-Z]{5}): /#).map { String($0.1) }
        return BlockingConnectionError(state: state ?? "08001", message: message)
    }

    /// The server has closed it, or cannot be reached any more. Errors of statements can have the same SQLSTATE, when
    /// they are about another server.
    package var isBroken: Bool { unsafe PQstatus(handle) != CONNECTION_OK }

    /// Runs a script of any number of statements; they are one transaction unless the script says otherwise.
    package func execute(_ script: String) throws(BlockingConnectionError) {
        // C would end the script there, and half of it would run.
        guard !script.utf8.contains(0) else { throw .nulInText }
        try unsafe check(PQexec(handle, script))
    }

    /// The same within a transaction that the script cannot end: COMMIT, ROLLBACK and the like are refused with SQLSTATE
    /// 0A000 (PostgreSQL manual, 43.5.4).
    package func executeWithinTransaction(_ script: String) throws(BlockingConnectionError) {
        guard !script.utf8.contains(0) else { throw .nulInText }
        var tag = "$script$"
        while script.contains(tag) { tag = "$script\(UInt64.random(in: .min ... .max))$" }
        let block = "DO \(tag.replacing("script", with: "block")) BEGIN EXECUTE \(tag)\(script)\(tag); END "
        try unsafe check(PQexec(handle, block + tag.replacing("script", with: "block")), script: script)
    }

    /// Runs one statement with text parameters `$1`…; cells come back as text, nil for NULL.
    @discardableResult
    package func query(
        _ text: String,
        _ parameters: [String?] = []
    ) throws(BlockingConnectionError) -> [[String?]] {
        var values = Parameters()
        for parameter in parameters { values.append(parameter) }
        guard values.fault == nil, !text.utf8.contains(0) else { throw .nulInText }
        let result = unsafe values.withCStrings { count, values in
            unsafe PQexecParams(handle, text, count, nil, values, nil, nil, 0)
        }
        return try unsafe check(result)
    }

    /// Runs one statement, whose rows stay in libpq's memory.
    func rows(_ statement: Statement, _ parameters: Parameters) throws(PostgresError) -> Rows {
        if let fault = parameters.fault { throw fault }
        let result = unsafe parameters.withCStrings { count, values in
            unsafe PQexecParams(handle, statement.text, count, nil, values, nil, nil, 0)
        }
        guard let result = unsafe result else { throw .connectionFailure }
        switch unsafe PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            return unsafe Rows(adopting: result)
        default:
            defer { unsafe PQclear(result) }
            throw unsafe PostgresError(reading: result)
        }
    }

    @discardableResult
    private func check(
        _ result: OpaquePointer?,
        script: String? = nil
    ) throws(BlockingConnectionError) -> [[String?]] {
        defer { unsafe PQclear(result) }
        switch unsafe PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            break
        default:
            let isOfScript = unsafe script != nil && ErrorField.internalQuery.text(in: result) == script
            let position: ErrorField = isOfScript ? .internalPosition : .position
            throw unsafe BlockingConnectionError(
                state: ErrorField.state.text(in: result) ?? "08006",
                message: ErrorField.message.text(in: result) ?? message,
                detail: ErrorField.detail.text(in: result),
                position: position.text(in: result).flatMap { Int($0) }
            )
        }
        return unsafe (0..<PQntuples(result)).map { row in
            unsafe (0..<PQnfields(result)).map { column in
                if unsafe PQgetisnull(result, row, column) == 1 { return nil }
                return unsafe PQgetvalue(result, row, column).map { unsafe String(cString: $0) }
            }
        }
    }

    /// What libpq would print of every notice.
    private static func printWarning(_ report: OpaquePointer?) {
        guard unsafe ErrorField.severity.text(in: report) == "WARNING" else { return }
        let text = unsafe String(cString: PQresultErrorMessage(report))
        _ = unsafe Array(text.utf8).withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private var message: String {
        unsafe ErrorField.line(String(cString: PQerrorMessage(handle)))
    }
}
