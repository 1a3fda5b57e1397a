import SwiftletClient

/// The open deals, and those won this month.
public struct PipelineReport: Codable, Sendable, Hashable {
    public var pipelineValue: Double?
    /// Each deal counts as much as it is probable.
    public var weightedValue: Double?
    public var closedWonThisMonth: Double?
    public var openOpportunityCount: Int?
    public var closedWonCount: Int?

    public init() {}
}

/// What somebody has done lately.
public struct TeamActivity: Codable, Sendable, Hashable {
    public var userId: String
    public var name: String?
    public var callCount: Int?
    public var emailCount: Int?
    public var meetingCount: Int?
    public var noteCount: Int?

    public init(userId: String) {
        self.userId = userId
    }
}

/// How much somebody has won.
public struct LeaderboardEntry: Codable, Sendable, Hashable {
    public var userId: String
    public var name: String?
    public var closedWonAmount: Double?
    public var closedWonCount: Int?
    public var rank: Int?

    public init(userId: String) {
        self.userId = userId
    }
}

/// A deal that nobody has done anything about.
public struct NoTouchEntry: Codable, Sendable, Hashable {
    public var userId: String
    public var repName: String?
    public var opportunityId: String?
    public var opportunityName: String?
    public var customerName: String?
    public var daysSinceLastActivity: Int?
    public var openAmount: Double?

    public init(userId: String) {
        self.userId = userId
    }
}
