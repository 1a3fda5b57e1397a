/// Times that PostgreSQL holds and apps cannot decode: `infinity`, years BC and beyond 9999.
enum UndecodableTime {
    /// Whether a `date`, `timestamp` or `timestamptz` is one, as PostgreSQL prints it.
    static func isPostgres(_ text: borrowing Span<UInt8>) -> Bool {
        var digits = 0
        while digits < text.count, text[digits] &- UInt8(ascii: "0") < 10 { digits &+= 1 }
        if digits == 0 { return equals(text, "infinity") || equals(text, "-infinity") }
        guard digits >= 4, digits < text.count, text[digits] == UInt8(ascii: "-") else { return false }
        return digits > 4 || text[text.count &- 1] == UInt8(ascii: "C")
    }

    /// Whether the text of a JSON value is such a time, as `to_jsonb` writes it: `"infinity"`, `"0044-03-15 BC"`,
    /// `"10000-01-01T00:00:00"`.
    static func isJSON(_ json: borrowing Span<UInt8>) -> Bool {
        guard json.count >= 10, json[0] == UInt8(ascii: "\"") else { return false }
        var digits = 0
        while json[1 &+ digits] &- UInt8(ascii: "0") < 10 { digits &+= 1 }
        if digits == 0 { return equals(json, "\"infinity\"") || equals(json, "\"-infinity\"") }
        // `-MM-DD` follows, then the time, ` BC`, or the end.
        guard digits >= 4, json.count > digits &+ 7, json[1 &+ digits] == UInt8(ascii: "-"),
            isPair(json, 2 &+ digits), json[4 &+ digits] == UInt8(ascii: "-"), isPair(json, 5 &+ digits)
        else { return false }
        let end = json[7 &+ digits]
        guard [UInt8(ascii: "T"), UInt8(ascii: " "), UInt8(ascii: "\"")].contains(end) else { return false }
        let length = json.count
        let isBC =
            json[length &- 4] == UInt8(ascii: " ") && json[length &- 3] == UInt8(ascii: "B")
            && json[length &- 2] == UInt8(ascii: "C")
        return digits > 4 || isBC
    }

    private static func isPair(_ text: borrowing Span<UInt8>, _ index: Int) -> Bool {
        text[index] &- UInt8(ascii: "0") < 10 && text[index &+ 1] &- UInt8(ascii: "0") < 10
    }

    private static func equals(_ text: borrowing Span<UInt8>, _ word: StaticString) -> Bool {
        guard text.count == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { buffer in
            let word = unsafe buffer.span
            return word.indices.allSatisfy { word[$0] == text[$0] }
        }
    }
}
