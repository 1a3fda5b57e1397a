import SwiftletBytes

/// The identifier of a tenant: 1 to 255 bytes of text without control characters.
public struct TenantID: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init?(rawValue: String) {
        guard Self.isValid(rawValue.utf8.span) else { return nil }
        self.rawValue = rawValue
    }

    /// `utf8` should be valid UTF-8: ill-formed parts become U+FFFD.
    init?(utf8: borrowing Span<UInt8>) {
        guard Self.isValid(utf8) else { return nil }
        rawValue = String(utf8: utf8)
    }

    private static func isValid(_ bytes: borrowing Span<UInt8>) -> Bool {
        guard (1...255).contains(bytes.count) else { return false }
        for index in bytes.indices where bytes[index] < 0x20 || bytes[index] == 0x7F { return false }
        return true
    }
}

extension TenantID: CustomStringConvertible {
    public var description: String { rawValue }
}
