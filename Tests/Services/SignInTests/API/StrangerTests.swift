import SwiftletTesting
import Testing

/// A new endpoint that asks for no token has to be named here.
@Suite(.needsDatabase, .hangLimit)
struct StrangerTests {
    /// They begin a session, or lead to one.
    private static let entrances = [
        "GET /v1/authorize 400", "GET /v1/callback 303", "GET /v1/verify 400", "POST /v1/callback 303",
        "POST /v1/magiclink 400", "POST /v1/otp 400", "POST /v1/recover 400", "POST /v1/resend 400",
        "POST /v1/signup 422", "POST /v1/token 400", "POST /v1/verify 400",
    ]

    /// They say what everybody may know.
    private static let information = [
        "GET /v1/.well-known/jwks.json 200", "GET /v1/.well-known/openid-configuration 200", "GET /v1/health 200",
        "GET /v1/settings 200",
    ]

    @Test func `strangers may sign in, and nothing else`() async throws {
        let server = try await SignInServer.start()
        let answers = try await server.application.answersToStrangers()
        await server.application.stop()
        // What is not there, or not switched on, is 404 for everybody.
        #expect(answers.filter { !$0.hasSuffix(" 404") } == (Self.entrances + Self.information).sorted())
    }
}
