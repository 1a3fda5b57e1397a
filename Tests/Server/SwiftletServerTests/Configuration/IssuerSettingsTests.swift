import SwiftletAuth
import Foundation
import SwiftletSignIn
import Testing

@testable import SwiftletServer

@Suite struct IssuerSettingsTests {
    private func read(_ text: String) throws(ConfigurationError) -> [IssuerSettings] {
        let settings = [
            "DATABASE_URL": "postgresql://app@db/app", "JWT_SECRET": "0123456789abcdef0123456789abcdef",
            "JWT_ISSUERS": text,
        ]
        return try Configuration(Environment(settings), mode: .serve).tokens.issuers
    }

    @Test func `takes the least there is, and all there is`() throws {
        let list = try read(
            """
            [{"issuer":"https://securetoken.google.com/p1","audience":"p1"},
             {"issuer":"corp","audience":["a","b"],"jwks":"/etc/keys.json","name":"corp-1","claims":{"tenant":"org.id",
              "role_level":["https://corp.example/level"],"role":"https://corp.example/role"}},
             {"issuer":"http://127.0.0.1:9/x","audience":"y","jwks":"https://id.example/keys","claims":null,"name":null}]
            """
        )
        #expect(list.count == 3)
        #expect(list[0].keys == .discovery(issuer: "https://securetoken.google.com/p1"))
        #expect(list[0].name == "https://securetoken.google.com/p1")
        #expect(list[0].trusted == TrustedIssuer(issuer: "https://securetoken.google.com/p1", audiences: ["p1"]))
        #expect(list[1].keys == .file("/etc/keys.json"))
        #expect(list[1].name == "corp-1")
        #expect(list[1].trusted.audiences == ["a", "b"])
        #expect(list[1].trusted.tenant?.names == ["org", "id"])
        #expect(list[1].trusted.roleLevel?.names == ["https://corp.example/level"])
        #expect(list[1].trusted.role?.names == ["https://corp.example/role"])
        #expect(list[2].keys == .url("https://id.example/keys"))
    }

    @Test func `takes one object for a list of one, and a file`() throws {
        let text = #" {"issuer":"https://id.example","audience":"a"}"#
        let path = "/tmp/swiftlet-issuers-\(UUID().uuidString.prefix(8)).json"
        try Data("[\(text)]".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try read(text) == read(path))
        #expect(try read("[]").isEmpty)
    }

    @Test(arguments: [
        ("/nowhere/issuers.json", "JWT_ISSUERS must be a JSON list, or a file with one that can be read"),
        ("[", "JWT_ISSUERS must be a JSON list of up to 50 objects"),
        ("[1]", "JWT_ISSUERS entry 1: must be an object with issuer, audience, jwks, name, claims"),
        ("[{}]", "JWT_ISSUERS entry 1: issuer must be the exact text of the claim iss, such as https://id.example.com"),
        (
            #"[{"issuer":"https://a","audience":"x"},{"issuer":"https://b"}]"#,
            "JWT_ISSUERS entry 2 (https://b): audience must be a text or a list of texts, of which a token names one in aud"
        ),
        (
            #"[{"issuer":"https://a","audience":[]}]"#,
            "JWT_ISSUERS entry 1 (https://a): audience must be a text or a list of texts, of which a token names one in aud"
        ),
        (
            #"[{"issuer":"https://a","audience":["x",1]}]"#,
            "JWT_ISSUERS entry 1 (https://a): audience must be a text or a list of texts, of which a token names one in aud"
        ),
        (
            #"[{"issuer":"https://a","audiences":"x"}]"#,
            "JWT_ISSUERS entry 1 (https://a): audiences is not known; accepted are issuer, audience, jwks, name, claims"
        ),
        (
            #"[{"issuer":"https://a","audience":"x","claims":{"role_lvl":"x"}}]"#,
            "JWT_ISSUERS entry 1 (https://a): role_lvl is not known; accepted are tenant, role_level, role"
        ),
        (
            #"[{"issuer":"https://a","audience":"x","claims":{"tenant":"a..b"}}]"#,
            "JWT_ISSUERS entry 1 (https://a): claims.tenant must be a path such as access.tenant, or a list of names"
        ),
        (
            #"[{"issuer":"corp","audience":"x"}]"#,
            "JWT_ISSUERS entry 1 (corp): jwks is missing: only an issuer that is an https URL tells by itself where its "
                + "keys are"
        ),
        (
            #"[{"issuer":"corp","audience":"x","jwks":"http://id.example/keys"}]"#,
            "JWT_ISSUERS entry 1 (corp): jwks must be an https URL without a user name, or a file"
        ),
        (
            #"[{"issuer":"https://a","audience":"x"},{"issuer":"https://a","audience":"y"}]"#,
            "JWT_ISSUERS entry 2 (https://a): issuer must occur once only"
        ),
        (
            #"[{"issuer":"https://a","audience":"x","name":"apple"}]"#,
            "JWT_ISSUERS entry 1 (https://a): name must be of lower-case letters, digits, - and _, and none of apple, "
                + "google, email, phone"
        ),
    ])
    func `names the entry at fault and what is accepted`(text: String, fault: String) throws {
        let error = try #require(throws: ConfigurationError.self) { try read(text) }
        #expect(error.faults == [fault])
    }

    @Test func `are enough to serve with`() throws {
        let settings = [
            "DATABASE_URL": "postgresql://app@db/app", "JWT_ISSUERS": #"[{"issuer":"https://a","audience":"x"}]"#,
        ]
        #expect(try Configuration(Environment(settings), mode: .serve).tokens.secret == nil)
    }
}
