import SwiftletCLibpq

/// The answer to one query: rows of cells in text format, borrowed from libpq's memory.
///
/// Owns the `PGresult` and frees it. The pointer is kept as its address: a result is never written to once libpq has
/// handed it over and may be read from any thread (libpq manual, "Behavior in Threaded Programs"), and there is exactly
/// one owner, which is what makes this type `Sendable`.
@safe package struct Rows: ~Copyable, Sendable {
    private let address: UInt
    /// Number of rows.
    package let count: Int
    package let columnCount: Int

    private var handle: OpaquePointer? { unsafe OpaquePointer(bitPattern: address) }

    init(adopting result: OpaquePointer) {
        address = UInt(bitPattern: result)
        count = unsafe Int(PQntuples(result))
        columnCount = unsafe Int(PQnfields(result))
    }

    deinit { unsafe PQclear(handle) }

    /// Rows changed by INSERT, UPDATE, DELETE or MERGE; rows found by SELECT; 0 for other commands.
    package var affectedRows: Int {
        guard let text = unsafe PQcmdTuples(handle) else { return 0 }
        return unsafe Int(String(cString: text)) ?? 0
    }

    /// What was done, such as `INSERT 0 1` or `COMMIT`.
    package var commandTag: String {
        guard let text = unsafe PQcmdStatus(handle) else { return "" }
        return unsafe String(cString: text)
    }

    /// libpq must not be asked for another place: it would give a notice to the connection, which may be gone by now.
    private func hasCell(_ row: Int, _ column: Int) -> Bool {
        row >= 0 && row < count && hasColumn(column)
    }

    private func hasColumn(_ column: Int) -> Bool { column >= 0 && column < columnCount }

    /// True for NULL, and for a place outside the result.
    package func isNull(_ row: Int, _ column: Int) -> Bool {
        guard hasCell(row, column) else { return true }
        return unsafe PQgetisnull(handle, CInt(truncatingIfNeeded: row), CInt(truncatingIfNeeded: column)) != 0
    }

    /// Bytes of one cell in text format; empty for NULL and for a place outside the result.
    @_lifetime(borrow self)
    package func cell(_ row: Int, _ column: Int) -> Span<UInt8> {
        guard hasCell(row, column) else { return Span() }
        let row = CInt(truncatingIfNeeded: row)
        let column = CInt(truncatingIfNeeded: column)
        let length = unsafe PQgetlength(handle, row, column)
        let start = unsafe PQgetvalue(handle, row, column)
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(length))
        return unsafe _overrideLifetime(Span(_unsafeBytes: bytes), borrowing: self)
    }

    /// The cells of one row, for a reader that goes through all of them; NULL has no address, and no cell of a row
    /// outside the result has one. ``columnCount`` of them are written to `cells`, and hold as long as these rows do.
    @unsafe
    package func readCells(of row: Int, into cells: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) {
        guard row >= 0, row < count else {
            return unsafe cells.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        let handle = unsafe handle
        let row = CInt(truncatingIfNeeded: row)
        for column in 0..<min(columnCount, cells.count) {
            let place = CInt(truncatingIfNeeded: column)
            let length = unsafe PQgetlength(handle, row, place)
            let isNull = unsafe length == 0 && PQgetisnull(handle, row, place) != 0
            let start = unsafe isNull ? nil : PQgetvalue(handle, row, place)
            let cell = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(length))
            unsafe cells.initializeElement(at: column, to: cell)
        }
    }

    package func columnName(_ column: Int) -> String {
        guard hasColumn(column), let name = unsafe PQfname(handle, CInt(truncatingIfNeeded: column)) else { return "" }
        return unsafe String(cString: name)
    }

    /// Object id of the column's type in `pg_type`, a domain's being that of what it is made of; 0 outside the result.
    package func columnType(_ column: Int) -> UInt32 {
        guard hasColumn(column) else { return 0 }
        return unsafe PQftype(handle, CInt(truncatingIfNeeded: column))
    }
}
