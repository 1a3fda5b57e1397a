import SwiftletJSON

/// Who is present in a room. Everyone has the same table, as all get the same changes.
struct PresenceTable {
    private struct Entry {
        let ref: String
        let meta: JSONText
        let server: ServerID
    }

    /// In the order in which they came.
    private var keys: [String] = []
    private var entries: [String: [Entry]] = [:]
    /// Of all metas.
    private(set) var byteCount = 0

    var isEmpty: Bool { keys.isEmpty }

    /// Whether somebody is present who is connected to that server.
    func has(_ server: ServerID) -> Bool { entries.values.contains { $0.contains { $0.server == server } } }

    /// `{key: {"metas": […]}}`
    var state: JSONText {
        Self.text(keys.map { key in (key, (entries[key] ?? []).map(\.meta)) })
    }

    /// Returns what has changed, as `{"joins": …, "leaves": …}`; nil for nothing. Who has come and gone within the changes
    /// is not told.
    mutating func apply(_ changes: [PresenceChange]) -> JSONText? {
        var joins: [(key: String, entry: Entry)] = []
        var leaves: [(key: String, entry: Entry)] = []
        func leave(_ key: String, _ entry: Entry) {
            if let index = joins.firstIndex(where: { $0.entry.ref == entry.ref }) {
                joins.remove(at: index)
            } else {
                leaves.append((key, entry))
            }
        }
        for change in changes {
            switch change {
            case .join(let key, let ref, let meta, let server):
                guard entries[key]?.contains(where: { $0.ref == ref }) != true else { continue }
                let entry = Entry(ref: ref, meta: meta, server: server)
                add(entry, key)
                // Their server has only repeated it.
                if let index = leaves.firstIndex(where: { $0.entry.ref == ref }) {
                    leaves.remove(at: index)
                } else {
                    joins.append((key, entry))
                }
            case .leave(let key, let ref):
                for entry in remove(key, where: { $0.ref == ref }) { leave(key, entry) }
            case .serverGone(let server):
                for key in keys {
                    for entry in remove(key, where: { $0.server == server }) { leave(key, entry) }
                }
            }
        }
        guard !joins.isEmpty || !leaves.isEmpty else { return nil }
        var text: JSONText = []
        text += "{\"joins\":"
        text += Self.text(joins)
        text += ",\"leaves\":"
        text += Self.text(leaves)
        text += "}"
        return text
    }

    private mutating func add(_ entry: Entry, _ key: String) {
        if entries[key] == nil { keys.append(key) }
        entries[key, default: []].append(entry)
        byteCount += entry.meta.count + key.utf8.count
    }

    private mutating func remove(_ key: String, where isMeant: (Entry) -> Bool) -> [Entry] {
        guard let present = entries[key] else { return [] }
        let gone = present.filter(isMeant)
        guard !gone.isEmpty else { return [] }
        byteCount -= gone.reduce(0) { $0 + $1.meta.count + key.utf8.count }
        let rest = present.filter { !isMeant($0) }
        entries[key] = rest.isEmpty ? nil : rest
        if rest.isEmpty { keys.removeAll { $0 == key } }
        return gone
    }

    private static func text(_ changes: [(key: String, entry: Entry)]) -> JSONText {
        var keys: [String] = []
        var metas: [String: [JSONText]] = [:]
        for (key, entry) in changes {
            if metas[key] == nil { keys.append(key) }
            metas[key, default: []].append(entry.meta)
        }
        return text(keys.map { ($0, metas[$0] ?? []) })
    }

    private static func text(_ metas: [(key: String, metas: [JSONText])]) -> JSONText {
        var text: JSONText = []
        text += "{"
        for (index, present) in metas.enumerated() {
            if index > 0 { text += "," }
            text += JSONText(quoting: present.key)
            text += ":{\"metas\":["
            text += Array(present.metas.joined(separator: [UInt8(ascii: ",")]))
            text += "]}"
        }
        text += "}"
        return text
    }
}
