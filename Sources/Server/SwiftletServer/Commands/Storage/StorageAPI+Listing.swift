import SwiftletJSON

extension StorageAPI {
    struct Entry: Equatable {
        /// Whole; that of a folder ends with a slash.
        let name: String
        /// nil for a folder.
        let size: Int?
        /// MD5 in hexadecimal digits, where the row says it.
        let md5: String?
        let type: String?
        let changed: String?
    }

    func buckets() async throws -> [String] {
        try await json("GET", "bucket").array?.compactMap { $0["name"]?.string } ?? []
    }

    /// What is in a folder, or all below the prefix.
    func list(_ bucket: String, _ prefix: String, isRecursive: Bool) async throws -> [Entry] {
        var entries: [Entry] = []
        var cursor: String?
        repeat {
            var body: JSONObject = [
                "prefix": .string(prefix), "limit": 1000, "with_delimiter": .bool(!isRecursive),
            ]
            if let cursor { body["cursor"] = .string(cursor) }
            let page = try await json("POST", "object/list-v2/\(Self.path(bucket, "").dropLast())", .object(body))
            for folder in page["folders"]?.array ?? [] {
                guard let name = folder["name"]?.string else { continue }
                entries.append(Entry(name: name, size: nil, md5: nil, type: nil, changed: nil))
            }
            for object in page["objects"]?.array ?? [] {
                guard let name = object["name"]?.string else { continue }
                let metadata = object["metadata"]
                entries.append(
                    Entry(
                        name: name,
                        size: metadata?["size"]?.int ?? 0,
                        md5: metadata?["eTag"]?.string?.replacing("\"", with: ""),
                        type: metadata?["mimetype"]?.string,
                        changed: object["updated_at"]?.string
                    )
                )
            }
            cursor = page["hasNext"]?.bool == true ? page["nextCursor"]?.string : nil
        } while cursor != nil
        return entries.sorted { $0.name < $1.name }
    }

    /// Those that are not there are left out.
    func remove(_ bucket: String, _ names: [String]) async throws -> [String] {
        var removed: [String] = []
        var rest = names[...]
        while !rest.isEmpty {
            let some = rest.prefix(1000)
            rest = rest.dropFirst(1000)
            let body: JSONObject = ["prefixes": .array(some.map { .string($0) })]
            let path = "object/\(Self.path(bucket, "").dropLast())"
            let rows = try await json("DELETE", path, .object(body)).array ?? []
            removed += rows.compactMap { $0["name"]?.string }
        }
        return removed
    }
}
