/// An enumeration of words that the server may extend: one that this build does not know becomes `unknown`, instead of
/// costing the whole answer.
///
/// Null is not a word: where it can occur, the property is an optional.
///
///     enum Weather: String, SafeDecodable { case sun, rain, unknown }
public protocol SafeDecodable: RawRepresentable, Codable, Sendable, Hashable where RawValue: Decodable {
    /// Stands for every word that this build does not know.
    static var unknown: Self { get }
}

extension SafeDecodable {
    public init(from decoder: any Decoder) throws {
        let word = try decoder.singleValueContainer().decode(RawValue.self)
        self = Self(rawValue: word) ?? .unknown
    }
}
