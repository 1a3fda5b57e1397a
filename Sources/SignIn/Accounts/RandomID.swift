import Auth
import Swiftlet

/// Random UUIDs (RFC 9562 §5.4), which do not reveal when they were created.
enum RandomID {
    static func make() -> String {
        var (high, low) = RandomBytes.identifier()
        high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return text(high, low)
    }

    /// The canonical text form, in lower case.
    static func text(_ high: UInt64, _ low: UInt64) -> String {
        let bytes = [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
        let digits = MessageDigest.hexadecimal(bytes)
        var text = ""
        for (position, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(position) { text += "-" }
            text.append(digit)
        }
        return text
    }

    /// A UUID in lower case; nil for any other text.
    static func normalised(_ text: String) -> String? { UUIDText.isValid(text) ? text.lowercased() : nil }
}
