import Foundation
import Logging
import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletJobs
import SwiftletOutbound
import SwiftletPostgres
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletSignIn

/// Sign-in with a hook that sends texts: a function of the database, which keeps them.
struct TextingServer: StartedServer {
    let server: SignInServer

    /// The hook, as an operator would write it.
    static let sql = """
        CREATE TABLE public.texts (place bigserial PRIMARY KEY, event jsonb NOT NULL);
        CREATE FUNCTION public.send_text(event jsonb) RETURNS jsonb LANGUAGE sql AS $$
            INSERT INTO public.texts (event) VALUES (event) RETURNING '{}'::jsonb
        $$;
        """

    static func start(
        databaseURL: String? = nil,
        sql: String = sql,
        hook: Hook? = nil,
        hooks: [Hook.Point: Hook] = [:],
        mail: MailSettings? = nil,
        logger: LogRecord? = nil,
        _ change: (inout SignInSettings) -> Void = { _ in }
    ) async throws -> TextingServer {
        let function = try #require(Hook(functionURI: "pg-functions://postgres/public/send_text"))
        return TextingServer(
            server: try await SignInServer.start(
                databaseURL: databaseURL,
                sql: sql,
                hooks: hooks,
                mail: mail,
                textHook: hook ?? function,
                logger: logger?.logger,
                change
            )
        )
    }

    func otp(_ phone: String, _ more: JSONObject = [:]) async throws -> SignInServer.Answer {
        var body = more
        body["phone"] = .string(phone)
        return try await server.auth(.post, "/otp", .object(body))
    }

    func verify(
        _ phone: String,
        _ code: String,
        type: String = "sms",
        headers: [(Headers.Name, String)] = []
    ) async throws -> SignInServer.Answer {
        try await server.auth(
            .post,
            "/verify",
            ["type": .string(type), "phone": .string(phone), "token": .string(code)],
            headers: [("X-Supabase-Api-Version", "2024-01-01")] + headers
        )
    }

    /// A new account with a session, by a code.
    func signedIn(_ phone: String) async throws -> SignInServer.Answer {
        #expect(try await otp(phone).status == 200)
        return try await verify(phone, try await code(to: phone))
    }

    /// Returns when no text waits to be sent.
    func textsAreSent() async throws {
        let connection = try BlockingConnection.connect(to: server.application.databaseURL)
        let areSent = try await eventually(within: .seconds(20)) {
            try connection.query("SELECT FROM swiftlet.jobs WHERE name = 'text'").isEmpty
        }
        try #require(areSent, "texts wait")
    }

    /// The code in the last text to a number.
    func code(to phone: String) async throws -> String {
        try await textsAreSent()
        let code = try server.value(
            "SELECT event #>> '{sms,otp}' FROM texts WHERE event #>> '{sms,phone}' = '\(phone)' ORDER BY place DESC"
        )
        return try #require(code, "no text to \(phone)")
    }

    func count(to phone: String) async throws -> Int? {
        try await textsAreSent()
        return try server.value("SELECT count(*) FROM texts WHERE event #>> '{sms,phone}' = '\(phone)'").flatMap {
            Int($0)
        }
    }

    /// Six digits that are not the code.
    static func wrong(_ code: String) -> String { code == "111111" ? "222222" : "111111" }

    /// Lets the minute between two texts pass.
    func waitMinute() throws {
        try server.application.execute("DELETE FROM swiftlet.login_attempts WHERE subject LIKE 'text now to %'")
    }

    func stop() async { await server.stop() }
}

/// Texts as durable jobs, the way the server makes them.
struct TextJobs {
    let queue: TextQueue
    /// Declares the job.
    let function: Function

    static func make(
        _ hook: Hook,
        _ settings: SignInSettings,
        _ keys: SigningKeys,
        _ parts: TestApplication.Parts,
        _ logger: Logger
    ) -> TextJobs {
        let sender = TextSender(
            hook,
            database: parts.database,
            keys: keys,
            settings: settings,
            http: TestHTTP.engine,
            logger: logger
        )
        let text = Job("text") { (text: QueuedText, _) in
            do {
                try await sender.send(text)
            } catch let error as OutboundError where !error.isTemporary {
                throw JobFailure("the text cannot be sent: \(error)")
            }
        }
        .acrossTenants()
        .attempting(6, delay: .milliseconds(100))
        return TextJobs(
            queue: TextQueue(insertion: { try text.insertion($0) }, announce: parts.announceWork),
            function: Function("texts") { text }
        )
    }
}
