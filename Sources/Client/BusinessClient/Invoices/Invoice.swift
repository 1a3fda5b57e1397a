public import Foundation
public import SwiftletClient

/// What a customer owes.
public struct Invoice: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var invoiceNumber: String?
    public var status: InvoiceStatus?
    public var customerId: String?
    public var customerName: String?
    public var subtotal: Double?
    public var taxAmount: Double?
    public var discountAmount: Double?
    public var totalAmount: Double?
    public var amountPaid: Double?
    public var balanceDue: Double?
    public var issueDate: Date?
    public var dueDate: Date?
    public var paidDate: Date?
    public var sentDate: Date?
    public var billingEmail: String?
    public var paymentTerms: String?
    public var currency: String?
    public var notes: String?
    public var contractId: String?
    public var quoteId: String?
    public var lineItemCount: Int?
    /// Only of an invoice that was asked for by its id.
    public var lineItems: [InvoiceLine]?
    public var createdBy: String?
    public var createdAt: Date?
    public var updatedAt: Date?

    public init(id: String) {
        self.id = id
    }
}

/// A line of an invoice.
public struct InvoiceLine: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var description: String?
    public var quantity: Int?
    public var unitPrice: Double?
    public var amount: Double?
    public var taxRate: Double?

    public init(id: String) {
        self.id = id
    }
}

/// Where an invoice stands.
public enum InvoiceStatus: String, SafeDecodable, CaseIterable {
    case draft
    case open
    case sent
    case viewed
    case partiallyPaid = "partially_paid"
    case paid
    case overdue
    case cancelled
    case void
    /// A word of a newer server.
    case unknown
}
