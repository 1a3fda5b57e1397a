public import Foundation
import SwiftletClient

/// A quote to be made.
public struct NewQuote: Encodable, Sendable, Hashable {
    public var title: String
    public var leadId: String?
    public var customerId: String?
    /// It follows from the lines, if there are any.
    public var totalAmount: Double?
    public var validUntil: Date?
    public var terms: String?
    public var notes: String?
    public var lineItems: [NewLine]?

    public init(
        title: String,
        leadId: String? = nil,
        customerId: String? = nil,
        totalAmount: Double? = nil,
        validUntil: Date? = nil,
        terms: String? = nil,
        notes: String? = nil,
        lineItems: [NewLine]? = nil
    ) {
        self.title = title
        self.leadId = leadId
        self.customerId = customerId
        self.totalAmount = totalAmount
        self.validUntil = validUntil
        self.terms = terms
        self.notes = notes
        self.lineItems = lineItems
    }
}

/// What changes of a quote; nil leaves a field as it is.
public struct QuoteChanges: Encodable, Sendable, Hashable {
    public var title: String?
    public var status: OfferStatus?
    public var totalAmount: Double?
    public var validUntil: Date?
    public var terms: String?
    public var notes: String?

    public init(
        title: String? = nil,
        status: OfferStatus? = nil,
        totalAmount: Double? = nil,
        validUntil: Date? = nil,
        terms: String? = nil,
        notes: String? = nil
    ) {
        self.title = title
        self.status = status
        self.totalAmount = totalAmount
        self.validUntil = validUntil
        self.terms = terms
        self.notes = notes
    }
}
