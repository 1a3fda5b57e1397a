/// Any JSON value.
///
/// Strings are equal when their bytes are, numbers when their digits are, and objects independently of their order.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    public var isNull: Bool { if case .null = self { true } else { false } }

    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    public var number: JSONNumber? { if case .number(let value) = self { value } else { nil } }

    /// The value as a whole number; nil for `1.5`, for numbers beyond the range of `Int`, and for other types.
    public var int: Int? { number?.int }

    public var double: Double? { number?.double }

    public var string: String? { if case .string(let value) = self { value } else { nil } }

    public var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

    public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

    /// The member with this name; nil when there is none, or when this is not an object.
    public subscript(name: String) -> JSONValue? { object?[name] }

    /// The element at this position; nil when there is none, or when this is not an array.
    public subscript(position: Int) -> JSONValue? {
        guard let array, array.indices.contains(position) else { return nil }
        return array[position]
    }
}

extension JSONValue: Hashable {
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): value.hashBytes(into: &hasher)
        case .array(let values): hasher.combine(values)
        case .object(let object): hasher.combine(object)
        }
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON text.
    public var description: String {
        var writer = JSONWriter()
        writer.write(self)
        return String(decoding: writer.finish(), as: UTF8.self)
    }
}
