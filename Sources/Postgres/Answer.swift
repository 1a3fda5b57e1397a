import CLibpq

/// What libpq hands over next in pipeline mode (libpq manual, "Pipeline Mode").
enum Answer: ~Copyable {
    /// The end of one statement's answers.
    case end
    case rows(Rows)
    /// The batch up to here is done, and committed where it wrote.
    case sync
    /// An earlier statement of the same batch failed; this one did nothing.
    case aborted
    /// `isFatal` means that this was the connection's last word.
    case failed(PostgresError, isFatal: Bool)

    init(adopting result: OpaquePointer) {
        switch unsafe PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_SINGLE_TUPLE, PGRES_EMPTY_QUERY:
            self = unsafe .rows(Rows(adopting: result))
        case PGRES_PIPELINE_SYNC:
            unsafe PQclear(result)
            self = .sync
        case PGRES_PIPELINE_ABORTED:
            unsafe PQclear(result)
            self = .aborted
        default:
            self = unsafe .failed(PostgresError(reading: result), isFatal: Self.isFatal(result))
            unsafe PQclear(result)
        }
    }

    /// An error that libpq made itself has no code, and means that the connection is gone; so does a server's FATAL.
    /// COPY, which nothing here can serve, leaves a connection in a state that only closing ends.
    private static func isFatal(_ result: OpaquePointer) -> Bool {
        guard unsafe PQresultStatus(result) == PGRES_FATAL_ERROR else { return true }
        guard unsafe PostgresError.field("C", of: result) != nil else { return true }
        let severity = unsafe PostgresError.field("V", of: result)
        return severity == "FATAL" || severity == "PANIC"
    }
}

extension PostgresError {
    /// What the server, or libpq in its stead, says about a failed statement.
    init(reading result: OpaquePointer) {
        let code = unsafe Self.field("C", of: result)
        let fields = unsafe Fields(
            message: Self.field("M", of: result) ?? String(cString: PQresultErrorMessage(result)),
            detail: Self.field("D", of: result),
            hint: Self.field("H", of: result),
            column: Self.field("c", of: result),
            constraint: Self.field("n", of: result),
            table: Self.field("t", of: result),
            routine: Self.field("R", of: result)
        )
        let state = code.map { SQLState(rawValue: $0) } ?? .connectionFailure
        self.init(kind: .server, state: state, fields: fields)
    }

    /// One field of an error report, by its letter in the protocol (manual §55.8).
    static func field(_ letter: Unicode.Scalar, of result: OpaquePointer) -> String? {
        guard let text = unsafe PQresultErrorField(result, CInt(letter.value)) else { return nil }
        return unsafe String(cString: text)
    }
}
