import Foundation
import SwiftletServer

/// The bookmarks of whoever the token names, in a tenant or not.
let bookmarks = Function("bookmarks") {
    Get("/summary", summary).forPersons()
    resource.routes()
}

private let resource = Resource("bookmarks", scope: .user) {
    Search("title", "url")
    Required("url")
}

struct Summary: Codable, Sendable {
    let bookmarkCount: Int
    let newestAt: Date?
}

private func summary(_ request: Request, _ context: Context) async throws -> Summary {
    let rows = try await context.personalDatabase.query(
        """
        SELECT count(*) AS bookmark_count, max(created_at) AS newest_at
        FROM bookmarks WHERE user_id = \(context.person)
        """
    )
    return try rows[0].decode(Summary.self)
}
