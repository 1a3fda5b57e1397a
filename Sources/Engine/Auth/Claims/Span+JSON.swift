import SwiftletBytes
import SwiftletJSON

extension Span<UInt8> {
    /// The JSON value at a place that the scanner has returned; nil when there is none.
    func jsonValue(at place: ClaimRange) -> JSONValue? {
        guard place.isPresent else { return nil }
        // The scanner accepts what the parser accepts, so this does not fail.
        return try? JSONParser.parse(extracting(place.range))
    }

    /// The JSON string at that place; nil when there is none, or a value of another type.
    func jsonString(at place: ClaimRange) -> String? {
        guard let inner = jsonText(at: place) else { return jsonValue(at: place)?.string }
        return String(utf8: extracting(inner))
    }

    /// The range of the characters of the JSON string at that place, when it has no escapes.
    func jsonText(at place: ClaimRange) -> Range<Int>? {
        guard place.isPresent, !place.hasEscapes, self[place.range.lowerBound] == UInt8(ascii: "\"") else { return nil }
        return place.rangeInQuotes
    }
}
