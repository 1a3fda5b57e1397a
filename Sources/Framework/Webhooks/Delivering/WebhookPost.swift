import SwiftletAuth
import SwiftletOutbound
import SwiftletWeb

/// Posts a message to an endpoint, and reads no more of the answer than is kept.
struct WebhookPost: Sendable {
    let http: HTTPEngine
    let timeout: Duration
    let clock: ServerClock

    /// Throws ``KeyError``, and `CancellationError` if the server stops.
    func send(_ delivery: Delivery) async throws -> DeliveryAttempt {
        let body = Array(delivery.body.utf8)
        var keys = [try HMACKey(webhook: Secret(delivery.secret))]
        // One that is none is no reason to send nothing.
        if let former = delivery.formerSecret, let key = try? HMACKey(webhook: Secret(former)) { keys.append(key) }
        var request = HTTPRequest("POST", delivery.url, body: body)
        request.headers =
            [("Content-Type", "application/json")]
            + (try WebhookSignature.headers(
                id: "msg_" + delivery.message,
                seconds: clock.milliseconds() / 1000,
                body: body,
                keys
            ))
        request.timeout = timeout
        request.connectTimeout = min(request.connectTimeout, timeout)
        request.idleTimeout = timeout
        // The receiver knows a message by its id.
        request.isRepeatable = true
        let start = clock.nanoseconds()
        func milliseconds() -> Int { Int(clamping: (clock.nanoseconds() &- start) / 1_000_000) }
        do throws(HTTPFailure) {
            let stream = try await http.open(request)
            defer { stream.close() }
            let answer = await Self.beginning(of: stream)
            return DeliveryAttempt(stream.head, body: answer, milliseconds: milliseconds())
        } catch {
            if error == .cancelled || error == .unavailable { throw CancellationError() }
            return DeliveryAttempt(error, milliseconds: milliseconds())
        }
    }

    /// The status counts, whether or not the answer ends well.
    private static func beginning(of stream: HTTPStream) async -> [UInt8] {
        var bytes: [UInt8] = []
        var chunks = stream.makeAsyncIterator()
        while bytes.count < DeliveryAttempt.maximumAnswerBytes {
            guard let chunk = try? await chunks.next() else { break }
            bytes += chunk
        }
        return bytes
    }
}
