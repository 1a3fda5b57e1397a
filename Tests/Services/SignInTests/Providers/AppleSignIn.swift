import Foundation
import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting

@testable import SwiftletSignIn

/// Apple as a provider of ID tokens, and apps that sign in with it.
final class AppleSignIn: Sendable {
    private static let issuer = TestIssuer(.p256, keyID: "apple-1")
    private let keys = "/tmp/swiftlet-jwks-\(UUID().uuidString.prefix(8)).json"

    init() throws { try Self.issuer.jwks.write(toFile: keys, atomically: true, encoding: .utf8) }

    deinit { try? FileManager.default.removeItem(atPath: keys) }

    func start(_ change: (inout SignInSettings) -> Void = { _ in }) async throws -> SignInServer {
        try await SignInServer.start(
            providers: [.apple(clientIDs: ["com.example.app"], keys: .file(keys), TestHTTP.engine)],
            change
        )
    }

    func signIn(
        _ server: SignInServer,
        subject: String,
        email: String?,
        isVerified: Bool = true,
        token: String? = nil,
        links: Bool = false,
        more: JSONObject = [:],
        address: String? = nil
    ) async throws -> SignInServer.Answer {
        let now = Int(Date().timeIntervalSince1970)
        var claims: JSONObject = [
            "iss": "https://appleid.apple.com", "aud": "com.example.app", "sub": .string(subject),
            "exp": .number(.init(now + 600)), "iat": .number(.init(now)), "email_verified": .bool(isVerified),
        ]
        if let email { claims["email"] = .string(email) }
        for (name, value) in more { claims[name] = value }
        let idToken = try Self.issuer.token(.object(claims))
        return try await server.auth(
            .post,
            "/token?grant_type=id_token",
            ["provider": "apple", "id_token": .string(idToken), "link_identity": .bool(links)],
            token: token,
            headers: address.map { [(Headers.Name("X-Forwarded-For"), $0)] } ?? []
        )
    }
}
