import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// What texts may cost.
@Suite(.needsDatabase, .hangLimit)
struct TextLimitsTests {
    private static let number = "4915112345678"

    private func ask(
        _ texting: TextingServer,
        _ phone: String = number,
        from address: String
    ) async throws -> SignInServer.Answer {
        try await texting.server.auth(
            .post,
            "/otp",
            ["phone": .string(phone)],
            headers: [("X-Supabase-Api-Version", "2024-01-01"), ("X-Forwarded-For", address)]
        )
    }

    @Test func `sends a number one text a minute, whatever asks for it`() async throws {
        try await TextingServer.start().use { texting in
            #expect(try await ask(texting, from: "203.0.113.1").status == 200)
            let again = try await ask(texting, from: "203.0.113.2")
            #expect(again.status == 429)
            #expect(again.code == "over_sms_send_rate_limit")
            #expect(again.text("message").wholeMatch(of: #/For security purposes, .* after \d+ seconds\./#) != nil)
            #expect((1...60).contains(again.response.headers[.retryAfter].flatMap { Int($0) } ?? 0))
            let session = try await texting.server.signUp("ada@example.org")
            for (method, path, body) in [
                (.post, "/signup", ["phone": .string(Self.number), "password": "correct horse"]),
                (.post, "/resend", ["type": "sms", "phone": .string(Self.number)]),
                (.put, "/user", ["phone": .string(Self.number)]),
            ] as [(SwiftletHTTP.Method, String, JSONValue)] {
                let answer = try await texting.server.auth(method, path, body, token: session.text("access_token"))
                #expect(answer.code == "over_sms_send_rate_limit", "\(path): \(answer.json)")
            }
            #expect(try await texting.count(to: Self.number) == 1)
        }
    }

    @Test func `sends a number five texts an hour`() async throws {
        try await TextingServer.start().use { texting in
            for index in 1...5 {
                #expect(try await ask(texting, from: "203.0.113.\(index)").status == 200, "\(index)")
                try texting.waitMinute()
            }
            let sixth = try await ask(texting, from: "203.0.113.6")
            #expect(sixth.status == 429)
            #expect((61...3600).contains(sixth.response.headers[.retryAfter].flatMap { Int($0) } ?? 0))
            #expect(try await texting.count(to: Self.number) == 5)
        }
    }

    @Test func `lets nobody who has used up the budget use up other people's`() async throws {
        try await TextingServer.start { $0.textsPerHour = 1 }.use { (texting) async throws in
            #expect(try await ask(texting, "4915187654321", from: "203.0.113.1").status == 200)
            for _ in 1...6 { #expect(try await ask(texting, from: "203.0.113.1").status == 429) }
            #expect(try await ask(texting, from: "203.0.113.2").status == 200)
        }
    }

    @Test func `sends one address's texts within a budget, and all addresses' within ten times that`() async throws {
        try await TextingServer.start { $0.textsPerHour = 1 }.use { texting in
            for index in 1...10 {
                let address = "203.0.113.\(index)"
                #expect(try await ask(texting, "491511234560\(index)", from: address).status == 200, "\(index)")
                #expect(try await ask(texting, "491511234570\(index)", from: address).status == 429, "\(index)")
            }
            #expect(try await ask(texting, "4915112345800", from: "203.0.113.11").status == 429)
            try await texting.textsAreSent()
            #expect(try texting.server.value("SELECT count(*) FROM texts") == "10")
        }
    }
}
