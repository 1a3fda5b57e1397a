/// Text form of a PostgreSQL array: `{"a","b",NULL}` (manual §8.15.2).
package enum ArrayLiteral {
    package static func text(_ elements: some Sequence<String?>) -> String {
        String(decoding: make(elements), as: UTF8.self)
    }

    static func make(_ elements: some Sequence<String?>) -> [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "{")]
        for element in elements {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            guard let element else {
                text += "NULL".utf8
                continue
            }
            text.append(UInt8(ascii: "\""))
            for byte in element.utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
                text.append(byte)
            }
            text.append(UInt8(ascii: "\""))
        }
        text.append(UInt8(ascii: "}"))
        return text
    }

    /// Elements of a one-dimensional array, or nil when the text is not one.
    static func parse(_ text: borrowing Span<UInt8>) -> [[UInt8]?]? {
        guard text.count >= 2, text[0] == UInt8(ascii: "{") else { return nil }
        guard text[text.count - 1] == UInt8(ascii: "}") else { return nil }
        var elements: [[UInt8]?] = []
        var index = 1
        let end = text.count - 1
        while index < end {
            var element: [UInt8] = []
            let isQuoted = text[index] == UInt8(ascii: "\"")
            if isQuoted { index += 1 }
            while index < end, text[index] != (isQuoted ? UInt8(ascii: "\"") : UInt8(ascii: ",")) {
                if text[index] == UInt8(ascii: "{") && !isQuoted { return nil }
                if text[index] == UInt8(ascii: "\\") { index += 1 }
                guard index < end else { return nil }
                element.append(text[index])
                index += 1
            }
            if isQuoted {
                guard index < end else { return nil }
                index += 1
            }
            elements.append(!isQuoted && element.elementsEqual("NULL".utf8) ? nil : element)
            guard index < end else { break }
            guard text[index] == UInt8(ascii: ","), index + 1 < end else { return nil }
            index += 1
        }
        return elements
    }
}
