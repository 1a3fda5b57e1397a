public import Foundation
import SwiftletClient

/// A deal to be begun.
public struct NewOpportunity: Encodable, Sendable, Hashable {
    public var companyName: String
    public var customerId: String?
    public var primaryContactName: String?
    public var primaryContactEmail: String?
    public var estimatedAmount: Double?
    public var probability: Int?
    public var closeDate: Date?
    public var salesStage: SalesStage?
    public var source: String?
    public var priority: String?
    public var notes: String?

    public init(
        companyName: String,
        customerId: String? = nil,
        primaryContactName: String? = nil,
        primaryContactEmail: String? = nil,
        estimatedAmount: Double? = nil,
        probability: Int? = nil,
        closeDate: Date? = nil,
        salesStage: SalesStage? = nil,
        source: String? = nil,
        priority: String? = nil,
        notes: String? = nil
    ) {
        self.companyName = companyName
        self.customerId = customerId
        self.primaryContactName = primaryContactName
        self.primaryContactEmail = primaryContactEmail
        self.estimatedAmount = estimatedAmount
        self.probability = probability
        self.closeDate = closeDate
        self.salesStage = salesStage
        self.source = source
        self.priority = priority
        self.notes = notes
    }
}

/// What changes of a deal; nil leaves a field as it is.
public struct OpportunityChanges: Encodable, Sendable, Hashable {
    public var companyName: String?
    public var primaryContactName: String?
    public var primaryContactEmail: String?
    public var estimatedAmount: Double?
    public var probability: Int?
    public var closeDate: Date?
    public var salesStage: SalesStage?
    public var source: String?
    public var priority: String?
    public var notes: String?
    public var interestLevel: String?

    public init(
        companyName: String? = nil,
        primaryContactName: String? = nil,
        primaryContactEmail: String? = nil,
        estimatedAmount: Double? = nil,
        probability: Int? = nil,
        closeDate: Date? = nil,
        salesStage: SalesStage? = nil,
        source: String? = nil,
        priority: String? = nil,
        notes: String? = nil,
        interestLevel: String? = nil
    ) {
        self.companyName = companyName
        self.primaryContactName = primaryContactName
        self.primaryContactEmail = primaryContactEmail
        self.estimatedAmount = estimatedAmount
        self.probability = probability
        self.closeDate = closeDate
        self.salesStage = salesStage
        self.source = source
        self.priority = priority
        self.notes = notes
        self.interestLevel = interestLevel
    }
}
