/// Small damage to a message, of the kinds that attackers and broken networks do.
package enum Mutation {
    /// What parsers have been tripped by.
    private static let pieces: [[UInt8]] = [
        "\r", "\n", "\r\n", "\r\n\r\n", "\n\n", " ", "\t", ":", ",", ";", "=", "\"", "\\", "%", "%00", "%2", "#", "?",
        "/",
        "0", "-1", "+", "FFFFFFFFFFFFFFFF", "99999999999999999999", "\0", "\u{B}", "\u{7F}", "\u{85}", "\u{FF}",
        "HTTP/1.1", "HTTP/1.0", "GET / HTTP/1.1\r\n", "Host: a\r\n", "Content-Length: 3\r\n", "Content-Length: 0\r\n",
        "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n", "Connection: close\r\n",
        "Expect: 100-continue\r\n", "0\r\n\r\n", "3\r\nabc\r\n", "3;a=b\r\n", "X: y\r\n", " X: y\r\n",
    ].map { Array($0.utf8) }

    package static func apply(to bytes: [UInt8], others: [[UInt8]], with random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0...random.below(4) {
            let position = random.below(bytes.count + 1)
            let end = min(bytes.count, position + random.below(12))
            switch random.below(8) {
            case 0 where position < bytes.count: bytes[position] ^= 1 << UInt8(random.below(8))
            case 1 where position < bytes.count: bytes[position] = UInt8(truncatingIfNeeded: random.next())
            case 2: bytes.removeSubrange(position..<end)
            case 3: bytes.insert(contentsOf: random.element(of: pieces), at: position)
            case 4: bytes.replaceSubrange(position..<end, with: random.element(of: pieces))
            case 5: bytes.insert(contentsOf: bytes[position..<end], at: position)
            case 6:
                let other = random.element(of: others)
                bytes = Array(bytes[..<position]) + other[random.below(other.count + 1)...]
            default: bytes.removeSubrange(position...)
            }
        }
        return bytes
    }
}
