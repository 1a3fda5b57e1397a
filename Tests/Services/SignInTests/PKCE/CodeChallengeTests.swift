import SwiftletHTTP
import SwiftletJSON
import Testing

@testable import SwiftletSignIn

@Suite struct CodeChallengeTests {
    private func challenge(_ body: JSONValue) throws -> CodeChallenge? {
        try CodeChallenge(Fields(Request(method: .post, target: "/otp", body: Array(body.description.utf8))))
    }

    private static let long = String(repeating: "a-._~Z09", count: 16)

    @Test(
        arguments: [
            (["code_challenge": .null, "code_challenge_method": .null] as JSONValue, nil),
            ([:], nil),
            (["code_challenge": "", "code_challenge_method": ""], nil),
            (["code_challenge": .string(long), "code_challenge_method": "s256"], .sha256),
            (["code_challenge": .string(long), "code_challenge_method": "S256"], .sha256),
            (["code_challenge": .string(String(long.prefix(43))), "code_challenge_method": "Plain"], .plain),
        ] as [(JSONValue, CodeChallenge.Method?)]
    )
    func `takes both members or neither`(body: JSONValue, method: CodeChallenge.Method?) throws {
        let challenge = try challenge(body)
        #expect(challenge?.method == method)
        if method != nil { #expect(challenge?.text == body["code_challenge"]?.string) }
    }

    @Test(
        arguments: [
            (["code_challenge": .string(long)], "PKCE flow requires code_challenge_method and code_challenge"),
            (["code_challenge_method": "s256"], "PKCE flow requires code_challenge_method and code_challenge"),
            (
                ["code_challenge": .string(long), "code_challenge_method": ""],
                "PKCE flow requires code_challenge_method and code_challenge"
            ),
            (
                ["code_challenge": .string(long), "code_challenge_method": "s512"],
                "code_challenge_method must be s256 or plain"
            ),
            (
                ["code_challenge": .string(String(long.prefix(42))), "code_challenge_method": "s256"],
                "code challenge has to be between 43 and 128 characters"
            ),
            (
                ["code_challenge": .string(long + "a"), "code_challenge_method": "s256"],
                "code challenge has to be between 43 and 128 characters"
            ),
            (
                ["code_challenge": .string(long.dropLast() + "+"), "code_challenge_method": "s256"],
                "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes"
            ),
        ] as [(JSONValue, String)]
    )
    func `refuses`(body: JSONValue, message: String) {
        #expect(throws: SignInError.invalid(message)) { try challenge(body) }
    }

    /// The example of RFC 7636, appendix B.
    @Test func `is made of one verifier`() throws {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let hashed = CodeChallenge(text: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", method: .sha256)
        #expect(try hashed.isMade(of: verifier))
        #expect(try !hashed.isMade(of: hashed.text))
        #expect(try !hashed.isMade(of: verifier + "a"))
        #expect(try !hashed.isMade(of: ""))
        let plain = CodeChallenge(text: verifier, method: .plain)
        #expect(try plain.isMade(of: verifier))
        #expect(try !plain.isMade(of: verifier.lowercased()))
    }
}
