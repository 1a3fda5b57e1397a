package import SwiftletAuth
package import SwiftletJSON

/// Where changes of rows come from. Called on the channel's loop.
package protocol ChangeFeed: Sendable {
    /// Begins to deliver what matches the entries. `push` is called on the same loop, with the ids of all entries that
    /// match, and the change's `data` as clients expect it. Nothing that is committed after this has returned may be
    /// missing: then the client is told that it has joined. `reset` is called where changes were lost all the same.
    /// `position` is that of the last change that the client has; all behind it is delivered first.
    func subscribe(
        to entries: [ChangeEntry],
        as user: User,
        after position: String?,
        push: @escaping (_ ids: [Int], _ data: [UInt8]) -> Void,
        reset: @escaping () -> Void
    ) async throws(ChangeFeedError) -> any ChangeSubscription
}

/// The changes that one channel gets. Used on its loop only.
package protocol ChangeSubscription: AnyObject {
    /// Behind it, everything is delivered.
    var start: String { get }
    /// With the next change, the rights are those of the user.
    func renew(as user: User)
    func close()
}

/// Why a channel gets no changes: its client is told.
package struct ChangeFeedError: Error {
    package let message: String
    /// The position is at fault: the client must read its rows anew before it joins.
    package let refusesJoin: Bool
    /// It may go at another attempt, as where the database has too much to do.
    package let isTemporary: Bool

    package init(_ message: String, refusesJoin: Bool = false, isTemporary: Bool = false) {
        self.message = message
        self.refusesJoin = refusesJoin
        self.isTemporary = isTemporary
    }
}

/// One entry of `postgres_changes`, see ``JoinConfiguration``.
package struct ChangeEntry: Sendable, Equatable {
    package let id: Int
    /// `*`, `INSERT`, `UPDATE` or `DELETE`.
    package let event: String
    package let schema: String
    /// nil for all.
    package let table: String?
    package let filter: String?
    package let select: [String]?

    package init(_ entry: JSONObject) {
        id = Self.id(of: entry)
        event = entry["event"]?.string?.uppercased() ?? "*"
        schema = entry["schema"]?.string ?? "public"
        table = entry["table"]?.string.flatMap { $0 == "*" ? nil : $0 }
        filter = entry["filter"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        select = entry["select"]?.array?.compactMap(\.string)
    }

    /// The entry as it came with its id: clients compare it with what they have sent.
    static func echo(_ entry: JSONObject) -> JSONValue {
        var entry = entry
        let id = id(of: entry)
        entry["id"] = .number(JSONNumber(id))
        return .object(entry)
    }

    /// The same for equal entries, below 2²⁷ and never 0 (FNV-1a over the members in the order of their names).
    private static func id(of entry: JSONObject) -> Int {
        var hash: UInt32 = 0x811C_9DC5
        for (name, value) in entry.sorted(by: { $0.name < $1.name }) where name != "id" && !value.isNull {
            for byte in "\(name)=\(value);".utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        }
        return Int(hash >> 5) | 1
    }
}
