import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// What is in a folder, as far as the caller may see it: names without the folder's own, and a folder is a row with nothing
/// but its name.
struct ListAction {
    let call: FilesCall
    let bucket: String

    private static let most = 1500
    /// Beyond that a page is in the middle of so much that all of it may as well be sorted.
    private static let mostFirst = 100_000

    func run() async throws -> Response {
        let fields = try call.request.fields()
        let prefix = try fields.required("prefix")
        let folder = prefix.isEmpty || prefix.hasSuffix("/") ? prefix : prefix + "/"
        let limit = try fields.number("limit") ?? 100
        let offset = try fields.number("offset") ?? 0
        guard limit >= 0, offset >= 0 else { throw FilesError.badRequest("body/limit and body/offset must be >= 0") }
        let search = try fields.text("search") ?? ""
        let page: SQL = " LIMIT \(min(limit, Self.most)) OFFSET \(offset)"
        let sort = try ListSort(fields.object["sortBy"])
        let select: SQL
        if sort.column == .name {
            let end = offset.addingReportingOverflow(min(limit, Self.most))
            let isFirst = search.isEmpty && !sort.isDescending && !end.overflow && end.partialValue <= Self.mostFirst
            let children = isFirst ? firstChildren(folder, end.partialValue) : allChildren(folder, search)
            select = "\(Self.rows(bucket, "\(children) ORDER BY \(sort.ofPaths) \(page)")) ORDER BY \(sort.ofPaths)"
        } else {
            select = "\(Self.rows(bucket, allChildren(folder, search))) ORDER BY \(sort.ofRows) \(page)"
        }
        let rows = try await call.run(asCaller: [select], isReadOnly: true)[0]
        return try Self.answer(rows, cutting: folder.utf8.count)
    }

    private func allChildren(_ folder: String, _ search: String) -> SQL {
        "SELECT path, is_folder FROM storage.swiftlet_children(\(bucket), \(folder), \(search))"
    }

    /// Those that come first by their names, for little more than their own price.
    private func firstChildren(_ folder: String, _ count: Int) -> SQL {
        "SELECT path, is_folder FROM storage.swiftlet_first_children(\(bucket), \(folder), \(count))"
    }

    /// The children with their rows; folders have none.
    static func rows(_ bucket: String, _ children: SQL) -> SQL {
        """
        SELECT child.*, object.* FROM (\(children)) AS child
        LEFT JOIN LATERAL (
            SELECT \(ObjectRow.columns), created_at AS made, updated_at AS changed, last_accessed_at AS accessed
            FROM storage.objects WHERE NOT child.is_folder AND bucket_id = \(bucket) AND name = child.path
        ) AS object ON true
        """
    }

    private static func answer(_ rows: [Row], cutting count: Int) throws -> Response {
        try .json { json in
            try json.array { json in
                for row in rows {
                    let isFolder = row["is_folder"] == "t"
                    let object = isFolder ? nil : try ObjectRow(row)
                    let path = (row["path"] ?? "").utf8.dropFirst(count)
                    json.object { json in
                        json.member("name", String(isFolder ? path.dropLast() : path) ?? "")
                        json.member("id", object?.id)
                        json.member("updated_at", object?.updatedAt)
                        json.member("created_at", object?.createdAt)
                        json.member("last_accessed_at", object?.lastAccessedAt)
                        json.member("metadata", object?.metadata.map { .object($0) } ?? .null)
                    }
                }
            }
        }
    }
}

/// `sortBy` of a list.
struct ListSort {
    enum Column: String {
        case name
        case updated = "updated_at"
        case created = "created_at"
        case accessed = "last_accessed_at"
    }

    let column: Column
    let isDescending: Bool

    init(_ value: JSONValue?) throws(FilesError) {
        let name = value?["column"]?.string ?? ""
        guard let column = name.isEmpty ? .name : Column(rawValue: name) else {
            throw .badRequest("body/sortBy/column must be equal to one of the allowed values")
        }
        self.column = column
        isDescending = value?["order"]?.string?.lowercased() == "desc"
    }

    /// By names in any case; beyond ASCII, where Supabase has no names, as they are.
    var ofPaths: SQL {
        isDescending
            ? "lower(rtrim(path, '/') COLLATE \"C\") COLLATE \"C\" DESC, path COLLATE \"C\" DESC"
            : "lower(rtrim(path, '/') COLLATE \"C\") COLLATE \"C\", path COLLATE \"C\""
    }

    /// Folders come first, as they have no times.
    var ofRows: SQL {
        var order: SQL = "is_folder DESC"
        switch (column, isDescending) {
        case (.name, _): break
        case (.updated, false): order.append(", changed")
        case (.updated, true): order.append(", changed DESC")
        case (.created, false): order.append(", made")
        case (.created, true): order.append(", made DESC")
        case (.accessed, false): order.append(", accessed")
        case (.accessed, true): order.append(", accessed DESC")
        }
        order.append(", path COLLATE \"C\"")
        return order
    }
}
