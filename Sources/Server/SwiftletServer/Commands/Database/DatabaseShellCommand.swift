import ArgumentParser
import SwiftletBackups
import SwiftletEssentials
import SwiftletJSON
import SwiftletPostgres

struct DatabaseShellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell",
        abstract: "Open psql on the database, as its owner or as a role of the API.",
        discussion: """
            With --user, policies see that user: the role is authenticated, and auth.uid() is the id. Both are set at the \
            start of the session, which a transaction pooler refuses.

            Examples:
              swiftlet db shell
              swiftlet db shell --user 9d7f8a34-6d5c-4a0e-9c1b-52f0c2a7e001 -c "SELECT * FROM notes"
            """
    )

    enum Role: String, ExpressibleByArgument, CaseIterable {
        case anon
        case authenticated
        case serviceRole = "service_role"
    }

    @Option(help: "anon, authenticated or service_role; the owner otherwise.")
    var role: Role?

    @Option(help: "The id of the user that policies see.")
    var user: String?

    @Option(name: .shortAndLong, help: "A statement to run, instead of asking for some.")
    var command: String?

    func run() async throws {
        try await Terminal.run(needsOutput: false) {
            let environment = try Environment.current().withDevelopmentDefaults()
            let url = try address(DatabaseSettings(environment).url)
            let session = try BlockingConnection.connect(to: url).query(
                "SELECT current_setting('server_version_num')::integer / 10000, current_user"
            )
            if let role = effectiveRole, session.first?[1] != role.rawValue {
                throw CommandFailure(
                    "the session is not \(role.rawValue) but \(session.first?[1] ?? "unknown"): something between here and the database drops its options, as a transaction pooler does"
                )
            }
            let program = try PostgresProgram.find("psql", major: session.first?[0].flatMap { Int($0) } ?? 0)
            let connection = try ProgramConnection(url)
            var arguments = [program.path, "--dbname=\(connection.text)"]
            if let command { arguments += ["--set=ON_ERROR_STOP=1", "--command=\(command)"] }
            var variables = ProcessInfo.processInfo.environment.merging(connection.environment) { $1 }
            variables["LC_ALL"] = ProcessInfo.processInfo.environment["LC_ALL"]
            try Self.become(arguments, variables)
        }
    }

    private var effectiveRole: Role? { role ?? (user == nil ? nil : .authenticated) }

    /// The database's address with the options of the session behind its own, of which the last counts. libpq heeds
    /// `PGOPTIONS` only where the address has none.
    private func address(_ url: String) throws -> String {
        guard let options else { return url }
        guard let info = ConnectionInfo(url) else { throw CommandFailure("DATABASE_URL is not a libpq URI") }
        let former = info["options"] ?? ProcessInfo.processInfo.environment["PGOPTIONS"] ?? ""
        let pairs = info.pairs.filter { $0.keyword != "options" } + [("options", "\(former) \(options)")]
        return pairs.map { keyword, value in
            "\(keyword)='\(value.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
        }.joined(separator: " ")
    }

    /// Of libpq: a blank and a backslash are written behind a backslash.
    private var options: String? {
        guard let role = effectiveRole else { return nil }
        var settings = ["role=\(role.rawValue)"]
        var claims: JSONObject = ["role": .string(role.rawValue)]
        if let user { claims["sub"] = .string(user) }
        settings.append("request.jwt.claims=\(JSONValue.object(claims))")
        return settings.map { setting in
            "-c " + setting.replacing("\\", with: "\\\\").replacing(" ", with: "\\ ")
        }.joined(separator: " ")
    }

    /// Runs the program in place of this one, on the same terminal. Returns only if it cannot.
    private static func become(_ arguments: [String], _ variables: [String: String]) throws {
        let words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        let settings = unsafe variables.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe (words + settings).forEach { unsafe free($0) } }
        unsafe execve(arguments[0], words, settings)
        throw CommandFailure("\(arguments[0]) cannot be run: \(unsafe String(cString: strerror(errno)))")
    }
}
