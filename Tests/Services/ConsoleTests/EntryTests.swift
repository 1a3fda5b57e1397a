import SwiftletAuth
import SwiftletConsole
import SwiftletHTTP
import SwiftletTesting
import Testing
import SwiftletWeb

@Suite(.needsDatabase, .hangLimit) struct EntryTests {
    @Test func `a link enters once`() async throws {
        try await ConsoleServer.with { server in
            let token = try server.link()
            let first = try await server.send(.post, "enter", #"{"token":"\#(token)"}"#)
            #expect(first.status == .ok)
            let cookie = try #require(first.headers["Set-Cookie"])
            #expect(
                cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=/console")
            )
            let second = try await server.send(.post, "enter", #"{"token":"\#(token)"}"#)
            #expect(second.status == .unauthorized)
            #expect(second.text.contains("used up"))
            let unknown = try await server.send(.post, "enter", #"{"token":"00"}"#)
            #expect(unknown.text.contains("not known"))
        }
    }

    @Test func `a link expires`() async throws {
        try await ConsoleServer.with { server in
            let token = try server.link()
            try server.application.execute(
                "UPDATE swiftlet.console_entries SET expires_at = now() - interval '1 second'"
            )
            let response = try await server.send(.post, "enter", #"{"token":"\#(token)"}"#)
            #expect(response.status == .unauthorized)
            #expect(response.text.contains("expired"))
        }
    }

    @Test func `the database keeps hashes only`() throws {
        let entry = try ConsoleEntry.make(role: .owner)
        #expect(entry.token.count == 32)
        #expect(!entry.parameters.contains(entry.token))
    }

    @Test(arguments: ["me", "home", "tables", "users", "jobs", "logs", "metrics", "settings", "audit", "operators"])
    func `without a session nothing answers`(path: String) async throws {
        try await ConsoleServer.with { server in
            for cookie in [nil, "swiftlet_console=00"] {
                let response = try await server.send(.get, path, cookie: cookie)
                #expect(response.status == .unauthorized)
            }
        }
    }

    @Test func `a page of another origin is refused, and gets no CORS header`() async throws {
        try await ConsoleServer.with { server in
            let session = try await server.enter()
            let others: [[(Headers.Name, String)]] = [
                [(.host, "localhost:8000"), (.origin, "http://localhost:5173"), ("X-Console", "1")],
                [
                    (.host, "localhost:8000"), (.origin, "http://localhost:8000"), ("Sec-Fetch-Site", "same-site"),
                    ("X-Console", "1"),
                ],
                [(.host, "localhost:8000"), (.origin, "http://localhost:8000"), ("Sec-Fetch-Site", "same-origin")],
                // A form, which has neither.
                [(.host, "localhost:8000")],
                [(.host, "localhost:8000"), ("X-Console", "1")],
            ]
            for headers in others {
                let response = try await server.send(.post, "sign-out", cookie: session.cookie, headers: headers)
                #expect(response.status == .forbidden)
                #expect(response.headers["Access-Control-Allow-Origin"] == nil)
            }
            #expect(try await session.ask(.get, "me")["role"]?.string == "owner")
            let preflight = try await server.send(
                .options,
                "me",
                headers: [
                    (.host, "localhost:8000"), (.origin, "https://app.example"),
                    ("Access-Control-Request-Method", "POST"),
                ]
            )
            #expect(preflight.headers["Access-Control-Allow-Origin"] == nil)
            #expect(preflight.headers["Access-Control-Allow-Headers"] == nil)
        }
    }

    @Test(arguments: [
        ("localhost", true), ("127.0.0.1:9000", true), ("[::1]:8000", true), ("app.localhost", true),
        ("console.example", true), ("evil.example", false), ("localhost.evil.example", false),
    ])
    func `only hosts that are ours are answered`(host: String, isOurs: Bool) async throws {
        try await ConsoleServer.with {
            $0.hosts = ["console.example"]
        } _: { server in
            let headers: [(Headers.Name, String)] = [
                (.host, host), ("X-Console", "1"), ("Sec-Fetch-Site", "same-origin"),
            ]
            let status = try await server.send(.get, "me", headers: headers).status
            #expect(status == (isOurs ? .unauthorized : 421))
            let page = try await server.application.send(.get, "/console", headers: [(.host, host)])
            #expect(page.status == (isOurs ? .ok : 421))
        }
    }

    @Test func `the page allows no script but its own, and no frame`() async throws {
        try await ConsoleServer.with { server in
            let page = try await server.application.send(.get, "/console", headers: [(.host, "localhost")])
            let policy = try #require(page.headers["Content-Security-Policy"])
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(policy.contains("require-trusted-types-for 'script'"))
            let script = try #require(page.text.firstMatch(of: #/src="([^"]+app\.js)"/#)?.1)
            let file = try await server.application.send(.get, String(script), headers: [("Accept-Encoding", "gzip")])
            #expect(file.status == .ok)
            #expect(file.headers["Content-Encoding"] == "gzip")
            #expect(file.headers["Cache-Control"]?.contains("immutable") == true)
            let missing = try await server.application.send(.get, "/console/a/x/none.js")
            #expect(missing.status == .notFound)
        }
    }

    @Test func `five wrong passwords lock, also for the right one`() async throws {
        try await ConsoleServer.with { server in
            let sessions = Sessions(database: server.application.database)
            let hash = try PasswordHash.make("correct horse battery", cost: 4)
            try await sessions.setOperator("ada@acme.example", role: .editor, passwordHash: hash)
            func signIn(_ password: String) async throws -> Response {
                try await server.send(.post, "sign-in", #"{"name":"ada@acme.example","password":"\#(password)"}"#)
            }
            let right = try await signIn("correct horse battery")
            #expect(right.status == .ok)
            let session = ConsoleServer.Session(server: server, cookie: try #require(ConsoleServer.cookie(of: right)))
            #expect(try await session.ask(.get, "me")["name"]?.string == "ada@acme.example")
            for _ in 0..<5 {
                let wrong = try await signIn("wrong")
                #expect(wrong.status == .unauthorized)
            }
            let locked = try await signIn("correct horse battery")
            #expect(locked.status == 429)
            // The password alone, of an account of the app, enters nowhere.
            #expect(
                try await server.send(.post, "sign-in", #"{"name":"x@y.z","password":"a"}"#).status == .unauthorized
            )
        }
    }

    @Test func `passwords tried at once are no more than five`() async throws {
        try await ConsoleServer.with { server in
            let sessions = Sessions(database: server.application.database)
            let hash = try PasswordHash.make("correct horse battery", cost: 4)
            try await sessions.setOperator("ada@acme.example", role: .editor, passwordHash: hash)
            let statuses = try await withThrowingTaskGroup(of: Status.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let body = #"{"name":"ada@acme.example","password":"wrong"}"#
                        return try await server.send(.post, "sign-in", body).status
                    }
                }
                return try await group.reduce(into: [Status]()) { $0.append($1) }
            }
            // The others found the account locked, or the line of those who wait full.
            #expect(statuses.count { $0 == .unauthorized } <= 5, "\(statuses)")
            #expect(statuses.count { $0 == 429 } >= 12, "\(statuses)")
        }
    }

    @Test func `nobody without a session gets an answer`() async throws {
        try await ConsoleServer.with { server in
            let own: [(Headers.Name, String)] = [
                (.host, "localhost"), ("X-Console", "1"), ("Sec-Fetch-Site", "same-origin"),
            ]
            let answers = try await server.application.answersToStrangers(headers: own)
            #expect(answers == [])
        }
    }

    @Test func `sessions end when asked, and when a role changes`() async throws {
        try await ConsoleServer.with { server in
            let first = try await server.enter()
            let second = try await server.enter()
            _ = try await first.post("operators", ["action": "sign out everywhere"])
            let ended = try await second.response(.get, "me")
            #expect(ended.status == .unauthorized)

            let owner = try await server.enter()
            _ = try await owner.post(
                "operators",
                ["action": "set", "name": "bob@acme.example", "role": "viewer", "password": "twelve letters"]
            )
            let entered = try await server.send(
                .post,
                "sign-in",
                #"{"name":"bob@acme.example","password":"twelve letters"}"#
            )
            let bob = ConsoleServer.Session(server: server, cookie: try #require(ConsoleServer.cookie(of: entered)))
            #expect(try await bob.ask(.get, "me")["role"]?.string == "viewer")
            _ = try await bob.post("operators", ["action": "remove", "name": "bob@acme.example"], status: .forbidden)
            _ = try await owner.post("operators", ["action": "set", "name": "bob@acme.example", "role": "editor"])
            let gone = try await bob.response(.get, "me")
            #expect(gone.status == .unauthorized)
        }
    }

    @Test func `what a page asks by itself keeps no session alive`() async throws {
        try await ConsoleServer.with { server in
            let session = try await server.enter()
            let own: [(Headers.Name, String)] = [
                (.host, "localhost:8000"), (.origin, "http://localhost:8000"), ("Sec-Fetch-Site", "same-origin"),
            ]
            let seen = "swiftlet.console_sessions WHERE seen_at > now() - interval '20 minutes'"
            try server.application.execute(
                "UPDATE swiftlet.console_sessions SET seen_at = now() - interval '25 minutes'"
            )
            let tick = try await server.send(.get, "me", cookie: session.cookie, headers: own + [("X-Console", "tick")])
            #expect(tick.status == .ok)
            #expect(try server.application.count(seen) == 0)
            let person = try await server.send(.get, "me", cookie: session.cookie, headers: own + [("X-Console", "1")])
            #expect(person.status == .ok)
            #expect(try server.application.count(seen) == 1)
            try server.application.execute(
                "UPDATE swiftlet.console_sessions SET seen_at = now() - interval '31 minutes'"
            )
            let late = try await server.send(.get, "me", cookie: session.cookie, headers: own + [("X-Console", "1")])
            #expect(late.status == .unauthorized)
        }
    }

    @Test func `read-only makes everybody a viewer`() async throws {
        try await ConsoleServer.with {
            $0.isReadOnly = true
        } _: { server in
            let session = try await server.enter(.owner)
            #expect(try await session.ask(.get, "me")["role"]?.string == "viewer")
            _ = try await session.post("sql", ["sql": "SELECT 1"], status: .forbidden)
            _ = try await session.post("users/change", ["action": "create"], status: .forbidden)
            _ = try await session.post("jobs", ["action": "retry", "id": 1], status: .forbidden)
        }
    }
}
