import SwiftletBytes
import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import Logging
import SwiftletPostgres
import SwiftletWeb
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Sign-in on a database of its own, asked as clients do.
struct SignInServer: StartedServer {
    let application: TestApplication
    let signIn: SignIn
    /// Of all requests.
    let verifier: TokenVerifier

    static func start(
        databaseURL: String? = nil,
        sql: String = "",
        signingKey: SigningKey? = nil,
        providers: [IdentityProvider] = [],
        redirects: [RedirectProvider] = [],
        hooks: [Hook.Point: Hook] = [:],
        mail: MailSettings? = nil,
        textHook: Hook? = nil,
        logger: Logger? = nil,
        requestLog: RequestLog? = nil,
        _ change: (inout SignInSettings) -> Void = { _ in }
    ) async throws -> SignInServer {
        var settings = SignInSettings()
        settings.bcryptCost = 4
        settings.siteURL = "https://app.example"
        settings.externalURL = "https://api.example"
        settings.mailRequestPace = .zero
        change(&settings)
        let key = try signingKey ?? SigningKey(secret: Secret(TestApplication.secret))
        var made: (signIn: SignIn, verifier: TokenVerifier)?
        let logger = logger ?? TestApplication.silent
        let application = try await TestApplication.start(
            sql: sql,
            databaseURL: databaseURL,
            requestLog: requestLog,
            logger: logger
        ) { parts in
            let keys = try SigningKeys(
                key,
                verifier: TokenVerifier(
                    secret: Secret(TestApplication.secret),
                    serviceKey: Secret(Self.serviceKey),
                    clock: { Double(ServerClock.system.milliseconds()) / 1000 }
                )
            )
            let mailing = try mail.map { try EmailJobs.make($0, keys, parts, logger) }
            let texting = textHook.map { TextJobs.make($0, settings, keys, parts, logger) }
            let signIn = try SignIn(
                database: parts.database,
                keys: keys,
                settings: settings,
                providers: providers,
                redirects: redirects,
                hooks: (hooks, TestHTTP.engine),
                mail: mailing.map { ($0.mailer, $0.queue) },
                texts: texting?.queue
            )
            made = (signIn, keys.verifier)
            return signIn.functions + (mailing.map { [$0.function] } ?? [])
                + (texting.map { [$0.function] } ?? [])
        }
        if mail != nil || textHook != nil { application.startJobs() }
        let (signIn, verifier) = try #require(made)
        return SignInServer(application: application, signIn: signIn, verifier: verifier)
    }

    static let serviceKey = "sb_secret_of_the_tests"
    static let password = "correct horse"

    struct Answer {
        let status: Int
        let json: JSONValue
        let response: Response

        subscript(name: String) -> JSONValue? { json[name] }
        func text(_ name: String) -> String { json[name]?.string ?? "" }
        /// In either shape.
        var code: String { json["error_code"]?.string ?? json["code"]?.string ?? json["error"]?.string ?? "" }
    }

    func send(
        _ method: SwiftletHTTP.Method,
        _ target: String,
        _ body: JSONValue? = nil,
        token: String? = nil,
        headers: [(Headers.Name, String)] = []
    ) async throws -> Answer {
        let response = try await application.send(
            method,
            target,
            token: token,
            body?.description ?? "",
            headers: headers
        )
        let json = response.body.isEmpty ? JSONValue.null : try JSONParser.parse(response.body)
        return Answer(status: response.status.rawValue, json: json, response: response)
    }

    func auth(
        _ method: SwiftletHTTP.Method,
        _ path: String,
        _ body: JSONValue? = nil,
        token: String? = nil,
        headers: [(Headers.Name, String)] = [("X-Supabase-Api-Version", "2024-01-01")]
    ) async throws -> Answer {
        try await send(method, "/auth/v1" + path, body, token: token, headers: headers)
    }

    /// A new account with a session.
    func signUp(_ email: String, data: JSONValue = .null) async throws -> Answer {
        try await auth(
            .post,
            "/signup",
            ["email": .string(email), "password": .string(Self.password), "data": data]
        )
    }

    func signIn(_ email: String, _ password: String = password) async throws -> Answer {
        try await auth(
            .post,
            "/token?grant_type=password",
            ["email": .string(email), "password": .string(password)]
        )
    }

    func refresh(_ token: String) async throws -> Answer {
        try await auth(.post, "/token?grant_type=refresh_token", ["refresh_token": .string(token)])
    }

    func admin(_ method: SwiftletHTTP.Method, _ path: String = "", _ body: JSONValue? = nil) async throws -> Answer {
        try await auth(method, "/admin/users" + path, body, token: Self.serviceKey)
    }

    /// The first column of the first row.
    func value(_ sql: String) throws -> String? {
        try BlockingConnection.connect(to: application.databaseURL).query(sql).first?[0]
    }

    /// Returns when this many statements wait for another transaction.
    func waitForLock(count: Int = 1) async throws {
        let waiting = """
            SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            HAVING count(*) >= \(count)
            """
        let connection = try BlockingConnection.connect(to: application.databaseURL)
        let isWaiting = try await eventually(within: .seconds(20)) { try !connection.query(waiting).isEmpty }
        try #require(isWaiting, "nothing waits")
    }

    /// What a token of ours says.
    func claims(_ token: String) throws -> JSONValue {
        let payload = try #require(
            token.split(separator: ".").dropFirst().first.flatMap { Base64URL.decode(String($0)) }
        )
        return try JSONParser.parse(payload)
    }

    /// Returns when no email waits to be sent.
    func emailsAreSent() async throws {
        let connection = try BlockingConnection.connect(to: application.databaseURL)
        let areSent = try await eventually(within: .seconds(20)) {
            try connection.query("SELECT FROM swiftlet.jobs WHERE name = 'letter'").isEmpty
        }
        try #require(areSent, "letters wait")
    }

    func stop() async { await application.stop() }
}
