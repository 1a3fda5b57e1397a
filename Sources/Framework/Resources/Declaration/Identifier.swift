import SwiftletWeb

/// The name of a table or column. It can only come from a literal in source code.
public struct Identifier: Hashable, Sendable, ExpressibleByStringLiteral {
    let name: String

    public init(stringLiteral value: StaticString) {
        name = value.description
    }

    init(_ name: String) {
        self.name = name
    }

    /// `'text'` with quotes doubled, safe inside SQL where backslashes mean themselves (manual, 4.1.2.1).
    static func literal(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }
}
