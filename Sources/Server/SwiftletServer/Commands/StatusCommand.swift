import ArgumentParser
import SwiftletEssentials
import SwiftletMigrations
import SwiftletOutbound
import SwiftletPostgres

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show where everything is: addresses, keys, accounts, and what is pending.",
        discussion: """
            Of the server of this folder: a `swiftlet dev`, or what HOST, PORT and DATABASE_URL say. Keys are shown in part \
            unless --keys is given. Exits with 1 if the server or its database does not answer.

            Examples:
              swiftlet status
              swiftlet status --keys
            """
    )

    @Flag(help: "Show the keys whole.")
    var keys = false

    func run() async throws {
        try await Terminal.run {
            let folder = DevelopmentFolder()
            let environment = try Environment.current().withDevelopmentDefaults(folder)
            let base = LocalURL(
                host: environment["HOST"] ?? "127.0.0.1",
                port: environment["PORT"] ?? "8000",
                isSecure: environment["TLS_CERT_FILE"] != nil
            ).description
            let answers = await Self.isAnswering(base)
            let process = RunningServer.find(in: folder).map { ", swiftlet dev, process \($0.process)" } ?? ""
            var rows = [
                [
                    "server",
                    answers ? "\(base)\(process)" : "nothing answers at \(base): swiftlet dev, or swiftlet serve",
                ]
            ]
            rows += [
                ("functions", "/functions/v1/"), ("tables", "/rest/v1/"), ("sign-in", "/auth/v1/"),
                ("files", "/storage/v1/"), ("channels", "/realtime/v1/"), ("description", "/docs"),
            ].map { [$0, base + $1] }
            rows += keyRows(environment)
            let database = databaseRows(environment)
            rows += database.rows
            if FileManager.default.fileExists(atPath: folder.log) { rows.append(["log", folder.log]) }
            for line in TextTable(header: ["WHAT", "WHERE"], rows: rows).lines { Terminal.say(line) }
            guard answers, database.isThere else { throw ExitCode.failure }
        }
    }

    private static func isAnswering(_ base: String) async -> Bool {
        var request = HTTPRequest("GET", "\(base)/health")
        request.timeout = .seconds(4)
        // Our own server: its certificate is issued for another name.
        return (try? await HTTPEngine.background(trust: .anyone).send(request))?.status == 200
    }

    private func keyRows(_ environment: Environment) -> [[String]] {
        let client = ClientKeys(environment)
        return [
            ("anon key", client.anonymous), ("service key", client.service), ("JWT secret", environment.jwtSecret),
        ].compactMap { name, value in value.map { [name, keys ? $0 : Self.masked($0)] } }
    }

    /// Enough to tell two keys apart.
    static func masked(_ key: String) -> String {
        key.utf8.count > 24 ? "\(key.prefix(4))…\(key.suffix(4)) (--keys shows it)" : "… (--keys shows it)"
    }

    private func databaseRows(_ environment: Environment) -> (rows: [[String]], isThere: Bool) {
        do {
            let settings = try DatabaseSettings(environment)
            let connection = try BlockingConnection.connect(to: settings.url)
            let version = try connection.query("SHOW server_version").first?[0] ?? ""
            var rows = [["database", "\(settings.description), PostgreSQL \(version)"]]
            rows += try counts(connection)
            if let files = try? AllMigrations.load(environment["MIGRATIONS_DIR"]),
                let pending = try? Migrator(url: settings.url, files: files).pending()
            {
                let names = pending.prefix(3).map(\.name).joined(separator: ", ")
                rows.append([
                    "migrations",
                    pending.isEmpty ? "all applied" : "\(pending.count) pending (\(names)): swiftlet migrate",
                ])
            }
            return (rows, true)
        } catch {
            return ([["database", "\(error)"]], false)
        }
    }

    private func counts(_ connection: borrowing BlockingConnection) throws -> [[String]] {
        func count(_ table: String, _ query: String) throws -> String? {
            guard try connection.query("SELECT to_regclass($1) IS NOT NULL", [table]) == [["t"]] else { return nil }
            return try connection.query(query).first?[0]
        }
        var rows: [[String]] = []
        if let accounts = try count("auth.users", "SELECT count(*) FROM auth.users") {
            rows.append(["accounts", accounts])
        }
        if let objects = try count("storage.objects", "SELECT count(*) FROM storage.objects") {
            rows.append(["objects", objects])
        }
        if let jobs = try count(
            "swiftlet.jobs",
            """
            SELECT count(*) || ' waiting or running, ' ||
                (SELECT count(*) FROM swiftlet.job_history WHERE state = 'failed') || ' failed' FROM swiftlet.jobs
            """
        ) {
            rows.append(["jobs", jobs])
        }
        return rows
    }
}
