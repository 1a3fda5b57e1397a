import SwiftletBytes

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

    /// Writes a text; a time is written in its normalized format (see ``DateNormalizer``).
    package mutating func writeText(utf8 bytes: borrowing Span<UInt8>) {
        if let stamp = DateNormalizer.stamp(bytes) { return write(stamp) }
        writeString(utf8: bytes)
    }

    /// Writes a time.
    package mutating func write(_ stamp: Stamp) {
        separate()
        buffer.appendQuoted(stamp)
    }

    /// Writes a `timestamp` or `timestamptz` as printed with `DateStyle` ISO; without an offset it is UTC.
    ///
    /// `infinity` and years BC or above 9999 have no such format. They are null, see ``hasUndecodableValue``.
    package mutating func writeTimestamp(postgresText bytes: borrowing Span<UInt8>) {
        if let stamp = Stamp(reading: bytes, as: .postgres) { return write(stamp) }
        writeDate(postgresText: bytes)
    }

    /// The same for clients that decode a text, which gets the others as they are.
    package mutating func writeTimestampText(postgresText bytes: borrowing Span<UInt8>) {
        if let stamp = Stamp(reading: bytes, as: .postgres) { return write(stamp) }
        writeText(utf8: bytes)
    }

    /// Writes a `date`; `infinity` and years BC or above 9999 are null, as above.
    package mutating func writeDate(postgresText bytes: borrowing Span<UInt8>) {
        guard !UndecodableTime.isPostgres(bytes) else {
            hasUndecodableValue = true
            return writeNull()
        }
        writeText(utf8: bytes)
    }

    /// Names the member that the undecodable values since the last call belong to, if there were any.
    package mutating func nameUndecodableValue(_ member: @autoclosure () -> String) {
        guard hasUndecodableValue else { return }
        hasUndecodableValue = false
        noteUndecodable(member())
    }

    /// Notes the member itself, or `member.name` for each name within it.
    mutating func noteUndecodable(_ member: String) {
        let names = undecodableNames.isEmpty ? [""] : undecodableNames
        undecodableNames = []
        for name in names {
            let path = name.isEmpty ? member : "\(member).\(name)"
            if !undecodableMembers.contains(path) { undecodableMembers.append(path) }
        }
    }

    /// Writes a number in PostgreSQL's digits (`1200.00` stays); `NaN` and the infinities are null.
    package mutating func writeNumber(postgresText bytes: borrowing Span<UInt8>) {
        guard JSONNumber.length(in: bytes, at: 0) == bytes.count else { return writeNull() }
        separate()
        buffer.append(bytes)
    }

    /// Writes the JSON of a `json` or `jsonb` column, its times normalized; ill-formed UTF-8 becomes U+FFFD.
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

    /// Writes JSON that PostgreSQL has made of values. Times that apps cannot decode are null, see
    /// ``hasUndecodableValue``.
    package mutating func writeJSON(utf8 bytes: borrowing Span<UInt8>, nulling nulled: NestedTimes) {
        guard UTF8Sequence.isValid(bytes) else { return writeJSON(utf8: bytes) }
        separate()
        appendJSON(bytes, nulling: nulled)
    }

    private mutating func appendJSON(_ bytes: borrowing Span<UInt8>, nulling nulled: NestedTimes = .none) {
        var names: [String] = []
        if !StampRewriter.rewrite(bytes, nulling: nulled, names: &names, into: &buffer) { buffer.append(bytes) }
        guard !names.isEmpty else { return }
        hasUndecodableValue = true
        undecodableNames += names
    }
}
