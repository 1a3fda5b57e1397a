import DeviceLogsClient
import DeviceLogsClientMocks
import Foundation
import GalleryClient
import SwiftletClient

/// A feature over the logs of a device.
struct LogFeature {
    let source: any PoopLogDataSourceProtocol
    let deviceId: UUID

    func page(_ number: Int) async throws -> [PoopLog] {
        try await source.fetchLogs(for: deviceId, limit: 20, offset: number * 20)
    }

    func add(_ rating: PoopLog.Rating) async throws -> PoopLogDTO {
        let log = try await source.createLog(PoopLog(duration: 60, rating: rating), deviceId: deviceId)
        let changed = try await source.updateLog(log, deviceId: deviceId)
        let found = try await source.fetchLog(id: changed.id, deviceId: deviceId)
        try await source.deleteLog(id: found.id, deviceId: deviceId)
        let rest = try await source.fetchLogs(from: .distantPast, to: .distantFuture)
        let total = try await source.getTotalLogs(for: deviceId)
        guard rest.count == total else { throw PoopLogError.notFound }
        return found.toDTO(deviceId: deviceId).toDomain().toDTO(deviceId: deviceId)
    }

    static func explained(_ error: PoopLogError) -> String {
        "\(error.title): \(error.message) \(error.recoveryAction)"
    }

    static func live(_ client: APIClient) async throws -> LogFeature {
        let identity = DeviceIdentity(client: client)
        try await identity.signIn()
        guard let deviceId = await identity.deviceID else { throw PoopLogError.notFound }
        return LogFeature(source: RESTPoopLogDataSource(client: client, identity: identity), deviceId: deviceId)
    }
}

/// A feature over the gallery's tables.
struct GalleryFeature {
    let gallery: GalleryClient

    func photos(of appleId: String) async throws -> [Int: Date] {
        let user: UserModel? = try await gallery.fetchUserByAppleId(appleId)
        let owner = try await gallery.upsertUser(user ?? UserModel(appleId: appleId))
        let images: Page<ImageModel> = try await gallery.fetchImages(of: owner.id, page: 1, limit: 10)
        return images.data.reduce(into: [:]) { $0[$1.id] = $1.photoDate }
    }
}
