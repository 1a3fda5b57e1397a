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
    /// one; where that takes several columns it is `id`, or nil without such a column.
    var rowKey: Column? {
        let columns = primaryKey.filter { $0 != ResourcePlanner.tenantColumn }
        return column(columns.count == 1 ? columns[0] : "id")
    }

    /// `"schema"."name"`.
    var quotedName: String {
        Identifier.quote(schema) + "." + Identifier.quote(name)
    }
}
