package import SwiftletPostgres

/// The JSON of a value, as a hand-written route says it of its bodies, answers and query parameters.
///
///     .object(["task_ids": .list(.text), "patch": .any.optional, "due": .timestamp.nullable])
public struct ValueShape: Sendable {
    package indirect enum Kind: Sendable {
        case scalar(RouteShape.Kind)
        case list(ValueShape)
        /// An object whose members have names of their own.
        case dictionary(ValueShape)
        case object([Member])
        /// What the routes over a table read or answer; nil while the database lacks the table.
        case row(@Sendable (Schema) -> Row?)
        /// Either of them.
        case oneOf([ValueShape])
    }

    package struct Member: Sendable {
        package let name: String
        package let shape: ValueShape
    }

    package struct Row: Sendable {
        package let fields: [RouteShape.Field]
        package let required: [String]

        package init(_ fields: [RouteShape.Field], required: [String]) {
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

    public static let text = ValueShape(.scalar(.text(maximumLength: nil)))
    public static let uuid = ValueShape(.scalar(.uuid))
    public static let integer = ValueShape(.scalar(.integer))
    public static let number = ValueShape(.scalar(.number))
    public static let flag = ValueShape(.scalar(.flag))
    /// A time such as `2026-01-31T12:30:00Z`.
    public static let timestamp = ValueShape(.scalar(.timestamp))
    /// A day such as `2026-01-31`.
    public static let day = ValueShape(.scalar(.day))
    public static let any = ValueShape(.scalar(.any))
    /// `{"success":true}`.
    public static let success = ValueShape.object(["success": .flag])

    /// A text of at most so many characters.
    public static func text(upTo characters: Int) -> ValueShape {
        ValueShape(.scalar(.text(maximumLength: characters)))
    }

    /// One of these texts.
    public static func words(_ words: String...) -> ValueShape { ValueShape(.scalar(.words(words))) }

    public static func list(_ element: ValueShape) -> ValueShape { ValueShape(.list(element)) }

    /// An object of which only the values are known: `{"open":3,"done":4}`.
    public static func dictionary(of value: ValueShape) -> ValueShape { ValueShape(.dictionary(value)) }

    /// An object with these members, and perhaps more.
    public static func object(
        _ members: KeyValuePairs<String, ValueShape>,
        and more: KeyValuePairs<String, ValueShape> = [:]
    ) -> ValueShape {
        let members = Array(members) + Array(more)
        return ValueShape(.object(members.map { Member(name: $0.key, shape: $0.value) }))
    }

    public static func either(_ shapes: ValueShape...) -> ValueShape { ValueShape(.oneOf(shapes)) }

    /// `{"data":[…],"total":N}`, see ``Response/list(_:)``.
    public static func rows(_ members: KeyValuePairs<String, ValueShape>) -> ValueShape {
        .object(["data": .list(.object(members)), "total": .integer])
    }

    /// The same for a member that may be left out.
    public var optional: ValueShape {
        var shape = self
        shape.isOptional = true
        return shape
    }

    /// The same for a value that may be null.
    public var nullable: ValueShape {
        var shape = self
        shape.isNullable = true
        return shape
    }
}
