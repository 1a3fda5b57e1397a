public import SwiftletClient

/// Calls, mails, meetings and notes.
public struct ActivityService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    public func activities(
        company: String? = nil,
        type: String? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 20
    ) async throws -> Page<ActivityItem> {
        try await client.requestPage(
            .activities(company: company, type: type, search: search, page: page, limit: limit)
        )
    }

    public func recent(limit: Int = 20) async throws -> [ActivityItem] {
        try await client.requestArray(.recentActivities(limit: limit))
    }

    public func activity(_ id: String) async throws -> ActivityItem { try await client.request(.activity(id)) }

    @discardableResult
    public func createActivity(_ activity: NewActivity) async throws -> ActivityItem {
        try await client.request(.createActivity(activity))
    }

    @discardableResult
    public func updateActivity(
        _ id: String,
        _ changes: ActivityChanges,
        clearing: [String] = []
    ) async throws -> ActivityItem {
        try await client.request(.updateActivity(id, changes, clearing: clearing))
    }

    /// Done now.
    @discardableResult
    public func completeActivity(_ id: String) async throws -> ActivityItem {
        try await client.request(.completeActivity(id))
    }

    public func deleteActivity(_ id: String) async throws { try await client.requestVoid(.deleteActivity(id)) }
}
