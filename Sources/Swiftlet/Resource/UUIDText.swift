/// The 8-4-4-4-12 text form of a UUID (RFC 9562 §4), in either case.
enum UUIDText {
    static func isValid(_ text: String) -> Bool {
        var position = 0
        for byte in text.utf8 {
            switch position {
            case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return false }
            default: guard isHexDigit(byte) else { return false }
            }
            position += 1
            if position > 36 { return false }
        }
        return position == 36
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) || (0x41...0x46).contains(byte)
    }
}
