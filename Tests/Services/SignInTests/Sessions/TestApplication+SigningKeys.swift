import SwiftletAuth
import SwiftletTesting
import SwiftletWeb

@testable import SwiftletSignIn

extension TestApplication {
    /// Keys with the secret of the tests.
    static func signingKeys() throws -> SigningKeys {
        let verifier = try TokenVerifier(
            secret: Secret(secret),
            clock: { Double(ServerClock.system.milliseconds()) / 1000 }
        )
        return try SigningKeys(SigningKey(secret: Secret(secret)), verifier: verifier)
    }
}
