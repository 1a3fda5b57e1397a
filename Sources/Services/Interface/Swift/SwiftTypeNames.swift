/// The names of all generated types of a schema, no two the same.
struct SwiftTypeNames {
    struct Relation {
        let select: String
        let insert: String
        let update: String
    }

    let schema: String
    private(set) var relations: [String: Relation] = [:]
    private(set) var enumerations: [String: String] = [:]
    private(set) var composites: [String: String] = [:]
    /// By table and column: the enumeration of a CHECK constraint's words.
    private(set) var checks: [String: [String: String]] = [:]

    init(_ description: SchemaDescription) {
        schema = SwiftName.type(description.name) + "Schema"
        var taken = TakenNames(Self.reserved.union([schema]))
        for relation in description.relations {
            let name = SwiftName.type(relation.name)
            relations[relation.name] = Relation(
                select: taken.take(name + "Select"),
                insert: taken.take(name + "Insert"),
                update: taken.take(name + "Update")
            )
        }
        for enumeration in description.enumerations {
            enumerations[enumeration.name] = taken.take(SwiftName.type(enumeration.name))
        }
        for composite in description.composites {
            composites[composite.name] = taken.take(SwiftName.type(composite.name))
        }
        for relation in description.relations {
            for column in relation.columns where !column.words.isEmpty {
                let name = taken.take(SwiftName.type(relation.name) + SwiftName.type(column.name))
                checks[relation.name, default: [:]][column.name] = name
            }
        }
    }

    func type(_ type: ValueType) -> String {
        switch type {
        case .array(let element): "[\(self.type(element))]"
        case .enumeration(let name): enumerations[name] ?? "String"
        case .composite(let name): composites[name] ?? "JSONValue"
        case .base(let name): Self.base[name] ?? "String"
        }
    }

    private static let base = [
        "int2": "Int", "int4": "Int", "int8": "Int", "float4": "Float", "float8": "Double",
        "numeric": "Decimal", "bool": "Bool", "uuid": "UUID", "json": "JSONValue", "jsonb": "JSONValue",
        "timestamptz": "Date", "timestamp": "Date", "date": "Day",
    ]

    /// What the generated text itself names.
    private static let reserved: Set<String> = [
        "String", "Int", "Float", "Double", "Decimal", "Bool", "UUID", "JSONValue", "Date", "Day", "ColumnChange",
        "Relationship", "Codable", "Hashable", "Sendable", "Identifiable", "CaseIterable", "RawRepresentable",
        "Encoder", "Decoder", "CodingKey", "CodingKeys", "Comparable", "CustomStringConvertible", "Any", "Self", "Type",
        "Protocol", "Optional", "Array", "Dictionary", "Timestamp", "JSONDecoder", "JSONEncoder", "DecodingError",
        "Character", "Substring", "UInt8", "TimeInterval", "Foundation", "Swift", "Set", "Calendar",
        "DateComponents", "TimeZone", "KeyedEncodingContainer", "KeyedDecodingContainer",
    ]
}
