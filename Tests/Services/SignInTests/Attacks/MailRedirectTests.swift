import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Where a link in a mail leads to: wherever the request came from, only to the site and what is listed.
@Suite(.needsDatabase, .hangLimit)
struct MailRedirectTests {
    private static let elsewhere = [
        "https://evil.example", "https://app.example.evil.example", "https://app.example@evil.example/",
        "//evil.example", "/%5C%5Cevil.example", "https:evil.example", "https:///evil.example", "http://app.example",
        "https://app.example:8443", "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "vbscript:x",
        "file:///etc/passwd", "https://evil.example/https://app.example", "https://evil.example?https://app.example",
        "https://evil.example%23https://app.example", "https://app.example%5C@evil.example",
        "https://app.example%09.evil.example", "https://app.example%0D%0ALocation:%20https://evil.example",
        "myapp://other", "myapp.evil://in", "myapp:in", "https://%61pp.example.evil.example",
        "https://app.example%E3%80%82evil.example", "https://app.ex%C3%A4mple", "%20https://evil.example",
        "https://evil.example%2F..%2Fapp.example", "https:%5C%5Cevil.example", "intent://evil.example%23Intent;end",
        "https://app.example%2500.evil.example",
    ]

    /// A request that sends a mail, and the account that it is about.
    private struct Route: Sendable, CustomTestStringConvertible {
        let method: SwiftletHTTP.Method
        let path: String
        var body: JSONObject = [:]
        var account = State.confirmed
        var isAdministrator = false
        var testDescription: String { "\(path) \(body["type"]?.string ?? "")" }

        enum State: Sendable { case none, unconfirmed, confirmed, changing, signedIn }
    }

    private static let routes = [
        Route(method: .post, path: "/otp"), Route(method: .post, path: "/magiclink"),
        Route(method: .post, path: "/recover"),
        Route(method: .post, path: "/signup", body: ["password": "correct horse"], account: .none),
        Route(method: .post, path: "/resend", body: ["type": "signup"], account: .unconfirmed),
        Route(method: .post, path: "/resend", body: ["type": "email_change"], account: .changing),
        Route(method: .put, path: "/user", account: .signedIn),
        Route(method: .post, path: "/invite", account: .none, isAdministrator: true),
    ]

    @Test(arguments: routes)
    private func `is the site or a listed place, whoever has the mail sent`(route: Route) async throws {
        let mailing = try await MailingServer.start {
            $0.redirectAllowList = ["myapp://in"]
            $0.emailsPerHour = 1000
        }
        let server = mailing.server
        for (index, redirect) in (Self.elsewhere + ["myapp://in"]).enumerated() {
            // An account for each, as an address gets one mail a minute.
            let (email, new) = ("ada-\(index)@example.org", "new-\(index)@example.org")
            let password = JSONValue.string(SignInServer.password)
            if route.account != .none {
                let isConfirmed = JSONValue.bool(route.account != .unconfirmed)
                let fields: JSONValue = ["email": .string(email), "password": password, "email_confirm": isConfirmed]
                #expect(try await server.admin(.post, "", fields).status == 200)
            }
            if route.account == .changing {
                try server.application.execute(
                    "UPDATE auth.users SET email_change = '\(new)' WHERE email = '\(email)'"
                )
            }
            let isSignedIn = route.account == .signedIn
            var body = route.body
            body["email"] = .string(isSignedIn ? new : email)
            var token = route.isAdministrator ? SignInServer.serviceKey : nil
            if isSignedIn { token = try await server.signIn(email).text("access_token") }
            let answer = try await server.auth(
                route.method,
                "\(route.path)?redirect_to=\(redirect)",
                .object(body),
                token: token
            )
            #expect(answer.status == 200, "\(redirect) \(answer.json)")
            try await server.emailsAreSent()
            let address = isSignedIn || route.account == .changing ? new : email
            let place = members(of: try mailing.link(to: address), after: "?")["redirect_to"]
            let isFine = redirect == "myapp://in" ? place == redirect : [nil, "https://app.example"].contains(place)
            #expect(isFine, "\(redirect) \(place ?? "")")
        }
        await server.stop()
    }

    @Test func `is the site or a listed place in a link that an administrator makes`() async throws {
        try await SignInServer.start { $0.redirectAllowList = ["myapp://in"] }.use { server in
            for redirect in Self.elsewhere {
                for isInBody in [true, false] {
                    var body: JSONObject = ["type": "magiclink", "email": "ada@example.org"]
                    let decoded = Query("x=\(redirect)")["x"] ?? redirect
                    if isInBody { body["redirect_to"] = .string(decoded) }
                    let made = try await server.auth(
                        .post,
                        "/admin/generate_link" + (isInBody ? "" : "?redirect_to=\(redirect)"),
                        .object(body),
                        token: SignInServer.serviceKey
                    )
                    #expect(made.text("redirect_to") == "https://app.example", "\(redirect) \(made.json)")
                    let link = try #require(made["action_link"]?.string)
                    let place = members(of: link, after: "?")["redirect_to"]
                    #expect(place == nil || place == "https://app.example", "\(redirect) \(link)")
                }
            }
        }
    }

    @Test func `is the site or a listed place whatever the link says itself`() async throws {
        try await SignInServer.start { $0.redirectAllowList = ["myapp://in"] }.use { server in
            for redirect in Self.elsewhere {
                let used = try await server.auth(.get, "/verify?token=used&type=magiclink&redirect_to=\(redirect)")
                let place = try #require(used.response.headers[.location])
                #expect(place.hasPrefix("https://app.example#error="), "\(redirect) \(place)")
            }
        }
    }
}
