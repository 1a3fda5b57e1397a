/// Comma-separated values (RFC 4180).
enum CSVReader {
    static func rows(_ bytes: [UInt8]) throws(RestError) -> [[String]] {
        var rows: [[String]] = []
        var row: [String] = []
        var field: [UInt8] = []
        var isQuoted = false
        var index = 0
        func fieldText() -> String { String(decoding: field, as: UTF8.self) }
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if isQuoted {
                if byte != UInt8(ascii: "\"") {
                    field.append(byte)
                } else if index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
                    field.append(byte)
                    index += 1
                } else {
                    isQuoted = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\"") where field.isEmpty: isQuoted = true
            case UInt8(ascii: ","):
                row.append(fieldText())
                field = []
            case UInt8(ascii: "\r") where index < bytes.count && bytes[index] == UInt8(ascii: "\n"): break
            case UInt8(ascii: "\n"):
                row.append(fieldText())
                rows.append(row)
                row = []
                field = []
            default: field.append(byte)
            }
        }
        guard !isQuoted else { throw .badContent("A quoted field of the CSV does not end") }
        if !field.isEmpty || !row.isEmpty { rows.append(row + [fieldText()]) }
        return rows
    }
}
