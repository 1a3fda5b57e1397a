import SwiftletAuth
import SwiftletBytes
import SwiftletPostgres

/// A ``WritePosition`` as clients carry it from answer to request: 8 and 16 hexadecimal digits, a dot, and 32 digits of a
/// signature. Of two tokens the greater text is the later position.
///
/// It is no secret, and belongs to nobody: whoever sends another's reads what they have written, if not more. The
/// signature keeps others from inventing a position that makes every read the primary's.
struct PositionToken: Sendable {
    private let key: HMACKey

    private static let positionDigits = 24
    private static let signatureBytes = 16

    init(_ secret: Secret) throws(KeyError) { key = try HMACKey(secret) }

    func text(of position: WritePosition) -> String? {
        let digits = Self.digits(position.timeline, 8) + Self.digits(position.place.rawValue, 16)
        return signature(of: digits).map { "\(digits).\($0)" }
    }

    /// nil for everything that this key has not signed.
    func position(_ text: String) -> WritePosition? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == Self.positionDigits,
            parts[1].utf8.count == Self.signatureBytes * 2, let expected = signature(of: String(parts[0])),
            isEqualInConstantTime(Array(parts[1].utf8).span, Array(expected.utf8).span),
            let timeline = UInt32(parts[0].prefix(8), radix: 16), let place = UInt64(parts[0].dropFirst(8), radix: 16)
        else { return nil }
        return WritePosition(timeline: timeline, place: LogSequenceNumber(rawValue: place))
    }

    private func signature(of digits: String) -> String? {
        // No token of another kind has a line end in what is signed.
        let code = try? key.authenticate(Array("position\n\(digits)".utf8))
        return code.map { Hexadecimal.encode(Array($0.prefix(Self.signatureBytes))) }
    }

    private static func digits(_ number: some BinaryInteger, _ count: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
