internal import JSON

/// The members of an object that somebody asks for, one case each.
protocol KnownName: RawRepresentable<Int> {
    /// nil for all other names. Raw values are below ``KnownMembers/capacity``.
    init?(_ name: borrowing Span<UInt8>)
}

/// Where the values of an object's known members are in its text.
///
/// Of members with the same name the last wins, as in `JSONParser`; names are compared after their escapes are decoded.
struct KnownMembers<Name: KnownName>: Sendable {
    private var ranges = InlineArray<16, ByteRange>(repeating: .none)

    /// ``ByteRange/none`` when the member is not there.
    subscript(name: Name) -> ByteRange {
        get { ranges[name.rawValue] }
        set { ranges[name.rawValue] = newValue }
    }

    /// Steps over one object.
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

extension Span<UInt8> {
    /// The JSON value at a place where the scanner found one; nil when there is none.
    func jsonValue(at place: ByteRange) -> JSONValue? {
        guard place.isPresent else { return nil }
        // The scanner accepts what the parser accepts, so this does not fail.
        return try? JSONParser.parse(extracting(place.range))
    }

    /// The text of the JSON string at that place; nil when there is none, or a value of another type.
    func jsonString(at place: ByteRange) -> String? {
        guard let inner = jsonText(at: place) else { return jsonValue(at: place)?.string }
        return String(decoding: extracting(inner))
    }

    /// Where the characters of the JSON string at that place are, if it has no escapes.
    func jsonText(at place: ByteRange) -> Range<Int>? {
        guard place.isPresent, !place.hasEscapes, self[place.range.lowerBound] == UInt8(ascii: "\"") else { return nil }
        return place.rangeInQuotes
    }
}
