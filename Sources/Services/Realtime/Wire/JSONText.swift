import SwiftletJSON

/// Valid JSON in UTF-8, as it is passed on.
typealias JSONText = [UInt8]

extension [UInt8] {
    static var jsonNull: JSONText { Array("null".utf8) }
    static var emptyObject: JSONText { Array("{}".utf8) }

    /// The text in quotes, escaped.
    init(quoting text: String) {
        var writer = JSONWriter(minimumCapacity: text.utf8.count + 8)
        writer.write(text)
        self = writer.finish()
    }

    init(_ value: JSONValue) {
        var writer = JSONWriter()
        writer.write(value)
        self = writer.finish()
    }

    var isJSONObject: Bool { first == UInt8(ascii: "{") }

    static func += (bytes: inout [UInt8], text: StaticString) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }
}
