import SwiftletAuth
import SwiftletEventLoop
import Foundation
import Logging
import SwiftletRest
import SwiftletWeb
import Testing

@testable import SwiftletServer

@Suite struct ConfigurationTests {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private static let complete = ["DATABASE_URL": "postgresql://app:pw@db.example:5432/app", "JWT_SECRET": secret]
    private static let machine = Machine(cores: 8, isTerminal: false)

    private func read(
        _ settings: [String: String],
        mode: Configuration.Mode = .serve
    ) throws(ConfigurationError) -> Configuration {
        let all = Self.complete.merging(settings) { $1 }
        return try Configuration(Environment(all), mode: mode, machine: Self.machine)
    }

    @Test func `has the documented defaults`() throws {
        let configuration = try read([:])
        #expect(configuration.host == "0.0.0.0")
        #expect(configuration.port == 8000)
        #expect(configuration.workers == 8)
        #expect(configuration.database.connections == nil)
        #expect(configuration.database.isPrepared)
        #expect(configuration.allowedOrigins == [])
        #expect(configuration.log.level == .info)
        #expect(configuration.log.format == .json)
        #expect(configuration.limits.bodyBytes == 1_048_576)
        #expect(configuration.limits.connections == 10000)
        #expect(configuration.limits.request == .seconds(30))
        #expect(configuration.limits.header == .seconds(10))
        #expect(configuration.limits.idle == .seconds(75))
        #expect(configuration.limits.shutdownGrace == .seconds(10))
        #expect(configuration.tls == nil)
        #expect(configuration.poller == .default)
        #expect(try read([:], mode: .development).host == "127.0.0.1")
    }

    /// A check that an operator believes in must not vanish.
    @Test(arguments: ["PGRST_JWT_ROLE_CLAIM_KEY", "PGRST_DB_URI"])
    func `a setting of PostgREST that is not honored is refused by its name`(name: String) throws {
        #expect { try read([name: "x"]) } throws: { "\($0)".contains(name) }
        #expect(try read(["PGRST_DB_SCHEMAS": "api, Two Words,v1"]).rest?.schemas == ["api", "Two Words", "v1"])
        #expect(try read(["PGRST_JWT_AUD": "app"]).rest?.audience == "app")
        let settings = try read(["PGRST_APP_SETTINGS_APP_HOST": "a.example"]).rest?.transactionSettings
        #expect(settings?.map(\.name) == ["app.settings.app_host"])
    }

    @Test func `asks for exp in tokens where it is told to`() throws {
        #expect(try !read([:]).tokens.requiresExpiry)
        #expect(try read(["JWT_REQUIRE_EXP": "on"]).tokens.requiresExpiry)
    }

    @Test(arguments: [
        ("postgresql:///x", 4), ("postgresql:///x?host=%2Ftmp", 4), ("postgresql://localhost/x", 4),
        ("postgresql://127.0.0.1/x", 4), ("postgresql://[::1]/x", 4), ("host=/run/postgresql dbname=x", 4),
        ("postgresql://db/x", 8), ("postgresql://localhost,db/x", 8), ("postgresql://10.0.0.1/x", 8),
    ])
    func `halves the workers when the database is on this host`(url: String, workers: Int) throws {
        #expect(try read(["DATABASE_URL": url]).workers == workers)
        #expect(try read(["DATABASE_URL": url, "WORKERS": "3"]).workers == 3)
    }

    @Test(arguments: [
        ("PORT", "0"), ("PORT", "65535"), ("WORKERS", "1"), ("DATABASE_CONNECTIONS", "12"),
        ("DATABASE_PREPARED", "off"),
        ("ALLOWED_ORIGINS", "https://a.example, http://localhost:5173"), ("ALLOWED_ORIGINS", "*"),
        ("ALLOWED_ORIGINS", "capacitor://localhost,"), ("LOG_LEVEL", "WARNING"), ("LOG_FORMAT", "text"),
        ("REQUEST_TIMEOUT", "30"), ("REQUEST_TIMEOUT", "500ms"), ("IDLE_TIMEOUT", "2m"), ("SHUTDOWN_GRACE", "1s"),
        ("MAX_BODY_BYTES", "0"), ("JWT_JWKS", "https://id.example/keys"), ("JWT_JWKS", "/etc/keys.json"),
        ("DATABASE_URL", "postgres://u:p%40ss@one:5432,two:5433/db?target_session_attrs=read-write"),
        ("DATABASE_URL", "host=db dbname=app password=p@ss@"),
        ("DATABASE_URL", "postgresql://u@/x?host=@abstract"), ("SWIFTLET_POLLER", "dispatch"),
        ("JWT_JWKS", "http://127.0.0.1:8080/keys"), ("JWT_JWKS", "http://localhost/keys"),
        ("JWT_JWKS", "http://127.0.0.53/keys"), ("JWT_JWKS", "http://[::1]:8080/keys"),
    ])
    func `accepts`(name: String, value: String) throws {
        #expect(throws: Never.self) { try read([name: value]) }
    }

    @Test(arguments: [
        ("PORT", "65536"), ("PORT", "-1"), ("PORT", "80a"), ("PORT", " 80"), ("WORKERS", "0"), ("WORKERS", "many"),
        ("DATABASE_CONNECTIONS", "1"), ("DATABASE_PREPARED", "maybe"), ("ALLOWED_ORIGINS", "app.example"),
        ("ALLOWED_ORIGINS", "https://a.example/"), ("ALLOWED_ORIGINS", "https://a.example/path"),
        ("ALLOWED_ORIGINS", "https://*.a.example"),
        ("LOG_LEVEL", "loud"), ("LOG_FORMAT", "xml"), ("REQUEST_TIMEOUT", "0"), ("REQUEST_TIMEOUT", "-1"),
        ("REQUEST_TIMEOUT", "1h"), ("REQUEST_TIMEOUT", "61m"), ("REQUEST_TIMEOUT", "1.5"),
        ("REQUEST_TIMEOUT", "99999999999999999999"), ("MAX_BODY_BYTES", "1MB"), ("MAX_CONNECTIONS", "0"),
        ("JWT_JWKS", "http://id.example/keys"), ("JWT_JWKS", "http://localhost.example/keys"),
        ("JWT_JWKS", "https://"), ("JWT_JWKS", "https:///keys"), ("JWT_JWKS", "https://:443/keys"),
        ("JWT_JWKS", "https://me:hunter2@id.example/keys"), ("JWT_JWKS", "https://id.example:port/keys"),
        ("JWT_SECRET", "hunter2-too-short"), ("SUPABASE_SERVICE_ROLE_KEY", "hunter2-too-short"),
        ("DATABASE_URL", "hunter2"), ("DATABASE_URL", "mysql://u:hunter2@db/x"),
        ("DATABASE_URL", "postgresql://u:hunter2@db:port:x/"), ("DATABASE_URL", "postgresql://u:p@hunter2@db/x"),
        ("DATABASE_URL", "postgresql://u:p@hunter/hunter2@db:5432/x"),
        ("DATABASE_URL", "postgresql://u:p?a@hunter2@db:5432/x"),
        ("DATABASE_URL", "hunter2=1"), ("DATABASE_URL", "postgresql://u:hunter2@db/x?pgbouncer=true"),
        ("SWIFTLET_POLLER", "kqueue"),
    ])
    func `refuses and names`(name: String, value: String) throws {
        let error = try #require(throws: ConfigurationError.self) { try read([name: value]) }
        #expect(error.faults.count == 1)
        #expect(error.description.hasPrefix(name))
        #expect(!error.description.contains("hunter2"))
    }

    @Test(arguments: [("2", 1), ("3", 1), ("7", 3), ("16", 8), ("100", 8)])
    func `opens no more connections than it may`(connections: String, workers: Int) throws {
        #expect(try read(["DATABASE_CONNECTIONS": connections]).workers == workers)
        let error = try #require(throws: ConfigurationError.self) {
            try read(["DATABASE_CONNECTIONS": connections, "WORKERS": "51"])
        }
        #expect(error.faults.count == 1)
        #expect(error.description.hasPrefix("DATABASE_CONNECTIONS "))
        #expect(error.description.contains("102"))
    }

    @Test(arguments: ["\n", "\r\n", "\n\n"])
    func `cuts off the line end that a secret from a file has`(end: String) throws {
        let configuration = try read([
            "JWT_SECRET": Self.secret + end, "DATABASE_URL": "postgresql://db/app" + end, "PORT": "80" + end,
            "LOG_LEVEL": end,
        ])
        #expect(configuration.tokens.secret == Secret(Self.secret))
        #expect(configuration.database.url == "postgresql://db/app")
        #expect(configuration.port == 80)
    }

    @Test(arguments: ["a\r\nx-amz-acl: public-read", "a\nb", "a\rb", "a\u{0}b", "a\u{7F}b"])
    func `refuses a line end inside a value`(value: String) throws {
        let bucket = ["S3_BUCKET": "files", "S3_SECRET_KEY": "x", "S3_ACCESS_KEY": value]
        let error = try #require(throws: ConfigurationError.self) { try read(bucket) }
        #expect(error.faults.count == 1)
        #expect(error.description.hasPrefix("S3_ACCESS_KEY has a line end"))
        #expect(try read(["ALLOWED_ORIGINS": "https://a.example\nhttps://b.example"]).allowedOrigins.count == 2)
    }

    @Test(arguments: [
        ("sslmode=no-verify", "sslmode must be one of"), ("sslrootcert=/nowhere.pem", "sslrootcert must be a file"),
        ("target_session_attrs=master", "target_session_attrs must be one of"),
    ])
    func `refuses what libpq would refuse at each attempt to connect`(parameter: String, fault: String) throws {
        let error = try #require(throws: ConfigurationError.self) {
            try read(["DATABASE_URL": "postgresql://db/app?\(parameter)"])
        }
        #expect(error.description.hasPrefix("DATABASE_URL: \(fault)"))
        #expect(throws: Never.self) { try read(["DATABASE_URL": "postgresql://db/app?sslmode=verify-full"]) }
    }

    @Test func `says what the file has twice, and what nobody reads`() throws {
        let text = "JWT_SECRET=\(Self.secret)\nPORTT=80\nPORT=81\nPORT=82\nPOSTGRES_PASSWORD=x\nAPPS=none\n"
        let environment = Environment(process: ["DATABASE_URL": "postgresql://db/app"], file: try EnvironmentFile(text))
        let notices = try Configuration(environment, mode: .serve).notices
        try #require(notices.count == 2, "\(notices)")
        #expect(notices[0].hasPrefix(".env has PORT twice"))
        #expect(notices[1].hasPrefix(".env has PORTT, which nothing reads: misspelt (perhaps PORT?)"))
    }

    @Test func `tells all faults at once, one line each`() throws {
        let error = try #require(throws: ConfigurationError.self) {
            try Configuration(
                Environment(["PORT": "x", "TLS_CERT_FILE": "a.pem", "LOG_LEVEL": "y"]),
                mode: .serve,
                machine: Self.machine
            )
        }
        let names = error.faults.map { $0.prefix { $0.isUppercase || $0 == "_" } }
        #expect(names == ["DATABASE_URL", "JWT_SECRET", "PORT", "LOG_LEVEL", "TLS_CERT_FILE"])
        #expect(error.faults.allSatisfy { !$0.contains("\n") })
    }

    @Test func `refuses unknown pages, and one port for two servers`() throws {
        #expect(try refusal(["PUBLIC_PAGES": "health"]).description.hasPrefix("PUBLIC_PAGES must be"))
        #expect(try refusal(["METRICS_PORT": "8000"]).description.hasPrefix("METRICS_PORT is the same as PORT"))
        #expect(try read(["PUBLIC_PAGES": "functions"]).pages.shown == [.functionNames])
        #expect(try read(["METRICS_PORT": "9000"]).pages.shown == [.functionNames])
    }

    private func refusal(_ settings: [String: String]) throws -> ConfigurationError {
        try #require(throws: ConfigurationError.self) { try read(settings) }
    }

    @Test func `takes the secret's other name, and prefers the first`() throws {
        let other = String(repeating: "o", count: 32)
        let url = "postgresql://db/app"
        func secret(_ settings: [String: String]) throws -> Secret? {
            try Configuration(Environment(settings.merging(["DATABASE_URL": url]) { $1 }), mode: .serve).tokens.secret
        }
        #expect(try secret(["SUPABASE_JWT_SECRET": other]) == Secret(other))
        #expect(try secret(["SUPABASE_JWT_SECRET": other, "JWT_SECRET": Self.secret]) == Secret(Self.secret))
        #expect(try secret(["JWT_SECRET": "", "SUPABASE_JWT_SECRET": other]) == Secret(other))
    }

    @Test func `refuses a service key that is the public one`() throws {
        let error = try #require(throws: ConfigurationError.self) {
            try read(["SUPABASE_ANON_KEY": "hunter2", "SUPABASE_SERVICE_ROLE_KEY": "hunter2"])
        }
        #expect(error.faults.count == 1)
        #expect(error.description.hasPrefix("SUPABASE_SERVICE_ROLE_KEY "))
        #expect(!error.description.contains("hunter2"))
    }

    @Test func `knows an origin as browsers send it`() throws {
        #expect(try read(["ALLOWED_ORIGINS": "HTTPS://App.Example"]).allowedOrigins == ["https://app.example"])
    }

    @Test func `counts an empty value as not set, and lets the environment win over the file`() throws {
        let file = try EnvironmentFile("PORT=1\nHOST=file\nLOG_LEVEL=")
        let environment = Environment(process: ["PORT": "2", "HOST": ""], file: file)
        #expect(environment["PORT"] == "2")
        #expect(environment["HOST"] == "file")
        #expect(environment["LOG_LEVEL"] == nil)
    }

    @Test func `never shows a secret, however it is printed`() throws {
        let configuration = try read([
            "JWT_SECRET": "hunter2-hunter2-hunter2-hunter2-hunter2", "SUPABASE_ANON_KEY": "hunter2",
            "SUPABASE_SERVICE_ROLE_KEY": "hunter2-service-role-key",
            "DATABASE_URL": "postgresql://app:hunter2@db:5432/app?sslpassword=hunter2",
            "CONSOLE_DATABASE_URL": "postgresql://reader:hunter2@db:5432/app",
        ])
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("hunter2"))
        }
        #expect(configuration.database.description == "app@db:5432/app")
    }

    @Test(arguments: [
        ("max 100000\n", nil), ("200000 100000\n", 2), ("50000 100000\n", 1), ("150000 100000\n", 2), ("", nil),
        ("1 0", nil),
    ])
    func `reads a container's share of the cores`(text: String, cores: Int?) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(Machine.containerQuota(file.path) == cores)
    }
}
