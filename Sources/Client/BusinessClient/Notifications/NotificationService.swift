public import SwiftletClient

extension APIEndpoint {
    /// The caller's own, the newest first.
    public static func notifications(
        isRead: Bool? = nil,
        type: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) -> APIEndpoint {
        var query = Query.page(page, limit)
        query.add("isRead", isRead.map(String.init))
        query.add("type", type)
        return APIEndpoint(.get, path("notifications"), query: query.items)
    }

    public static func markNotificationRead(_ id: String) -> APIEndpoint {
        APIEndpoint(.patch, path("notifications", id, "read"), repetition: .safe)
    }

    public static var markAllNotificationsRead: APIEndpoint {
        APIEndpoint(.patch, path("notifications", "read-all"))
    }

    public static func deleteNotification(_ id: String) -> APIEndpoint { delete(path("notifications", id)) }
}

/// What the user should know.
public struct NotificationService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    /// ``Page/unread`` counts those of all pages.
    public func notifications(
        isRead: Bool? = nil,
        page: Int = 1,
        limit: Int = 25
    ) async throws -> Page<NotificationItem> {
        try await client.requestPage(.notifications(isRead: isRead, page: page, limit: limit))
    }

    public func markRead(_ id: String) async throws { try await client.requestVoid(.markNotificationRead(id)) }

    public func markAllRead() async throws { try await client.requestVoid(.markAllNotificationsRead) }

    public func deleteNotification(_ id: String) async throws {
        try await client.requestVoid(.deleteNotification(id))
    }
}
