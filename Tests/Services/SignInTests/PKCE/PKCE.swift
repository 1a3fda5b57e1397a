import SwiftletBytes
import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// A client with the PKCE flow: what it sends with the request for a mail, and keeps for the exchange.
struct PKCE: Sendable {
    let verifier: String
    let method: CodeChallenge.Method

    init(_ method: CodeChallenge.Method = .sha256) throws {
        let bytes = try RandomBytes.make(count: 48)
        verifier = Base64URL.encode(bytes.span)
        self.method = method
    }

    /// `body` with the challenge.
    func asking(_ body: JSONObject) throws -> JSONValue {
        let digest = try MessageDigest.sha256(Array(verifier.utf8))
        var body = body
        body["code_challenge"] = .string(method == .plain ? verifier : Base64URL.encode(digest.span))
        body["code_challenge_method"] = .string(method.rawValue)
        return .object(body)
    }

    /// Exchanges a code for a session.
    func exchange(_ code: String, at server: SignInServer) async throws -> SignInServer.Answer {
        let body: JSONValue = ["auth_code": .string(code), "code_verifier": .string(verifier)]
        return try await server.auth(.post, "/token?grant_type=pkce", body)
    }
}

extension SignInServer {
    /// Where the link in a mail leads to.
    func follow(
        _ hash: String,
        _ type: String,
        _ redirect: String = "com.example.app://login-callback"
    ) async throws
        -> String
    {
        let link = try await auth(.get, "/verify?token=\(hash)&type=\(type)&redirect_to=\(redirect)")
        #expect(link.status == 303, "\(link.json)")
        return link.response.headers[.location] ?? ""
    }

    /// The code that the link in a mail leads to.
    func code(_ hash: String, _ type: String) async throws -> String {
        let place = try await follow(hash, type)
        let match = place.wholeMatch(of: #/com\.example\.app://login-callback\?code=([0-9a-f\-]{36})/#)
        return String(try #require(match, "\(place)").1)
    }

    /// A confirmed account; its id.
    func addAda() async throws -> String {
        let password = JSONValue.string(Self.password)
        return try await admin(.post, "", ["email": "ada@example.org", "password": password, "email_confirm": true])
            .text("id")
    }
}

extension MailingServer {
    static func startForApp() async throws -> MailingServer {
        try await start(settings)
    }

    func startOtherForApp() async throws -> MailingServer {
        try await startOther(Self.settings)
    }

    /// A change of address is one link here, as all else.
    private static let settings: @Sendable (inout SignInSettings) -> Void = {
        $0.redirectAllowList = ["com.example.app://login-callback"]
        $0.asksBothAddresses = false
    }

    /// Runs `body` a minute later, for the limit of mails, with another server of the same database.
    func aMinuteLater<Value>(_ body: (MailingServer) async throws -> Value) async throws -> Value {
        try await server.emailsAreSent()
        try server.application.execute(
            """
            UPDATE auth.users SET recovery_sent_at = recovery_sent_at - interval '61 seconds',
                confirmation_sent_at = confirmation_sent_at - interval '61 seconds',
                email_change_sent_at = email_change_sent_at - interval '61 seconds'
            """
        )
        let later = try await startOtherForApp()
        let value = try await body(later)
        await later.server.stop()
        return value
    }
}
