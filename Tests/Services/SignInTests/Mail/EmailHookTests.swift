import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Mails that the operator's own code sends, here a function of the database.
@Suite(.needsDatabase, .hangLimit)
struct EmailHookTests {
    private static let sql = """
        CREATE TABLE public.mails (place bigserial PRIMARY KEY, event jsonb NOT NULL);
        CREATE FUNCTION public.send_mail(event jsonb) RETURNS jsonb LANGUAGE sql AS $$
            INSERT INTO public.mails (event) VALUES (event) RETURNING '{}'::jsonb
        $$;
        """

    private func start() async throws -> SignInServer {
        let hook = try #require(Hook(functionURI: "pg-functions://postgres/public/send_mail"))
        var mail = MailSettings(.hook(hook))
        mail.siteURL = "https://app.example"
        mail.externalURL = "https://api.example"
        return try await SignInServer.start(sql: Self.sql, mail: mail)
    }

    private func last(_ server: SignInServer, to address: String) async throws -> JSONValue {
        try await server.emailsAreSent()
        let event = try server.value(
            "SELECT event FROM mails WHERE event #>> '{user,email}' = '\(address)' ORDER BY place DESC LIMIT 1"
        )
        return try JSONParser.parse(Array(try #require(event).utf8))
    }

    @Test func `get the user, the code and the hash`() async throws {
        try await start().use { server in
            let user = try await server.signUp("ada@example.org")
            #expect(user.status == 200)
            let event = try await last(server, to: "ada@example.org")
            #expect(event["metadata"]?["name"] == "send-email")
            #expect(event["user"]?["id"]?.string == user.text("id"))
            #expect(event["user"]?["app_metadata"]?["provider"] == "email")
            let data = try #require(event["email_data"])
            #expect(data["email_action_type"] == "signup")
            #expect(data["redirect_to"] == "https://app.example")
            #expect(data["site_url"] == "https://api.example")
            #expect(data["token"]?.string?.wholeMatch(of: #/\d{6}/#) != nil)
            let body: JSONValue = ["type": "signup", "token_hash": data["token_hash"] ?? .null]
            let session = try await server.auth(.post, "/verify", body)
            #expect(session.status == 200, "\(session.json)")
        }
    }

    @Test func `go to both addresses of a change`() async throws {
        try await start().use { server in
            _ = try await server.signUp("ada@example.org")
            let first = try await last(server, to: "ada@example.org")
            let body: JSONValue = ["type": "signup", "token_hash": first["email_data"]?["token_hash"] ?? .null]
            let token = try await server.auth(.post, "/verify", body).text("access_token")
            #expect(try await server.auth(.put, "/user", ["email": "ada@new.example"], token: token).status == 200)
            for (address, isLast) in [("ada@example.org", false), ("ada@new.example", true)] {
                let event = try await last(server, to: address)
                #expect(event["email_data"]?["email_action_type"] == "email_change")
                let code = event["email_data"]?["token"] ?? .null
                let body: JSONValue = ["type": "email_change", "email": .string(address), "token": code]
                let answer = try await server.auth(.post, "/verify", body)
                #expect(answer.status == 200, "\(answer.json)")
                #expect((answer["access_token"] != nil) == isLast)
            }
        }
    }
}
