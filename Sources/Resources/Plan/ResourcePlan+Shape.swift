import Postgres
import Web

extension Resource {
    /// What clients send and get; nil while the database lacks the table.
    func shape(of verb: RouteShape.Verb, in schema: Schema) -> RouteShape? {
        let plan = plan(in: schema)
        guard plan.table != nil, let source = schema.tables[table] else { return nil }
        let columns = rules.namedColumns(of: source)
        let byKey = columns.reduce(into: [String: NamedColumn]()) { found, column in
            for key in column.keys where found[key] == nil { found[key] = column }
        }
        let inputs = columns.flatMap(\.keys).compactMap { key in
            plan.write.inputs[key].map { input in
                let kind = input.words.map { _ in RouteShape.Kind.text(maximumLength: nil) } ?? input.kind.shape
                return RouteShape.Field(name: key, kind: kind, isNullable: input.isNullable || input.hasDefault)
            }
        }
        let needed = plan.write.neededOnCreate.filter { needed in
            !needed.hooksMayFill && plan.write.inputs[needed.key]?.hasDefault != true
        }
        return RouteShape(
            verb: verb,
            fields: plan.read.layout.names.map { field($0, byKey[$0], plan) },
            inputs: inputs,
            required: needed.map(\.key),
            filters: plan.query.parameters.keys.sorted(),
            hasSearch: !plan.query.searchColumns.isEmpty,
            counts: plan.read.counts.map(\.key)
        )
    }

    private func field(_ name: String, _ column: NamedColumn?, _ plan: ResourcePlan) -> RouteShape.Field {
        guard let column else { return RouteShape.Field(name: name, kind: .any, isNullable: true) }
        let kind: RouteShape.Kind
        if plan.read.shownColumns[column.name] != nil {
            kind = .text(maximumLength: nil)
        } else if let words = rules.enumerations[column.name] {
            kind = .words(words.words)
        } else if rules.stringArrays.contains(column.name), column.kind.holdsElements {
            kind = .list(.text(maximumLength: nil))
        } else {
            kind = column.kind.shape
        }
        return RouteShape.Field(name: name, kind: kind, isNullable: column.column.isNullable)
    }
}

extension ColumnKind {
    fileprivate var shape: RouteShape.Kind {
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
