import Foundation
import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletOutbound
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Texts through a service of the operator's, over HTTP.
@Suite(.needsDatabase, .hangLimit)
struct TextHookTests {
    private static let number = "4915112345678"

    /// A service that answers as it is told, and keeps what it was asked last.
    private struct Receiver: Sendable {
        let web: PythonServer
        let key: HMACKey
        var base: String { "http://localhost:\(web.port("http"))" }
        var hook: Hook { .service(url: "\(base)/sms", keys: [key]) }

        static func start() throws -> Receiver {
            Receiver(
                web: try PythonServer.start("web_server.py"),
                key: try HMACKey(Secret(String(repeating: "s", count: 32)))
            )
        }

        func answer(_ status: Int, _ body: String = "") async throws {
            _ = try await TestHTTP.engine.send(
                HTTPRequest("POST", "\(base)/__put?path=/sms&status=\(status)", body: Array(body.utf8))
            )
        }

        func last() async throws -> JSONValue {
            try JSONParser.parse(try await TestHTTP.engine.send(HTTPRequest("GET", "\(base)/__last?path=/sms")).body)
        }

        func count() async throws -> Int? {
            let reply = try await TestHTTP.engine.send(HTTPRequest("GET", "\(base)/__count?path=/sms"))
            return Int(String(decoding: reply.body, as: UTF8.self))
        }
    }

    @Test func `signs what it posts`() async throws {
        let receiver = try Receiver.start()
        try await receiver.answer(200)
        try await TextingServer.start(hook: receiver.hook).use { texting in
            #expect(try await texting.otp(Self.number).status == 200)
            try await texting.textsAreSent()
            let last = try await receiver.last()
            let body = last["body"]?.string ?? ""
            let headers = try #require(last["headers"]?.object)
            let signed = "\(headers["webhook-id"]?.string ?? "").\(headers["webhook-timestamp"]?.string ?? "").\(body)"
            let signature = Data(try receiver.key.authenticate(Array(signed.utf8))).base64EncodedString()
            #expect(headers["webhook-signature"]?.string == "v1,\(signature)")
            #expect(headers["webhook-id"]?.string?.isEmpty == false)
            let payload = try JSONParser.parse(Array(body.utf8))
            #expect(payload["sms"]?["phone"]?.string == Self.number)
            #expect(payload["user"]?["phone"]?.string == Self.number)
            let code = try #require(payload["sms"]?["otp"]?.string)
            #expect(try await texting.verify(Self.number, code).status == 200)
        }
    }

    @Test func `asks again with the same id and code after a failure`() async throws {
        let receiver = try Receiver.start()
        try await receiver.answer(503)
        try await TextingServer.start(hook: receiver.hook).use { texting in
            #expect(try await texting.otp(Self.number).status == 200)
            let wasAsked = try await eventually(within: .seconds(20)) { try await receiver.count() ?? 0 >= 1 }
            try #require(wasAsked)
            let first = try await receiver.last()
            try await receiver.answer(200)
            try await texting.textsAreSent()
            let second = try await receiver.last()
            let count = try await receiver.count()
            #expect(count == 1)
            #expect(first["headers"]?["webhook-id"] == second["headers"]?["webhook-id"])
            func code(_ request: JSONValue) throws -> JSONValue? {
                try JSONParser.parse(Array((request["body"]?.string ?? "").utf8))["sms"]?["otp"]
            }
            #expect(try code(first) == code(second))
        }
    }

    @Test(arguments: [
        (200, #"{"error":{"http_code":400,"message":"no texts to this country"}}"#), (200, "accepted"), (403, ""),
    ])
    func `asks no service again that answers`(status: Int, body: String) async throws {
        let receiver = try Receiver.start()
        try await receiver.answer(status, body)
        let log = LogRecord()
        try await TextingServer.start(hook: receiver.hook, logger: log).use { texting in
            // The answer is that of any number.
            #expect(try await texting.otp(Self.number).status == 200)
            try await texting.textsAreSent()
            #expect(try await receiver.count() == 1)
            let code = try JSONParser.parse(Array((try await receiver.last()["body"]?.string ?? "").utf8))["sms"]?[
                "otp"
            ]
            #expect(try !log.text.contains(#require(code?.string)))
            #expect(try texting.server.value("SELECT state FROM swiftlet.job_history WHERE name = 'text'") == "failed")
        }
    }
}
