import SwiftletBytes
import SwiftletAuth
import Foundation
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

/// The official Python client of Supabase Auth against `swiftlet serve`. What it does is in `Tests/Python/sign_in.py`.
@Suite(
    .enabled(
        if: Python.hasPackages && TestDatabase.url != nil,
        "NO PYTHON CLIENT: .ci/setup test could not install supabase-auth, or there is no PostgreSQL"
    ),
    .hangLimit
)
final class OfficialClientTests: Sendable {
    private let folder: String
    private static let issuer = TestIssuer(.p256, keyID: "app")

    init() throws {
        folder = try SwiftletProcess.makeFolder()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func serve(_ settings: [String: String]) async throws -> (SwiftletProcess, port: Int) {
        let url = try TestDatabase.create()
        try BlockingConnection.connect(to: url).execute(
            """
            CREATE TABLE public.vault (id integer PRIMARY KEY);
            INSERT INTO public.vault VALUES (1);
            ALTER TABLE public.vault ENABLE ROW LEVEL SECURITY;
            GRANT SELECT ON public.vault TO authenticated;
            CREATE POLICY second_factor ON public.vault TO authenticated USING (auth.jwt() ->> 'aal' = 'aal2');
            """
        )
        let environment = [
            "DATABASE_URL": url, "HOST": "127.0.0.1", "LOG_FORMAT": "json",
            "JWT_SECRET": TestApplication.secret, "BCRYPT_COST": "4", "REFRESH_TOKEN_REUSE_INTERVAL": "1",
            "ENABLE_ANONYMOUS_USERS": "true",
        ]
        return try await SwiftletProcess.serveReady(in: folder, environment.merging(settings) { $1 })
    }

    private func key(_ role: String) throws -> String {
        let payload = #"{"iss":"supabase","role":"\#(role)","iat":1700000000,"exp":4000000000}"#
        return try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: Array(payload.utf8))
    }

    /// Runs the stories, and fails for each one that does.
    private func run(_ port: Int, _ more: JSONObject) async throws {
        var settings: JSONObject = [
            "url": .string("http://127.0.0.1:\(port)/auth/v1"), "anon": .string(try key("anon")),
            "service": .string(try key("service_role")), "reuse_interval": 1,
        ]
        for (name, value) in more { settings[name] = value }
        let lines = try await Python.run("sign_in.py", [JSONValue.object(settings).description], in: folder)
        #expect(lines.contains { $0.hasPrefix("ok ") })
        for line in lines where !line.hasPrefix("ok ") { Issue.record("\(line)") }
    }

    @Test(arguments: ["HS256", "ES256"])
    func `signs up, in and out, refreshes, updates, administers, and sees the right exceptions`(
        algorithm: String
    ) async throws {
        try Data(Self.issuer.jwks.utf8).write(to: URL(fileURLWithPath: "\(folder)/keys.json"))
        let issuers = #"[{"issuer":"https://id.example","audience":"app","jwks":"keys.json","name":"example"}]"#
        let signingKey = algorithm == "ES256" ? TestIssuer(.p256, keyID: "ours").privateKey : ""
        let (process, port) = try await serve(["JWT_ISSUERS": issuers, "JWT_SIGNING_KEY": signingKey])
        // The hash that an app puts into its request to the provider; the nonce itself comes to us.
        let nonce = Hexadecimal.encode(try MessageDigest.sha256(Array("once".utf8)))
        let claims: JSONValue = [
            "iss": "https://id.example", "aud": "app", "sub": "subject-1", "exp": 4_000_000_000,
            "nonce": .string(nonce), "email": "by-token@example.com", "email_verified": true,
        ]
        let idToken: JSONValue = [
            "provider": "example", "token": .string(try Self.issuer.token(claims)), "nonce": "once",
            "subject": "subject-1",
        ]
        try await run(port, ["id_token": idToken, "algorithm": .string(algorithm)])
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
        for secret in [TestApplication.secret, "correct horse", "another horse"] {
            #expect(!process.text.contains(secret))
            #expect(!process.errorText.contains(secret))
        }
    }

    @Test func `signs in by texts, which a service sends`() async throws {
        let receiver = try PythonServer.start("web_server.py")
        let texts = "http://127.0.0.1:\(receiver.port("http"))"
        let settings = [
            "SMS_WEBHOOK_URL": "https://localhost:\(receiver.port("https"))/sms",
            "SMS_WEBHOOK_SECRET": "whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cyBvbmx5",
            "MFA_PHONE_ENROLL_ENABLED": "on",
            "OUTBOUND_CA_FILE": receiver.certificateFile,
        ]
        let (process, port) = try await serve(settings)
        try await run(port, ["texts": .string(texts)])
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
        #expect(!process.text.contains("c2VjcmV0"))

        // What doctor says of such settings.
        let some = ["DATABASE_URL": "postgresql://127.0.0.1:1/x", "JWT_SECRET": TestApplication.secret]
        let all = settings.merging(some) { $1 }
        let unlimited = try await SwiftletProcess.run(["doctor"], in: folder, all)
        #expect(unlimited.output.contains("note   texts: up to 30 an hour for one address, 300 in all: stran"))
        let limit = ["RATE_LIMIT_SMS_SENT": "10"]
        let limited = try await SwiftletProcess.run(["doctor"], in: folder, all.merging(limit) { $1 })
        #expect(limited.output.contains("ok     texts: up to 10 an hour for one address, 100 in all"))
    }

    @Test func `signs in at a provider over TLS, links and unlinks`() async throws {
        let provider = try PythonServer.start("provider_server.py")
        let address = "https://localhost:\(provider.port("https"))"
        // The provider sends the browser back to the port before the server has one.
        let port = try #require(unassignedPort())
        let (process, _) = try await serve([
            "PORT": "\(port)", "API_EXTERNAL_URL": "http://127.0.0.1:\(port)", "SITE_URL": "http://app.example/welcome",
            "EXTERNAL_KEYCLOAK_ENABLED": "true", "EXTERNAL_KEYCLOAK_URL": address,
            "EXTERNAL_KEYCLOAK_CLIENT_ID": "ours",
            "EXTERNAL_KEYCLOAK_SECRET": "a secret of the tests", "OUTBOUND_CA_FILE": provider.certificateFile,
            "SECURITY_MANUAL_LINKING_ENABLED": "true",
        ])
        try await run(
            port,
            [
                "site": "http://app.example/welcome",
                "provider": ["url": .string(address), "ca": .string(provider.certificateFile)],
            ]
        )
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
        #expect(!process.text.contains("a secret of the tests"))
    }

    @Test func `signs in with passkeys and security keys of a software authenticator`() async throws {
        let (process, port) = try await serve([
            "SITE_URL": "https://app.example/welcome", "PASSKEY_ENABLED": "on", "MFA_WEB_AUTHN_ENROLL_ENABLED": "on",
            "APPLE_APP_IDS": "ABCDE12345.com.example.app",
        ])
        try await run(port, ["origin": "https://app.example"])
        process.send(SIGTERM)
        #expect(try await process.end() == 0)

        // What doctor says of such settings.
        let some = [
            "DATABASE_URL": "postgresql://127.0.0.1:1/x", "JWT_SECRET": TestApplication.secret, "PASSKEY_ENABLED": "on",
            "SITE_URL": "https://app.example",
        ]
        let implied = try await SwiftletProcess.run(["doctor"], in: folder, some)
        #expect(implied.output.contains("note   passkeys: for app.example, the host of SITE_URL"))
        let more = ["WEBAUTHN_RP_ID": "app.example", "APPLE_APP_IDS": "ABCDE12345.com.example.app"]
        let chosen = try await SwiftletProcess.run(["doctor"], in: folder, some.merging(more) { $1 })
        #expect(chosen.output.contains("ok     passkeys: for app.example, used by https://app.example"))
        #expect(chosen.output.contains("note   passkeys: Apple's systems read"))
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/chromedriver"),
            "NO BROWSER: .ci/setup test"
        )
    )
    func `signs in at a provider and with passkeys in a browser`() async throws {
        let provider = try PythonServer.start("provider_server.py")
        let address = "https://localhost:\(provider.port("https"))"
        // Slow: a browser starts. Passkeys are for its page's origin, which is known before the server has a port.
        let port = try #require(unassignedPort())
        let (process, _) = try await serve([
            "PORT": "\(port)", "SITE_URL": "http://localhost:\(port)", "API_EXTERNAL_URL": "http://localhost:\(port)",
            "PASSKEY_ENABLED": "on", "MFA_WEB_AUTHN_ENROLL_ENABLED": "on", "WEBAUTHN_USER_VERIFICATION": "required",
            "EXTERNAL_KEYCLOAK_ENABLED": "true", "EXTERNAL_KEYCLOAK_URL": address,
            "EXTERNAL_KEYCLOAK_CLIENT_ID": "ours", "EXTERNAL_KEYCLOAK_SECRET": "a secret of the tests",
            "OUTBOUND_CA_FILE": provider.certificateFile,
        ])
        try await run(
            port,
            [
                "browser": .string("http://localhost:\(port)"),
                "provider": ["url": .string(address), "ca": .string(provider.certificateFile)],
            ]
        )
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    @Test func `confirms addresses, recovers, and signs in by mail`() async throws {
        let box = "\(folder)/box"
        try FileManager.default.createDirectory(atPath: box, withIntermediateDirectories: true)
        let server = try PythonServer.start("mail_server.py", [box])
        // The links in the mails need the port before the server has one.
        let port = try #require(unassignedPort())
        let settings = [
            "PORT": "\(port)", "SMTP_URL": "smtp://mailer:p%40ss%20word@localhost:\(server.port("starttls"))",
            "SMTP_SECURITY": "starttls", "OUTBOUND_CA_FILE": server.certificateFile,
            "SMTP_ADMIN_EMAIL": "no-reply@example.com", "SITE_URL": "http://app.example/welcome",
            "API_EXTERNAL_URL": "http://127.0.0.1:\(port)",
        ]
        let (process, _) = try await serve(settings)
        try await run(port, ["box": .string(box), "site": "http://app.example/welcome"])
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
        #expect(!process.text.contains("p@ss word"))

        // What doctor says of such settings.
        let some = ["DATABASE_URL": "postgresql://127.0.0.1:1/x", "JWT_SECRET": TestApplication.secret]
        let all = settings.merging(some) { $1 }
        let doctor = try await SwiftletProcess.run(["doctor"], in: folder, all)
        #expect(doctor.output.contains("ok     mail: by localhost:\(server.port("starttls"))"))
        let wrong = all.merging(["SMTP_URL": "smtp://mailer:wrong@localhost:\(server.port("starttls"))"]) { $1 }
        let sick = try await SwiftletProcess.run(["doctor"], in: folder, wrong)
        #expect(sick.output.contains("FAULT  mail: localhost:\(server.port("starttls")): the server refuses our user"))
    }
}
