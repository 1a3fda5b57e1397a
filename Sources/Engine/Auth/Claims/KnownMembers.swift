import SwiftletJSON

/// The names of the members of interest in an object, one case each.
protocol KnownName: RawRepresentable<Int> {
    /// nil for all other names. Raw values must be below 16, the size of ``KnownMembers``.
    init?(_ name: borrowing Span<UInt8>)
}

/// The places of the values of an object's known members in its text.
///
/// Of members with the same name the last wins, as in `JSONParser`; names are compared with their escapes decoded.
struct KnownMembers<Name: KnownName>: Sendable {
    private var ranges = InlineArray<16, ClaimRange>(repeating: .none)

    /// ``ClaimRange/none`` when the member is missing.
    subscript(name: Name) -> ClaimRange {
        get { ranges[name.rawValue] }
        set { ranges[name.rawValue] = newValue }
    }

    /// Reads an object's members up to its end.
    mutating func readMembers(_ scanner: inout JSONScanner) throws(JSONError) {
        while try scanner.next() == .name {
            let name = Self.name(in: scanner)
            let value = try scanner.skipValue()
            if let name { self[name] = value }
        }
    }

    /// The name that the scanner has just passed.
    static func name(in scanner: borrowing JSONScanner) -> Name? {
        let place = ClaimRange(scanner.start, scanner.closingQuote &+ 1, hasEscapes: scanner.hasEscapes)
        guard scanner.hasEscapes else { return Name(scanner.bytes.extracting(place.rangeInQuotes)) }
        return scanner.bytes.jsonString(at: place).flatMap { Name($0.utf8.span) }
    }
}

extension JSONScanner {
    /// Enters the object that the text must consist of.
    mutating func beginObject() throws(JSONError) {
        guard try next() == .beginObject else { throw JSONError(.unexpectedByte, at: start) }
    }

    /// Skips one value of any type and returns its place, including quotes and brackets.
    mutating func skipValue() throws(JSONError) -> ClaimRange {
        let first = try next()
        let start = start
        try skip(first)
        return ClaimRange(start, index, hasEscapes: first == .string && hasEscapes)
    }
}
