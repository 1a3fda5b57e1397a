import ArgumentParser
import SwiftletAuth

struct UsersAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Create an account that can sign in immediately.",
        discussion: """
            Also adds a row with the account's id to the table users. An existing row with the same e-mail address is \
            reused and keeps its tenant, role and team unless they are given.

            Examples:
              swiftlet users add ada@acme.example --tenant acme --role COMPANY_ADMIN
              swiftlet users add +4915112345678
              openssl rand -hex 10 > password.txt
              swiftlet users add bot@acme.example --tenant acme < password.txt
            """
    )

    @Argument(help: "The e-mail address or phone number to sign in with.", transform: AccountName.parseNew)
    var account: AccountName

    @Option(help: "The tenant's id, 1 to 255 bytes without control characters.")
    var tenant: TenantID?

    @Flag(help: "Create the tenant if it does not exist.")
    var createTenant = false

    @Option(help: "The code of a role in the table roles.")
    var role: String?

    @Option(help: "1 (individual) to 8 (platform administrator), instead of --role.", transform: RoleLevel.parse)
    var roleLevel: Int?

    @Option(help: "The team's id.")
    var team: String?

    @Option(help: ArgumentHelp("The first name, for the app to show.", valueName: "name"))
    var firstName: String?

    @Option(help: ArgumentHelp("The last name.", valueName: "name"))
    var lastName: String?

    @Flag(help: "Allow access to every tenant with the header x-tenant-id.")
    var platformUser = false

    func validate() throws {
        if role != nil, roleLevel != nil { throw ValidationError("--role and --role-level exclude each other.") }
        if createTenant, tenant == nil { throw ValidationError("--create-tenant needs --tenant.") }
    }

    func run() async throws {
        try await Terminal.run {
            let environment = try UserArguments.environment()
            let directory = try UserArguments.open(environment)
            var user = NewUser(name: account, passwordHash: try UserArguments.readHash(environment))
            user.tenant = tenant?.rawValue
            user.makesTenant = createTenant
            user.roleCode = role
            user.roleLevel = roleLevel
            user.team = team
            user.firstName = firstName
            user.lastName = lastName
            user.isPlatformUser = platformUser || roleLevel == 8
            let id = try directory.add(user)
            Terminal.say("\(account) can sign in; the account's id is \(id)")
        }
    }
}
