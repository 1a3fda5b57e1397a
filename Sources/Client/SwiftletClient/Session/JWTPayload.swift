public import Foundation

/// What an access token says, read without verification: good enough to show, never to decide what is allowed.
public struct JWTPayload: Sendable, Hashable {
    /// The user's id.
    public let subject: String
    public let email: String?
    public let expiresAt: Date?
    public let tenantID: String?
    public let roleLevel: Int?
    public let teamID: String?
    public let isPlatformUser: Bool

    /// nil for what is no token with a subject.
    public init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let data = Data(base64URL: String(parts[1])),
            let claims = try? JSONDecoder.swiftlet.decode(Claims.self, from: data)
        else { return nil }
        subject = claims.sub
        email = claims.email
        expiresAt = claims.exp.map { Date(timeIntervalSince1970: $0) }
        tenantID = claims.appMetadata?.tenantId
        roleLevel = claims.appMetadata?.roleLevel
        teamID = claims.appMetadata?.teamId
        isPlatformUser = claims.appMetadata?.isPlatformUser ?? false
    }

    public func isExpired(at time: Date = Date()) -> Bool {
        expiresAt.map { $0 <= time } ?? false
    }

    private struct Claims: Decodable {
        let sub: String
        let email: String?
        let exp: Double?
        let appMetadata: AuthUser.AppMetadata?
    }
}

extension Data {
    /// RFC 4648 §5, without padding.
    init?(base64URL text: String) {
        let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        self.init(base64Encoded: standard + String(repeating: "=", count: (4 - standard.count % 4) % 4))
    }
}
