import CLibpq

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
        guard unsafe PQstatus(handle) == CONNECTION_OK else {
            // libpq gives no SQLSTATE here: refused by a server that asked for a password is no outage.
            let isRefused = unsafe PQconnectionUsedPassword(handle) == 1 || PQconnectionNeedsPassword(handle) == 1
            throw BlockingConnectionError(state: isRefused ? "28000" : "08001", message: connection.message)
        }
        return connection
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

    @discardableResult
    private func check(_ result: OpaquePointer?) throws(BlockingConnectionError) -> [[String?]] {
        defer { unsafe PQclear(result) }
        switch unsafe PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            break
        default:
            throw unsafe BlockingConnectionError(
                state: ErrorField.state.text(in: result) ?? "08006",
                message: ErrorField.message.text(in: result) ?? message,
                detail: ErrorField.detail.text(in: result),
                position: ErrorField.position.text(in: result).flatMap { Int($0) }
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
