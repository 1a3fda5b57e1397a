import SwiftletPostgres
public import SwiftletWeb

extension Resource {
    /// A row as the routes of this resource answer it, for a hand-written route's ``Route/answering(_:_:)``.
    public var rowSchema: JSONSchema {
        JSONSchema(
            .row { schema in
                shape(of: .get, in: schema).map { JSONSchema.Row($0.fields, required: $0.fields.map(\.name)) }
            }
        )
    }

    /// What a new row is made of, for a hand-written route that creates one.
    public var inputSchema: JSONSchema {
        JSONSchema(
            .row { schema in shape(of: .create, in: schema).map { JSONSchema.Row($0.inputs, required: $0.required) } }
        )
    }

    /// What a row can be changed to, for a hand-written route that updates one.
    public var changeSchema: JSONSchema {
        JSONSchema(.row { schema in shape(of: .update, in: schema).map { JSONSchema.Row($0.inputs, required: []) } })
    }

    /// A page of such rows.
    public var pageSchema: JSONSchema {
        .object([
            "data": .list(rowSchema), "total": .integer, "page": .integer, "limit": .integer, "has_more": .flag,
        ])
    }

    /// What clients send and get; nil while the database lacks the table.
    func shape(of verb: RouteSchema.Verb, in schema: Schema) -> RouteSchema? {
        let plan = plan(in: schema)
        guard plan.table != nil, let source = schema.tables[table] else { return nil }
        let columns = rules.namedColumns(of: source)
        let byKey = columns.reduce(into: [String: NamedColumn]()) { found, column in
            for key in column.keys where found[key] == nil { found[key] = column }
        }
        let inputs = columns.flatMap(\.keys).compactMap { key in
            plan.write.inputs[key].map { input in
                let kind = input.words.map { _ in RouteSchema.Kind.text(maximumLength: nil) } ?? input.kind.shape
                let isNullable = input.isNullable || verb == .create && input.hasDefault
                return RouteSchema.Field(name: key, kind: kind, isNullable: isNullable)
            }
        }
        let needed = plan.write.neededOnCreate.filter { needed in
            !needed.hooksMayFill && plan.write.inputs[needed.key]?.hasDefault != true
        }
        return RouteSchema(
            verb: verb,
            scope: scope.description,
            fields: plan.read.layout.names.map { field($0, byKey[$0], plan) },
            inputs: inputs,
            required: needed.map(\.key),
            filters: plan.query.parameters.sorted { $0.key < $1.key }.map { name, parameter in
                RouteSchema.Field(name: name, kind: parameter.shape, isNullable: false)
            },
            hasSearch: !plan.query.searchColumns.isEmpty,
            counts: plan.read.counts.map(\.key),
            isGuarded: isGuarded,
            isBelowParent: rules.parent != nil
        )
    }

    /// Whether this or a resource above it hides rows from some people, or asks for a device.
    private var isGuarded: Bool {
        rules.ownRowsOnly != nil || rules.parent?.hidesRows == true || scope.holder == .device
    }

    private func field(_ name: String, _ column: NamedColumn?, _ plan: ResourcePlan) -> RouteSchema.Field {
        guard let column else { return RouteSchema.Field(name: name, kind: .any, isNullable: true) }
        let kind: RouteSchema.Kind
        if plan.read.shownColumns[column.name] != nil {
            kind = .text(maximumLength: nil)
        } else if let words = rules.enumerations[column.name] {
            kind = .words(words.words)
        } else if rules.stringArrays.contains(column.name), column.kind.holdsElements {
            kind = .list(.text(maximumLength: nil))
        } else {
            kind = column.kind.shape
        }
        return RouteSchema.Field(name: name, kind: kind, isNullable: column.column.isNullable)
    }
}

extension ColumnKind {
    fileprivate var shape: RouteSchema.Kind {
        switch self {
        case .text(let maximumLength): .text(maximumLength: maximumLength)
        case .uuid: .uuid
        case .integer: .integer
        case .numeric, .float: .number
        case .bool: .flag
        case .timestamp, .timestampWithZone: .timestamp
        case .date: .day
        case .time, .bytea: .text(maximumLength: nil)
        case .enumeration(let labels): .words(labels)
        // Arrays may have nulls, and further dimensions.
        case .array, .json, .other: .any
        }
    }
}

extension QueryParameter {
    /// Several values are separated by commas, so that most are texts.
    fileprivate var shape: RouteSchema.Kind {
        switch meaning {
        case .caller: .flag
        case .view: .words(["my", "unassigned", "all"])
        case .equals, .named, .atLeast, .before, .atMost: .text(maximumLength: nil)
        }
    }
}
