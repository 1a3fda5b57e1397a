import Foundation
import SwiftletBytes
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletServer

/// The program from outside: what it prints, how it ends.
@Suite(.hangLimit) final class CommandTests {
    private let folder: String

    init() throws { folder = try SwiftletProcess.makeFolder() }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    @Test func `serve tells every fault in a line of its own and ends with 78`() async throws {
        try Data("JWT_SECRET=hunter2\nPORT=http\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/.env"))
        let result = try await SwiftletProcess.run(["serve"], in: folder, ["LOG_LEVEL": "loud"])
        #expect(result.status == 78)
        #expect(result.output == "")
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 4)
        for (line, name) in zip(lines, ["DATABASE_URL", "JWT_SECRET", "PORT", "LOG_LEVEL"]) {
            #expect(line.hasPrefix("swiftlet: \(name) "))
        }
        #expect(!result.errors.contains("hunter2"))
    }

    @Test(arguments: [
        (["serve", "--port", "x"], "--port"), (["serve", "--port", "65536"], "--port"),
        (["dev", "--port", "70000"], "--port"), (["healthcheck", "--port", "99999"], "0 to 65535"),
        (["token", "--tenant", "a"], "--user"), (["dev", "--rest"], "--rest"),
        (
            ["token", "--tenant", "a", "--user", "b", "--role-level", "9"],
            "for '--role-level <role-level>': it must be from 1 to 8"
        ),
        (["token", "--tenant", "a", "--user", "b", "--expires-in", "0"], "--expires-in must be"),
        (["token", "--role", "anon", "--user", "b"], "--role anon is nobody"),
        (["users", "add", "nobody"], "'nobody' is invalid for '<account>': it is no e-mail address"),
        (["users", "disable", "nobody"], "it is no e-mail address"), (["token", "--tenant", ""], "--tenant"),
        (["users", "add", "a@b.example", "--tenant", "\u{7F}"], "255 bytes"),
        (["users", "add", "a@b.example", "--role-level", "9"], "it must be from 1 to 8"),
        (["users", "add", "a@b.example", "--password", "hunter2"], "--password"),
        (["migrate", "sideways"], "sideways"), (["frobnicate"], "frobnicate"),
    ])
    func `names the flag that it does not understand`(arguments: [String], mention: String) async throws {
        let result = try await SwiftletProcess.run(arguments, in: folder)
        #expect(result.status == 64)
        #expect(result.errors.contains(mention))
    }

    @Test(arguments: [
        "dev", "serve", "migrate", "migrate up", "migrate status", "migrate new", "token", "keys", "keys make",
        "functions",
        "keys rotate", "keys status", "users show", "users merge",
        "doctor", "users", "users add", "users list", "users set-password", "users disable", "users enable",
        "users sign-out",
        "healthcheck", "generate", "generate swift", "generate typescript", "generate openapi", "new", "new function",
    ])
    func `explains every command with an example`(command: String) async throws {
        let words = command.split(separator: " ").map(String.init)
        let result = try await SwiftletProcess.run(words + ["--help"], in: folder)
        #expect(result.status == 0)
        #expect(result.output.contains("Example"))
        #expect(result.output.contains("swiftlet \(words[0])"))
        // At 80 columns, so that they can be pasted; a broken line goes on without indentation.
        let examples = try #require(result.output.firstMatch(of: /Examples?:\n((?:.|\n)*?)\n\n/)).1
        #expect(examples.split(separator: "\n").allSatisfy { $0.hasPrefix("  ") })
    }

    @Test func `prints keys that its own configuration accepts, new ones each time`() async throws {
        let first = try await SwiftletProcess.run(["keys"], in: folder).output
        #expect(try await SwiftletProcess.run(["keys"], in: folder).output != first)
        let file = try EnvironmentFile(first)
        #expect(file.values.keys.sorted() == ["JWT_SECRET", "SUPABASE_ANON_KEY", "SUPABASE_SERVICE_ROLE_KEY"])
        let environment = Environment(process: ["DATABASE_URL": "postgresql:///x"], file: file)
        #expect(throws: Never.self) { try Configuration(environment, mode: .serve) }
    }

    @Test(.needsDatabase, arguments: [false, true])
    func `serve ends where the database's server refuses it, and says the remedy`(migrates: Bool) async throws {
        let url = try TestDatabase.create()
        let secret = ["JWT_SECRET": TestApplication.secret, "PORT": "0"]
        let arguments = ["serve"] + (migrates ? ["--migrate"] : [])
        for (parameter, remedy) in [("dbname=nowhere", "createdb"), ("user=nobody_here", "pg_hba.conf")] {
            let other = url + (url.contains("?") ? "&" : "?") + parameter
            let settings = secret.merging(["DATABASE_URL": other]) { $1 }
            let result = try await SwiftletProcess.run(arguments, in: folder, settings)
            #expect(result.status == 78, "\(result)")
            #expect(result.errors.contains("swiftlet: DATABASE_URL ("), "\(result.errors)")
            #expect(result.errors.contains(remedy), "\(result.errors)")
        }
    }

    @Test func `does not succeed where its output is lost`() async throws {
        let shell = Process()
        let errors = Pipe()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", #"exec "$0" keys > /dev/full"#, SwiftletProcess.program.path]
        shell.currentDirectoryURL = URL(fileURLWithPath: folder)
        shell.standardError = errors
        try shell.run()
        let text = try await SwiftletServer.blocking {
            shell.waitUntilExit()
            return String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        }
        #expect(shell.terminationStatus == 1)
        #expect(text == "swiftlet: the output could not be written whole\n")
    }

    @Test func `mints no token without a secret, and says how to get one`() async throws {
        let result = try await SwiftletProcess.run(["token", "--tenant", "a", "--user", "b"], in: folder)
        #expect(result.status == 78)
        #expect(result.errors.contains("swiftlet keys"))
    }

    @Test(.needsDatabase) func `mints tokens of every role, and says that a tenant is unknown`() async throws {
        let settings = ["JWT_SECRET": TestApplication.secret, "DATABASE_URL": try TestDatabase.create()]
        func claims(_ arguments: [String]) async throws -> (JSONValue, String) {
            let result = try await SwiftletProcess.run(["token"] + arguments, in: folder, settings)
            let part = try #require(result.output.split(separator: ".").dropFirst().first)
            return (try JSONParser.parse(try #require(Base64URL.decode(String(part)))), result.errors)
        }
        let (service, _) = try await claims(["--role", "service_role", "--expires-in", "60"])
        #expect(service["role"] == "service_role" && service["sub"] == nil)
        let (person, notes) = try await claims(["--user", "ada", "--role", "editor"])
        #expect(person["role"] == "editor" && person["sub"] == "ada" && person["app_metadata"]?["tenant_id"] == nil)
        #expect(notes.isEmpty)
        let (_, warning) = try await claims(["--user", "ada", "--tenant", "nowhere"])
        #expect(warning.contains("no tenant nowhere"))
    }

    @Test func `healthcheck fails where nobody listens`() async throws {
        let result = try await SwiftletProcess.run(["healthcheck", "--port", "1"], in: folder)
        #expect(result.status == 1)
        #expect(result.errors.contains("http://127.0.0.1:1/health"))
    }
}
