public import Foundation
public import SwiftletClient

/// ``PoopLogDataSourceProtocol`` over the function `poop-logs`, as the device.
public struct RESTPoopLogDataSource: PoopLogDataSourceProtocol {
    private let client: APIClient
    private let identity: DeviceIdentity

    public init(client: APIClient, identity: DeviceIdentity) {
        self.client = client
        self.identity = identity
    }

    /// `deviceId` is ``DeviceIdentity/deviceID``; a device has no other one's logs.
    public func fetchLogs(for deviceId: UUID, limit: Int = 50, offset: Int = 0) async throws -> [PoopLog] {
        try await asDevice(deviceId) {
            try await client.requestArray(.poopLogs(limit: limit, offset: offset), of: PoopLogDTO.self)
        }.map { $0.toDomain() }
    }

    public func fetchLogs(from start: Date, to end: Date) async throws -> [PoopLog] {
        var logs: [PoopLog] = []
        while true {
            let endpoint = APIEndpoint.poopLogs(from: start, to: end, limit: Self.pageSize, offset: logs.count)
            let page = try await asDevice { try await client.requestPage(endpoint, of: PoopLogDTO.self) }
            logs += page.data.map { $0.toDomain() }
            guard page.hasMore == true, !page.data.isEmpty else { return logs }
        }
    }

    /// The log has its id already, so that it is stored once even if the answer is lost.
    @discardableResult
    public func createLog(_ log: PoopLog, deviceId: UUID) async throws -> PoopLog {
        try await asDevice(deviceId) {
            try await client.request(.addPoopLog(log.toDTO(deviceId: deviceId)), as: PoopLogDTO.self)
        }.toDomain()
    }

    @discardableResult
    public func updateLog(_ log: PoopLog, deviceId: UUID) async throws -> PoopLog {
        try await asDevice(deviceId) {
            try await client.request(.updatePoopLog(log.toDTO(deviceId: deviceId)), as: PoopLogDTO.self)
        }.toDomain()
    }

    public func deleteLog(id: UUID, deviceId: UUID) async throws {
        try await asDevice(deviceId) { try await client.requestVoid(.deletePoopLog(id)) }
    }

    public func fetchLog(id: UUID, deviceId: UUID) async throws -> PoopLog {
        try await asDevice(deviceId) { try await client.request(.poopLog(id), as: PoopLogDTO.self) }.toDomain()
    }

    public func getTotalLogs(for deviceId: UUID) async throws -> Int {
        let page = try await asDevice(deviceId) {
            try await client.requestPage(.poopLogs(limit: 1), of: PoopLogDTO.self)
        }
        return page.total ?? page.data.count
    }

    /// Sums over a period, which has no end where none is given.
    public func fetchStats(from start: Date? = nil, to end: Date? = nil) async throws -> PoopLogStats {
        try await asDevice { try await client.request(.poopLogStats(from: start, to: end)) }
    }

    /// As many as the server gives at once.
    private static let pageSize = 100

    /// A session that has ended for good is opened anew, with the device's secret.
    private func asDevice<Value>(_ deviceId: UUID? = nil, _ call: () async throws -> Value) async throws -> Value {
        do {
            try await identity.signIn()
            if let deviceId, await identity.deviceID != deviceId {
                throw PoopLogError.invalid(["deviceId": "is not this device's"])
            }
            do {
                return try await call()
            } catch APIError.unauthorized {
                try await identity.signIn()
                return try await call()
            }
        } catch let error as APIError {
            throw PoopLogError(error)
        }
    }
}

extension APIEndpoint {
    public static func poopLogs(
        from: Date? = nil,
        to: Date? = nil,
        limit: Int = 25,
        offset: Int = 0
    ) -> APIEndpoint {
        var query = Query()
        query.add("limit", limit)
        query.add("offset", offset)
        query.add("from", from)
        query.add("to", to)
        return APIEndpoint(.get, path("poop-logs"), query: query.items)
    }

    public static func poopLog(_ id: UUID) -> APIEndpoint {
        APIEndpoint(.get, path("poop-logs", id.uuidString.lowercased()))
    }

    public static func addPoopLog(_ log: PoopLogDTO) -> APIEndpoint {
        create(path("poop-logs"), log, id: log.id.uuidString.lowercased())
    }

    /// What the log no longer has becomes empty.
    public static func updatePoopLog(_ log: PoopLogDTO) -> APIEndpoint {
        let empty = [log.consistency == nil ? "consistency" : nil, log.notes == nil ? "notes" : nil]
        let path = path("poop-logs", log.id.uuidString.lowercased())
        return update(.patch, path, log, clearing: empty.compactMap(\.self))
    }

    public static func deletePoopLog(_ id: UUID) -> APIEndpoint {
        delete(path("poop-logs", id.uuidString.lowercased()))
    }

    public static func poopLogStats(from: Date? = nil, to: Date? = nil) -> APIEndpoint {
        var query = Query()
        query.add("from", from)
        query.add("to", to)
        return APIEndpoint(.get, path("poop-logs", "stats"), query: query.items)
    }
}
