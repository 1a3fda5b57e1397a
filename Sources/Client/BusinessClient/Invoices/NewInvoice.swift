public import Foundation
import SwiftletClient

/// An invoice to be made.
public struct NewInvoice: Encodable, Sendable, Hashable {
    public var customerId: String
    public var dueDate: Date
    public var paymentTerms: String?
    public var notes: String?
    /// It follows from the lines, if there are any.
    public var totalAmount: Double?
    public var taxAmount: Double?
    public var discountAmount: Double?
    public var lineItems: [NewLine]?

    public init(
        customerId: String,
        dueDate: Date,
        paymentTerms: String? = nil,
        notes: String? = nil,
        totalAmount: Double? = nil,
        taxAmount: Double? = nil,
        discountAmount: Double? = nil,
        lineItems: [NewLine]? = nil
    ) {
        self.customerId = customerId
        self.dueDate = dueDate
        self.paymentTerms = paymentTerms
        self.notes = notes
        self.totalAmount = totalAmount
        self.taxAmount = taxAmount
        self.discountAmount = discountAmount
        self.lineItems = lineItems
    }
}

/// What changes of an invoice; nil leaves a field as it is.
public struct InvoiceChanges: Encodable, Sendable, Hashable {
    public var status: InvoiceStatus?
    public var dueDate: Date?
    public var paymentTerms: String?
    public var notes: String?

    public init(
        status: InvoiceStatus? = nil,
        dueDate: Date? = nil,
        paymentTerms: String? = nil,
        notes: String? = nil
    ) {
        self.status = status
        self.dueDate = dueDate
        self.paymentTerms = paymentTerms
        self.notes = notes
    }
}

/// A line of an invoice, a quote or a proposal to be made; its price follows.
public struct NewLine: Encodable, Sendable, Hashable {
    public var description: String
    public var quantity: Int
    public var unitPrice: Double

    public init(description: String, quantity: Int = 1, unitPrice: Double) {
        self.description = description
        self.quantity = quantity
        self.unitPrice = unitPrice
    }
}
