import SwiftletAuth
import SwiftletEventLoop
import SwiftletJSON
import SwiftletOutbound
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletPush

/// Against a TLS server that speaks HTTP/2 and gives every answer.
@Suite(.enabled(if: Python.hasPackages, "run .ci/setup test"), .serialized, .hangLimit)
struct PushSendingTests {
    private static let notification = PushNotification(
        id: "0198C0DE-0000-7000-8000-000000000001",
        title: "Visit",
        body: "at noon"
    )
    private static let iPhone = PushDevice(.apns, token: "00ff", registeredAt: 1_000)
    private static let android = PushDevice(.fcm, token: "cafe:42")
    private static let message = "/v1/projects/shop/messages:send"

    private let server: PythonServer

    init() throws { server = try PythonServer.start("h2_server.py") }

    private var address: String { "https://localhost:\(server.port("h2"))" }

    /// The services, the client to speak with the server itself, and seconds that the test advances.
    private func with(
        _ body: (_ gateway: PushGateway, _ engine: HTTPEngine, _ advance: (Int) -> Void) async throws -> Void
    ) async throws {
        let group = try EventLoopGroup.start(count: 1)
        var settings = HTTPEngine.Settings()
        settings.allowsPrivateAddresses = true
        settings.trust = .systemAnd(file: server.certificateFile)
        let engine = HTTPEngine(group.loops, settings)
        let seconds = Seconds()
        let apns = APNsClient(
            .init(
                key: try PrivateKey(pem: TestKeys.apple, keyID: "KEY1234567"),
                team: "TEAM123456",
                topics: ["com.example.shop", "com.example.shop.pro"],
                url: address
            ),
            engine,
            clock: { seconds.now }
        )
        let account = try ServiceAccount(json: Array(TestKeys.serviceAccount(tokenURL: "\(address)/token").utf8))
        let fcm = FCMClient(account, url: address, engine, clock: { seconds.now })
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(PushGateway(apns: apns, fcm: fcm), engine, { seconds.advance($0) }))
        } catch {
            result = .failure(error)
        }
        await engine.shutdown()
        group.stop()
        try result.get()
    }

    private final class Seconds: Sendable {
        private let value = Atomic<Int>(1_700_000_000)
        var now: Int { value.load(ordering: .relaxed) }
        func advance(_ seconds: Int) { value.wrappingAdd(seconds, ordering: .relaxed) }
    }

    private func plan(_ engine: HTTPEngine, _ path: String, _ answers: String) async throws {
        let body = Array(#"{"answers":[\#(answers)]}"#.utf8)
        _ = try await engine.send(HTTPRequest("POST", "\(address)/__put?path=\(path)", body: body))
    }

    private func seen(_ engine: HTTPEngine, _ path: String) async throws -> [JSONValue] {
        try JSONParser.parse(try await engine.send(.init("GET", "\(address)/__seen?path=\(path)")).body).array ?? []
    }

    private static let grant = #"{"body":"{\"access_token\":\"ya29\",\"expires_in\":3599}"}"#

    @Test func `Apple gets the token, the topic, the id and the payload`() async throws {
        try await with { gateway, engine, _ in
            try await plan(engine, "/3/device/00ff", "{}")
            var notification = Self.notification
            notification.collapseID = "visit"
            notification.expiresAt = 9_999_999_999
            var device = Self.iPhone
            device.app = "com.example.shop.pro"
            #expect(await gateway.send(notification, to: device) == .delivered)
            let request = try #require(try await seen(engine, "/3/device/00ff").first)
            let headers = request["headers"]
            #expect(headers?[":method"] == "POST")
            #expect(headers?["apns-topic"] == "com.example.shop.pro")
            #expect(headers?["apns-push-type"] == "alert")
            #expect(headers?["apns-priority"] == "10")
            #expect(headers?["apns-id"] == "0198c0de-0000-7000-8000-000000000001")
            #expect(headers?["apns-collapse-id"] == "visit")
            #expect(headers?["apns-expiration"] == .string("\(1_700_000_000 + 30 * 86_400)"))
            let token = headers?["authorization"]?.string?.dropFirst("bearer ".count).split(separator: ".") ?? []
            #expect(token.count == 3)
            let body = try JSONParser.parse(Array((request["body"]?.string ?? "").utf8))
            #expect(body["aps"]?["alert"]?["title"] == "Visit")
        }
    }

    @Test(arguments: [
        (
            #"{"status":410,"body":"{\"reason\":\"Unregistered\",\"timestamp\":2000000}"}"#,
            PushDelivery.removeToken("APNs 410 Unregistered")
        ),
        (
            #"{"status":410,"body":"{\"reason\":\"Unregistered\",\"timestamp\":500000}"}"#,
            .retry(after: nil, "APNs 410 Unregistered")
        ),
        (#"{"status":400,"body":"{\"reason\":\"BadDeviceToken\"}"}"#, .removeToken("APNs 400 BadDeviceToken")),
        (#"{"status":413,"body":"{\"reason\":\"PayloadTooLarge\"}"}"#, .failed("APNs 413 PayloadTooLarge")),
        (
            #"{"status":429,"body":"{\"reason\":\"TooManyRequests\"}","headers":{"Retry-After":"30"}}"#,
            .retry(after: .seconds(30), "APNs 429 TooManyRequests")
        ),
        (#"{"status":503,"body":"<html>busy</html>"}"#, .retry(after: nil, "APNs 503")),
    ])
    func `Apple's answers become outcomes`(answer: String, expected: PushDelivery) async throws {
        try await with { gateway, engine, _ in
            try await plan(engine, "/3/device/00ff", answer)
            #expect(await gateway.send(Self.notification, to: Self.iPhone) == expected)
        }
    }

    @Test func `the provider token is kept for 40 minutes, and renewed once when it is refused after 20`() async throws
    {
        try await with { gateway, engine, advance in
            let expired = #"{"status":403,"body":"{\"reason\":\"ExpiredProviderToken\"}"}"#
            try await plan(engine, "/3/device/00ff", "{}")
            for seconds in [0, 39 * 60, 2 * 60] {
                advance(seconds)
                #expect(await gateway.send(Self.notification, to: Self.iPhone) == .delivered)
            }
            let tokens = try await seen(engine, "/3/device/00ff").map { $0["headers"]?["authorization"]?.string }
            #expect(tokens[0] == tokens[1])
            #expect(tokens[1] != tokens[2])

            try await plan(engine, "/3/device/00ff", expired)
            let young = await gateway.send(Self.notification, to: Self.iPhone)
            #expect(young == .retry(after: .seconds(60), "APNs 403 ExpiredProviderToken"))
            #expect(try await seen(engine, "/3/device/00ff").count == 1)

            advance(21 * 60)
            try await plan(engine, "/3/device/00ff", "\(expired),{}")
            #expect(await gateway.send(Self.notification, to: Self.iPhone) == .delivered)
            #expect(try await seen(engine, "/3/device/00ff").count == 2)
        }
    }

    @Test func `no push is lost when Apple says goodbye to the connection`() async throws {
        try await with { gateway, engine, _ in
            try await plan(engine, "/3/device/00ff", #"{"action":"goaway"},{}"#)
            #expect(await gateway.send(Self.notification, to: Self.iPhone) == .delivered)
            #expect(try await seen(engine, "/3/device/00ff").count == 2)
        }
    }

    @Test func `a connection that breaks off means another attempt`() async throws {
        try await with { gateway, engine, _ in
            try await plan(engine, "/3/device/00ff", #"{"action":"close"}"#)
            guard case .retry = await gateway.send(Self.notification, to: Self.iPhone) else {
                Issue.record("no other attempt")
                return
            }
        }
    }

    @Test func `a token that is none of Apple's is not sent anywhere`() async throws {
        try await with { gateway, _, _ in
            for token in ["", "../../x", "zz", String(repeating: "a", count: 500)] {
                let outcome = await gateway.send(Self.notification, to: PushDevice(.apns, token: token))
                #expect(outcome == .removeToken("the token is none of Apple's"))
            }
        }
    }

    @Test func `Google gets an access token that is fetched once for many messages, and again when it expires`()
        async throws
    {
        try await with { gateway, engine, advance in
            try await plan(engine, "/token", Self.grant)
            try await plan(engine, Self.message, "{}")
            await withTaskGroup { group in
                for _ in 0..<10 {
                    group.addTask { #expect(await gateway.send(Self.notification, to: Self.android) == .delivered) }
                }
            }
            #expect(try await seen(engine, "/token").count == 1)
            let requests = try await seen(engine, Self.message)
            #expect(requests.count == 10)
            #expect(requests[0]["headers"]?["authorization"] == "Bearer ya29")
            let form = try await seen(engine, "/token").first?["body"]?.string ?? ""
            #expect(form.hasPrefix("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=ey"))
            advance(3600)
            #expect(await gateway.send(Self.notification, to: Self.android) == .delivered)
            #expect(try await seen(engine, "/token").count == 2)
        }
    }

    @Test(arguments: [
        (
            #"{"status":404,"body":"{\"error\":{\"status\":\"NOT_FOUND\",\"details\":[{\"@type\":\"type.googleapis.com/google.firebase.fcm.v1.FcmError\",\"errorCode\":\"UNREGISTERED\"}]}}"}"#,
            PushDelivery.removeToken("FCM 404 UNREGISTERED")
        ),
        (
            #"{"status":400,"body":"{\"error\":{\"status\":\"INVALID_ARGUMENT\"}}"}"#,
            .failed("FCM 400 INVALID_ARGUMENT")
        ),
        (
            #"{"status":502,"body":"<html>Error 502</html>","headers":{"Retry-After":"12"}}"#,
            .retry(after: .seconds(12), "FCM 502, not in JSON")
        ),
    ])
    func `Google's answers become outcomes`(answer: String, expected: PushDelivery) async throws {
        try await with { gateway, engine, _ in
            try await plan(engine, "/token", Self.grant)
            try await plan(engine, Self.message, answer)
            #expect(await gateway.send(Self.notification, to: Self.android) == expected)
        }
    }

    @Test func `an access token that is refused is renewed once`() async throws {
        try await with { gateway, engine, _ in
            try await plan(engine, "/token", Self.grant)
            let refusal = #"{"status":401,"body":"{\"error\":{\"status\":\"UNAUTHENTICATED\"}}"}"#
            try await plan(engine, Self.message, "\(refusal),{}")
            #expect(await gateway.send(Self.notification, to: Self.android) == .delivered)
            #expect(try await seen(engine, "/token").count == 2)
        }
    }

    @Test func `a service account that Google refuses is final, a token server that is down is not`() async throws {
        try await with { gateway, engine, _ in
            try await plan(engine, "/token", #"{"status":400,"body":"{\"error\":\"invalid_grant\"}"},{"status":503}"#)
            #expect(
                await gateway.send(Self.notification, to: Self.android) == .failed("Google's token server says 400")
            )
            let later = await gateway.send(Self.notification, to: Self.android)
            #expect(later == .retry(after: nil, "Google's token server says 503"))
        }
    }
}
