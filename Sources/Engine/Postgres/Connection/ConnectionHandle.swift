import SwiftletCLibpq

/// The only owner of a `PGconn`: libpq's calls for one connection, non-blocking, and in pipeline mode once established.
///
/// Belongs to one loop's thread. What is sent is buffered by libpq until `flush` or `sync`.
@safe struct ConnectionHandle: ~Copyable {
    private let connection: OpaquePointer
    private let farewell: NoticeReceiver

    private init(adopting connection: OpaquePointer) {
        unsafe self.connection = connection
        farewell = unsafe NoticeReceiver(of: connection)
    }

    deinit { unsafe PQfinish(connection) }

    // MARK: - Connecting

    /// Begins to connect; `poll` continues.
    static func start(_ settings: ConnectionSettings) throws(PostgresError) -> ConnectionHandle {
        let connection = unsafe settings.withCStrings { keywords, values in
            unsafe PQconnectStartParams(keywords, values, 0)
        }
        guard let connection = unsafe connection else {
            throw PostgresError.connectionFailure("out of memory")
        }
        let handle = unsafe ConnectionHandle(adopting: connection)
        guard !handle.isBad else { throw handle.takeConnectionError() }
        return handle
    }

    /// True until the host has taken the connection or refused it.
    var isReaching: Bool { unsafe PQstatus(connection) == CONNECTION_STARTED }

    /// The server that is being tried.
    var server: ServerAddress {
        func text(_ value: UnsafeMutablePointer<CChar>?) -> String {
            unsafe value.map { unsafe String(cString: $0) } ?? ""
        }
        return unsafe ServerAddress(
            host: text(PQhost(connection)),
            address: text(PQhostaddr(connection)),
            port: text(PQport(connection))
        )
    }

    enum Progress { case waitForRead, waitForWrite, connected, failed }

    /// Takes the next step. Afterwards the socket may be another one, even with the same number.
    func poll() -> Progress {
        switch unsafe PQconnectPoll(connection) {
        case PGRES_POLLING_READING: .waitForRead
        case PGRES_POLLING_WRITING: .waitForWrite
        case PGRES_POLLING_OK: .connected
        default: .failed
        }
    }

    /// Makes an established connection non-blocking, and pipelined unless it is for replication.
    func enterMode(isPipelined: Bool) -> Bool {
        guard unsafe PQsetnonblocking(connection, 1) == 0 else { return false }
        return unsafe !isPipelined || PQenterPipelineMode(connection) == 1
    }

    /// −1 when there is none.
    var descriptor: CInt { unsafe PQsocket(connection) }

    var isBad: Bool { unsafe PQstatus(connection) == CONNECTION_BAD }

    var isEncrypted: Bool { unsafe PQsslInUse(connection) == 1 }

    /// Why the server closed the connection, or else libpq's last error message, on one line; it names hosts and users,
    /// never passwords. Drops what has arrived and was not taken.
    func takeLastError() -> PostgresError {
        // Reads what has arrived last.
        _ = isBusy
        // Before libpq finds out once more that there is no socket.
        let message = unsafe ErrorField.line(String(cString: PQerrorMessage(connection)))
        if descriptor < 0 { hearOut() }
        return farewell.error ?? .connectionFailure(message)
    }

    /// Looks for the server's reason in what arrived before the socket was closed, and drops the results there: libpq
    /// no longer knows what they answer, and takes the description of a row for a result without rows.
    private func hearOut() {
        var ends = 0
        // After the first end, which may be that of one statement, libpq gives the rest as notices.
        while ends < 2 {
            if let result = unsafe PQgetResult(connection) {
                unsafe farewell.note(result)
                unsafe PQclear(result)
            } else {
                ends += 1
            }
        }
    }

    /// Why connecting failed. What PgBouncer says of our options, in whichever mode it runs, gets a remedy.
    func takeConnectionError() -> PostgresError {
        let reason = takeLastError().message
        let isRefusedByPooler = reason.contains("unsupported") && reason.contains("startup parameter")
        let remedy = isRefusedByPooler ? ": behind a pooler set DATABASE_PREPARED=off" : ""
        return .connectionFailure(reason + remedy)
    }

    // MARK: - Sending

    /// Queues the preparation of a statement under its name.
    func sendPrepare(_ statement: Statement) -> Bool {
        unsafe statement.cName.withUnsafeBufferPointer { name in
            unsafe statement.cText.withUnsafeBufferPointer { text in
                unsafe PQsendPrepare(connection, name.baseAddress, text.baseAddress, 0, nil) == 1
            }
        }
    }

    /// Queues one run of a prepared statement.
    @inline(__always)
    func sendPrepared(_ statement: Statement, _ parameters: borrowing Parameters) -> Bool {
        unsafe statement.cName.withUnsafeBufferPointer { name in
            unsafe parameters.withCStrings { count, values in
                unsafe PQsendQueryPrepared(connection, name.baseAddress, count, values, nil, nil, 0) == 1
            }
        }
    }

    /// Queues one run of a statement that is not prepared by name.
    func sendUnprepared(_ text: ContiguousArray<CChar>, _ parameters: borrowing Parameters) -> Bool {
        unsafe text.withUnsafeBufferPointer { text in
            unsafe parameters.withCStrings { count, values in
                unsafe PQsendQueryParams(connection, text.baseAddress, count, nil, values, nil, nil, 0) == 1
            }
        }
    }

    /// Queues a query that only a server answers: poolers answer much else themselves.
    func sendProbe() -> Bool { sendUnprepared(Self.probe, .none) }

    private static let probe = ContiguousArray("SELECT 1".utf8CString)

    /// Ends a batch, which is one implicit transaction, and sends what is queued as far as the socket takes it.
    func sync() -> Bool { unsafe PQpipelineSync(connection) == 1 }

    enum FlushResult { case done, pending, failed }

    /// Sends what is queued as far as the socket takes it. After a failure there is no socket any more.
    func flush() -> FlushResult {
        let code = unsafe PQflush(connection)
        if code < 0 || isBad { return .failed }
        return code == 0 ? .done : .pending
    }

    // MARK: - Receiving

    /// Reads what the socket has; false when the connection broke, though results may have arrived before.
    func consumeInput() -> Bool { unsafe PQconsumeInput(connection) == 1 }

    /// True when the next result is not complete yet.
    var isBusy: Bool { unsafe PQisBusy(connection) == 1 }

    /// The next result. Not to be called while busy, nor when nothing is in flight: it would be `end` for ever; nor when
    /// the connection is bad, see ``hearOut()``.
    @inline(__always)
    func nextResponse() -> ServerResponse {
        guard let result = unsafe PQgetResult(connection) else { return .end }
        return unsafe ServerResponse(adopting: result)
    }

    /// The payload of the next notification that has arrived.
    func nextNotification() -> String? {
        guard let notification = unsafe PQnotifies(connection) else { return nil }
        defer { unsafe PQfreemem(notification) }
        return unsafe String(cString: notification.pointee.extra)
    }

    // MARK: - Replication, without a pipeline

    /// Queues a query of the simple protocol, the only one that a walsender takes.
    func sendSimple(_ text: String) -> Bool { unsafe PQsendQuery(connection, text) == 1 }

    enum SimpleResponse {
        case rows([[String?]])
        case failed(PostgresError)
        case copyBoth
        case end
    }

    /// As ``nextResponse()``, for a simple query.
    func nextSimpleResponse() -> SimpleResponse {
        guard let result = unsafe PQgetResult(connection) else { return .end }
        defer { unsafe PQclear(result) }
        switch unsafe PQresultStatus(result) {
        case PGRES_COPY_BOTH: return .copyBoth
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            let rows = unsafe (0..<PQntuples(result)).map { row in
                unsafe (0..<PQnfields(result)).map { column -> String? in
                    if unsafe PQgetisnull(result, row, column) == 1 { return nil }
                    return unsafe PQgetvalue(result, row, column).map { unsafe String(cString: $0) }
                }
            }
            return .rows(rows)
        default: return unsafe .failed(PostgresError(reading: result))
        }
    }

    enum CopyData {
        case data([UInt8])
        /// The next one is not complete yet.
        case incomplete
        case ended
    }

    func nextCopyData() -> CopyData {
        var buffer: UnsafeMutablePointer<CChar>?
        let count = unsafe PQgetCopyData(connection, &buffer, 1)
        guard count > 0, let buffer = unsafe buffer else { return count == 0 ? .incomplete : .ended }
        defer { unsafe PQfreemem(buffer) }
        let bytes = unsafe UnsafeRawBufferPointer(start: buffer, count: Int(count))
        return unsafe .data(Array(bytes))
    }

    func sendCopyData(_ bytes: [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBytes { bytes in
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            return unsafe PQputCopyData(connection, start, CInt(bytes.count)) == 1
        }
    }

    /// Why a COPY has ended.
    func takeCopyError() -> PostgresError {
        if case .failed(let error) = nextSimpleResponse() { return error }
        return takeLastError()
    }

    // MARK: - State

    /// True inside a transaction block, also a failed one.
    var isInTransaction: Bool {
        let status = unsafe PQtransactionStatus(connection)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// Lets any thread ask the server to cancel the running statement; nil when libpq is out of memory.
    func makeCanceller() -> Canceller? {
        guard let cancel = unsafe PQgetCancel(connection) else { return nil }
        return unsafe Canceller(adopting: cancel)
    }
}
