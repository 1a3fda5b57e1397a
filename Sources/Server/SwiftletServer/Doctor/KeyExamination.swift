import SwiftletAuth
import SwiftletEssentials

/// Checks that the anonymous key and the service key are signed with the secret, each for its role.
struct KeyExamination: Sendable {
    private let secret: Secret?
    private let requiresExpiry: Bool
    private let keys: [(name: String, role: String, text: String)]

    init(_ tokens: TokenSettings, _ environment: Environment) {
        secret = tokens.secret
        requiresExpiry = tokens.requiresExpiry
        keys = [("SUPABASE_ANON_KEY", "anon"), ("SUPABASE_SERVICE_ROLE_KEY", "service_role")].compactMap { name, role in
            environment[name].map { (name, role, $0) }
        }
    }

    var findings: [Finding] {
        guard let secret,
            let verifier = try? TokenVerifier(
                secret: secret,
                requiresExpiry: requiresExpiry,
                clock: { Date().timeIntervalSince1970 }
            )
        else { return [] }
        return keys.map { examine($0.text, named: $0.name, of: $0.role, verifier) }
    }

    private func examine(
        _ text: String,
        named name: String,
        of role: String,
        _ verifier: TokenVerifier
    ) -> Finding {
        // Newer keys of Supabase (sb_publishable_…) are not tokens; they are compared as they are.
        guard text.split(separator: ".", omittingEmptySubsequences: false).count == 3 else {
            return .good("keys", "\(name) is opaque and stands for \(role)")
        }
        do {
            let user = try verifier.verify(bearer: Array(text.utf8).span)
            guard user.role == role else {
                let danger = user.isServiceRole ? ": everybody who has it has full access" : ""
                return .fault("keys", "\(name) is a key for the role \(user.role), not \(role)\(danger): replace it")
            }
            guard user.expires != nil else {
                return .note(
                    "keys",
                    "\(name) has no exp, so that it never ends: make a new set with: swiftlet keys, then JWT_REQUIRE_EXP=on"
                )
            }
            return .good("keys", "\(name) fits JWT_SECRET")
        } catch .expired {
            return .fault("keys", "\(name) has expired: make a new set with: swiftlet keys")
        } catch .invalidClaims where requiresExpiry {
            return .fault("keys", "\(name) is refused for its claims: JWT_REQUIRE_EXP asks for exp in every token")
        } catch {
            return .fault(
                "keys",
                "\(name) was not signed with this JWT_SECRET (\(error)): use the set it belongs to, or make one with: "
                    + "swiftlet keys"
            )
        }
    }
}
