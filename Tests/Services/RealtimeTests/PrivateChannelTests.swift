import Foundation
import SwiftletAuth
import SwiftletJSON
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletRealtime

/// Policies of `realtime.messages` decide.
@Suite(.needsDatabase, .hangLimit)
struct PrivateChannelTests {
    /// Members of a team read its topic; Ada writes; presence is for Bob alone.
    private static let policies = """
        CREATE POLICY read_team ON realtime.messages FOR SELECT TO authenticated USING (
            realtime.messages.extension = 'broadcast'
            AND realtime.topic() = 'team:' || ((current_setting('request.jwt.claims')::jsonb) ->> 'team')
        );
        CREATE POLICY write_team ON realtime.messages FOR INSERT TO authenticated WITH CHECK (
            realtime.messages.extension = 'broadcast' AND realtime.topic() LIKE 'team:%'
            AND (current_setting('request.jwt.claims')::jsonb) ->> 'sub' = 'ada'
        );
        CREATE POLICY see_presence ON realtime.messages FOR SELECT TO authenticated USING (
            extension = 'presence' AND current_setting('request.jwt.claim.sub') = 'bob'
        );
        CREATE POLICY be_present ON realtime.messages FOR INSERT TO authenticated WITH CHECK (
            extension = 'presence' AND current_setting('request.jwt.claim.sub') = 'bob'
        );
        """

    private static let privately = #"{"private":true,"broadcast":{"ack":true}}"#

    private static func token(_ sub: String, team: String = "1", seconds: Int = 3600) throws -> String {
        try TestRealtime.token([
            "role": "authenticated", "sub": .string(sub), "team": .string(team),
            "exp": .number(JSONNumber(Int(Date().timeIntervalSince1970) + seconds)),
        ])
    }

    private static let refusal = "Unauthorized: You do not have permissions to read from this Channel topic: team:1"

    @Test(arguments: ["1.0.0", "2.0.0"])
    func `only those whom a policy lets in enter`(version: String) async throws {
        try await withRealtime(sql: Self.policies) { server in
            let ada = try server.client(version)
            #expect(try ada.join("realtime:team:1", Self.privately, token: Self.token("ada")).status == "ok")
            let carl = try server.client(version)
            #expect(try carl.join("realtime:team:1", Self.privately, token: Self.token("carl")).status == "ok")
            let stranger = try server.client(version)
            let refused = try stranger.join("realtime:team:1", Self.privately, token: Self.token("eve", team: "2"))
            #expect(refused.status == "error" && refused.reason == Self.refusal)
            // Nor is anybody closed behind a refusal.
            #expect(try stranger.isQuiet())
            #expect(try stranger.join("realtime:team:1", Self.privately).reason == Self.refusal)
            // A public room of the name is another one.
            #expect(try stranger.join("realtime:team:1").status == "ok")

            try ada.broadcast("realtime:team:1", "x", #"{"n":1}"#, ref: "3")
            #expect(try ada.next().status == "ok")
            #expect(try carl.next().payload["payload"] == ["n": 1])
            #expect(try stranger.isQuiet())
            // Who may not write is not answered.
            try carl.broadcast("realtime:team:1", "x", #"{"n":2}"#, ref: "3")
            try carl.broadcast("realtime:team:1", "x", #"{"n":3}"#, ref: "4")
            #expect(try carl.isQuiet())
            #expect(try ada.isQuiet())
        }
    }

    @Test func `without policies nobody enters, not even with the right token`() async throws {
        try await withRealtime { server in
            let client = try server.client()
            #expect(try client.join("realtime:team:1", Self.privately, token: Self.token("ada")).reason == Self.refusal)
            // The service role passes all policies.
            let service = try TestRealtime.token(["role": "service_role"])
            #expect(try client.join("realtime:team:1", Self.privately, token: service).status == "ok")
            let rows = try server.rows("SELECT count(*) AS count FROM realtime.messages")
            #expect(rows == ["0"])
        }
    }

    @Test func `presence has rights of its own`() async throws {
        try await withRealtime(sql: Self.policies) { server in
            let config = #"{"private":true,"presence":{"key":"k","enabled":true}}"#
            let bob = try server.client()
            #expect(try bob.join("realtime:team:1", config, token: Self.token("bob")).status == "ok")
            #expect(try bob.next().event == "presence_state")
            let ada = try server.client()
            #expect(try ada.join("realtime:team:1", config, token: Self.token("ada")).status == "ok")
            try ada.track("realtime:team:1", "{}")
            let reason = "You do not have permissions to write to this Channel topic: team:1"
            #expect(try ada.next().reason == reason)
            try bob.track("realtime:team:1", "{}")
            #expect(try bob.next().status == "ok")
            #expect(try bob.next().event == "presence_diff")
            #expect(try ada.isQuiet())
        }
    }

    // MARK: - Tokens

    @Test(
        arguments: [
            ("nonsense", "MalformedJWT: The token provided is not a valid JWT"),
            ("EXPIRED", "InvalidJWTToken: Token has expired"),
            ("FORGED", "JwtSignatureError: Failed to validate JWT signature"),
        ]
    )
    func `a join with a bad token is refused`(token: String, reason: String) async throws {
        try await withRealtime { server in
            let expired = try Self.token("ada", seconds: -10)
            let forged = try Self.token("ada") + "x"
            let token = token == "EXPIRED" ? expired : token == "FORGED" ? forged : token
            let client = try server.client()
            #expect(try client.join("realtime:room", token: token).reason == reason)
            #expect(try client.join("realtime:room", token: "sb_publishable_x").status == "ok")
        }
    }

    @Test func `a channel ends with its token, and not the socket`() async throws {
        try await withRealtime { server in
            let client = try server.client()
            #expect(try client.join("realtime:stays").status == "ok")
            #expect(try client.join("realtime:goes", token: Self.token("ada", seconds: 1)).status == "ok")
            let system = try client.next()
            #expect(system.event == "system" && system.topic == "realtime:goes")
            #expect(system.payload["extension"] == "system" && system.payload["status"] == "error")
            #expect(system.payload["message"]?.string?.hasPrefix("Token has expired ") == true)
            #expect(system.payload["channel"] == "goes")
            let closed = try client.next()
            #expect(closed.event == "phx_close" && closed.ref == "1")
            #expect(try client.isQuiet())
        }
    }

    @Test func `channels end with the account, and no token of it opens others`() async throws {
        try await withRealtime { server in
            let ada = "00000000-0000-4000-8000-0000000000ad"
            let client = try server.client()
            #expect(try client.join("realtime:stays").status == "ok")
            #expect(try client.join("realtime:goes", token: Self.token(ada)).status == "ok")
            let owner = try #require(TokenOwner(ada))
            server.realtime.authentication.verifier.refuseTokens(of: [owner])
            let system = try client.next()
            #expect(system.topic == "realtime:goes" && system.payload["message"] == "Token has expired")
            #expect(try client.next().event == "phx_close")
            let again = try client.join("realtime:goes", token: Self.token(ada, seconds: 100))
            #expect(again.reason == "InvalidJWTToken: Token has expired")
            #expect(try client.join("realtime:others").status == "ok")
        }
    }

    @Test func `a renewed token keeps the channel, and changes its rights`() async throws {
        try await withRealtime(sql: Self.policies) { server in
            let carl = try server.client()
            let topic = "realtime:team:1"
            let short = try Self.token("carl", seconds: 4)
            #expect(try carl.join(topic, Self.privately, token: short).status == "ok")
            #expect(try carl.join("realtime:goes", token: short).status == "ok")
            try carl.broadcast(topic, "x", "{}")
            try carl.send("access_token", topic, #"{"access_token":"\#(Self.token("ada"))"}"#, ref: "4")
            try carl.broadcast(topic, "x", "{}", ref: "5")
            #expect(try carl.next().ref == "5")
            // The old token ends, and with it the channel that has no other: 4 s, in which a busy machine comes to renew it.
            #expect(try carl.next().topic == "realtime:goes")
            #expect(try carl.next().event == "phx_close")
            #expect(try carl.isQuiet())
            for ignored in ["null", "\"sb_x\"", "7"] {
                try carl.send("access_token", topic, #"{"access_token":\#(ignored)}"#, ref: "6")
            }
            #expect(try carl.isQuiet())
            try carl.send("access_token", topic, #"{"access_token":"\#(Self.token("ada", team: "2"))"}"#, ref: "7")
            #expect(
                try carl.next().payload["message"]
                    == "You no longer have permission to read from this Channel topic: team:1"
            )
            #expect(try carl.next().event == "phx_close")
        }
    }

    @Test func `a bad token ends the channel`() async throws {
        try await withRealtime { server in
            let client = try server.client()
            #expect(try client.join("realtime:room").status == "ok")
            try client.send("access_token", "realtime:room", #"{"access_token":"x.y.z"}"#, ref: "4")
            #expect(try client.next().payload["message"] == "The token provided is not a valid JWT")
            #expect(try client.next().event == "phx_close")
        }
    }

    // MARK: - HTTP

    @Test func `private broadcasts by HTTP need the right to write`() async throws {
        try await withRealtime(sql: Self.policies) { server in
            let carl = try server.client()
            #expect(try carl.join("realtime:team:1", Self.privately, token: Self.token("carl")).status == "ok")
            let path = "/realtime/v1/api/broadcast/team:1/events/x?private=true"
            #expect(try server.post(path, "{}", token: Self.token("carl")).status == 403)
            #expect(try server.post(path, #"{"n":1}"#, token: Self.token("ada")).status == 202)
            #expect(try carl.next().payload["payload"] == ["n": 1])
            let batch = #"{"messages":[{"topic":"team:1","event":"x","payload":{"n":2},"private":true}]}"#
            #expect(try server.post("/realtime/v1/api/broadcast", batch, token: Self.token("eve")).status == 202)
            #expect(try carl.isQuiet())
            #expect(try server.post("/realtime/v1/api/broadcast", batch, token: Self.token("ada")).status == 202)
            #expect(try carl.next().payload["payload"] == ["n": 2])
        }
    }
}
