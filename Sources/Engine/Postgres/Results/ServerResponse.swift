import SwiftletCLibpq

/// The next result from libpq in pipeline mode (libpq manual, "Pipeline Mode").
enum ServerResponse: ~Copyable {
    /// The current statement has no further results.
    case end
    case rows(Rows)
    /// The batch has ended, and what it wrote is committed.
    case sync
    /// An earlier statement of the same batch failed, so this one did not run.
    case aborted
    case failed(PostgresError)
    /// The connection cannot be used any more.
    case fatal(PostgresError)

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
            let error = unsafe PostgresError(reading: result)
            self = unsafe Self.isFatal(result) ? .fatal(error) : .failed(error)
            unsafe PQclear(result)
        }
    }

    /// An error of libpq itself has no SQLSTATE and means that the connection is lost, as does a FATAL of the server.
    /// COPY, which is not supported here, leaves the connection in a state that only closing it ends.
    private static func isFatal(_ result: OpaquePointer) -> Bool {
        guard unsafe PQresultStatus(result) == PGRES_FATAL_ERROR else { return true }
        guard unsafe ErrorField.state.text(in: result) != nil else { return true }
        return unsafe ErrorField.isFatal(result)
    }
}
