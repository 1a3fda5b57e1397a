import SwiftletBytes

/// A value with parameters, such as `form-data; name="file"` (RFC 9110 §5.6.6).
struct ParameterizedValue {
    /// What stands before the first parameter, in lower case.
    let value: String
    /// In order, their names in lower case.
    let parameters: [(name: String, value: String)]

    /// The first parameter of the name, which is in lower case.
    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// nil if it is malformed: a name that is no token, a string that does not end, a control byte.
    init?(_ text: String) {
        guard text.utf8.allSatisfy({ !isControl($0) || $0 == UInt8(ascii: "\t") }) else { return nil }
        var reader = Reader(rest: Array(text.utf8)[...])
        value = String(decoding: reader.takeValue(), as: UTF8.self).lowercased()
        var parameters: [(name: String, value: String)] = []
        while reader.skip(UInt8(ascii: ";")) {
            // A semicolon may be the last of all (RFC 9110 §5.6.6).
            guard !reader.isAtEnd, reader.rest.first != UInt8(ascii: ";") else { continue }
            guard let parameter = reader.takeParameter() else { return nil }
            parameters.append(parameter)
        }
        guard reader.isAtEnd, !value.isEmpty else { return nil }
        self.parameters = parameters
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        var isAtEnd: Bool { rest.isEmpty }

        mutating func skip(_ byte: UInt8) -> Bool {
            skipBlanks()
            guard rest.first == byte else { return false }
            rest.removeFirst()
            skipBlanks()
            return true
        }

        mutating func takeValue() -> ArraySlice<UInt8> {
            skipBlanks()
            var value = rest.prefix { $0 != UInt8(ascii: ";") }
            rest = rest[value.endIndex...]
            while let last = value.last, isOptionalWhitespace(last) { value.removeLast() }
            return value
        }

        mutating func takeParameter() -> (name: String, value: String)? {
            let name = takeToken()
            guard !name.isEmpty, skip(UInt8(ascii: "=")) else { return nil }
            let value = rest.first == UInt8(ascii: "\"") ? takeString() : Array(takeToken())
            guard let value else { return nil }
            return (String(decoding: name, as: UTF8.self).lowercased(), String(decoding: value, as: UTF8.self))
        }

        private mutating func takeToken() -> ArraySlice<UInt8> {
            let token = rest.prefix { ByteSet.token.contains($0) }
            rest = rest[token.endIndex...]
            return token
        }

        /// Old browsers send whole paths of Windows, so a backslash stays unless it stands before `"` or another one.
        private mutating func takeString() -> [UInt8]? {
            rest.removeFirst()
            var string: [UInt8] = []
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "\"") { return string }
                if byte == UInt8(ascii: "\\"), let next = rest.first, next == byte || next == UInt8(ascii: "\"") {
                    rest.removeFirst()
                    string.append(next)
                } else {
                    string.append(byte)
                }
            }
            return nil
        }

        private mutating func skipBlanks() {
            rest = rest.drop(while: isOptionalWhitespace)
        }
    }
}
