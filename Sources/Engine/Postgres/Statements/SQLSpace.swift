/// White space and comments between the tokens of SQL (manual §4.1.5).
package enum SQLSpace {
    /// The place behind what begins at `start`, at most `end`.
    package static func skip(in bytes: [UInt8], from start: Int, to end: Int) -> Int {
        var index = start
        while index < end {
            if bytes[index] <= UInt8(ascii: " ") {
                index += 1
            } else if has("-", "-", in: bytes, at: index, to: end) {
                while index < end, bytes[index] != UInt8(ascii: "\n") { index += 1 }
            } else if has("/", "*", in: bytes, at: index, to: end) {
                index = skipBlockComment(in: bytes, from: index, to: end)
            } else {
                return index
            }
        }
        return index
    }

    /// Block comments nest in PostgreSQL.
    private static func skipBlockComment(in bytes: [UInt8], from start: Int, to end: Int) -> Int {
        var index = start
        var depth = 0
        repeat {
            if has("/", "*", in: bytes, at: index, to: end) {
                depth += 1
                index += 2
            } else if has("*", "/", in: bytes, at: index, to: end) {
                depth -= 1
                index += 2
            } else {
                index += 1
            }
        } while depth > 0 && index < end
        return index
    }

    private static func has(
        _ first: Unicode.Scalar,
        _ second: Unicode.Scalar,
        in bytes: [UInt8],
        at index: Int,
        to end: Int
    ) -> Bool {
        index + 1 < end && bytes[index] == UInt8(ascii: first) && bytes[index + 1] == UInt8(ascii: second)
    }
}
