import Postgres

extension ColumnKind {
    init(_ column: Column) {
        self.init(column.type, maximumLength: column.maximumLength)
    }

    private init(_ type: ColumnType, maximumLength: Int? = nil) {
        self =
            switch type.category {
            case .text: .text(maximumLength: maximumLength)
            case .uuid: .uuid
            case .int2: .integer(Int(Int16.min)...Int(Int16.max))
            case .int4: .integer(Int(Int32.min)...Int(Int32.max))
            case .int8: .integer(Int.min...Int.max)
            case .numeric: .numeric
            case .float: .float
            case .bool: .bool
            case .timestamp: .timestamp
            case .timestamptz: .timestampWithZone
            case .date: .date
            case .time: .time
            case .json, .jsonb: .json
            case .bytea: .bytea
            case .enumeration(let labels): .enumeration(labels)
            case .array(let element): .array(ColumnKind(element))
            case .other: .other
            }
    }
}

extension Table {
    /// The column that names a row within its tenant. In a primary key that holds the tenant as well it is the other
    /// one; where that takes several columns it is `id`, or nil without such a column or if it may repeat.
    var rowKey: Column? {
        let columns = primaryKey.filter { $0 != ResourcePlanner.tenantColumn }
        if columns.count == 1 { return column(columns[0]) }
        return column("id").flatMap { columns.isEmpty || isUnique($0) ? $0 : nil }
    }

    /// A partitioned table cannot say so of its `id` alone: UUIDs, and numbers that the database counts, are taken as
    /// unique.
    private func isUnique(_ column: Column) -> Bool {
        switch column.type.category {
        case .uuid: return true
        case .int2, .int4, .int8: if column.hasDefault || column.isGenerated { return true }
        default: break
        }
        return uniqueKeys.contains { Set([column.name, ResourcePlanner.tenantColumn]).isSuperset(of: $0) }
    }

    /// `"schema"."name"`.
    var quotedName: String {
        Identifier.quote(schema) + "." + Identifier.quote(name)
    }
}
