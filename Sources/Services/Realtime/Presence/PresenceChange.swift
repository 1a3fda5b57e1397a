/// One of the servers on a database, from its start to its end.
typealias ServerID = String

/// What happens to a room's presence.
enum PresenceChange: Sendable {
    /// `meta` is an object with its `phx_ref`, which is `ref`.
    case join(key: String, ref: String, meta: JSONText, server: ServerID)
    case leave(key: String, ref: String)
    /// With all who are connected to it.
    case serverGone(ServerID)
}
