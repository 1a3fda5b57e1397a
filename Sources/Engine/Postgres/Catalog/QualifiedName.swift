/// The name of a relation or routine with its schema.
package struct QualifiedName: Hashable, Sendable {
    package let schema: String
    package let name: String

    package init(_ schema: String, _ name: String) {
        self.schema = schema
        self.name = name
    }

    /// `text` is `schema.name`, or a name in `schema`.
    package init(_ text: String, in schema: String) {
        let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
        self = parts.count == 2 ? QualifiedName(parts[0], parts[1]) : QualifiedName(schema, text)
    }
}

extension QualifiedName: CustomStringConvertible {
    package var description: String { "\(schema).\(name)" }
}

extension QualifiedName: Comparable {
    package static func < (first: QualifiedName, second: QualifiedName) -> Bool {
        (first.schema, first.name) < (second.schema, second.name)
    }
}
