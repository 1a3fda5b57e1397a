/// A column, or a place inside a JSON column: `metadata->camera->>make`.
struct FieldPath: Hashable, Sendable {
    var name: String
    var steps: [JSONStep] = []
}

/// One step into a JSON value: `->key` gives JSON, `->>key` text.
struct JSONStep: Hashable, Sendable {
    enum Key: Hashable, Sendable {
        case name(String)
        /// As it was written, with its sign; PostgreSQL reads it.
        case index(String)

        var text: String {
            switch self {
            case .name(let text), .index(let text): text
            }
        }
    }

    var key: Key
    var givesText: Bool
}
