import SwiftletJSON
import SwiftletPostgres

/// Writes rows of the stream as JSON, each value as `to_jsonb` would.
enum RowWriter {
    /// A row's object. Values that are not in the message are taken from `other`, or else left out; so are columns that
    /// are no part of the identity when `keyOnly`.
    static func object(
        _ image: RowImage,
        of relation: ReplicatedRelation,
        _ forms: [ColumnForm],
        filledFrom other: RowImage? = nil,
        keyOnly: Bool = false
    ) -> String {
        var json = JSONWriter(minimumCapacity: image.bytes.count + relation.columns.count * 16)
        json.beginObject()
        for (index, column) in relation.columns.enumerated() where index < image.cells.count {
            if keyOnly, !column.isKey { continue }
            var source = image
            if image.cells[index] == .unchanged {
                guard let other, index < other.cells.count, other.cells[index] != .unchanged else { continue }
                source = other
            }
            json.key(column.name)
            guard let cell = source[index] else {
                json.writeNull()
                continue
            }
            write(cell, index < forms.count ? forms[index] : .text, into: &json)
        }
        json.endObject()
        return String(decoding: json.finish(), as: UTF8.self)
    }

    static func write(_ cell: ArraySlice<UInt8>, _ form: ColumnForm, into json: inout JSONWriter) {
        switch form {
        case .text: json.writeString(utf8: cell.span)
        case .bool: json.write(cell.first == UInt8(ascii: "t"))
        case .number:
            if let number = JSONNumber(text: String(decoding: cell, as: UTF8.self)) {
                json.write(number)
            } else {
                json.writeString(utf8: cell.span)
            }
        case .json:
            if let value = try? JSONParser.parse(Array(cell)) { json.write(value) } else { json.writeNull() }
        case .timestamp:
            var text = Array(cell)
            // Neither infinity nor a year before Christ has the space there.
            if text.count > 10, let space = text.firstIndex(of: UInt8(ascii: " ")) { text[space] = UInt8(ascii: "T") }
            json.writeString(utf8: completeZone(text).span)
        case .array(let element, let delimiter):
            var reader = ArrayReader(Array(cell), delimiter: delimiter)
            if !reader.write(element, into: &json) { json.writeString(utf8: cell.span) }
        }
    }

    /// `+00` as `+00:00`, at the end or before ` BC`.
    private static func completeZone(_ text: [UInt8]) -> [UInt8] {
        let suffix = text.suffix(3).elementsEqual(" BC".utf8) ? 3 : 0
        let end = text.count - suffix
        guard end > 3, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(text[end - 3]),
            text.contains(UInt8(ascii: "T"))
        else { return text }
        return text[..<end] + Array(":00".utf8) + text[end...]
    }
}

/// Reads the text of an array of any number of dimensions (manual §8.15.6).
private struct ArrayReader {
    private let bytes: [UInt8]
    private let delimiter: UInt8
    private var offset = 0

    init(_ bytes: [UInt8], delimiter: UInt8) {
        self.bytes = bytes
        self.delimiter = delimiter
        // Bounds that do not begin at 1: `[0:1]={a,b}`.
        if bytes.first == UInt8(ascii: "["), let start = bytes.firstIndex(of: UInt8(ascii: "=")) { offset = start + 1 }
    }

    /// False, and nothing written, when the text is no array.
    mutating func write(_ form: ColumnForm, into json: inout JSONWriter) -> Bool {
        var elements = JSONWriter(minimumCapacity: bytes.count)
        guard list(form, &elements), offset == bytes.count else { return false }
        json.separate()
        json.writeRaw(elements.finish().span)
        return true
    }

    private mutating func list(_ form: ColumnForm, _ json: inout JSONWriter, depth: Int = 0) -> Bool {
        guard depth < 7, take(UInt8(ascii: "{")) else { return false }
        json.beginArray()
        if !take(UInt8(ascii: "}")) {
            repeat {
                if peek == UInt8(ascii: "{") {
                    guard list(form, &json, depth: depth + 1) else { return false }
                } else {
                    guard element(form, &json) else { return false }
                }
            } while take(delimiter)
            guard take(UInt8(ascii: "}")) else { return false }
        }
        json.endArray()
        return true
    }

    private mutating func element(_ form: ColumnForm, _ json: inout JSONWriter) -> Bool {
        var text: [UInt8] = []
        let isQuoted = take(UInt8(ascii: "\""))
        while let byte = peek {
            if isQuoted ? byte == UInt8(ascii: "\"") : byte == delimiter || byte == UInt8(ascii: "}") { break }
            offset += 1
            if byte == UInt8(ascii: "\\") {
                guard let escaped = peek else { return false }
                text.append(escaped)
                offset += 1
            } else {
                text.append(byte)
            }
        }
        if isQuoted { guard take(UInt8(ascii: "\"")) else { return false } }
        if !isQuoted, text.elementsEqual("NULL".utf8) {
            json.writeNull()
        } else {
            RowWriter.write(text[...], form, into: &json)
        }
        return true
    }

    private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        offset += 1
        return true
    }
}
