public import Foundation
import SwiftletClient

/// A customer's machine.
public struct Equipment: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var name: String?
    public var manufacturer: String?
    public var model: String?
    public var serialNumber: String?
    public var assetTag: String?
    public var type: String?
    public var status: String?
    public var customerId: String?
    public var customerName: String?
    public var locationId: String?
    public var locationName: String?
    public var floor: String?
    public var department: String?
    public var installDate: Date?
    public var warrantyEndDate: Date?
    public var leaseEndDate: Date?
    public var ipAddress: String?
    public var macAddress: String?
    public var firmwareVersion: String?
    public var currentMeterBlack: Int?
    public var currentMeterColor: Int?
    public var monthlyVolumeBlack: Int?
    public var monthlyVolumeColor: Int?
    public var contractId: String?
    public var contractNumber: String?
    public var underContract: Bool?
    public var notes: String?
    public var lastServiceDate: Date?
    public var nextServiceDate: Date?
    /// The latest tickets; only of a machine that was asked for by its id.
    public var serviceHistory: [ServiceTicket]?
    public var createdAt: Date?
    public var updatedAt: Date?

    public init(id: String) {
        self.id = id
    }
}

/// What a machine's meters said.
public struct MeterReading: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var equipmentId: String?
    public var meterBlack: Int?
    public var meterColor: Int?
    public var meterTotal: Int?
    public var readingDate: Date?
    public var source: String?
    public var createdAt: Date?

    public init(id: String) {
        self.id = id
    }
}
