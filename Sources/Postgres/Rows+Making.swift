import CLibpq

extension Rows {
    /// One column of a result that did not come from a server.
    package struct ColumnDescription: Sendable {
        package let name: String
        package let type: UInt32

        /// `type` is an object id of `pg_type`; 25 is text.
        package init(_ name: String, type: UInt32 = 25) {
            self.name = name
            self.type = type
        }
    }

    /// A result that no server gave: for tests of what reads rows.
    package static func make(columns: [ColumnDescription], rows: [[String?]]) -> Rows {
        guard let result = unsafe PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else {
            preconditionFailure("out of memory")
        }
        var names: [CChar] = []
        let offsets = columns.map { column in
            names += column.name.utf8CString
            return names.count - column.name.utf8.count - 1
        }
        unsafe names.withUnsafeMutableBufferPointer { names in
            var attributes = unsafe zip(columns, offsets).map { column, offset in
                unsafe PGresAttDesc(
                    name: names.baseAddress.map { unsafe $0 + offset },
                    tableid: 0,
                    columnid: 0,
                    format: 0,
                    typid: column.type,
                    typlen: -1,
                    atttypmod: -1
                )
            }
            _ = unsafe PQsetResultAttrs(result, CInt(attributes.count), &attributes)
        }
        for (row, cells) in rows.enumerated() {
            for (column, cell) in cells.enumerated() {
                var text = Array((cell ?? "").utf8CString)
                let length = cell == nil ? -1 : CInt(text.count - 1)
                _ = unsafe PQsetvalue(result, CInt(row), CInt(column), &text, length)
            }
        }
        return unsafe Rows(adopting: result)
    }
}
