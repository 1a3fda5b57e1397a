package import Foundation

/// The tokens of a signed-in user, as the server gives them and the store keeps them.
package struct Session: Codable, Sendable, Equatable {
    package var accessToken: String
    package var refreshToken: String
    package var expiresAt: Date?
    package var user: AuthUser

    package var tenantID: String? { JWTPayload(accessToken)?.tenantID ?? user.appMetadata?.tenantId }

    /// By this device's clock, which began to count when the token came.
    func isExpired(at time: Date = Date()) -> Bool { expiresAt.map { $0 <= time } ?? false }
}

/// What sign-in and refresh answer, in either spelling. A refresh need not repeat the user.
package struct SessionResponse: Decodable {
    let accessToken: String
    let refreshToken: String
    let expiresIn: Double?
    let user: AuthUser?

    func session(of known: AuthUser? = nil) throws(APIError) -> Session {
        guard let user = user ?? known ?? JWTPayload(accessToken).map({ AuthUser(id: $0.subject, email: $0.email) })
        else { throw .decoding("Key missing at 'user': the answer says nobody is signed in") }
        return Session(
            accessToken: accessToken,
            refreshToken: refreshToken,
            expiresAt: expiresIn.map { Date(timeIntervalSinceNow: $0) },
            user: user
        )
    }
}
