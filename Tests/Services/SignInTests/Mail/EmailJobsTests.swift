import SwiftletJSON
import SwiftletOutbound
import SwiftletPostgres
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletSignIn

/// What becomes of an email between its request and its delivery.
@Suite(.needsDatabase, .hangLimit)
struct EmailJobsTests {
    /// Nobody listens there.
    private static func unreachable() throws -> MailSettings {
        let client = SMTPClient(host: "127.0.0.1", port: 1, security: .none)
        return MailSettings(.smtp(client, sender: try #require(MailAddress(rawValue: "a@b.example"))))
    }

    /// A server that could not deliver Ada's recovery, and is gone; the database that it leaves.
    private func leaveEmail() async throws -> String {
        let server = try await SignInServer.start(mail: Self.unreachable())
        _ = try await server.admin(.post, "", ["email": "ada@example.org", "email_confirm": true])
        #expect(try await server.auth(.post, "/recover", ["email": "ada@example.org"]).json == [:])
        let hasFailed = try await eventually {
            try server.value("SELECT last_error FROM swiftlet.jobs") == "no connection came about, or it broke"
        }
        #expect(hasFailed)
        await server.stop()
        return server.application.databaseURL
    }

    private func makeDue(_ server: SignInServer) throws {
        try server.application.execute("UPDATE swiftlet.jobs SET due = clock_timestamp(); NOTIFY swiftlet_jobs")
    }

    @Test func `another server sends what one could not`() async throws {
        try await MailingServer.start(databaseURL: leaveEmail()).use { mailing in
            try makeDue(mailing.server)
            let (hash, _) = try await mailing.message()
            let answer = try await mailing.server.auth(
                .post,
                "/verify",
                ["type": "recovery", "token_hash": .string(hash)]
            )
            #expect(answer.status == 200, "\(answer.json)")
            #expect(try mailing.server.value("SELECT attempts FROM swiftlet.job_history") == "2")
        }
    }

    @Test(arguments: [
        "UPDATE auth.users SET recovery_sent_at = now() - interval '61 minutes'",
        "UPDATE auth.users SET recovery_token = ''",
        "DELETE FROM auth.users",
    ])
    func `an email is left out once its link is of no use`(change: String) async throws {
        let url = try await leaveEmail()
        try BlockingConnection.connect(to: url).execute(change)
        try await MailingServer.start(databaseURL: url).use { mailing in
            try makeDue(mailing.server)
            try await mailing.server.emailsAreSent()
            #expect(mailing.count == 0)
            #expect(try mailing.server.value("SELECT state FROM swiftlet.job_history") == "done")
        }
    }

    @Test func `the database knows neither link nor code, before and after`() async throws {
        let url = try await leaveEmail()
        let connection = try BlockingConnection.connect(to: url)
        let all = """
            SELECT concat((SELECT string_agg(j::text, ' ') FROM swiftlet.jobs j),
                (SELECT string_agg(h::text, ' ') FROM swiftlet.job_history h),
                (SELECT string_agg(u::text, ' ') FROM auth.users u))
            """
        let before = try #require(try connection.query(all).first?[0])
        try await MailingServer.start(databaseURL: url).use { mailing in
            try makeDue(mailing.server)
            let (hash, code) = try await mailing.message()
            let after = try #require(try connection.query(all).first?[0])
            #expect(before.contains("ada@example.org"))
            for text in [before, after] { #expect(!text.contains(hash) && !text.contains(code)) }
        }
    }

    @Test func `what is rolled back leaves no email`() async throws {
        try await SignInServer.start(mail: Self.unreachable()).use { server in
            _ = try await server.admin(.post, "", ["email": "ada@example.org", "email_confirm": true])
            try server.application.execute(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
                CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON auth.users DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION refuse();
                """
            )
            #expect(try await server.auth(.post, "/recover", ["email": "ada@example.org"]).status == 500)
            #expect(try server.value("SELECT count(*) FROM swiftlet.jobs") == "0")
        }
    }
}
