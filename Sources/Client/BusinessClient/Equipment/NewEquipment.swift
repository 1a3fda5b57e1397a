public import Foundation
import SwiftletClient

/// A machine to be added.
public struct NewEquipment: Encodable, Sendable, Hashable {
    public var customerId: String
    public var serialNumber: String
    public var name: String?
    public var manufacturer: String?
    public var model: String?
    public var type: String?
    public var installDate: Date?
    public var notes: String?

    public init(
        customerId: String,
        serialNumber: String,
        name: String? = nil,
        manufacturer: String? = nil,
        model: String? = nil,
        type: String? = nil,
        installDate: Date? = nil,
        notes: String? = nil
    ) {
        self.customerId = customerId
        self.serialNumber = serialNumber
        self.name = name
        self.manufacturer = manufacturer
        self.model = model
        self.type = type
        self.installDate = installDate
        self.notes = notes
    }
}

/// What changes of a machine; nil leaves a field as it is.
public struct EquipmentChanges: Encodable, Sendable, Hashable {
    public var name: String?
    public var status: String?
    public var ipAddress: String?
    public var notes: String?
    public var locationName: String?

    public init(
        name: String? = nil,
        status: String? = nil,
        ipAddress: String? = nil,
        notes: String? = nil,
        locationName: String? = nil
    ) {
        self.name = name
        self.status = status
        self.ipAddress = ipAddress
        self.notes = notes
        self.locationName = locationName
    }
}

/// A reading to be stored.
public struct NewMeterReading: Encodable, Sendable, Hashable {
    public var equipmentId: String
    public var readingDate: Date
    public var meterBlack: Int?
    public var meterColor: Int?

    public init(equipmentId: String, readingDate: Date, meterBlack: Int? = nil, meterColor: Int? = nil) {
        self.equipmentId = equipmentId
        self.readingDate = readingDate
        self.meterBlack = meterBlack
        self.meterColor = meterColor
    }
}
