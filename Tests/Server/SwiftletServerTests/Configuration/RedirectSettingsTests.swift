import SwiftletEventLoop
import SwiftletOutbound
import SwiftletTesting
import Testing

@testable import SwiftletServer
@testable import SwiftletSignIn

@Suite struct RedirectSettingsTests {
    private func read(_ settings: [String: String]) throws -> RedirectSettings {
        let complete = [
            "DATABASE_URL": "postgresql://app:pw@db.example:5432/app",
            "JWT_SECRET": "0123456789abcdef0123456789abcdef",
        ]
        return try Configuration(
            Environment(complete.merging(settings) { $1 }),
            mode: .serve,
            machine: Machine(cores: 8, isTerminal: false)
        ).redirects
    }

    private func names(_ settings: RedirectSettings) throws -> [String] {
        let group = try EventLoopGroup.start(count: 1)
        defer { group.stop() }
        return settings.providers(HTTPEngine(group.loops)).map(\.name)
    }

    @Test func `knows the providers that are enabled, and issuers of one's own`() throws {
        #expect(try read([:]).isEmpty)
        var all = ["EXTERNAL_CUSTOM": "work", "EXTERNAL_CUSTOM_WORK_URL": "https://id.example"]
        for name in ["APPLE", "AZURE", "GITHUB", "GOOGLE", "KEYCLOAK", "CUSTOM_WORK"] {
            if name != "CUSTOM_WORK" { all["EXTERNAL_\(name)_ENABLED"] = "true" }
            all["EXTERNAL_\(name)_CLIENT_ID"] = "app,com.example.app"
            all["EXTERNAL_\(name)_SECRET"] = "secret"
        }
        all["EXTERNAL_KEYCLOAK_URL"] = "https://keys.example/realms/one"
        #expect(try names(read(all)) == ["apple", "azure", "github", "google", "keycloak", "custom:work"])
    }

    @Test(arguments: [
        (["EXTERNAL_GOOGLE_ENABLED": "true", "EXTERNAL_GOOGLE_SECRET": "x"], "EXTERNAL_GOOGLE_CLIENT_ID"),
        (["EXTERNAL_GOOGLE_ENABLED": "true", "EXTERNAL_GOOGLE_CLIENT_ID": "x"], "EXTERNAL_GOOGLE_SECRET"),
        (
            [
                "EXTERNAL_KEYCLOAK_ENABLED": "true", "EXTERNAL_KEYCLOAK_CLIENT_ID": "x",
                "EXTERNAL_KEYCLOAK_SECRET": "x",
            ], "EXTERNAL_KEYCLOAK_URL"
        ),
        (
            [
                "EXTERNAL_KEYCLOAK_ENABLED": "true", "EXTERNAL_KEYCLOAK_CLIENT_ID": "x",
                "EXTERNAL_KEYCLOAK_SECRET": "x", "EXTERNAL_KEYCLOAK_URL": "http://id.example",
            ], "EXTERNAL_KEYCLOAK_URL"
        ),
        (["EXTERNAL_CUSTOM": "My Own"], "EXTERNAL_CUSTOM"), (["EXTERNAL_GITHUB_ENABLED": "maybe"], "EXTERNAL_GITHUB"),
    ])
    func `names the setting at fault`(settings: [String: String], name: String) throws {
        let error = try #require(throws: ConfigurationError.self) { _ = try read(settings) }
        #expect(error.faults.allSatisfy { $0.hasPrefix(name) }, "\(error.faults)")
    }
}
