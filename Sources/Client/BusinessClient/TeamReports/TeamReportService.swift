public import SwiftletClient

extension APIEndpoint {
    public static var pipelineReport: APIEndpoint { APIEndpoint(.get, path("team-reports", "pipeline")) }

    /// Of the last days, today included.
    public static func teamActivities(days: Int = 7) -> APIEndpoint { report("activities", "days", "\(days)") }

    public static func leaderboard(_ period: ReportPeriod = .month) -> APIEndpoint {
        report("leaderboard", "period", period.rawValue)
    }

    /// Open deals that nobody has done anything about for so many days.
    public static func noTouch(days: Int = 3) -> APIEndpoint { report("no-touch", "days", "\(days)") }

    private static func report(_ name: String, _ parameter: String, _ value: String) -> APIEndpoint {
        var query = Query()
        query.add(parameter, value)
        return APIEndpoint(.get, path("team-reports", name), query: query.items)
    }
}

public enum ReportPeriod: String, Sendable, CaseIterable {
    case week
    case month
    case quarter
    case year
}

/// How the team is doing, for managers (level 4 and above); others get ``APIError/forbidden(_:)``.
public struct TeamReportService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    public func pipeline() async throws -> PipelineReport { try await client.request(.pipelineReport) }

    public func activities(days: Int = 7) async throws -> [TeamActivity] {
        try await client.requestArray(.teamActivities(days: days))
    }

    public func leaderboard(_ period: ReportPeriod = .month) async throws -> [LeaderboardEntry] {
        try await client.requestArray(.leaderboard(period))
    }

    /// What waited longest comes first.
    public func noTouch(days: Int = 3) async throws -> [NoTouchEntry] {
        try await client.requestArray(.noTouch(days: days))
    }
}
