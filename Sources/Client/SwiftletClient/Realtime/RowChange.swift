public import Foundation

/// What has happened to a row, or to the stream.
public struct RowChange<Row: Decodable & Sendable>: Sendable {
    public enum Kind: Sendable {
        /// The stream is open, for the first time or again: from here on nothing is missed.
        case ready
        case insert(Row)
        /// The row as it is now, and what is known of how it was.
        case update(Row, old: OldRow)
        /// The row is gone, or out of the caller's sight.
        case delete(OldRow)
        /// Changes were missed that the server no longer has: read the rows anew.
        case reset
    }

    public let kind: Kind
    /// Where the stream goes on behind this change, see ``RowChanges/init(_:table:schema:filter:select:since:transport:)``.
    /// nil for a reset that has no position.
    public let position: String?
    /// When the change was committed.
    public let committed: Date?
}

/// What is told of a row that was changed or deleted: often its key alone.
public struct OldRow: Sendable {
    let json: Data

    /// The columns that are there, as a type of one's own, whose other members are optional. Throws ``APIError``.
    public func decode<Value: Decodable>(_ type: Value.Type) throws(APIError) -> Value {
        try APIClient.decode(type, from: json)
    }
}

/// An event as the server sends it.
struct ChangeEvent<Row: Decodable & Sendable>: Decodable {
    let type: String
    let record: Row?
    let committed: Date?

    private enum CodingKeys: String, CodingKey { case type, record, commitTimestamp }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        type = try members.decode(String.self, forKey: .type)
        record = type == "DELETE" ? nil : try members.decode(Row.self, forKey: .record)
        committed = try? members.decode(Date.self, forKey: .commitTimestamp)
    }

    /// The decoder sees values only, so the old row's text is taken from the event itself.
    static func old(in data: Data) -> OldRow {
        let event = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
        let row = event?["old_record"] as? [String: Any] ?? [:]
        return OldRow(json: (try? JSONSerialization.data(withJSONObject: row)) ?? Data("{}".utf8))
    }
}
