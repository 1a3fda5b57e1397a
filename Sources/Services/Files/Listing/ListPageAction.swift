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
        guard sort.column != .accessed else {
            throw FilesError.badRequest("body/sortBy/column must be equal to one of the allowed values")
        }
        let cursor = try fields.text("cursor").flatMap { $0.isEmpty ? nil : $0 }.map { text throws(FilesError) in
            try ListCursor(text, sort)
        }
        var select = ListAction.rows(bucket, children(prefix, sort, cursor, limit + 1, hasFolders: hasFolders))
        select.append(" ORDER BY \(order(sort))")
        let rows = try await call.run(asCaller: [select], isReadOnly: true)[0]
        return try answer(rows, limit, hasFolders: hasFolders, sort)
    }

    private func children(
        _ prefix: String,
        _ sort: ListSort,
        _ cursor: ListCursor?,
        _ most: Int,
        hasFolders: Bool
    ) -> SQL {
        guard sort.column == .name else { return byTime(prefix, sort, cursor, most, hasFolders: hasFolders) }
        if hasFolders {
            return """
                SELECT path, is_folder, NULL AS time FROM storage.swiftlet_children(
                    \(bucket), \(prefix), '', \(cursor?.name), \(sort.isDescending), \(most))
                """
        }
        var select: SQL = "SELECT name AS path, false AS is_folder, NULL AS time \(objects(below: prefix))"
        if let cursor {
            select.append(
                sort.isDescending
                    ? " AND name COLLATE \"C\" < \(cursor.name)" : " AND name COLLATE \"C\" > \(cursor.name)"
            )
        }
        select.append(sort.isDescending ? " ORDER BY name COLLATE \"C\" DESC" : " ORDER BY name COLLATE \"C\"")
        select.append(" LIMIT \(most)")
        return select
    }

    /// A folder has the time at which the first of its objects was made, so all of them are read. Times count in
    /// milliseconds, as clients see them; what has none comes before all that has one.
    private func byTime(
        _ prefix: String,
        _ sort: ListSort,
        _ cursor: ListCursor?,
        _ most: Int,
        hasFolders: Bool
    ) -> SQL {
        let time: SQL = sort.column == .updated ? "updated_at" : "created_at"
        let entries: SQL
        if hasFolders {
            entries = """
                SELECT path, is_folder, min(time) AS time FROM (
                    SELECT CASE WHEN slash > 0 THEN left(name, length(\(prefix)::text) + slash) ELSE name END AS path,
                        slash > 0 AS is_folder,
                        \(Self.milliseconds("CASE WHEN slash > 0 THEN created_at ELSE \(time) END")) AS time
                    FROM (SELECT *, strpos(substr(name, length(\(prefix)::text) + 1), '/') AS slash
                        \(objects(below: prefix))) AS object
                ) AS object GROUP BY path, is_folder
                """
        } else {
            entries = """
                SELECT name AS path, false AS is_folder, \(Self.milliseconds(time)) AS time \(objects(below: prefix))
                """
        }
        var select: SQL = "SELECT path, is_folder, time FROM (\(entries)) AS entry"
        if let cursor {
            let place: SQL = "(\(cursor.time)::timestamptz, \(cursor.name)::text)"
            select.append(
                sort.isDescending
                    ? " WHERE (time, path COLLATE \"C\") < \(place)" : " WHERE (time, path COLLATE \"C\") > \(place)"
            )
        }
        select.append(" ORDER BY \(order(sort)) LIMIT \(most)")
        return select
    }

    private func objects(below prefix: String) -> SQL {
        """
        FROM storage.objects WHERE bucket_id = \(bucket) AND name COLLATE "C" >= \(prefix)
            AND name COLLATE "C" < (\(prefix) || chr(1114111))
        """
    }

    private static func milliseconds(_ time: SQL) -> SQL {
        "coalesce(date_trunc('milliseconds', \(time)), 'epoch'::timestamptz)"
    }

    private func order(_ sort: ListSort) -> SQL {
        switch (sort.column == .name, sort.isDescending) {
        case (true, false): "path COLLATE \"C\""
        case (true, true): "path COLLATE \"C\" DESC"
        case (false, false): "time, path COLLATE \"C\""
        case (false, true): "time DESC, path COLLATE \"C\" DESC"
        }
    }

    private func answer(
        _ rows: [Row],
        _ limit: Int,
        hasFolders: Bool,
        _ sort: ListSort
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
                    json.member("nextCursor", ListCursor(sort, name: name, time: last["time"]).text)
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
