public import Foundation
import SwiftletClient

/// A lead or a customer to be made.
public struct NewCompany: Encodable, Sendable, Hashable {
    public var companyName: String
    /// Decided by the path if it is left out: `leads` makes leads, `customers` makes customers.
    public var recordType: RecordType?
    public var primaryContactName: String?
    public var primaryContactEmail: String?
    public var primaryContactPhone: String?
    public var phone: String?
    public var website: String?
    public var industry: String?
    public var source: String?
    public var interestLevel: String?
    public var estimatedAmount: Double?
    public var notes: String?
    public var addressLine1: String?
    public var city: String?
    public var state: String?
    public var postalCode: String?

    public init(
        companyName: String,
        recordType: RecordType? = nil,
        primaryContactName: String? = nil,
        primaryContactEmail: String? = nil,
        primaryContactPhone: String? = nil,
        phone: String? = nil,
        website: String? = nil,
        industry: String? = nil,
        source: String? = nil,
        interestLevel: String? = nil,
        estimatedAmount: Double? = nil,
        notes: String? = nil,
        addressLine1: String? = nil,
        city: String? = nil,
        state: String? = nil,
        postalCode: String? = nil
    ) {
        self.companyName = companyName
        self.recordType = recordType
        self.primaryContactName = primaryContactName
        self.primaryContactEmail = primaryContactEmail
        self.primaryContactPhone = primaryContactPhone
        self.phone = phone
        self.website = website
        self.industry = industry
        self.source = source
        self.interestLevel = interestLevel
        self.estimatedAmount = estimatedAmount
        self.notes = notes
        self.addressLine1 = addressLine1
        self.city = city
        self.state = state
        self.postalCode = postalCode
    }
}

/// What changes of a company; nil leaves a field as it is.
public struct CompanyChanges: Encodable, Sendable, Hashable {
    public var companyName: String?
    public var recordType: RecordType?
    public var primaryContactName: String?
    public var primaryContactEmail: String?
    public var primaryContactPhone: String?
    public var phone: String?
    public var website: String?
    public var industry: String?
    public var source: String?
    public var interestLevel: String?
    public var estimatedAmount: Double?
    public var notes: String?
    public var addressLine1: String?
    public var city: String?
    public var state: String?
    public var postalCode: String?
    public var status: String?
    public var probability: Int?
    public var salesStage: String?
    public var nextFollowUpDate: Date?
    public var priority: String?
    public var customerRating: String?
    public var assignedSalesRep: String?

    public init(
        companyName: String? = nil,
        recordType: RecordType? = nil,
        primaryContactName: String? = nil,
        primaryContactEmail: String? = nil,
        primaryContactPhone: String? = nil,
        phone: String? = nil,
        website: String? = nil,
        industry: String? = nil,
        source: String? = nil,
        interestLevel: String? = nil,
        estimatedAmount: Double? = nil,
        notes: String? = nil,
        addressLine1: String? = nil,
        city: String? = nil,
        state: String? = nil,
        postalCode: String? = nil,
        status: String? = nil,
        probability: Int? = nil,
        salesStage: String? = nil,
        nextFollowUpDate: Date? = nil,
        priority: String? = nil,
        customerRating: String? = nil,
        assignedSalesRep: String? = nil
    ) {
        self.companyName = companyName
        self.recordType = recordType
        self.primaryContactName = primaryContactName
        self.primaryContactEmail = primaryContactEmail
        self.primaryContactPhone = primaryContactPhone
        self.phone = phone
        self.website = website
        self.industry = industry
        self.source = source
        self.interestLevel = interestLevel
        self.estimatedAmount = estimatedAmount
        self.notes = notes
        self.addressLine1 = addressLine1
        self.city = city
        self.state = state
        self.postalCode = postalCode
        self.status = status
        self.probability = probability
        self.salesStage = salesStage
        self.nextFollowUpDate = nextFollowUpDate
        self.priority = priority
        self.customerRating = customerRating
        self.assignedSalesRep = assignedSalesRep
    }
}
