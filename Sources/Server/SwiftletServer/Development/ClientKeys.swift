import SwiftletAuth
import SwiftletEssentials

/// The two keys that clients are configured with: as they are set, else signed with the secret.
struct ClientKeys: Sendable {
    let anonymous: String?
    let service: String?

    init(_ environment: Environment) {
        let derived = environment.jwtSecret.flatMap {
            try? ServerKeys.derive(from: $0, now: Int(Date().timeIntervalSince1970))
        }
        anonymous = environment["SUPABASE_ANON_KEY"] ?? derived?.anonymousKey
        service = environment["SUPABASE_SERVICE_ROLE_KEY"] ?? derived?.serviceKey
    }
}
