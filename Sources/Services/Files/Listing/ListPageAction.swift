import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Objects page by page, `list-v2`: their whole names, and where folders are asked for, those with them.
struct ListPageAction {
    let call: FilesCall
    let bucket: String

    private static let most = 1000

    func run() async throws -> Response {
        let fields = try call.request.fields()
        let prefix = try fields.text("prefix") ?? ""
        let limit = try fields.number("limit") ?? Self.most
        guard (1...Self.most).contains(limit) else {
            throw FilesError.badRequest("body/limit must be between 1 and 1000")
        }
        let hasFolders = try fields.flag("with_delimiter") ?? false
        let sort = try ListSort(fields.object["sortBy"])
        let cursor = try fields.text("cursor").flatMap { $0.isEmpty ? nil : $0 }.map { text throws(FilesError) in
            try ListCursor(text, sort)
        }
        let children =
            hasFolders ? folders(prefix, sort, cursor, limit + 1) : objects(prefix, sort, cursor, limit + 1)
        var select = ListAction.rows(bucket, children)
        select.append(" ORDER BY \(hasFolders && sort.column != .name ? sort.ofRows : Self.order(sort))")
        if hasFolders, sort.column != .name {
            select.append(" LIMIT \(limit + 1) OFFSET \(cursor?.offset ?? 0)")
        }
        let rows = try await call.run(asCaller: [select], isReadOnly: true)[0]
        return try answer(rows, limit, hasFolders: hasFolders, sort, cursor)
    }

    private func folders(_ prefix: String, _ sort: ListSort, _ cursor: ListCursor?, _ most: Int) -> SQL {
        // By times all entries have to be known before the first of them is.
        guard sort.column == .name else {
            return "SELECT path, is_folder FROM storage.swiftlet_children(\(bucket), \(prefix))"
        }
        return """
            SELECT path, is_folder FROM storage.swiftlet_children(
                \(bucket), \(prefix), '', \(cursor?.name), \(sort.isDescending), \(most))
            """
    }

    private func objects(_ prefix: String, _ sort: ListSort, _ cursor: ListCursor?, _ most: Int) -> SQL {
        var select: SQL = """
            SELECT name AS path, false AS is_folder, created_at AS made, updated_at AS changed FROM storage.objects
            WHERE bucket_id = \(bucket) AND name COLLATE "C" >= \(prefix)
                AND name COLLATE "C" < (\(prefix) || chr(1114111))
            """
        if let cursor {
            switch (sort.column, sort.isDescending) {
            case (.updated, false):
                select.append(" AND (updated_at, name COLLATE \"C\") > (\(cursor.time)::timestamptz, \(cursor.name))")
            case (.updated, true):
                select.append(" AND (updated_at, name COLLATE \"C\") < (\(cursor.time)::timestamptz, \(cursor.name))")
            case (.created, false):
                select.append(" AND (created_at, name COLLATE \"C\") > (\(cursor.time)::timestamptz, \(cursor.name))")
            case (.created, true):
                select.append(" AND (created_at, name COLLATE \"C\") < (\(cursor.time)::timestamptz, \(cursor.name))")
            case (_, false): select.append(" AND name COLLATE \"C\" > \(cursor.name)")
            case (_, true): select.append(" AND name COLLATE \"C\" < \(cursor.name)")
            }
        }
        switch (sort.column, sort.isDescending) {
        case (.updated, false): select.append(" ORDER BY updated_at, name COLLATE \"C\"")
        case (.updated, true): select.append(" ORDER BY updated_at DESC, name COLLATE \"C\" DESC")
        case (.created, false): select.append(" ORDER BY created_at, name COLLATE \"C\"")
        case (.created, true): select.append(" ORDER BY created_at DESC, name COLLATE \"C\" DESC")
        case (_, false): select.append(" ORDER BY name COLLATE \"C\"")
        case (_, true): select.append(" ORDER BY name COLLATE \"C\" DESC")
        }
        select.append(" LIMIT \(most)")
        return select
    }

    /// That of ``objects(_:_:_:_:)``.
    private static func order(_ sort: ListSort) -> SQL {
        switch (sort.column, sort.isDescending) {
        case (.updated, false): "object.changed, path COLLATE \"C\""
        case (.updated, true): "object.changed DESC, path COLLATE \"C\" DESC"
        case (.created, false): "object.made, path COLLATE \"C\""
        case (.created, true): "object.made DESC, path COLLATE \"C\" DESC"
        case (_, false): "path COLLATE \"C\""
        case (_, true): "path COLLATE \"C\" DESC"
        }
    }

    private func answer(
        _ rows: [Row],
        _ limit: Int,
        hasFolders: Bool,
        _ sort: ListSort,
        _ cursor: ListCursor?
    ) throws -> Response {
        let page = rows.prefix(limit)
        var folders: [String] = []
        var objects: [ObjectRow] = []
        for row in page {
            if row["is_folder"] == "t" { folders.append(row["path"] ?? "") } else { objects.append(try ObjectRow(row)) }
        }
        let hasNext = rows.count > limit
        return .json { json in
            json.object { json in
                json.member("hasNext", hasNext)
                if hasNext, let last = page.last {
                    let name = last["path"] ?? ""
                    let time = sort.column == .updated ? last["changed"] : sort.column == .created ? last["made"] : nil
                    let next = ListCursor(sort, name: name, time: time, offset: (cursor?.offset ?? 0) + page.count)
                    json.member("nextCursor", next.text)
                    json.member("nextCursorKey", name)
                }
                json.key("folders")
                json.array { json in
                    for folder in folders {
                        json.object { json in
                            json.member("key", Self.key(folder))
                            json.member("name", folder)
                        }
                    }
                }
                json.key("objects")
                json.array { json in
                    for object in objects {
                        json.object { json in
                            json.member("id", object.id)
                            json.member("key", hasFolders ? Self.key(object.name) : object.name)
                            json.member("name", object.name)
                            json.member("updated_at", object.updatedAt)
                            json.member("created_at", object.createdAt)
                            json.member("last_accessed_at", object.lastAccessedAt)
                            json.member("metadata", .object(object.metadata ?? [:]))
                        }
                    }
                }
            }
        }
    }

    private static func key(_ name: String) -> String { name.split(separator: "/").last.map(String.init) ?? name }
}
