package import SwiftletPostgres

/// The JSON of a value, as a hand-written route says it of its bodies, answers and query parameters.
///
///     .object(["task_ids": .list(.text), "patch": .any.optional, "due": .timestamp.nullable])
public struct JSONSchema: Sendable {
    package indirect enum Kind: Sendable {
        case scalar(RouteSchema.Kind)
        case list(JSONSchema)
        /// An object whose members have names of their own.
        case dictionary(JSONSchema)
        case object([Member])
        /// What the routes over a table read or answer; nil while the database lacks the table.
        case row(@Sendable (Schema) -> Row?)
        /// Either of them.
        case oneOf([JSONSchema])
    }

    package struct Member: Sendable {
        package let name: String
        package let schema: JSONSchema
    }

    package struct Row: Sendable {
        package let fields: [RouteSchema.Field]
        package let required: [String]

        package init(_ fields: [RouteSchema.Field], required: [String]) {
            self.fields = fields
            self.required = required
        }
    }

    package let kind: Kind
    package private(set) var isOptional = false
    package private(set) var isNullable = false

    package init(_ kind: Kind) {
        self.kind = kind
    }

    public static let text = JSONSchema(.scalar(.text(maximumLength: nil)))
    public static let uuid = JSONSchema(.scalar(.uuid))
    public static let integer = JSONSchema(.scalar(.integer))
    public static let number = JSONSchema(.scalar(.number))
    public static let flag = JSONSchema(.scalar(.flag))
    /// A time such as `2026-01-31T12:30:00Z`.
    public static let timestamp = JSONSchema(.scalar(.timestamp))
    /// A day such as `2026-01-31`.
    public static let day = JSONSchema(.scalar(.day))
    public static let any = JSONSchema(.scalar(.any))
    /// `{"success":true}`.
    public static let success = JSONSchema.object(["success": .flag])

    /// A text of at most so many characters.
    public static func text(upTo characters: Int) -> JSONSchema {
        JSONSchema(.scalar(.text(maximumLength: characters)))
    }

    /// One of these texts.
    public static func words(_ words: String...) -> JSONSchema { JSONSchema(.scalar(.words(words))) }

    public static func list(_ element: JSONSchema) -> JSONSchema { JSONSchema(.list(element)) }

    /// An object of which only the values are known: `{"open":3,"done":4}`.
    public static func dictionary(of value: JSONSchema) -> JSONSchema { JSONSchema(.dictionary(value)) }

    /// An object with these members, and perhaps more.
    public static func object(
        _ members: KeyValuePairs<String, JSONSchema>,
        and more: KeyValuePairs<String, JSONSchema> = [:]
    ) -> JSONSchema {
        let members = Array(members) + Array(more)
        return JSONSchema(.object(members.map { Member(name: $0.key, schema: $0.value) }))
    }

    public static func either(_ schemas: JSONSchema...) -> JSONSchema { JSONSchema(.oneOf(schemas)) }

    /// `{"data":[…],"total":N}`, see ``Response/list(_:)``.
    public static func rows(_ members: KeyValuePairs<String, JSONSchema>) -> JSONSchema {
        .object(["data": .list(.object(members)), "total": .integer])
    }

    /// The same for a member that may be left out.
    public var optional: JSONSchema {
        var schema = self
        schema.isOptional = true
        return schema
    }

    /// The same for a value that may be null.
    public var nullable: JSONSchema {
        var schema = self
        schema.isNullable = true
        return schema
    }
}
