public import ArgumentParser
public import SwiftletAuth
import Foundation

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a token for development.",
        discussion: """
            Signed with JWT_SECRET (or SUPABASE_JWT_SECRET), else with the secret that `swiftlet dev` keeps in .swiftlet/.

            Example:
              TOKEN=$(swiftlet token --tenant acme --user ada)
              curl -H "Authorization: Bearer $TOKEN" localhost:8000/tasks
            """
    )

    @Option(help: "The tenant's id, 1 to 255 bytes without control characters.")
    var tenant: TenantID

    @Option(help: "The user's id.")
    var user: String

    @Option(help: "The user's e-mail address.")
    var email: String?

    @Option(help: "1 (individual, the default) to 8 (platform administrator).", transform: RoleLevel.parse)
    var roleLevel = 1

    @Option(help: ArgumentHelp("Validity in seconds.", valueName: "seconds"))
    var expiresIn = 3600

    func validate() throws {
        guard !user.isEmpty else { throw ValidationError("--user must not be empty.") }
        guard (1...315_360_000).contains(expiresIn) else {
            throw ValidationError("--expires-in must be from 1 to 315360000 seconds (ten years).")
        }
    }

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current()
            guard let secret = environment.jwtSecret ?? DevelopmentFolder().secret else {
                throw ConfigurationError([
                    "JWT_SECRET is not set, and no `swiftlet dev` ran here: make one with: swiftlet keys"
                ])
            }
            var claims = UserClaims(userID: user, tenant: tenant)
            claims.email = email
            claims.roleLevel = roleLevel
            claims.isPlatformUser = roleLevel == 8
            let now = Int(Date().timeIntervalSince1970)
            let payload = claims.payload(issuedAt: now, expiresAt: now + expiresIn)
            Terminal.say(try TokenIssuer(secret: Secret(secret)).issue(payload: payload))
        }
    }
}

/// The value of `--role-level`.
enum RoleLevel {
    @Sendable static func parse(_ text: String) throws -> Int {
        guard let level = Int(text), (1...8).contains(level) else { throw ValidationError("it must be from 1 to 8.") }
        return level
    }
}

/// The value of `--tenant`.
extension TenantID: ExpressibleByArgument {}
