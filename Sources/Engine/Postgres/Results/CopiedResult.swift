/// A result copied out of libpq's memory and shared by its rows, which function authors may keep as long as they like.
final class CopiedResult: Sendable {
    let columns: [String]
    /// Object ids of the columns' types.
    let types: [UInt32]
    private let bytes: [UInt8]
    /// Where each cell starts, row by row, and one past the last; NULL cells are in `nulls`.
    private let offsets: [Int]
    private let nulls: Set<Int>

    init(_ rows: borrowing Rows) {
        var names: [String] = []
        var types: [UInt32] = []
        for column in 0..<rows.columnCount {
            names.append(rows.columnName(column))
            types.append(rows.columnType(column))
        }
        var bytes: [UInt8] = []
        var offsets = [0]
        offsets.reserveCapacity(rows.count * rows.columnCount + 1)
        var nulls: Set<Int> = []
        for row in 0..<rows.count {
            for column in 0..<rows.columnCount {
                if rows.isNull(row, column) { nulls.insert(offsets.count - 1) }
                unsafe rows.cell(row, column).withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
                offsets.append(bytes.count)
            }
        }
        columns = names
        self.types = types
        self.bytes = bytes
        self.offsets = offsets
        self.nulls = nulls
    }

    /// All rows of a result, in order.
    static func rows(of rows: borrowing Rows) -> [Row] {
        let result = CopiedResult(rows)
        return (0..<rows.count).map { Row(result, $0) }
    }

    /// Names of the columns with times that apps cannot decode: `infinity`, years BC and beyond 9999.
    var undecodableTimes: [String] {
        let rowCount = (offsets.count - 1) / max(1, columns.count)
        return columns.indices.filter { column in
            guard let kind = TimeKind(rawValue: types[column]) else { return false }
            return (0..<rowCount).contains { row in
                !isNull(row, column) && read(row, column) { Self.isDecodable($0, kind) } != true
            }
        }
        .map { columns[$0] }
    }

    /// Object ids, which never change (`pg_type.dat`).
    private enum TimeKind: UInt32 {
        case date = 1082
        case timestamp = 1114
        case timestamptz = 1184
    }

    /// Four digits of a year, and no `BC` at the end.
    private static func isDecodable(_ text: borrowing Span<UInt8>, _ kind: TimeKind) -> Bool {
        guard text.count >= 10, text[0] &- UInt8(ascii: "0") < 10, text[4] == UInt8(ascii: "-") else { return false }
        return kind == .date ? text.count == 10 : text[text.count - 1] != UInt8(ascii: "C")
    }

    func read<Value>(_ row: Int, _ column: Int, _ body: (borrowing Span<UInt8>) -> Value?) -> Value? {
        let place = row * columns.count + column
        let bytes = bytes
        return body(bytes.span.extracting(offsets[place]..<offsets[place + 1]))
    }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        nulls.contains(row * columns.count + column)
    }
}
