public import SwiftletAuth

/// The name of a stored object: segments of letters, digits, `-`, `_` and `.`, separated by `/`.
///
/// No segment is empty or begins with a dot, so that no key leads out of its folder. Keys of one storage form no tree of
/// their own: none should be the beginning of another, as `a` is of `a/b`.
public struct ObjectKey: Hashable, Sendable {
    public let text: String

    private static let maximumBytes = 512
    private static let maximumTenantBytes = 100
    /// What file systems take.
    private static let maximumSegmentBytes = 200

    /// nil unless `text` is a key. To make one of what a client has sent, use an id instead.
    public init?(_ text: String) {
        let segments = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let areSegments = segments.allSatisfy { segment in
            (1...Self.maximumSegmentBytes).contains(segment.count) && segment.first != UInt8(ascii: ".")
                && segment.allSatisfy(Self.isKeyByte)
        }
        guard areSegments, text.utf8.count <= Self.maximumBytes else { return nil }
        self.text = text
    }

    /// A new key that nobody can guess: `tenant/folder/` and a random name. Keep it in the row that describes the object.
    ///
    /// The tenant's part is for those who look at the storage; what it may read, the row's tenant decides.
    public static func unique(in folder: ObjectKey, of tenant: TenantID) -> ObjectKey {
        let name = tenant.rawValue.utf8.prefix(maximumTenantBytes).map { byte in
            isKeyByte(byte) ? String(UnicodeScalar(byte)) : "_"
        }
        let number = (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        // A dot could be the first byte.
        return ObjectKey(checked: "t-\(name.joined())/\(folder)/\(number.joined())")
    }

    /// At least one.
    var segments: [String] { text.split(separator: "/").map(String.init) }

    private init(checked text: String) { self.text = text }

    private static func isKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

extension ObjectKey: ExpressibleByStringLiteral {
    /// For keys that stand in the code.
    public init(stringLiteral text: StaticString) {
        guard let key = ObjectKey(text.description) else { preconditionFailure("\(text) is no key of an object") }
        self = key
    }
}

extension ObjectKey: CustomStringConvertible {
    public var description: String { text }
}
