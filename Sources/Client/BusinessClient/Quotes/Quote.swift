public import Foundation
public import SwiftletClient

/// What a lead or a customer is offered.
public struct Quote: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var quoteNumber: String?
    public var title: String?
    public var status: OfferStatus?
    public var leadId: String?
    public var customerId: String?
    public var totalAmount: Double?
    public var validUntil: Date?
    public var sentDate: Date?
    public var acceptedDate: Date?
    public var terms: String?
    public var notes: String?
    public var lineItems: [OfferLine]?
    public var createdBy: String?
    public var createdAt: Date?
    public var updatedAt: Date?

    public init(id: String) {
        self.id = id
    }
}

/// A line of a quote or a proposal.
public struct OfferLine: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var quoteId: String?
    public var description: String?
    public var quantity: Int?
    public var unitPrice: Double?
    public var totalPrice: Double?
    public var createdAt: Date?

    public init(id: String) {
        self.id = id
    }
}

/// Where a quote or a proposal stands.
public enum OfferStatus: String, SafeDecodable, CaseIterable {
    case draft
    case sent
    case accepted
    case rejected
    case expired
    /// A word of a newer server.
    case unknown
}
