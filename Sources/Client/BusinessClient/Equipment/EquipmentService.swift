public import SwiftletClient

extension APIEndpoint {
    public static func equipment(
        customer: String? = nil,
        status: String? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) -> APIEndpoint {
        var query = Query.page(page, limit)
        query.add("customerId", customer)
        query.add("status", status)
        query.add("search", search)
        return APIEndpoint(.get, path("equipment"), query: query.items)
    }

    /// With the history of its service.
    public static func machine(_ id: String) -> APIEndpoint { APIEndpoint(.get, path("equipment", id)) }

    public static func createEquipment(_ machine: NewEquipment) -> APIEndpoint { create(path("equipment"), machine) }

    public static func updateEquipment(
        _ id: String,
        _ changes: EquipmentChanges,
        clearing: [String] = []
    ) -> APIEndpoint {
        update(.patch, path("equipment", id), changes, clearing: clearing, repetition: .keyed)
    }

    public static func deleteEquipment(_ id: String) -> APIEndpoint { delete(path("equipment", id)) }

    public static func meterReadings(equipment: String? = nil, page: Int = 1, limit: Int = 25) -> APIEndpoint {
        var query = Query.page(page, limit)
        query.add("equipmentId", equipment)
        return APIEndpoint(.get, path("meter-readings"), query: query.items)
    }

    public static func meterReading(_ id: String) -> APIEndpoint { APIEndpoint(.get, path("meter-readings", id)) }

    public static func createMeterReading(_ reading: NewMeterReading) -> APIEndpoint {
        create(path("meter-readings"), reading)
    }
}

/// The customers' machines, and what their meters said.
public struct EquipmentService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    public func equipment(
        customer: String? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) async throws -> Page<Equipment> {
        try await client.requestPage(.equipment(customer: customer, search: search, page: page, limit: limit))
    }

    /// With the history of its service.
    public func machine(_ id: String) async throws -> Equipment { try await client.request(.machine(id)) }

    @discardableResult
    public func createEquipment(_ machine: NewEquipment) async throws -> Equipment {
        try await client.request(.createEquipment(machine))
    }

    @discardableResult
    public func updateEquipment(
        _ id: String,
        _ changes: EquipmentChanges,
        clearing: [String] = []
    ) async throws -> Equipment {
        try await client.request(.updateEquipment(id, changes, clearing: clearing))
    }

    public func deleteEquipment(_ id: String) async throws { try await client.requestVoid(.deleteEquipment(id)) }

    public func meterReadings(
        equipment: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) async throws -> Page<MeterReading> {
        try await client.requestPage(.meterReadings(equipment: equipment, page: page, limit: limit))
    }

    public func meterReading(_ id: String) async throws -> MeterReading { try await client.request(.meterReading(id)) }

    @discardableResult
    public func createMeterReading(_ reading: NewMeterReading) async throws -> MeterReading {
        try await client.request(.createMeterReading(reading))
    }
}
