/// The name of a relation or routine with its schema.
struct QualifiedName: Hashable, Sendable {
    let schema: String
    let name: String

    init(_ schema: String, _ name: String) {
        self.schema = schema
        self.name = name
    }

    /// `text` is `schema.name`, or a name in `schema`.
    init(_ text: String, in schema: String) {
        let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
        self = parts.count == 2 ? QualifiedName(parts[0], parts[1]) : QualifiedName(schema, text)
    }
}

extension QualifiedName: CustomStringConvertible {
    var description: String { "\(schema).\(name)" }
}
