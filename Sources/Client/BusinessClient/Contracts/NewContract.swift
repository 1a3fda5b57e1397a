public import Foundation
import SwiftletClient

/// A contract to be made. Without dates it begins today and lasts a year.
public struct NewContract: Encodable, Sendable, Hashable {
    public var title: String
    public var customerId: String
    public var type: String?
    public var startDate: Date?
    public var endDate: Date?
    public var monthlyAmount: Double?
    public var billingFrequency: String?
    public var coverageType: String?
    public var notes: String?

    public init(
        title: String,
        customerId: String,
        type: String? = nil,
        startDate: Date? = nil,
        endDate: Date? = nil,
        monthlyAmount: Double? = nil,
        billingFrequency: String? = nil,
        coverageType: String? = nil,
        notes: String? = nil
    ) {
        self.title = title
        self.customerId = customerId
        self.type = type
        self.startDate = startDate
        self.endDate = endDate
        self.monthlyAmount = monthlyAmount
        self.billingFrequency = billingFrequency
        self.coverageType = coverageType
        self.notes = notes
    }
}

/// What changes of a contract; nil leaves a field as it is.
public struct ContractChanges: Encodable, Sendable, Hashable {
    public var title: String?
    public var status: ContractStatus?
    public var startDate: Date?
    public var endDate: Date?
    public var monthlyAmount: Double?
    public var annualValue: Double?
    public var billingFrequency: String?
    public var autoRenew: Bool?
    public var notes: String?

    public init(
        title: String? = nil,
        status: ContractStatus? = nil,
        startDate: Date? = nil,
        endDate: Date? = nil,
        monthlyAmount: Double? = nil,
        annualValue: Double? = nil,
        billingFrequency: String? = nil,
        autoRenew: Bool? = nil,
        notes: String? = nil
    ) {
        self.title = title
        self.status = status
        self.startDate = startDate
        self.endDate = endDate
        self.monthlyAmount = monthlyAmount
        self.annualValue = annualValue
        self.billingFrequency = billingFrequency
        self.autoRenew = autoRenew
        self.notes = notes
    }
}
