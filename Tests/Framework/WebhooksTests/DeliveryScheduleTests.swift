import SwiftletAuth
import SwiftletOutbound
import Testing

@testable import SwiftletWebhooks

/// When something is tried again.
@Suite struct DeliveryScheduleTests {
    private static func attempt(_ status: Int, _ headers: [(name: String, value: String)] = []) -> DeliveryAttempt {
        DeliveryAttempt(HTTPResponse(status: status, headers: headers), body: [], milliseconds: 1)
    }

    @Test(arguments: [(1, Duration.seconds(5)), (2, .seconds(300)), (9, .seconds(86_400)), (10, nil), (0, nil)])
    func `pauses as Standard Webhooks recommends`(attempt: Int, pause: Duration?) {
        #expect(DeliverySchedule.pause(afterAttempt: attempt, Self.attempt(500), jitter: 0) == pause)
    }

    @Test func `adds up to a tenth, and waits as long as the endpoint asks`() {
        #expect(DeliverySchedule.pause(afterAttempt: 1, Self.attempt(500), jitter: 1) == .milliseconds(5500))
        let busy = Self.attempt(429, [("Retry-After", "60")])
        #expect(DeliverySchedule.pause(afterAttempt: 1, busy, jitter: 0) == .seconds(60))
        #expect(DeliverySchedule.pause(afterAttempt: 2, busy, jitter: 0) == .seconds(300))
        let lying = Self.attempt(429, [("Retry-After", "99999999999")])
        #expect(DeliverySchedule.pause(afterAttempt: 1, lying, jitter: 0) == .seconds(5))
    }

    @Test func `does not repeat what cannot succeed`() {
        let refused = DeliveryAttempt(HTTPFailure.refusedAddress, milliseconds: 1)
        #expect(DeliverySchedule.pause(afterAttempt: 1, refused, jitter: 0) == nil)
        #expect(DeliverySchedule.pause(afterAttempt: 1, Self.attempt(410), jitter: 0) == nil)
        #expect(DeliverySchedule.pause(afterAttempt: 1, DeliveryAttempt(.timedOut, milliseconds: 1), jitter: 0) != nil)
    }

    private static func delivery(failures: Int = 0, isPaused: Bool = false, wait: Int = 0) -> Delivery {
        Delivery(
            attempts: 0,
            message: "m",
            body: "{}",
            webhook: 1,
            url: "https://example.org",
            secret: "s",
            formerSecret: nil,
            failures: failures,
            isPaused: isPaused,
            wait: wait
        )
    }

    @Test func `admits a delivery by the state of its endpoint`() {
        #expect(Self.delivery().admission == .send)
        #expect(Self.delivery(failures: 4, wait: 9).admission == .send)
        #expect(Self.delivery(failures: 5, wait: 9).admission == .postpone(milliseconds: 9))
        #expect(Self.delivery(failures: 5, wait: .max).admission == .postpone(milliseconds: 3_600_000))
        #expect(Self.delivery(failures: 5, wait: 0).admission == .probe)
        #expect(Self.delivery(failures: 5, isPaused: true).admission == .hold)
    }

    @Test func `a slow endpoint has four deliveries at a time, a quick one as many as there are`() {
        var turn = EndpointTurn()
        for _ in 0..<50 { #expect(turn.begin() == nil) }
        for _ in 0..<50 { turn.end(after: 10) }
        #expect(turn.isIdle)
        for _ in 0..<4 {
            #expect(turn.begin() == nil)
            turn.end(after: 4_000)
        }
        for _ in 0..<4 { #expect(turn.begin() == nil) }
        let pauses = (0..<8).map { _ in turn.begin() ?? .zero }
        #expect(pauses.allSatisfy { $0 >= .seconds(3) } && pauses == pauses.sorted())
        #expect(pauses.last ?? .zero > pauses[0])
        turn.end(after: 10)
        #expect(turn.begin() == nil)
        for _ in 0..<100_000 { _ = turn.begin() }
        #expect(turn.begin() == .seconds(600))
    }

    @Test func `keeps the beginning of an answer, without what commands a terminal`() {
        let bytes = Array("no\u{1B}[2J\0".utf8) + Array(repeating: UInt8(ascii: "x"), count: 5000)
        let attempt = DeliveryAttempt(HTTPResponse(status: 500), body: bytes, milliseconds: 1)
        #expect(attempt.answer?.hasPrefix("no?[2J?x") == true)
        #expect(attempt.answer?.utf8.count == 1024)
        #expect(attempt.error == "it answers 500")
    }

    /// The example of Svix's documentation.
    @Test func `signs as the standard's libraries verify`() throws {
        let key = try HMACKey(webhook: Secret("whsec_plJ3nmyCDGBKInavdOK15jsl"))
        let headers = try WebhookSignature.headers(
            id: "msg_loFOjxBNrRLzqYUf",
            seconds: 1_731_705_121,
            body: Array(#"{"event_type":"ping","data":{"success":true}}"#.utf8),
            [key]
        )
        #expect(headers.map(\.value).last == "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=")
    }

    @Test func `makes secrets that the standard accepts`() throws {
        let secret = try WebhookSecret.make()
        #expect(WebhookSecret.isAccepted(secret))
        #expect(try WebhookSecret.make() != secret)
        for text in [
            "", "whsec_", "whsec_c2hvcnQ=", "hello", "whsec_" + String(repeating: "A", count: 100), "whsec_-_-_",
        ] {
            #expect(!WebhookSecret.isAccepted(text), "\(text)")
        }
    }
}
