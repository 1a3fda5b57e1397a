public import Foundation
public import SwiftletClient

/// This device as an account of its own: nobody signs in, and still every row has an owner.
///
/// Its id and secret are in the token store of the client. The first call registers it; later ones find the session, or
/// open a new one with the secret.
///
///     let identity = DeviceIdentity(client: client, platform: "ios", appVersion: "1.2")
///     let logs = RESTPoopLogDataSource(client: client, identity: identity)
public actor DeviceIdentity {
    private let client: APIClient
    private let platform: String?
    private let model: String?
    private let appVersion: String?
    private var signingIn: Task<AuthUser, any Error>?

    private static let name = "device"

    public init(client: APIClient, platform: String? = nil, model: String? = nil, appVersion: String? = nil) {
        self.client = client
        self.platform = platform
        self.model = model
        self.appVersion = appVersion
    }

    /// The device's id; nil before it was registered, and while the token store cannot be read.
    public var deviceID: UUID? {
        get async { (try? await stored())?.id }
    }

    /// Sees to it that there is a session. All who ask at once wait for the same one.
    @discardableResult
    public func signIn() async throws -> AuthUser {
        if let session = try await client.keeper.current() { return session.user }
        if let signingIn { return try await signingIn.value }
        let task = Task { try await register() }
        signingIn = task
        defer { signingIn = nil }
        return try await task.value
    }

    private func register() async throws -> AuthUser {
        let known = try await stored()
        do {
            return try await register(known ?? Credentials(id: UUID()))
        } catch APIError.conflict where known != nil && known?.secret == nil {
            // The answer with the secret was lost, so nothing can have been stored under that id.
            return try await register(Credentials(id: UUID()))
        }
    }

    private func register(_ device: Credentials) async throws -> AuthUser {
        var device = device
        try await store(device)
        let form = DeviceForm(
            deviceId: device.id.uuidString.lowercased(),
            deviceSecret: device.secret,
            platform: platform,
            model: model,
            appVersion: appVersion
        )
        let answer = try await client.request(.registerDevice(form), as: DeviceResponse.self)
        if let secret = answer.deviceSecret {
            device.secret = secret
            try await store(device)
        }
        return try await AuthManager(client: client).begin(answer.session)
    }

    /// Throws while the store cannot be read: a second registration would leave all rows of the first one behind.
    private func stored() async throws(APIError) -> Credentials? {
        let data: Data?
        do {
            data = try await client.tokens.read(Self.name)
        } catch {
            throw .sessionUnreadable
        }
        guard let data else { return nil }
        return try? JSONDecoder().decode(Credentials.self, from: data)
    }

    private func store(_ device: Credentials) async throws {
        try await client.tokens.write(JSONEncoder().encode(device), as: Self.name)
    }

    private struct Credentials: Codable {
        let id: UUID
        /// Shown once, by the answer to the registration.
        var secret: String?
    }
}

struct DeviceForm: Encodable, Sendable {
    let deviceId: String
    let deviceSecret: String?
    let platform: String?
    let model: String?
    let appVersion: String?
}

private struct DeviceResponse: Decodable, Sendable {
    let session: SessionResponse
    let deviceSecret: String?

    private enum CodingKeys: String, CodingKey { case deviceSecret }

    init(from decoder: any Decoder) throws {
        session = try SessionResponse(from: decoder)
        deviceSecret = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(
            String.self,
            forKey: .deviceSecret
        )
    }
}

extension APIEndpoint {
    static func registerDevice(_ form: DeviceForm) -> APIEndpoint {
        APIEndpoint(.post, path("devices"), body: .json(form), requiresAuth: false)
    }
}
