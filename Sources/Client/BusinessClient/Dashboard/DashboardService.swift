public import SwiftletClient

extension APIEndpoint {
    public static var todayDashboard: APIEndpoint { APIEndpoint(.get, path("today-dashboard")) }
}

/// The home screen.
public struct DashboardService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    public func today() async throws -> TodayDashboard { try await client.request(.todayDashboard) }
}
