public import ArgumentParser
public import SwiftletAuth
import SwiftletEssentials

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a token for development.",
        discussion: """
            Signed with JWT_SECRET (or SUPABASE_JWT_SECRET), else with the secret that `swiftlet dev` keeps in .swiftlet/. \
            Of a user, or with --role anon or service_role of nobody.

            Examples:
              TOKEN=$(swiftlet token --tenant acme --user ada)
              curl -H "Authorization: Bearer $TOKEN" localhost:8000/tasks
              swiftlet token --role service_role --expires-in 600
            """
    )

    @Option(help: "The tenant's id, 1 to 255 bytes without control characters; left away for apps without tenants.")
    var tenant: TenantID?

    @Option(help: "The user's id.")
    var user: String?

    @Option(help: "authenticated, anon, service_role, or a role of your database.")
    var role = "authenticated"

    @Option(help: "The user's e-mail address.")
    var email: String?

    @Option(help: "1 (individual, the default) to 8 (platform administrator).", transform: RoleLevel.parse)
    var roleLevel = 1

    @Option(help: ArgumentHelp("Validity in seconds.", valueName: "seconds"))
    var expiresIn = 3600

    func validate() throws {
        guard !role.isEmpty else { throw ValidationError("--role must not be empty.") }
        if isKey {
            guard user == nil, tenant == nil, email == nil else {
                throw ValidationError("--role \(role) is nobody: leave --user, --tenant and --email away.")
            }
        } else {
            guard let user, !user.isEmpty else { throw ValidationError("--user names whose token it is.") }
        }
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
            let now = Int(Date().timeIntervalSince1970)
            let payload = isKey ? ServerKeys.payload(role: role, now: now, lifetime: expiresIn) : claims(now)
            Terminal.say(try TokenIssuer(secret: Secret(secret)).issue(payload: payload))
            warnOfUnknownTenant(environment)
        }
    }

    /// Whether it is of a role that is no user.
    private var isKey: Bool { role == "anon" || role == "service_role" }

    private func claims(_ now: Int) -> [UInt8] {
        var claims = UserClaims(userID: user ?? "", tenant: tenant)
        claims.role = role
        claims.email = email
        claims.roleLevel = roleLevel
        claims.isPlatformUser = roleLevel == 8
        return claims.payload(issuedAt: now, expiresAt: now + expiresIn)
    }

    /// The token is good without a database, so that one which does not answer is none of its concern.
    private func warnOfUnknownTenant(_ environment: Environment) {
        guard let tenant, let settings = try? DatabaseSettings(environment.withDevelopmentDefaults()),
            let tables = try? UserTables(settings.url), (try? tables.has(tenant: tenant.rawValue)) == false
        else { return }
        Terminal.warn("the database has no tenant \(tenant.rawValue): with this token everything is empty")
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
