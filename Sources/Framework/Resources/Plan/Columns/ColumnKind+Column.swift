import SwiftletPostgres
import SwiftletWeb

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
