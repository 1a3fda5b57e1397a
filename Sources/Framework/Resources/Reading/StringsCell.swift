import SwiftletWeb

/// Writes a column that clients decode as `[String]` or `[String: String]`, whatever is stored in it.
///
/// Numbers and booleans become their text, nested values their JSON, and nulls are left out, because such a decoder
/// rejects the whole row over one of them. A value of another shape is written as null.
enum StringsCell {
    /// An array column, or a JSON column that holds a list.
    static func writeList(_ cell: borrowing Span<UInt8>, of kind: ColumnKind, to json: inout JSONWriter) {
        if case .array(let element) = kind { return ArrayCell.write(cell, of: element, isFlat: true, to: &json) }
        if cell.count == 2, cell[0] == UInt8(ascii: "[") { return json.writeRaw("[]") }
        guard let elements = value(of: cell)?.array else { return json.writeRaw("null") }
        write(elements, to: &json)
    }

    /// A JSON column that holds an object.
    static func writeObject(_ cell: borrowing Span<UInt8>, to json: inout JSONWriter) {
        if cell.count == 2, cell[0] == UInt8(ascii: "{") { return json.writeRaw("{}") }
        guard let object = value(of: cell)?.object else { return json.writeRaw("null") }
        write(object, to: &json)
    }

    private static func value(of cell: borrowing Span<UInt8>) -> JSONValue? {
        try? JSONParser.parse(unsafe cell.withUnsafeBufferPointer { unsafe Array($0) })
    }

    private static func write(_ object: JSONObject, to json: inout JSONWriter) {
        json.writeRaw("{")
        for (name, value) in object {
            guard let text = text(of: value) else { continue }
            json.key(name)
            json.writeText(utf8: text.utf8.span)
        }
        json.writeRaw("}")
    }

    private static func write(_ elements: [JSONValue], to json: inout JSONWriter) {
        json.writeRaw("[")
        for element in elements {
            guard let text = text(of: element) else { continue }
            json.writeText(utf8: text.utf8.span)
        }
        json.writeRaw("]")
    }

    private static func text(of value: JSONValue) -> String? {
        switch value {
        case .null: return nil
        case .string(let text): return text
        case .number(let number): return number.text
        case .bool(let flag): return flag ? "true" : "false"
        case .array, .object:
            var json = JSONWriter()
            json.write(value)
            return String(decoding: json.finish(), as: UTF8.self)
        }
    }
}
