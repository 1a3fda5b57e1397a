/// Makes every time in a JSON text one that JavaScript and iOS read alike: UTC, whole seconds, `…Z`.
///
/// A string **value** that in full is `YYYY-MM-DDThh:mm:ss`, then perhaps `.digits`, then perhaps `Z` or `±hh:mm`,
/// becomes `YYYY-MM-DDThh:mm:ssZ`: without a zone it is read as UTC, the fraction is cut (never rounded), an offset is
/// converted, also across day, month and year. Untouched, byte for byte, stay keys, numbers, dates alone, the form with
/// a space, text around a time, strings with escapes, times that do not exist (30 February, 24:00:00, second 60),
/// offsets beyond ±23:59, and results outside the years 0001–9999.
public enum DateNormaliser {
    /// Normalises a whole document in one pass; without a match the same array comes back, uncopied.
    ///
    /// A text that is not JSON comes back as it was: its strings cannot be told from its keys.
    public static func normalise(_ json: [UInt8]) -> [UInt8] {
        var buffer = ByteBuffer(minimumCapacity: 0)
        guard StampRewriter.rewrite(json.span, into: &buffer) else { return json }
        return buffer.array()
    }

    /// What a text becomes; nil when it stays as it is, as all do that are no time, and those in the final form.
    @inline(__always)
    package static func stamp(_ text: borrowing Span<UInt8>) -> Stamp? {
        // Of 20 bytes is only the final form itself.
        guard text.count >= 19, text.count != Stamp.length, text[10] == UInt8(ascii: "T") else { return nil }
        return Stamp(reading: text, as: .iso8601)
    }
}
