import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletOutbound
import SwiftletTesting
import Testing

/// `swiftlet serve` with keys that others publish, and change.
@Suite(
    .enabled(if: TestDatabase.url != nil && Python.isInstalled, "install PostgreSQL's server programs and python3"),
    .hangLimit
)
final class KeyRotationTests: Sendable {
    private let folder: String
    private let keys: PythonServer
    private let base: String
    private let one = TestIssuer(.p256, keyID: "one")
    private let two = TestIssuer(.ed25519, keyID: "two")

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        keys = try PythonServer.start("web_server.py")
        base = "http://127.0.0.1:\(keys.port("http"))"
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await request.sent()
    }

    private func publish(_ jwks: String, _ more: String = "", path: String = "/keys") async throws {
        _ = try await send(.post("\(base)/__put?path=\(path)\(more)", Array(jwks.utf8)))
    }

    private func start(_ settings: [String: String]) async throws -> (SwiftletProcess, port: Int) {
        let environment = [
            "DATABASE_URL": try TestDatabase.create(), "HOST": "127.0.0.1", "LOG_FORMAT": "json",
            "LOG_LEVEL": "debug",
        ]
        return try await SwiftletProcess.serveReady(in: folder, environment.merging(settings) { $1 })
    }

    private func ask(_ port: Int, _ token: String, _ path: String = "/tasks") async throws -> Int {
        let headers = [(name: "Authorization", value: "Bearer \(token)")]
        return try await send(.get("http://127.0.0.1:\(port)\(path)", headers: headers)).status
    }

    private func claims(_ issuer: String? = nil) -> JSONValue {
        let now = Int(Date().timeIntervalSince1970)
        var claims: JSONObject = [
            "sub": "u1", "exp": .number(JSONNumber(now + 600)), "app_metadata": ["tenant_id": "t1"],
        ]
        if let issuer {
            claims["iss"] = .string(issuer)
            claims["aud"] = "app"
            claims["org"] = "t1"
        }
        return .object(claims)
    }

    @Test func `knows a new key at its first token, and keeps the old ones while the issuer is down`() async throws {
        try await publish(one.jwks)
        let (process, port) = try await start(["JWT_JWKS": "\(base)/keys"])
        try await process.print(of: #""message":"public keys loaded""#)
        #expect(try await ask(port, one.token(claims())) == 200)
        // Both keys are published while one replaces the other.
        try await publish(#"{"keys":[\#(one.publicKey),\#(two.publicKey)]}"#)
        #expect(try await ask(port, two.token(claims())) == 200)
        #expect(try await ask(port, one.token(claims())) == 200)
        // A minute has not passed: unknown names ask nobody.
        for name in ["three", "../keys", "' OR 1=1 --"] {
            #expect(try await ask(port, TestIssuer(.p256, keyID: name).token(claims())) == 401)
        }
        #expect(try await send(.get("\(base)/__count?path=/keys")).body == Array("1".utf8))
        try await publish("down", "&status=500")
        process.send(SIGHUP)
        try await process.print(of: #""message":"public keys not loaded""#)
        #expect(try await ask(port, two.token(claims())) == 200)
        try await publish(two.jwks)
        process.send(SIGHUP)
        #expect(try await eventually { try await ask(port, one.token(claims())) == 401 })
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    @Test func `signs with a new key after SIGHUP, and takes the old one everywhere while the set has it`() async throws
    {
        let files = (key: "\(folder)/key.json", set: "\(folder)/set.json")
        func write(_ text: String, to file: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) }
        try write(one.privateKey, to: files.key)
        try write(one.jwks, to: files.set)
        let (process, port) = try await start(["JWT_SIGNING_KEY": files.key, "JWT_JWKS": files.set, "JWT_SECRET": ""])
        func post(_ path: String, _ body: JSONValue) async throws -> JSONValue {
            let headers = [(name: "Content-Type", value: "application/json")]
            let answer = try await send(
                .post("http://127.0.0.1:\(port)/auth/v1\(path)", Array(body.description.utf8), headers: headers)
            )
            return try JSONParser.parse(answer.body)
        }
        func names() async throws -> [String] {
            let answer = try await send(.get("http://127.0.0.1:\(port)/auth/v1/.well-known/jwks.json"))
            return try JSONParser.parse(answer.body)["keys"]?.array?.compactMap { $0["kid"]?.string } ?? []
        }
        // A token without a tenant is 400 at a function once it is verified.
        let places = [("/auth/v1/user", 200), ("/rest/v1/", 200), ("/tasks", 400)]
        let account: JSONValue = ["email": "ada@example.org", "password": "correct horse"]
        let old = try #require(try await post("/signup", account)["access_token"]?.string)
        for (path, status) in places { #expect(try await ask(port, old, path) == status, "\(path)") }
        #expect(try await names() == ["one"])

        try write(two.privateKey, to: files.key)
        process.send(SIGHUP)
        try await process.print(of: #""message":"signing key loaded""#)
        let new = try #require(try await post("/token?grant_type=password", account)["access_token"]?.string)
        for token in [new, old] {
            for (path, status) in places { #expect(try await ask(port, token, path) == status, "\(path)") }
        }
        #expect(try await names() == ["two", "one"])

        try write("no key", to: files.key)
        try write(two.jwks, to: files.set)
        process.send(SIGHUP)
        try await process.print(of: #""message":"signing key not reloaded""#)
        for (path, status) in places {
            #expect(try await ask(port, new, path) == status, "\(path)")
            #expect([401, 403].contains(try await ask(port, old, path)), "\(path)")
        }
        #expect(try await names() == ["two"])
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    @Test func `signs links to files and the console's calls with the new key after SIGHUP`() async throws {
        let file = "\(folder)/key.json"
        try Data(one.privateKey.utf8).write(to: URL(fileURLWithPath: file))
        let service = "service-key-of-these-tests"
        let settings = [
            "JWT_SIGNING_KEY": file, "JWT_SECRET": "", "SUPABASE_SERVICE_ROLE_KEY": service, "CONSOLE": "on",
            "DATABASE_URL": try TestDatabase.create(),
        ]
        let (process, port) = try await start(settings)
        func post(
            _ path: String,
            _ body: String,
            _ headers: [(name: String, value: String)]
        ) async throws
            -> HTTPResponse
        {
            let headers = [(name: "Content-Type", value: "application/json")] + headers
            return try await send(.post("http://127.0.0.1:\(port)\(path)", Array(body.utf8), headers: headers))
        }
        let asService = [(name: "Authorization", value: "Bearer \(service)")]
        func link() async throws -> String {
            let answer = try await post("/storage/v1/object/sign/notes/a.json", #"{"expiresIn":600}"#, asService)
            return "/storage/v1" + (try #require(try JSONParser.parse(answer.body)["signedURL"]?.string))
        }
        func status(_ path: String) async throws -> Int {
            try await send(.get("http://127.0.0.1:\(port)\(path)", headers: [])).status
        }
        // The console lists files as the service, with a token that it signs itself.
        let entry = try await SwiftletProcess.run(["console"], in: folder, settings.merging(["PORT": "\(port)"]) { $1 })
        let origin = "http://127.0.0.1:\(port)"
        var page = [(name: "Origin", value: origin), (name: "X-Console", value: "1")]
        let token = try #require(entry.output.firstMatch(of: #/enter=([0-9a-zA-Z_-]+)/#)?.1, "\(entry)")
        let entered = try await post("/console/api/enter", #"{"token":"\#(token)"}"#, page)
        let cookie = try #require(entered.header("set-cookie")?.split(separator: ";").first)
        page.append((name: "Cookie", value: String(cookie)))
        func listed() async throws -> Int {
            try await post("/console/api/files/list", #"{"bucket":"notes"}"#, page).status
        }

        #expect(try await post("/storage/v1/bucket", #"{"name":"notes","id":"notes"}"#, asService).status == 200)
        #expect(try await post("/storage/v1/object/notes/a.json", "{}", asService).status == 200)
        let old = try await link()
        #expect(try await status(old) == 200)
        #expect(try await listed() == 200)

        try Data(two.privateKey.utf8).write(to: URL(fileURLWithPath: file))
        process.send(SIGHUP)
        try await process.print(of: #""message":"signing key loaded""#)
        // Whoever has the former key can sign nothing, as after a restart.
        #expect(try await status(old) == 400)
        #expect(try await status(try await link()) == 200)
        #expect(try await listed() == 200)
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    @Test func `does not let a slow issuer hold up others, nor a token for longer than two seconds`() async throws {
        try await publish(one.jwks)
        let (process, port) = try await start(["JWT_JWKS": "\(base)/keys", "WORKERS": "1"])
        try await process.print(of: #""message":"public keys loaded""#)
        try await publish(two.jwks, "&delay=5")
        let stopwatch = Stopwatch()
        async let slow = ask(port, two.token(claims()))
        try await Task.sleep(for: .milliseconds(300))
        for _ in 0..<5 { #expect(try await ask(port, one.token(claims())) == 200) }
        #expect(stopwatch.elapsed < .seconds(1.5))
        #expect(try await slow == 401)
        #expect(stopwatch.wallTime > .seconds(1.5))
        #expect(stopwatch.elapsed < .seconds(4))
        process.send(SIGTERM)
        _ = try await process.end()
    }

    @Test func `takes the tokens of other issuers, by their own keys`() async throws {
        let issuer = "\(base)/issuer"
        try await publish(
            #"{"issuer":"\#(issuer)","jwks_uri":"\#(base)/theirs"}"#,
            path: "/issuer/.well-known/openid-configuration"
        )
        try await publish(two.jwks, path: "/theirs")
        try Data(one.jwks.utf8).write(to: URL(fileURLWithPath: "\(folder)/corp.json"))
        let issuers = """
            [{"issuer":"\(issuer)","audience":"app","claims":{"tenant":"org"}},
             {"issuer":"corp","audience":"app","jwks":"corp.json","claims":{"tenant":"org"}}]
            """
        let settings = ["JWT_ISSUERS": issuers, "JWT_SECRET": TestApplication.secret]
        let (process, port) = try await start(settings)
        #expect(try await eventually { try await ask(port, two.token(claims(issuer))) == 200 })
        #expect(try await ask(port, one.token(claims("corp"))) == 200)
        #expect(try await ask(port, one.token(claims(issuer))) == 401)
        #expect(try await ask(port, two.token(claims("corp"))) == 401)
        #expect(try await ask(port, two.token(claims())) == 401)
        #expect(try await ask(port, TestApplication.token(tenant: "t1", user: "u1")) == 200)
        process.send(SIGTERM)
        _ = try await process.end()
        let complete = settings.merging(["DATABASE_URL": try TestDatabase.create()]) { $1 }
        let doctor = try await SwiftletProcess.run(["doctor"], in: folder, complete)
        #expect(doctor.output.contains("ok     public keys: JWT_ISSUERS \(issuer): 1 usable, 0 ignored"))
        #expect(doctor.output.contains("ok     public keys: JWT_ISSUERS corp: 1 usable, 0 ignored"))
        try await publish("gone", "&status=404", path: "/theirs")
        let sick = try await SwiftletProcess.run(["doctor"], in: folder, complete)
        #expect(sick.output.contains("FAULT  public keys: JWT_ISSUERS \(issuer): \(base)/theirs answers 404"))
        #expect(sick.status == 1)
    }

    @Test func `refuses to start without a file of keys`() async throws {
        let issuers = #"[{"issuer":"corp","audience":"app","jwks":"missing.json"}]"#
        let settings = ["JWT_ISSUERS": issuers, "DATABASE_URL": "postgresql://127.0.0.1:1/x"]
        let result = try await SwiftletProcess.run(["serve"], in: folder, settings)
        #expect(result.status == 78)
        #expect(result.errors == "swiftlet: JWT_ISSUERS corp: missing.json cannot be read\n")
    }
}
