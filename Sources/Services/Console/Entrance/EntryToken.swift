import SwiftletAuth

/// A secret of which only the hash is kept.
struct EntryToken: Sendable {
    let text: String

    static func make(bytes: Int) throws -> EntryToken {
        EntryToken(text: hex(try RandomBytes.make(count: bytes)))
    }

    var hash: String { get throws { try Self.hash(text) } }

    static func hash(_ text: String) throws -> String { hex(try MessageDigest.sha256(Array(text.utf8))) }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
