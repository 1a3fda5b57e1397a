import Foundation

/// Who is present on a channel, as the server's states and differences say.
struct PresenceState {
    /// By the key and the reference of each.
    private var metas: [String: [(ref: String, content: Data)]] = [:]

    var members: [PresenceMember] {
        metas.sorted { $0.key < $1.key }.flatMap { key, metas in
            metas.map { PresenceMember(key: key, json: $0.content) }
        }
    }

    mutating func replace(with state: [String: Any]) {
        metas = [:]
        join(state)
    }

    mutating func apply(_ difference: [String: Any]) {
        for (key, value) in difference["leaves"] as? [String: Any] ?? [:] {
            let gone = Set(Self.metas(value).map(\.ref))
            metas[key]?.removeAll { gone.contains($0.ref) }
            if metas[key]?.isEmpty == true { metas[key] = nil }
        }
        join(difference["joins"] as? [String: Any] ?? [:])
    }

    private mutating func join(_ joins: [String: Any]) {
        for (key, value) in joins {
            let added = Self.metas(value)
            let refs = Set(added.map(\.ref))
            metas[key] = (metas[key] ?? []).filter { !refs.contains($0.ref) } + added
        }
    }

    private static func metas(_ value: Any) -> [(ref: String, content: Data)] {
        let list = (value as? [String: Any])?["metas"] as? [[String: Any]] ?? []
        return list.compactMap { meta in
            guard let ref = meta["phx_ref"] as? String, let data = try? JSONSerialization.data(withJSONObject: meta)
            else {
                return nil
            }
            return (ref, data)
        }
    }
}
