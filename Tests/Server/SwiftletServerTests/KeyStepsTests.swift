import Foundation
import SwiftletAuth
import SwiftletJSON
import SwiftletOutbound
import SwiftletTesting
import Testing

@testable import SwiftletServer

/// `swiftlet keys rotate`, with two servers of which one is always a step behind.
@Suite(.needsDatabase, .hangLimit)
final class KeyStepsTests: Sendable {
    private let folder: String
    private let account: JSONValue = ["email": "ada@example.org", "password": "correct horse"]

    init() throws { folder = try SwiftletProcess.makeFolder() }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// A server with files of its own.
    private struct Place {
        let process: SwiftletProcess
        let port: Int
        let key: String
    }

    private func start(_ name: String, _ url: String) async throws -> Place {
        let key = "\(folder)/\(name).json"
        try copy(to: key)
        let environment = [
            "DATABASE_URL": url, "HOST": "127.0.0.1", "LOG_FORMAT": "json", "LOG_LEVEL": "debug",
            "JWT_SIGNING_KEY": key, "BCRYPT_COST": "4", "WORKERS": "1",
        ]
        let (process, port) = try await SwiftletProcess.serveReady(in: folder, environment)
        return Place(process: process, port: port, key: key)
    }

    /// What the operator does with the files after each step.
    private func copy(to key: String) throws {
        let files = FileManager.default
        for end in ["", ".rotation"] {
            try? files.removeItem(atPath: key + end)
            let source = "\(folder)/key.json\(end)"
            if files.fileExists(atPath: source) { try files.copyItem(atPath: source, toPath: key + end) }
        }
    }

    private func reload(_ place: Place, times: Int) async throws {
        try copy(to: place.key)
        place.process.send(SIGHUP)
        try await place.process.print(of: #""message":"signing key loaded""#, times: times)
    }

    private func keys(_ arguments: String...) async throws -> (status: Int32, output: String, errors: String) {
        let settings = ["JWT_SIGNING_KEY": "\(folder)/key.json"]
        return try await SwiftletProcess.run(["keys"] + arguments, in: folder, settings)
    }

    private func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await request.sent()
    }

    private func signIn(_ place: Place, _ path: String = "/token?grant_type=password") async throws -> String {
        let headers = [(name: "Content-Type", value: "application/json")]
        let url = "http://127.0.0.1:\(place.port)/auth/v1\(path)"
        let answer = try await send(.post(url, Array(account.description.utf8), headers: headers))
        return try #require(JSONParser.parse(answer.body)["access_token"]?.string)
    }

    private func ask(_ place: Place, _ token: String) async throws -> Int {
        let headers = [(name: "Authorization", value: "Bearer \(token)")]
        return try await send(.get("http://127.0.0.1:\(place.port)/auth/v1/user", headers: headers)).status
    }

    private func published(_ place: Place) async throws -> Int? {
        let answer = try await send(.get("http://127.0.0.1:\(place.port)/auth/v1/.well-known/jwks.json"))
        return try JSONParser.parse(answer.body)["keys"]?.array?.count
    }

    @Test func `replaces the key of two servers, none of which refuses a token of the other at any step`() async throws
    {
        #expect(try await keys("make", "\(folder)/key.json").status == 0)
        let url = try TestDatabase.create()
        let first = try await start("first", url)
        let second = try await start("second", url)
        let old = try await signIn(first, "/signup")
        var tokens = [old]

        /// Takes a step; both servers take all tokens before, between and after their reloads.
        func take(_ step: String..., reloads: Int, published count: Int) async throws {
            let result = try await SwiftletProcess.run(
                ["keys", "rotate"] + step,
                in: folder,
                ["JWT_SIGNING_KEY": "\(folder)/key.json"]
            )
            try #require(result.status == 0, "\(result.errors)")
            for place in [first, second] {
                try await reload(place, times: reloads)
                tokens += [try await signIn(first), try await signIn(second)]
                for token in tokens {
                    #expect(try await ask(first, token) == 200, "\(step)")
                    #expect(try await ask(second, token) == 200, "\(step)")
                }
            }
            #expect(try await published(second) == count)
        }
        try await take(reloads: 1, published: 2)
        try await take("--switch", reloads: 2, published: 2)
        try await take("--undo", reloads: 3, published: 2)
        try await take("--switch", reloads: 4, published: 2)

        let early = try await keys("rotate", "--retire")
        #expect(early.status == 1)
        #expect(early.errors.contains("seconds (JWT_EXPIRY)"), "\(early.errors)")
        #expect(try await keys("rotate", "--retire", "--now").status == 0)
        let newest = try #require(tokens.last)
        for place in [first, second] {
            try await reload(place, times: 5)
            #expect([401, 403].contains(try await ask(place, old)))
            #expect(try await ask(place, newest) == 200)
            #expect(try await published(place) == 1)
        }
        #expect(try await keys("status").output.contains("is retired"))

        #expect(try await keys("rotate", "--undo").status == 0)
        for place in [first, second] {
            try await reload(place, times: 6)
            #expect(try await ask(place, old) == 200)
            #expect(try await ask(place, newest) == 200)
        }
        for place in [first, second] {
            place.process.send(SIGTERM)
            #expect(try await place.process.end() == 0)
        }
    }

    /// Nothing is accepted by the record of a rotation that is over, or of other keys than the file's.
    private func accepts(_ file: String) throws {
        let files = KeyRotationFiles(key: file)
        var rotation = KeyRotation.prepare(old: try files.key(), new: try PrivateKey.makeJWK(), now: 1)
        try files.write(rotation)
        #expect(try files.acceptedKeys().count == 2)
        try rotation.switchKeys(now: 2)
        try files.write(rotation)
        #expect(try files.acceptedKeys().count == 2)
        try rotation.retire(now: 3, lifetime: nil)
        try files.write(rotation)
        #expect(try files.acceptedKeys().isEmpty)
        try KeyRotationFiles.write(try PrivateKey.makeJWK(), to: file, like: nil)
        #expect(throws: ConfigurationError.self) { try files.acceptedKeys() }
    }

    @Test func `finishes a step that broke off, and refuses steps out of turn`() async throws {
        let file = "\(folder)/key.json"
        #expect(try await keys("rotate").errors.contains("JWT_SIGNING_KEY"))
        #expect(try await keys("make", file).status == 0)
        #expect(try await keys("make", file).status == 1)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let before = try Data(contentsOf: URL(fileURLWithPath: file))
        for step in ["--switch", "--retire", "--undo"] { #expect(try await keys("rotate", step).status == 1) }
        #expect(try await keys("rotate").status == 0)
        // Again is the same.
        let record = try Data(contentsOf: URL(fileURLWithPath: file + ".rotation"))
        #expect(try await keys("rotate").status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file + ".rotation")) == record)
        #expect(try await keys("rotate", "--retire").errors.contains("--switch comes first"))
        #expect(try await keys("rotate", "--switch").status == 0)
        #expect(try await keys("rotate").errors.contains("a rotation goes on"))
        // As if it had ended between its two files.
        try before.write(to: URL(fileURLWithPath: file))
        #expect(try await keys("status").output.contains("repeat the last step"))
        #expect(try await keys("rotate", "--switch").status == 0)
        let after = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(after != before)
        // The new key may have signed: it is not forgotten before its tokens end.
        #expect(try await keys("rotate", "--undo").status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
        // As if that had ended between its two files: the old key comes first, and only then the new one may go.
        try after.write(to: URL(fileURLWithPath: file))
        #expect(try await keys("rotate", "--undo", "--now").status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
        #expect(FileManager.default.fileExists(atPath: file + ".rotation"))
        #expect(try await keys("rotate", "--undo").errors.contains("the new key's tokens may last"))
        #expect(try await keys("rotate", "--undo", "--now").status == 0)
        #expect(!FileManager.default.fileExists(atPath: file + ".rotation"))
        #expect(try await keys("status").output.contains("no rotation goes on"))
        try accepts(file)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: file + ".rotation"))
        #expect(try await keys("status").status == 78)
    }
}
