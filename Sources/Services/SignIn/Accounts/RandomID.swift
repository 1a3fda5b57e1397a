import SwiftletBytes
import SwiftletAuth
import SwiftletWeb

/// Random UUIDs (RFC 9562 §5.4), which do not reveal when they were created.
enum RandomID {
    static func make() -> String {
        var (high, low) = RandomBytes.identifier()
        high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return UUIDText.text(high, low)
    }

    /// The nil UUID, which is nobody's.
    static let zero = "00000000-0000-0000-0000-000000000000"

    /// A UUID in lower case; nil for any other text.
    static func normalized(_ text: String) -> String? { UUIDText.isValid(text) ? text.lowercased() : nil }
}
