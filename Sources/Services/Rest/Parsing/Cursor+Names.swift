/// Names of columns and relations, keys of JSON paths, quoted texts.
extension Cursor {
    /// A name: quoted, or letters, digits, `_`, `$`, spaces and dashes.
    mutating func name() throws(ParseFault) -> String {
        if byte == UInt8(ascii: "\"") { return try quoted() }
        let start = index
        while let byte, Self.isNameByte(byte) || byte == UInt8(ascii: "-") && self.byte(at: 1) != UInt8(ascii: ">") {
            advance()
        }
        let name = text(from: start).trimmingSpaces()
        guard !name.isEmpty else { throw fault("expecting field name (* or [a..z0..9_$])") }
        return name
    }

    /// `"…"` with `\"` and `\\` for the two.
    mutating func quoted() throws(ParseFault) -> String {
        try expect("\"")
        var content: [UInt8] = []
        while let byte {
            advance()
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = self.byte else { throw fault("expecting \"\\\"\"") }
                content.append(escaped)
                advance()
            default: content.append(byte)
            }
        }
        throw fault("expecting \"\\\"\"")
    }

    /// A column with the JSON path behind it.
    mutating func field() throws(ParseFault) -> FieldPath {
        FieldPath(name: try name(), steps: try steps())
    }

    mutating func steps() throws(ParseFault) -> [JSONStep] {
        var steps: [JSONStep] = []
        while take("->") {
            let givesText = take(">")
            steps.append(JSONStep(key: try key(), givesText: givesText))
        }
        return steps
    }

    private mutating func key() throws(ParseFault) -> JSONStep.Key {
        if byte == UInt8(ascii: "\"") { return .name(try quoted()) }
        let start = index
        let isNegative = byte == UInt8(ascii: "-")
        if isNegative || byte == UInt8(ascii: "+") { advance() }
        let digits = index
        while let byte, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { advance() }
        if isNegative, index == digits { throw fault("expecting digit") }
        // More digits than an integer has are a key.
        if index > digits, index - digits < 10, isEndOfKey { return .index(text(from: start)) }
        goBack(to: start)
        while let byte, !"(:.,>)".utf8.contains(byte), !starts(with: "->") { advance() }
        let name = text(from: start).trimmingSpaces()
        guard !name.isEmpty else {
            throw fault("expecting \"-\", digit or any non reserved character different from: .,>()")
        }
        return .name(name)
    }

    private var isEndOfKey: Bool {
        guard let byte else { return true }
        return starts(with: "->") || "(:.,)".utf8.contains(byte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: " "), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}

extension String {
    func trimmingSpaces() -> String {
        guard first == " " || last == " " else { return self }
        let start = drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }
}
