import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletRest

/// What devices log, as their app asks for it with the official client: only its own rows are there.
@Suite(.needsDatabase, .hangLimit) struct DeviceTablesTests {
    @Test func `a device inserts, reads, changes and deletes softly`() async throws {
        try await RestServer.with { server in
            try server.makeDevices()
            let body = """
                {"device_id":"\(RestServer.ada)","logged_at":"2025-03-15T17:44:35Z","duration_seconds":240,
                 "rating":"great","notes":"نهار 💩"}
                """
            let made = try await server.send(
                .post,
                "poop_logs?select=*",
                body,
                as: RestServer.ada,
                ["Prefer": "return=representation", "Accept": "application/vnd.pgrst.object+json"]
            )
            #expect(made.status == .created)
            let log = try JSONParser.parse(made.body)
            #expect(log["notes"] == "نهار 💩")
            #expect(log["flush_funds_earned"] == 0)
            #expect(log["deleted_at"] == .null)
            let id = log["id"]?.string ?? ""
            let day = "logged_at=gte.2025-03-15T00:00:00Z&logged_at=lte.2025-03-15T23:59:59Z"
            let listing = "poop_logs?deleted_at=is.null&\(day)&order=logged_at.desc&limit=10"
            #expect(try await server.get(listing, as: RestServer.ada).array?.count == 1)
            let counted = try await server.send(
                .head,
                "poop_logs?deleted_at=is.null",
                as: RestServer.ada,
                ["Prefer": "count=exact", "Range": "0-0"]
            )
            #expect(counted.headers[.contentRange] == "0-0/1")
            let deletion = #"{"deleted_at":"2025-03-16T00:00:00Z"}"#
            let other = try await server.send(
                .patch,
                "poop_logs?id=eq.\(id)",
                deletion,
                as: RestServer.bob,
                ["Prefer": "return=representation"]
            )
            #expect(other.status == .ok)
            #expect(other.text == "[]")
            #expect(try await server.get("poop_logs", as: RestServer.bob) == [])
            #expect(try await server.send(.delete, "poop_logs?id=eq.\(id)", as: RestServer.bob).status.rawValue < 300)
            #expect(try await server.get(listing, as: RestServer.ada).array?.count == 1)
            let gone = try await server.send(.patch, "poop_logs?id=eq.\(id)", deletion, as: RestServer.ada)
            #expect(gone.status == .noContent)
            #expect(try await server.get(listing, as: RestServer.ada) == [])
            #expect(try await server.get("poop_logs?deleted_at=not.is.null", as: RestServer.ada).array?.count == 1)
        }
    }

    @Test func `nobody plants a row with another device, or asks without a session`() async throws {
        try await RestServer.with { server in
            try server.makeDevices()
            let body = """
                {"device_id":"\(RestServer.ada)","logged_at":"2025-03-15T17:44:35Z","duration_seconds":1,"rating":"bad"}
                """
            #expect(try await server.send(.post, "poop_logs", body, as: RestServer.bob).status == .forbidden)
            for path in ["poop_logs", "devices?select=id"] {
                let anonymous = try await server.send(.get, path, role: "anon")
                #expect(anonymous.status == .unauthorized, "\(path) \(anonymous.text)")
            }
            #expect(try await server.send(.post, "poop_logs", body, role: "anon").status == .unauthorized)
            #expect(try await server.get("devices?select=id", as: RestServer.bob).array?.count == 1)
            let secrets = try await server.send(.get, "devices?select=secret_hash", as: RestServer.bob)
            #expect(secrets.status == .forbidden)
            #expect(try await server.get("poop_logs") == [])
        }
    }
}

/// The gallery, as its app asks for it: with the app's key and nothing else.
@Suite(.needsDatabase, .hangLimit) struct GalleryTablesTests {
    @Test func `the app's requests reach the gallery's tables, once it is opened`() async throws {
        try await RestServer.with({ $0.schemas = ["gallery", "public"] }) { server in
            for path in ["users", "images"] {
                #expect(try await server.app(.get, path).status == .unauthorized, "\(path)")
            }
            try server.application.execute("SELECT gallery.allow_anonymous(true)")
            #expect(try await server.app(.get, "users?apple_id=eq.001.x").text == "[]")
            let user = """
                {"id":"\(RestServer.ada)","apple_id":"001.x","email":null,"name":"سارة 🦊","last_login":"2025-01-01T00:00:00Z"}
                """
            let upsert = "resolution=merge-duplicates,return=representation"
            for name in ["سارة 🦊", "Sara"] {
                let body = user.replacing("سارة 🦊", with: name)
                let answer = try await server.app(.post, "users?on_conflict=apple_id", body, prefer: upsert)
                #expect(answer.status.rawValue < 300, "\(answer.text)")
                #expect(try JSONParser.parse(answer.body)[0]?["name"]?.string == name)
            }
            let found = try await server.app(.get, "users?apple_id=eq.001.x&select=*")
            let row = try JSONParser.parse(found.body)[0]
            #expect(row?["id"]?.string == RestServer.ada)
            #expect(row?["name"] == "Sara")
            #expect(row?["avatar_url"] == .null)
            let image = """
                {"user_id":"\(RestServer.ada)","image_url":"https://x.example/1.jpg","photo_date":"2025-03-15T17:44:35Z",
                 "metadata":{"width":4032,"tags":["🌅"]}}
                """
            let made = try await server.app(.post, "images", image, prefer: "return=representation")
            #expect(made.status == .created)
            let stored = try JSONParser.parse(made.body)[0]
            #expect(stored?["id"]?.number != nil)
            #expect(stored?["metadata"]?["tags"] == ["🌅"])
            let embedded = try await server.app(.get, "images?select=id,users(name)&order=photo_date.desc")
            #expect(try JSONParser.parse(embedded.body)[0]?["users"]?["name"] == "Sara")
            #expect(try await server.app(.delete, "images?user_id=eq.\(RestServer.ada)").status == .noContent)
            #expect(try await server.app(.get, "health").status == .ok)
            try server.application.execute("SELECT gallery.allow_anonymous(false)")
            #expect(try await server.app(.get, "users").status == .unauthorized)
        }
    }

    @Test func `who is signed in has one row of their own, and sees everybody's images`() async throws {
        try await RestServer.with({ $0.schemas = ["gallery", "public"] }) { server in
            for (id, name) in [(RestServer.ada, "ada"), (RestServer.bob, "bob")] {
                let user = try await server.send(.post, "users", #"{"id":"\#(id)","apple_id":"\#(name)"}"#, as: id)
                #expect(user.status == .created)
                let image = #"{"user_id":"\#(id)","image_url":"\#(name).jpg"}"#
                #expect(try await server.send(.post, "images", image, as: id).status == .created)
            }
            #expect(try await server.get("users?select=apple_id", as: RestServer.ada) == [["apple_id": "ada"]])
            #expect(try await server.get("images", as: RestServer.ada).array?.count == 2)
            let theirs = #"{"user_id":"\#(RestServer.bob)","image_url":"x.jpg"}"#
            #expect(try await server.send(.post, "images", theirs, as: RestServer.ada).status == .forbidden)
            let taken = try await server.send(
                .patch,
                "images?user_id=eq.\(RestServer.bob)",
                #"{"image_url":"x.jpg"}"#,
                as: RestServer.ada,
                ["Prefer": "return=representation"]
            )
            #expect(taken.text == "[]")
            // The other schema is one header away.
            let other = try await server.send(.get, "poop_logs", as: RestServer.ada, ["Accept-Profile": "public"])
            #expect(other.status == .ok)
        }
    }
}

extension RestServer {
    fileprivate func makeDevices() throws {
        for id in [Self.ada, Self.bob] {
            try application.execute(
                """
                INSERT INTO auth.users (id, is_anonymous) VALUES ('\(id)', true);
                INSERT INTO devices (id, secret_hash) VALUES ('\(id)', 'hash')
                """
            )
        }
    }

    /// As the app sends it: only its key, and `Prefer`.
    fileprivate func app(
        _ method: SwiftletHTTP.Method,
        _ path: String,
        _ body: String = "",
        prefer: String = ""
    ) async throws -> Response {
        var headers: [(Headers.Name, String)] = [("apikey", try Self.token(role: "anon"))]
        headers.append((.contentType, "application/json"))
        if !prefer.isEmpty { headers.append(("Prefer", prefer)) }
        return try await application.send(method, "/rest/v1/\(path)", body, headers: headers)
    }
}
