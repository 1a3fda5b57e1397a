import SwiftletWeb

/// A column that a create cannot leave out.
struct NeededColumn: Sendable {
    let key: String
    let column: String
    /// Otherwise the client itself must send it.
    let hooksMayFill: Bool
}

/// A column that clients may write.
struct InputColumn: Sendable {
    let column: String
    let kind: ColumnKind
    let isNullable: Bool
    let isRequired: Bool
    /// Whether the declaration or the database has a value for a create without one. There, null is none either, as
    /// clients send it for what was left empty.
    let hasDefault: Bool
    let words: Enumeration?
    let shape: JSONKind?
}

/// The JSON type that a column must hold for clients to decode it.
enum JSONKind: Sendable {
    case list
    case object

    func admits(_ value: JSONValue) -> Bool {
        switch self {
        case .list: value.array != nil
        case .object: value.object != nil
        }
    }

    var noun: String {
        switch self {
        case .list: "a list"
        case .object: "an object"
        }
    }
}
