import Bytes

/// Values as PostgreSQL prints them, written as JSON without a detour through `String`.
extension JSONWriter {
    /// Appends bytes as they are, without a comma. The caller guarantees UTF-8, and that they are JSON at their place.
    ///
    /// Whether a comma comes next depends on their last byte, as always.
    @inline(__always)
    package mutating func writeRaw(_ bytes: borrowing Span<UInt8>) { buffer.append(bytes) }

    /// Appends a literal as it is, without a comma.
    @inline(__always)
    package mutating func writeRaw(_ text: StaticString) { buffer.append(text) }

    /// Writes a text; ill-formed UTF-8 becomes U+FFFD.
    package mutating func writeString(utf8 bytes: borrowing Span<UInt8>) {
        separate()
        buffer.appendQuoted(bytes, isValidUTF8: false)
    }

    /// Writes a text; a time is written in its normalised format (see ``DateNormaliser``).
    package mutating func writeText(utf8 bytes: borrowing Span<UInt8>) {
        if let stamp = DateNormaliser.stamp(bytes) { return write(stamp) }
        writeString(utf8: bytes)
    }

    /// Writes a time.
    package mutating func write(_ stamp: Stamp) {
        separate()
        buffer.appendQuoted(stamp)
    }

    /// Writes a `timestamp` or `timestamptz` as printed with `DateStyle` ISO; without an offset it is UTC.
    ///
    /// Values without such a format (`infinity`, years BC or above 9999) are written as they are.
    package mutating func writeTimestamp(postgresText bytes: borrowing Span<UInt8>) {
        if let stamp = Stamp(reading: bytes, as: .postgres) { return write(stamp) }
        writeText(utf8: bytes)
    }

    /// Writes a number in PostgreSQL's digits (`1200.00` stays); `NaN` and the infinities are null.
    package mutating func writeNumber(postgresText bytes: borrowing Span<UInt8>) {
        guard JSONNumber.length(in: bytes, at: 0) == bytes.count else { return writeNull() }
        separate()
        buffer.append(bytes)
    }

    /// Writes the JSON of a `json` or `jsonb` column, its times normalised; ill-formed UTF-8 becomes U+FFFD.
    ///
    /// The caller guarantees that it is JSON, as PostgreSQL does.
    package mutating func writeJSON(utf8 bytes: borrowing Span<UInt8>) {
        separate()
        guard UTF8Sequence.isValid(bytes) else {
            let repaired = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
            return appendJSON(repaired.utf8.span)
        }
        appendJSON(bytes)
    }

    private mutating func appendJSON(_ bytes: borrowing Span<UInt8>) {
        if !StampRewriter.rewrite(bytes, into: &buffer) { buffer.append(bytes) }
    }
}
