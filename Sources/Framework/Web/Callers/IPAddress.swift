#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An IPv4 or IPv6 address. An IPv4 address in IPv6 form (`::ffff:203.0.113.7`) is the IPv4 address.
package struct IPAddress: Hashable {
    /// Four or sixteen bytes.
    package let bytes: [UInt8]

    /// Reads `203.0.113.7`, `203.0.113.7:1234`, `2001:db8::1`, `fe80::1%eth0`, `[2001:db8::1]:1234`, with spaces
    /// around.
    package init?(_ text: String) {
        guard text.utf8.count <= 100, !text.utf8.contains(0) else { return nil }
        var text = Substring(text)
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            text = text[text.index(after: text.startIndex)..<end]
        } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
            text = text[..<colon]
        }
        if let zone = text.firstIndex(of: "%") { text = text[..<zone] }
        guard let bytes = Self.parse(String(text), AF_INET6, count: 16) ?? Self.parse(String(text), AF_INET, count: 4)
        else { return nil }
        let isMapped = bytes.count == 16 && bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255
        self.bytes = isMapped ? Array(bytes[12...]) : bytes
    }

    /// Loopback, link-local, or not publicly routable (RFC 1918, RFC 4193, RFC 6598).
    package var isPrivate: Bool {
        if bytes.count == 4 {
            switch (bytes[0], bytes[1]) {
            case (127, _), (10, _), (172, 16...31), (192, 168), (169, 254), (100, 64...127): true
            default: false
            }
        } else {
            (bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1) || bytes[0] & 0xFE == 0xFC
                || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
        }
    }

    package var text: String {
        if bytes.count == 4 { return bytes.map(\.description).joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2)
            .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
    }

    /// The IPv4 address, or the /64 network of an IPv6 address.
    package var network: String {
        if bytes.count == 4 { return text }
        return text.split(separator: ":").prefix(4).joined(separator: ":") + "::/64"
    }

    private static func parse(_ text: String, _ family: CInt, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }
}
