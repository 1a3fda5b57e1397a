/// One message of the output plug-in `pgoutput`, in version 1 of its protocol (manual §55.9).
package enum LogicalMessage: Hashable, Sendable {
    /// A transaction begins, and its changes follow: only those of transactions that have committed are sent.
    /// `commit` is where its commit is logged. Times are microseconds since 2000-01-01.
    case begin(commit: LogSequenceNumber, committedAt: Int64, transaction: UInt32)
    /// It ends. Once `end` is confirmed, the transaction is not sent again.
    case commit(commit: LogSequenceNumber, end: LogSequenceNumber, committedAt: Int64)
    case origin(name: String)
    case relation(ReplicatedRelation)
    /// A type that is none of PostgreSQL's own.
    case type(id: UInt32, schema: String, name: String)
    case insert(relation: UInt32, new: RowImage)
    /// `old` is there when the identity has changed, or is the whole row.
    case update(relation: UInt32, old: OldRow?, new: RowImage)
    case delete(relation: UInt32, old: OldRow)
    case truncate(relations: [UInt32])
    /// What `pg_logical_emit_message` wrote.
    case message(prefix: String, content: [UInt8], isTransactional: Bool)
}

extension LogicalMessage {
    /// Reads one message that starts at `offset` and ends with the bytes.
    package init(_ bytes: [UInt8], from offset: Int = 0) throws(ReplicationMessageError) {
        var cursor = MessageCursor(bytes, from: offset)
        self = try Self.read(&cursor, bytes)
        guard cursor.remaining == 0 else { throw .tooLong }
    }

    private static func read(
        _ cursor: inout MessageCursor,
        _ bytes: [UInt8]
    ) throws(ReplicationMessageError) -> LogicalMessage {
        let kind = try cursor.byte()
        switch kind {
        case UInt8(ascii: "B"):
            return .begin(
                commit: try cursor.logSequenceNumber(),
                committedAt: try cursor.moment(),
                transaction: try cursor.integer(UInt32.self)
            )
        case UInt8(ascii: "C"):
            _ = try cursor.byte()
            return .commit(
                commit: try cursor.logSequenceNumber(),
                end: try cursor.logSequenceNumber(),
                committedAt: try cursor.moment()
            )
        case UInt8(ascii: "O"):
            _ = try cursor.logSequenceNumber()
            return .origin(name: try cursor.text())
        case UInt8(ascii: "R"): return .relation(try relation(&cursor))
        case UInt8(ascii: "Y"):
            return .type(id: try cursor.integer(UInt32.self), schema: try cursor.text(), name: try cursor.text())
        case UInt8(ascii: "I"):
            let relation = try cursor.integer(UInt32.self)
            guard try cursor.byte() == UInt8(ascii: "N") else { throw .invalid }
            return .insert(relation: relation, new: try row(&cursor, bytes))
        case UInt8(ascii: "U"): return try update(&cursor, bytes)
        case UInt8(ascii: "D"):
            let relation = try cursor.integer(UInt32.self)
            guard let old = try oldRow(try cursor.byte(), &cursor, bytes) else { throw .invalid }
            return .delete(relation: relation, old: old)
        case UInt8(ascii: "T"): return try truncate(&cursor)
        case UInt8(ascii: "M"): return try emitted(&cursor)
        default: throw .unknownMessage(kind)
        }
    }

    private static func relation(_ cursor: inout MessageCursor) throws(ReplicationMessageError) -> ReplicatedRelation {
        let id = try cursor.integer(UInt32.self)
        let schema = try cursor.text()
        let name = try cursor.text()
        guard let identity = ReplicatedRelation.Identity(rawValue: try cursor.byte()) else { throw .invalid }
        var columns: [ReplicatedRelation.Column] = []
        for _ in 0..<(try cursor.integer(UInt16.self)) {
            let flags = try cursor.byte()
            columns.append(
                ReplicatedRelation.Column(
                    name: try cursor.text(),
                    type: try cursor.integer(UInt32.self),
                    modifier: try cursor.integer(Int32.self),
                    isKey: flags & 1 == 1
                )
            )
        }
        // An empty name stands for pg_catalog.
        return ReplicatedRelation(
            id: id,
            schema: schema.isEmpty ? "pg_catalog" : schema,
            name: name,
            identity: identity,
            columns: columns
        )
    }

    private static func update(
        _ cursor: inout MessageCursor,
        _ bytes: [UInt8]
    ) throws(ReplicationMessageError) -> LogicalMessage {
        let relation = try cursor.integer(UInt32.self)
        var kind = try cursor.byte()
        let old = try oldRow(kind, &cursor, bytes)
        if old != nil { kind = try cursor.byte() }
        guard kind == UInt8(ascii: "N") else { throw .invalid }
        return .update(relation: relation, old: old, new: try row(&cursor, bytes))
    }

    /// nil when the kind is none of an old row.
    private static func oldRow(
        _ kind: UInt8,
        _ cursor: inout MessageCursor,
        _ bytes: [UInt8]
    ) throws(ReplicationMessageError) -> OldRow? {
        switch kind {
        case UInt8(ascii: "K"): .key(try row(&cursor, bytes))
        case UInt8(ascii: "O"): .full(try row(&cursor, bytes))
        default: nil
        }
    }

    private static func row(
        _ cursor: inout MessageCursor,
        _ bytes: [UInt8]
    ) throws(ReplicationMessageError) -> RowImage {
        let count = Int(try cursor.integer(UInt16.self))
        var cells: [RowImage.Cell] = []
        cells.reserveCapacity(min(count, cursor.remaining))
        for _ in 0..<count {
            switch try cursor.byte() {
            case UInt8(ascii: "n"): cells.append(.null)
            case UInt8(ascii: "u"): cells.append(.unchanged)
            case UInt8(ascii: "t"): cells.append(.text(try cursor.range(Int(try cursor.integer(Int32.self)))))
            default: throw .invalid
            }
        }
        return RowImage(bytes: bytes, cells: cells)
    }

    private static func truncate(_ cursor: inout MessageCursor) throws(ReplicationMessageError) -> LogicalMessage {
        let count = try cursor.integer(UInt32.self)
        _ = try cursor.byte()
        guard cursor.remaining == Int(count) * 4 else { throw cursor.remaining < Int(count) * 4 ? .cutShort : .tooLong }
        var relations: [UInt32] = []
        for _ in 0..<count { relations.append(try cursor.integer(UInt32.self)) }
        return .truncate(relations: relations)
    }

    private static func emitted(_ cursor: inout MessageCursor) throws(ReplicationMessageError) -> LogicalMessage {
        let flags = try cursor.byte()
        _ = try cursor.logSequenceNumber()
        let prefix = try cursor.text()
        let content = try cursor.range(Int(try cursor.integer(Int32.self)))
        return .message(prefix: prefix, content: Array(cursor.slice(content)), isTransactional: flags & 1 == 1)
    }
}
