/// The name of a relation or routine with its schema.
struct QualifiedName: Hashable, Sendable {
    let schema: String
    let name: String

    init(_ schema: String, _ name: String) {
        self.schema = schema
        self.name = name
    }
}

extension QualifiedName: CustomStringConvertible {
    var description: String { "\(schema).\(name)" }
}
