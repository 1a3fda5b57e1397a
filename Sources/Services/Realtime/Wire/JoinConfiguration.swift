import SwiftletJSON

/// What a client asks for when it joins. Whatever is missing, null or of another type has its default.
struct JoinConfiguration {
    var acknowledgesBroadcasts = false
    var receivesOwnBroadcasts = false
    var isPrivate = false
    /// Of earlier broadcasts of the room.
    var replay: Replay?

    enum Replay: Equatable {
        /// `since` is in milliseconds since 1970.
        case wanted(since: Int, limit: Int)
        case invalid
    }

    static let maximumReplay = 25
    var presenceKey: String?
    var isPresenceEnabled = false
    /// As they came.
    var changes: [JSONObject] = []
    /// The position of the last change that the client has; nil for changes from now on.
    var changesSince: String?
    /// nil for none, and for the keys of a project, which are no tokens.
    var token: String?

    init(_ payload: JSONText) {
        guard let payload = try? JSONParser.parse(payload) else { return }
        token = Self.token(payload["access_token"]) ?? Self.token(payload["user_token"])
        guard let configuration = payload["config"] else { return }
        let broadcast = configuration["broadcast"]
        acknowledgesBroadcasts = Self.flag(broadcast?["ack"]) ?? false
        receivesOwnBroadcasts = Self.flag(broadcast?["self"]) ?? false
        isPrivate = Self.flag(configuration["private"]) ?? false
        if let wanted = broadcast?["replay"], !wanted.isNull { replay = Self.replay(wanted) }
        if let presence = configuration["presence"], presence.object != nil {
            presenceKey = presence["key"]?.string.flatMap { $0.isEmpty ? nil : $0 }
            // Clients that know no such flag want presence.
            isPresenceEnabled = Self.flag(presence["enabled"]) ?? true
        }
        changes = (configuration["postgres_changes"]?.array ?? []).compactMap(\.object)
        changesSince = configuration["replay"]?["since"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Of `access_token`: nil for none, and for the keys of a project.
    static func token(_ value: JSONValue?) -> String? {
        value?.string.flatMap { $0.isEmpty || $0.hasPrefix("sb_") ? nil : $0 }
    }

    private static func replay(_ value: JSONValue) -> Replay {
        let limit = value["limit"].flatMap { $0.isNull ? nil : $0 } ?? .number(JSONNumber(maximumReplay))
        guard let since = value["since"]?.int, since >= 0, let limit = limit.int, (1...maximumReplay).contains(limit)
        else { return .invalid }
        return .wanted(since: since, limit: limit)
    }

    private static func flag(_ value: JSONValue?) -> Bool? {
        switch value {
        case .bool(let flag): flag
        case .string("true"), .string("True"): true
        case .string("false"), .string("False"): false
        default: nil
        }
    }
}
