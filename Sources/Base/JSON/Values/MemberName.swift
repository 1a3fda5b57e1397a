import SwiftletBytes

/// The name of a member, compared and hashed byte by byte.
///
/// `String` compares by canonical equivalence, which would merge names that are different in JSON. Normalizing a long
/// run of combining marks also takes more than linear time, which a sender could exploit.
struct MemberName: Hashable, Sendable {
    let text: String

    static func == (left: MemberName, right: MemberName) -> Bool { left.text.hasSameBytes(as: right.text) }

    func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension String {
    /// Whether both are the same UTF-8, rather than canonically equivalent.
    func hasSameBytes(as other: String) -> Bool {
        // Most names differ in length already.
        guard utf8.count == other.utf8.count else { return false }
        let left = utf8.span
        let right = other.utf8.span
        var index = 0
        while index &+ 8 <= left.count {
            if left.word(at: index) != right.word(at: index) { return false }
            index &+= 8
        }
        return left.lastWord(at: index) == right.lastWord(at: index)
    }

    /// Feeds the UTF-8 and its length to a hasher; agrees with ``hasSameBytes(as:)``.
    func hashBytes(into hasher: inout Hasher) {
        let bytes = utf8.span
        hasher.combine(bytes.count)
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
