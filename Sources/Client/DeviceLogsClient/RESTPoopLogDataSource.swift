public import Foundation
public import SwiftletClient

/// ``PoopLogDataSource`` over the function `poop-logs`, as the device.
public struct RESTPoopLogDataSource: PoopLogDataSource {
    private let client: APIClient
    private let identity: DeviceIdentity

    public init(client: APIClient, identity: DeviceIdentity) {
        self.client = client
        self.identity = identity
    }

    public func logs(from start: Date?, to end: Date?, page: Int, limit: Int) async throws -> Page<PoopLog> {
        let found: Page<PoopLogDTO> = try await asDevice {
            try await client.requestPage(.poopLogs(from: start, to: end, page: page, limit: limit))
        }
        return Page(
            data: found.data.map(\.log),
            total: found.total,
            page: found.page,
            limit: found.limit,
            hasMore: found.hasMore
        )
    }

    /// The log has its id already, so that it is stored once even if the answer is lost.
    public func add(_ log: PoopLog) async throws -> PoopLog {
        let row: PoopLogDTO = try await asDevice { try await client.request(.addPoopLog(PoopLogDTO(log))) }
        return row.log
    }

    public func update(_ log: PoopLog) async throws -> PoopLog {
        let row: PoopLogDTO = try await asDevice { try await client.request(.updatePoopLog(PoopLogDTO(log))) }
        return row.log
    }

    public func delete(_ id: UUID) async throws {
        try await asDevice { try await client.requestVoid(.deletePoopLog(id)) }
    }

    public func stats(from start: Date?, to end: Date?) async throws -> PoopLogStats {
        try await asDevice { try await client.request(.poopLogStats(from: start, to: end)) }
    }

    /// A session that has ended for good is opened anew, with the device's secret.
    private func asDevice<Value>(_ call: () async throws -> Value) async throws -> Value {
        do {
            try await identity.signIn()
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
    public static func poopLogs(from: Date? = nil, to: Date? = nil, page: Int = 1, limit: Int = 25) -> APIEndpoint {
        var query = Query.page(page, limit)
        query.add("from", from)
        query.add("to", to)
        return APIEndpoint(.get, path("poop-logs"), query: query.items)
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
