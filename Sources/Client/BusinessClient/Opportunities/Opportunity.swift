public import Foundation
public import SwiftletClient

/// A deal, from the first talk to the signature.
public struct Opportunity: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var tenantId: String?
    public var title: String?
    public var companyName: String?
    public var customerId: String?
    public var primaryContactName: String?
    public var primaryContactEmail: String?
    public var primaryContactPhone: String?
    public var status: DealStatus?
    public var salesStage: SalesStage?
    public var estimatedAmount: Double?
    public var probability: Int?
    public var closeDate: Date?
    public var actualCloseDate: Date?
    public var source: String?
    public var interestLevel: String?
    public var priority: String?
    public var ownerId: String?
    public var assignedSalesRep: String?
    public var territory: String?
    public var notes: String?
    public var customerRating: String?
    public var createdAt: Date?
    public var updatedAt: Date?

    public init(id: String) {
        self.id = id
    }
}

/// How a deal ended, if it did.
public enum DealStatus: String, SafeDecodable, CaseIterable {
    case open
    case won
    case lost
    case onHold = "on_hold"
    /// A word of a newer server.
    case unknown
}

/// Where a deal is on its way. A company may have stages of its own.
public struct SalesStage: RawRepresentable, Codable, Sendable, Hashable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let new = SalesStage(rawValue: "new")
    public static let contacted = SalesStage(rawValue: "contacted")
    public static let qualified = SalesStage(rawValue: "qualified")
    public static let proposal = SalesStage(rawValue: "proposal")
    public static let negotiation = SalesStage(rawValue: "negotiation")
    public static let closedWon = SalesStage(rawValue: "closed_won")
    public static let closedLost = SalesStage(rawValue: "closed_lost")
}
