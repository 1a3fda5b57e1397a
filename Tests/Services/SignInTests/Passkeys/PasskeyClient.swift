import SwiftletHTTP
import SwiftletJSON
import Testing

@testable import SwiftletSignIn

/// An account with a session, and the server's passkeys as clients ask for them.
struct PasskeyClient: Sendable {
    let server: SignInServer
    var token: String
    let userID: String

    init(_ server: SignInServer, _ email: String = "ada@example.org") async throws {
        let session = try await server.signUp(email)
        self.init(server, session)
    }

    init(_ server: SignInServer, _ session: SignInServer.Answer) {
        self.server = server
        token = session.text("access_token")
        userID = session["user"]?["id"]?.string ?? ""
    }

    static func start(_ change: (inout SignInSettings) -> Void = { _ in }) async throws -> SignInServer {
        try await SignInServer.start { settings in
            Self.enable(&settings)
            change(&settings)
        }
    }

    static func enable(_ settings: inout SignInSettings) {
        settings.passkeys.isEnabled = true
        settings.passkeys.canEnrollFactors = true
        settings.passkeys.canVerifyFactors = true
        settings.passkeys.relyingPartyID = "app.example"
        settings.passkeys.relyingPartyName = "App"
        settings.passkeys.origins = ["https://app.example"]
    }

    func registrationOptions() async throws -> SignInServer.Answer {
        try await server.auth(.post, "/passkeys/registration/options", [:], token: token)
    }

    func register(_ challenge: String, _ credential: JSONValue) async throws -> SignInServer.Answer {
        try await server.auth(
            .post,
            "/passkeys/registration/verify",
            ["challenge_id": .string(challenge), "credential": credential],
            token: token
        )
    }

    /// Makes a passkey with the authenticator.
    @discardableResult
    func register(_ authenticator: SoftAuthenticator) async throws -> SignInServer.Answer {
        let options = try await registrationOptions()
        let credential = try authenticator.create(options["options"] ?? .null)
        return try await register(options.text("challenge_id"), credential)
    }

    /// An authenticator that has a passkey of the account.
    func authenticator(_ algorithm: SignatureAlgorithm = .es256) async throws -> SoftAuthenticator {
        var authenticator = try SoftAuthenticator(algorithm)
        authenticator.userHandle = Array(userID.utf8)
        let answer = try await register(authenticator)
        #expect(answer.status == 200, "\(answer.json)")
        return authenticator
    }

    func list() async throws -> [JSONValue] {
        try await server.auth(.get, "/passkeys", token: token).json.array ?? []
    }
}

extension SignInServer {
    func passkeyOptions() async throws -> Answer { try await auth(.post, "/passkeys/authentication/options", [:]) }

    func signInByPasskey(_ challenge: String, _ credential: JSONValue) async throws -> Answer {
        try await auth(
            .post,
            "/passkeys/authentication/verify",
            ["challenge_id": .string(challenge), "credential": credential]
        )
    }

    func signIn(by authenticator: SoftAuthenticator) async throws -> Answer {
        let options = try await passkeyOptions()
        return try await signInByPasskey(
            options.text("challenge_id"),
            try authenticator.get(options["options"] ?? .null)
        )
    }
}
