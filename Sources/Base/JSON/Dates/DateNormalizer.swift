/// Converts every time in a JSON text to the one format that JavaScript and iOS both read: UTC, whole seconds, `…Z`.
///
/// A string **value** that consists of `YYYY-MM-DDThh:mm:ss`, optionally `.digits`, and optionally `Z` or `±hh:mm`
/// becomes `YYYY-MM-DDThh:mm:ssZ`. Without a zone it is taken as UTC, the fraction is truncated (never rounded), and an
/// offset is converted, also across day, month and year. Everything else stays byte for byte: keys, numbers, dates
/// without a time, the format with a space, text around a time, strings with escapes, times that do not exist
/// (30 February, 24:00:00, second 60), offsets beyond ±23:59, and results outside the years 0001–9999.
public enum DateNormalizer {
    /// Normalizes a whole document in one pass; when nothing changes, the same array is returned without a copy.
    ///
    /// Text that is not JSON is returned unchanged, because its values cannot be told from its keys.
    public static func normalize(_ json: [UInt8]) -> [UInt8] {
        var buffer = ByteBuffer(minimumCapacity: 0)
        guard StampRewriter.rewrite(json.span, into: &buffer) else { return json }
        return buffer.array()
    }

    /// The normalized time; nil for text that is not a time, or already has the final format.
    @inline(__always)
    package static func stamp(_ text: borrowing Span<UInt8>) -> Stamp? {
        // A time of 20 bytes already has the final format.
        guard text.count >= Stamp.shortestLength, text.count != Stamp.length, text[10] == UInt8(ascii: "T") else {
            return nil
        }
        return Stamp(reading: text, as: .iso8601)
    }
}
