import SwiftletEmbeddedPostgres
import Foundation
import SwiftletJSON
import SwiftletTesting
import Testing

/// `swiftlet dev` as a new user meets it. One long story, as each start takes seconds.
@Suite(.needsDatabase, .hangLimit)
final class DevelopmentTests {
    private let parent: String
    /// Its name needs quotes in a shell.
    private let folder: String
    private let environment = ["MIGRATIONS_DIR": TestDatabase.migrations, "LOG_FORMAT": "json"]

    init() throws {
        parent = try SwiftletProcess.makeFolder()
        folder = "\(parent)/it's (2)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: parent) }

    private func shell(_ line: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }

    private func start() async throws -> (SwiftletProcess, curl: [String]) {
        let process = try SwiftletProcess(["dev", "--port", "0"], in: folder, environment)
        try await process.print(of: "Ctrl-C stops both.")
        let lines = process.text.split(separator: "\n").filter { $0.hasPrefix("  curl ") }.map(String.init)
        try #require(lines.count == 4)
        return (process, lines)
    }

    @Test func `says which folder it cannot make`() async throws {
        #expect(FileManager.default.createFile(atPath: "\(folder)/.swiftlet", contents: nil))
        let refused = try await SwiftletProcess.run(["dev", "--port", "0"], in: folder, environment)
        #expect(refused.status == 78)
        #expect(refused.errors.contains("\(folder)/.swiftlet cannot be created"))
        #expect(!refused.errors.contains("NSCocoaErrorDomain"))
    }

    @Test func `serves the platform in an empty folder, and its commands know`() async throws {
        let process = try SwiftletProcess(["dev", "--port", "0"], in: folder, [:])
        try await process.print(of: "Ctrl-C stops both.")
        for part in ["/docs\n", "Anon key: ey", "Service key: ey", "The platform alone is served", "swiftlet new "] {
            #expect(process.text.contains(part), "\(part) is not in \(process.text)")
        }
        for command in [["doctor"], ["migrate", "status"], ["users", "list"], ["db", "diff"]] {
            let result = try await SwiftletProcess.run(command, in: folder)
            #expect(result.status == 0, "\(command): \(result.output)\(result.errors)")
        }
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    private func total(_ answer: String) throws -> Int {
        try #require(JSONParser.parse(Array(answer.utf8))["total"]?.int)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "install curl"))
    func `serves pasted lines, keeps data over a restart, starts afresh when told, and stops with its database`()
        async throws
    {
        var (process, curl) = try await start()
        #expect(try shell(curl[0]).contains(#""status":"healthy""#))
        let before = try total(shell(curl[1]))
        #expect(before > 50)
        #expect(try shell(curl[2]).contains("My first task"))
        #expect(try total(shell(curl[1])) == before + 1)
        let session = try JSONParser.parse(Array(shell(curl[3]).utf8))
        #expect(session["user"]?["email"]?.string == "ada@acme.example")
        let own = try #require(session["access_token"]?.string)
        let address = try #require(curl[0].split(separator: " ").last).replacing("/health", with: "")
        #expect(try total(shell("curl -s -H 'Authorization: Bearer \(own)' '\(address)/tasks?my=true'")) > 10)

        let status = try await SwiftletProcess.run(["migrate", "status"], in: folder, environment)
        #expect(status.status == 0)
        #expect(status.output.contains("0001_claims_and_roles"))
        #expect(!status.output.contains("pending"))
        let doctor = try await SwiftletProcess.run(["doctor"], in: folder, environment)
        #expect(doctor.status == 0)
        #expect(!doctor.output.contains("FAULT"))
        let routes = try await SwiftletProcess.run(["functions"], in: folder, environment)
        #expect(
            routes.output.contains("/tasks/:id/comments") && routes.output.contains("Missing in the database: nothing")
        )
        let token = try await SwiftletProcess.run(["token", "--tenant", "nordlicht", "--user", "u"], in: folder)
        let url = try #require(curl[0].split(separator: " ").last).replacing("/health", with: "")
        let word = token.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try total(shell("curl -s -H 'Authorization: Bearer \(word)' \(url)/tasks")) == 300)

        let second = try await SwiftletProcess.run(["dev", "--port", "0"], in: folder, environment)
        #expect(second.status == 78)
        #expect(second.errors.contains("Another process"))

        process.send(SIGINT)
        #expect(try await process.end() == 0)
        #expect(PostgresCluster.runningURL(in: "\(folder)/.swiftlet/postgres", database: "swiftlet") == nil)

        (process, curl) = try await start()
        #expect(!process.text.contains("inserted demo data"))
        #expect(try total(shell(curl[1])) == before + 1)
        process.send(SIGKILL)
        _ = try await process.end()
        let folder = "\(folder)/.swiftlet/postgres"
        #expect(try await eventually { PostgresCluster.runningURL(in: folder, database: "swiftlet") == nil })

        process = try SwiftletProcess(["dev", "--reset", "--port", "0"], in: folder, environment)
        try await process.print(of: "Ctrl-C stops both.")
        #expect(process.text.contains("inserted demo data"))
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    @Test func `refuses bad settings before it makes a database, and a reset of somebody else's`() async throws {
        let port = try await SwiftletProcess.run(["dev"], in: folder, environment.merging(["PORT": "99999"]) { $1 })
        #expect(port.status == 78)
        #expect(port.errors.contains("PORT must be"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/.swiftlet"))
        let secret = environment.merging(["SUPABASE_JWT_SECRET": "short"]) { $1 }
        let short = try await SwiftletProcess.run(["dev", "--reset"], in: folder, secret)
        #expect(short.status == 78)
        #expect(short.errors.contains("SUPABASE_JWT_SECRET is shorter"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/.swiftlet"))
        let nowhere = try await SwiftletProcess.run(["dev", "--port", "0"], in: folder, ["MIGRATIONS_DIR": "/nowhere"])
        #expect(nowhere.status == 78)
        #expect(nowhere.errors.contains("/nowhere"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/.swiftlet"))
        let foreign = environment.merging(["DATABASE_URL": "postgresql://db/app"]) { $1 }
        let reset = try await SwiftletProcess.run(["dev", "--reset"], in: folder, foreign)
        #expect(reset.status == 78)
        #expect(reset.errors.contains("--reset"))
    }
}
