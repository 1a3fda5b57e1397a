public import Foundation
import SwiftletClient

/// What a customer is asked to sign.
public struct Proposal: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var proposalNumber: String?
    public var title: String?
    public var status: OfferStatus?
    public var customerId: String?
    public var customerName: String?
    public var contactName: String?
    public var contactEmail: String?
    public var templateId: String?
    public var totalAmount: Double?
    public var validUntil: Date?
    public var sentDate: Date?
    public var acceptedDate: Date?
    public var notes: String?
    public var terms: String?
    public var lineItems: [OfferLine]?
    public var dealId: String?
    public var contractId: String?
    public var createdBy: String?
    public var createdAt: Date?
    public var updatedAt: Date?

    public init(id: String) {
        self.id = id
    }
}

/// A text that proposals start from.
public struct ProposalTemplate: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var name: String?
    public var description: String?
    public var content: String?
    public var category: String?
    public var createdAt: Date?

    public init(id: String) {
        self.id = id
    }
}
