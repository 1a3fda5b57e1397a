public import Foundation
public import SwiftletClient

/// What a customer pays for month by month.
public struct Contract: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var contractNumber: String?
    public var title: String?
    public var type: String?
    public var status: ContractStatus?
    public var customerId: String?
    public var customerName: String?
    public var startDate: Date?
    public var endDate: Date?
    public var autoRenew: Bool?
    public var renewalTermMonths: Int?
    public var billingFrequency: String?
    public var paymentTerms: String?
    public var monthlyAmount: Double?
    public var annualValue: Double?
    public var totalValue: Double?
    public var coverageType: String?
    public var includesSupplies: Bool?
    public var slaResponseHours: Int?
    public var equipmentCount: Int?
    public var notes: String?
    public var createdBy: String?
    public var createdAt: Date?
    public var updatedAt: Date?

    public init(id: String) {
        self.id = id
    }
}

/// A contract that ends soon.
public struct ContractRenewal: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var contractId: String?
    public var contractNumber: String?
    public var customerId: String?
    public var customerName: String?
    public var endDate: Date?
    public var annualValue: Double?
    /// 100 on the last day.
    public var riskScore: Int?
    public var status: String?
    public var notes: String?
    public var createdAt: Date?

    public init(id: String) {
        self.id = id
    }
}

/// Where a contract stands.
public enum ContractStatus: String, SafeDecodable, CaseIterable {
    case draft
    case active
    case expiring
    case expired
    case renewed
    case cancelled
    case churned
    /// A word of a newer server.
    case unknown
}
