import SwiftletAuth
import SwiftletBytes

/// A random UUID in text, of version 4: of servers, rows and presences.
enum RealtimeIdentifier {
    static func make() -> String {
        let random = RandomBytes.identifier()
        return UUIDText.text(random.0 & ~0xF000 | 0x4000, random.1 & ~(3 << 62) | 1 << 63)
    }
}
