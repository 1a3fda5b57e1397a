/// The names of the members of interest in an object, one case each.
protocol KnownName: RawRepresentable<Int> {
    /// nil for all other names. Raw values must be below 16, the size of ``KnownMembers``.
    init?(_ name: borrowing Span<UInt8>)
}

/// The places of the values of an object's known members in its text.
///
/// Of members with the same name the last wins, as in `JSONParser`; names are compared with their escapes decoded.
struct KnownMembers<Name: KnownName>: Sendable {
    private var ranges = InlineArray<16, ByteRange>(repeating: .none)

    /// ``ByteRange/none`` when the member is missing.
    subscript(name: Name) -> ByteRange {
        get { ranges[name.rawValue] }
        set { ranges[name.rawValue] = newValue }
    }

    /// Reads one object.
    mutating func read(_ scanner: inout JSONScanner) throws(JSONScanner.Malformed) {
        try scanner.beginObject()
        while let place = try scanner.nextName() {
            let name = try Self.name(place, in: scanner.bytes)
            let value = try scanner.value()
            if let name { self[name] = value }
        }
    }

    static func name(
        _ place: ByteRange,
        in bytes: borrowing Span<UInt8>
    ) throws(JSONScanner.Malformed) -> Name? {
        guard place.hasEscapes else { return Name(bytes.extracting(place.rangeInQuotes)) }
        guard let name = bytes.jsonString(at: place) else { throw JSONScanner.Malformed() }
        return Name(name.utf8.span)
    }
}
