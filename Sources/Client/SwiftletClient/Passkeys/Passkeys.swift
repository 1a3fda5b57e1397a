public import Foundation

/// Signs in with passkeys, and manages those of whoever is signed in.
///
///     let passkeys = Passkeys(client: client)
///     let options = try await passkeys.signInOptions()
///     // A device answers: see ``PasskeySignInOptions/request`` on Apple's systems.
///     let user = try await passkeys.signIn(assertion, answering: options)
///
/// The server allows them with `PASSKEY_ENABLED`; otherwise all of this throws ``APIError/refused(_:)``.
public struct Passkeys: Sendable {
    private let client: APIClient

    public init(client: APIClient) { self.client = client }

    // MARK: Sign-in

    /// What a device signs to sign in. It names no account: the user picks one on the device.
    public func signInOptions() async throws -> PasskeySignInOptions {
        try await client.request(.passkeys("/authentication/options", body: [:], requiresAuth: false))
    }

    /// Signs in with what the device has answered. A challenge counts once.
    @discardableResult
    public func signIn(_ assertion: PasskeyAssertion, answering options: PasskeySignInOptions) async throws -> AuthUser
    {
        let body = PasskeyAnswer(challengeID: options.challengeID, credential: assertion.members)
        let answer: SessionResponse = try await client.request(
            .passkeys("/authentication/verify", body: body.members, requiresAuth: false)
        )
        return try await AuthManager(client: client).begin(answer)
    }

    // MARK: Registration

    /// What a device makes a new passkey from, for whoever is signed in.
    public func registrationOptions() async throws -> PasskeyRegistrationOptions {
        try await client.request(.passkeys("/registration/options", body: [:]))
    }

    /// Adds the passkey that the device has made.
    @discardableResult
    public func register(
        _ registration: PasskeyRegistration,
        answering options: PasskeyRegistrationOptions
    ) async throws -> Passkey {
        let body = PasskeyAnswer(challengeID: options.challengeID, credential: registration.members)
        return try await client.request(.passkeys("/registration/verify", body: body.members))
    }

    // MARK: Management

    /// The passkeys of whoever is signed in, oldest first.
    public func list() async throws -> [Passkey] { try await client.requestArray(.passkeys) }

    public func rename(_ id: String, to name: String) async throws {
        try await client.requestVoid(
            APIEndpoint(.patch, APIEndpoint.passkey(id), body: .json(["friendly_name": name]), repetition: .safe)
        )
    }

    public func delete(_ id: String) async throws {
        try await client.requestVoid(APIEndpoint(.delete, APIEndpoint.passkey(id)))
    }
}

/// A passkey of an account, as lists show it.
public struct Passkey: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var friendlyName: String?
    public var createdAt: Date?
    public var lastUsedAt: Date?
}

/// The bodies of the two requests that bring a device's answer.
private struct PasskeyAnswer {
    let challengeID: String
    let credential: [String: Any]

    var members: [String: Any] { ["challenge_id": challengeID, "credential": credential] }
}

extension APIEndpoint {
    fileprivate static var passkeys: APIEndpoint { APIEndpoint(.get, "/auth/v1/passkeys") }

    fileprivate static func passkey(_ id: String) -> String { "/auth/v1/passkeys/\(QueryText.encoded(id))" }

    /// The members have WebAuthn's own spelling, which encoders of this client would change.
    fileprivate static func passkeys(
        _ path: String,
        body: [String: Any],
        requiresAuth: Bool = true
    ) -> APIEndpoint {
        let data = (try? JSONSerialization.data(withJSONObject: body, options: [.sortedKeys])) ?? Data()
        return APIEndpoint(
            .post,
            "/auth/v1/passkeys" + path,
            body: .data(data, contentType: "application/json"),
            requiresAuth: requiresAuth
        )
    }
}
