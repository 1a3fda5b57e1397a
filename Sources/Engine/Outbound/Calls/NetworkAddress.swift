import SwiftletCCurl

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An IP address, and whether anybody on the internet may be behind it.
struct NetworkAddress: Equatable {
    /// 4 or 16.
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// From a socket's address; nil for a family that is neither IPv4 nor IPv6.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = unsafe UnsafeRawPointer(address)
        switch unsafe CInt(address.pointee.sa_family) {
        case AF_INET:
            let number = unsafe raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            bytes = unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
        case AF_INET6:
            let number = unsafe raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            bytes = unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
        default: return nil
        }
    }

    /// From a number as text.
    init?(_ text: String) {
        // A link-local address may name its interface.
        let number = String(text.prefix { $0 != "%" })
        var (short, long) = (in_addr(), in6_addr())
        if unsafe inet_pton(AF_INET, number, &short) == 1 {
            bytes = unsafe withUnsafeBytes(of: short) { unsafe Array($0) }
        } else if unsafe inet_pton(AF_INET6, number, &long) == 1 {
            bytes = unsafe withUnsafeBytes(of: long) { unsafe Array($0) }
        } else {
            return nil
        }
    }

    /// False for every block of the IANA special-purpose registries that is not globally reachable (RFC 6890), and for
    /// addresses that wrap such a one.
    var isPublic: Bool {
        switch bytes.count {
        case 4: Self.isPublic(four: bytes)
        case 16: isPublicSixteen
        default: false
        }
    }

    private static func isPublic(four bytes: [UInt8]) -> Bool {
        let (first, second, third) = (bytes[0], bytes[1], bytes[2])
        switch first {
        case 0, 10, 127, 224...255: return false
        case 100: return second & 0xC0 != 64
        case 169: return second != 254
        case 172: return second & 0xF0 != 16
        case 192:
            return !(second == 168 || second == 0 && (third == 0 || third == 2) || second == 88 && third == 99)
        case 198: return !(second & 0xFE == 18 || second == 51 && third == 100)
        case 203: return !(second == 0 && third == 113)
        default: return true
        }
    }

    private var isPublicSixteen: Bool {
        let zeros = bytes.prefix { $0 == 0 }.count
        // ::ffff:0:0/96 and NAT64's 64:ff9b::/96 wrap an IPv4 address, as does 6to4's 2002::/16.
        if zeros == 10, bytes[10] == 0xFF, bytes[11] == 0xFF { return Self.isPublic(four: Array(bytes[12...])) }
        if bytes.prefix(12) == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0] {
            return Self.isPublic(four: Array(bytes[12...]))
        }
        if bytes[0] == 0x20, bytes[1] == 0x02 { return Self.isPublic(four: Array(bytes[2..<6])) }
        // Only 2000::/3 is given out, without 2001::/23 (Teredo and its like) and the two blocks for documentation.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        if bytes[0] == 0x20, bytes[1] == 0x01 {
            return bytes[2] >= 2 && !(bytes[2] == 0x0D && bytes[3] == 0xB8)
        }
        return !(bytes[0] == 0x3F && bytes[1] == 0xFF && bytes[2] & 0xF0 == 0)
    }
}
