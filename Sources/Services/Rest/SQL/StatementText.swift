import SwiftletPostgres

/// SQL text in the making, with its bound parameters. Names come from the catalog or are quoted; values are bound.
struct StatementText {
    private(set) var text = ""
    private(set) var parameters = Parameters()

    mutating func add(_ sql: String) { text += sql }

    mutating func add(_ sql: StaticString) { text += sql.description }

    /// An identifier in double quotes (PostgreSQL manual, 4.1.1).
    mutating func add(name: String) { text += name.quotedIdentifier }

    mutating func add(_ name: QualifiedName) {
        add(name: name.schema)
        text += "."
        add(name: name.name)
    }

    /// `alias.column`
    mutating func add(_ alias: String, _ column: String) {
        add(name: alias)
        text += "."
        add(name: column)
    }

    /// The value of a parameter that the text names itself.
    mutating func addParameter(_ value: String) { parameters.append(value) }

    /// A parameter whose type PostgreSQL finds by its place.
    mutating func bind(_ value: String) {
        parameters.append(value)
        text += "$\(parameters.count)"
    }

    mutating func bind(_ value: Int) {
        parameters.append(value)
        text += "$\(parameters.count)"
    }

    mutating func bind(array values: [String]) {
        parameters.append(array: values)
        text += "$\(parameters.count)"
    }

    mutating func bind(bytes: [UInt8]) {
        parameters.append(utf8: bytes.span)
        text += "$\(parameters.count)"
    }

    /// Text as a literal: for keys of JSON paths, whose place takes no parameter of unknown type.
    mutating func add(literal value: String) {
        let escaped = value.replacing("\\", with: "\\\\").replacing("'", with: "''")
        text += escaped.contains("\\") ? "E'\(escaped)'" : "'\(escaped)'"
    }

    /// Puts text in front, such as `EXPLAIN`.
    mutating func prefix(_ sql: String) { text = sql + text }

    mutating func list<Element>(
        _ elements: [Element],
        separator: String = ", ",
        _ add: (inout StatementText, Element) -> Void
    ) {
        for (index, element) in elements.enumerated() {
            if index > 0 { text += separator }
            add(&self, element)
        }
    }
}
