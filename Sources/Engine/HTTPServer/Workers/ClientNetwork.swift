import SwiftletEventLoop

/// What counts as one client's address: an IPv4 address, or the 64 bits of an IPv6 network, whose others are free to
/// whoever has one of them.
struct ClientNetwork: Hashable {
    private let bytes: [UInt8]

    init(_ address: SocketAddress) {
        let all = address.addressBytes
        bytes = all.count == 16 && !Self.isLoopback(all) ? Array(all.prefix(8)) : all
    }

    /// Loopback, link-local and the networks of RFC 1918, RFC 6598 and RFC 4193.
    var isPrivate: Bool {
        guard bytes.count == 4 else {
            return bytes.count != 8 || bytes[0] & 0xFE == 0xFC || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
        }
        return switch (bytes[0], bytes[1]) {
        case (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127): true
        default: false
        }
    }

    private static func isLoopback(_ bytes: [UInt8]) -> Bool {
        bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
    }
}
