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
        guard unsafe ErrorField.state.text(in: result) != nil else { return true }
        let severity = unsafe ErrorField.severity.text(in: result)
        return severity == "FATAL" || severity == "PANIC"
    }
}
