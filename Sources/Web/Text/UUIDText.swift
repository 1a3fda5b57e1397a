/// The 8-4-4-4-12 text form of a UUID (RFC 9562 §4), in either case.
package enum UUIDText {
    package static func isValid(_ text: String) -> Bool {
        let bytes = text.utf8.span
        guard bytes.count == 36 else { return false }
        for position in bytes.indices {
            switch position {
            case 8, 13, 18, 23: guard bytes[position] == UInt8(ascii: "-") else { return false }
            default: guard isHexDigit(bytes[position]) else { return false }
            }
        }
        return true
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) || (0x41...0x46).contains(byte)
    }
}
