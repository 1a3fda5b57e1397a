public import Foundation
public import SwiftletClient

/// A company: a lead, a prospect, a customer, or one that was.
public struct BusinessRecord: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var recordType: RecordType
    public var tenantId: String?
    public var status: String?
    public var companyName: String?
    public var accountNumber: String?
    public var accountType: String?
    public var website: String?
    public var industry: String?
    public var companySize: String?
    public var employeeCount: Int?
    public var annualRevenue: Double?
    public var customerRating: String?
    public var customerPriority: String?
    public var isActive: Bool?
    public var primaryContactName: String?
    public var primaryContactEmail: String?
    public var primaryContactPhone: String?
    public var primaryContactTitle: String?
    public var billingContactName: String?
    public var billingContactEmail: String?
    public var billingContactPhone: String?
    public var addressLine1: String?
    public var addressLine2: String?
    public var city: String?
    public var state: String?
    public var postalCode: String?
    public var country: String?
    public var billingAddressLine1: String?
    public var billingCity: String?
    public var billingState: String?
    public var billingPostalCode: String?
    public var phone: String?
    public var fax: String?
    public var preferredContactMethod: String?
    public var source: String?
    public var estimatedAmount: Double?
    public var probability: Int?
    public var closeDate: Date?
    public var salesStage: String?
    public var interestLevel: String?
    public var ownerId: String?
    public var assignedSalesRep: String?
    public var territory: String?
    public var leadScore: Int?
    public var priority: String?
    public var customerNumber: String?
    public var companyDisplayId: String?
    public var urlSlug: String?
    public var customerSince: Date?
    public var creditLimit: Double?
    public var paymentTerms: String?
    public var taxExempt: Bool?
    public var customerTier: String?
    public var lastContactDate: Date?
    public var nextFollowUpDate: Date?
    public var notes: String?
    public var createdBy: String?
    public var createdAt: Date?
    public var updatedAt: Date?

    public init(id: String, recordType: RecordType) {
        self.id = id
        self.recordType = recordType
    }
}

/// What a company is to us.
public enum RecordType: String, SafeDecodable, CaseIterable {
    case lead
    case prospect
    case customer
    case formerCustomer = "former_customer"
    /// A word of a newer server.
    case unknown
}
