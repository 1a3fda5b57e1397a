import SwiftletBytes

/// The syntax of `uri-host [ ":" port ]` (RFC 9110 §7.2, RFC 3986 §3.2.2).
enum Authority {
    /// Narrower than the grammar in two ways that exclude no real host: a name is not empty, and it has no
    /// sub-delimiters, because a gateway may join two `Host` fields into one by a comma.
    static func isValid(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>, portIsRequired: Bool) -> Bool {
        guard !range.isEmpty else { return false }
        let hostEnd: Int
        if bytes[range.lowerBound] == UInt8(ascii: "[") {
            guard let end = literalEnd(bytes, range) else { return false }
            hostEnd = end
        } else {
            guard let end = nameEnd(bytes, range), end > range.lowerBound else { return false }
            hostEnd = end
        }
        guard hostEnd < range.upperBound else { return !portIsRequired }
        guard bytes[hostEnd] == UInt8(ascii: ":") else { return false }
        return isPort(bytes, (hostEnd &+ 1)..<range.upperBound, isRequired: portIsRequired)
    }

    /// Where a registered name or an IPv4 address ends.
    private static func nameEnd(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Int? {
        var index = min(bytes.skipPlain(from: range.lowerBound, includingSlash: false), range.upperBound)
        while index < range.upperBound {
            if ByteSet.unreserved.contains(bytes[index]) {
                index &+= 1
            } else if bytes[index] == UInt8(ascii: "%") {
                guard index &+ 2 < range.upperBound, let high = hexadecimalValue(bytes[index &+ 1]),
                    let low = hexadecimalValue(bytes[index &+ 2]), high | low != 0
                else { return nil }
                index &+= 3
            } else {
                break
            }
        }
        return index
    }

    /// Where an IPv6 address in brackets ends. Zones and `IPvFuture` do not occur in `Host`.
    private static func literalEnd(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Int? {
        var index = range.lowerBound &+ 1
        var groups = 0
        var hasGap = false
        // A group or a gap can only begin at the start, after ":" or after "::".
        if index &+ 1 < range.upperBound, bytes[index] == UInt8(ascii: ":") {
            guard bytes[index &+ 1] == UInt8(ascii: ":") else { return nil }
            hasGap = true
            index &+= 2
        }
        while index < range.upperBound, bytes[index] != UInt8(ascii: "]") {
            let start = index
            while index < range.upperBound, hexadecimalValue(bytes[index]) != nil { index &+= 1 }
            guard index < range.upperBound, index > start else { return nil }
            if bytes[index] == UInt8(ascii: ".") {
                guard let end = embeddedIPv4End(bytes, start..<range.upperBound) else { return nil }
                guard end < range.upperBound, bytes[end] == UInt8(ascii: "]") else { return nil }
                groups &+= 2
                index = end
                break
            }
            guard index &- start <= 4, groups < 8 else { return nil }
            groups &+= 1
            guard bytes[index] == UInt8(ascii: ":") else { break }
            index &+= 1
            guard index < range.upperBound else { return nil }
            if bytes[index] == UInt8(ascii: ":") {
                guard !hasGap else { return nil }
                hasGap = true
                index &+= 1
            } else if bytes[index] == UInt8(ascii: "]") {
                return nil
            }
        }
        guard index < range.upperBound, bytes[index] == UInt8(ascii: "]") else { return nil }
        return (hasGap ? groups <= 7 : groups == 8) ? index &+ 1 : nil
    }

    /// Where an IPv4 address ends that begins at the start of the range: four decimal numbers up to 255.
    private static func embeddedIPv4End(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Int? {
        var index = range.lowerBound
        for part in 0..<4 {
            if part > 0 {
                guard index < range.upperBound, bytes[index] == UInt8(ascii: ".") else { return nil }
                index &+= 1
            }
            let start = index
            var value = 0
            while index < range.upperBound, index &- start < 3, bytes[index] &- UInt8(ascii: "0") < 10 {
                value = value &* 10 &+ Int(bytes[index] &- UInt8(ascii: "0"))
                index &+= 1
            }
            guard index > start, value <= 255 else { return nil }
        }
        return index
    }

    /// RFC 3986 §3.2.3 allows an empty port.
    private static func isPort(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>, isRequired: Bool) -> Bool {
        guard range.count <= 5 else { return false }
        guard !range.isEmpty else { return !isRequired }
        var value = 0
        for index in range {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return false }
            value = value &* 10 &+ Int(digit)
        }
        return value <= 65535
    }
}
