public import SwiftletEssentials

/// A value that a segment of a path may be, see ``PathParameters/require(_:as:)``.
public protocol PathValue: Sendable {
    /// For the message to whoever sends another text: `a UUID`.
    static var parameterKind: String { get }

    init?(parameter text: String)
}

extension UUID: PathValue {
    public static var parameterKind: String { "a UUID" }

    public init?(parameter text: String) {
        self.init(uuidString: text)
    }
}

extension Int: PathValue {
    public static var parameterKind: String { "a whole number" }

    public init?(parameter text: String) {
        self.init(text)
    }
}

extension String: PathValue {
    public static var parameterKind: String { "a text" }

    /// nil for an empty text.
    public init?(parameter text: String) {
        guard !text.isEmpty else { return nil }
        self = text
    }
}
