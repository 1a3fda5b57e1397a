/// Reads comma-separated values (RFC 4180). A field of nothing is nil; a quoted one is a text, even if it is empty.
package enum CSVReader {
    package struct Record: Sendable {
        /// Of its first character, from 1.
        package let line: Int
        package let fields: [String?]
    }

    /// A quotation mark that is never closed.
    package struct OpenQuotation: Error, Hashable {
        /// The line in which its record begins, from 1.
        package let line: Int
    }

    /// Empty lines are no records; a byte order mark at the start is none of the text.
    package static func read(_ bytes: some Sequence<UInt8>) throws(OpenQuotation) -> [Record] {
        var bytes = Array(bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        var records: [Record] = []
        var fields: [String?] = []
        var field: [UInt8] = []
        var (line, start, isQuoted, isText) = (1, 1, false, false)
        var index = 0
        func finish() -> String? { isText || !field.isEmpty ? String(decoding: field, as: UTF8.self) : nil }
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\n") { line += 1 }
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
            case UInt8(ascii: "\""):
                isQuoted = true
                isText = true
            case UInt8(ascii: ","):
                fields.append(finish())
                (field, isText) = ([], false)
            case UInt8(ascii: "\r") where index < bytes.count && bytes[index] == UInt8(ascii: "\n"): continue
            case UInt8(ascii: "\n"):
                if fields.isEmpty, field.isEmpty, !isText {
                    start = line
                    continue
                }
                fields.append(finish())
                records.append(Record(line: start, fields: fields))
                (fields, field, isText, start) = ([], [], false, line)
            default: field.append(byte)
            }
        }
        guard !isQuoted else { throw OpenQuotation(line: start) }
        if !fields.isEmpty || !field.isEmpty || isText {
            fields.append(finish())
            records.append(Record(line: start, fields: fields))
        }
        return records
    }
}
