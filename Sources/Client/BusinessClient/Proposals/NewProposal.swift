public import Foundation
import SwiftletClient

/// A proposal to be made.
public struct NewProposal: Encodable, Sendable, Hashable {
    public var title: String
    public var customerId: String
    public var templateId: String?
    public var totalAmount: Double?
    public var validUntil: Date?
    public var notes: String?
    public var terms: String?
    public var lineItems: [NewLine]?

    public init(
        title: String,
        customerId: String,
        templateId: String? = nil,
        totalAmount: Double? = nil,
        validUntil: Date? = nil,
        notes: String? = nil,
        terms: String? = nil,
        lineItems: [NewLine]? = nil
    ) {
        self.title = title
        self.customerId = customerId
        self.templateId = templateId
        self.totalAmount = totalAmount
        self.validUntil = validUntil
        self.notes = notes
        self.terms = terms
        self.lineItems = lineItems
    }
}

/// What changes of a proposal; nil leaves a field as it is.
public struct ProposalChanges: Encodable, Sendable, Hashable {
    public var title: String?
    public var totalAmount: Double?
    public var validUntil: Date?
    public var notes: String?
    public var terms: String?

    public init(
        title: String? = nil,
        totalAmount: Double? = nil,
        validUntil: Date? = nil,
        notes: String? = nil,
        terms: String? = nil
    ) {
        self.title = title
        self.totalAmount = totalAmount
        self.validUntil = validUntil
        self.notes = notes
        self.terms = terms
    }
}

/// A template to be made, or what changes of one.
public struct ProposalTemplateFields: Encodable, Sendable, Hashable {
    public var name: String?
    public var description: String?
    public var content: String?
    public var category: String?

    public init(name: String? = nil, description: String? = nil, content: String? = nil, category: String? = nil) {
        self.name = name
        self.description = description
        self.content = content
        self.category = category
    }
}
