/// Whoever knows the token of the signed-in user: ``AuthManager``, or an SDK such as Firebase's, whose tokens the server
/// takes as well when it is told of the issuer.
public protocol AuthProvider: Sendable {
    /// A token that is valid at the moment. Throws ``APIError/unauthorized(_:)`` if nobody is signed in.
    func getIdToken() async throws -> String

    /// The one that follows a token that was not accepted.
    func getIdToken(after refused: String) async throws -> String
}

extension AuthProvider {
    /// For providers that keep their token fresh by themselves.
    public func getIdToken(after refused: String) async throws -> String { try await getIdToken() }
}

extension AuthManager: AuthProvider {
    public func getIdToken() async throws -> String {
        guard let session = try await client.keeper.current() else { throw APIError.unauthorized }
        guard session.isExpired() else { return session.accessToken }
        return try await client.keeper.refreshed(after: session).accessToken
    }

    public func getIdToken(after refused: String) async throws -> String {
        guard var session = try await client.keeper.current() else { throw APIError.unauthorized }
        if let subject = JWTPayload(refused)?.subject, subject != session.user.id { throw APIError.unauthorized }
        session.accessToken = refused
        return try await client.keeper.refreshed(after: session).accessToken
    }
}
