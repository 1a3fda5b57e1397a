import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletOutbound
import SwiftletWeb

/// Asks a hook over HTTP, signed according to Standard Webhooks, see `WebhookSignature`.
struct HookService: Sendable {
    private let http: HTTPEngine
    private let clock: ServerClock

    private let timeout: Duration

    /// As in GoTrue.
    private static let maximumBytes = 200 * 1024
    private static let attempts = 3
    /// A service that restarts is back by then.
    private static let pause = Duration.seconds(1)

    init(_ http: HTTPEngine, timeout: Duration, clock: ServerClock) {
        self.http = http
        self.timeout = timeout
        self.clock = clock
    }

    /// Asks up to three times, within one timeout, as GoTrue does: after a pause a service that cannot be reached, at
    /// once one that answers 429 or 503 with `Retry-After`. The same `id` tells it that this is one call.
    func ask(_ url: String, _ keys: [HMACKey], _ payload: JSONObject, id: String) async throws -> JSONValue {
        let body = Array(JSONValue.object(payload).description.utf8)
        let end = ContinuousClock.now + timeout
        for _ in 1..<Self.attempts {
            do {
                let reply = try await send(url, keys, body, id: id, until: end)
                guard Self.asksForAnother(reply) else { return try Self.read(reply) }
            } catch HTTPFailure.noConnection where ContinuousClock.now + Self.pause < end {
                try await Task.sleep(for: Self.pause)
            } catch let failure as HTTPFailure {
                throw error(failure)
            }
        }
        do {
            return try Self.read(try await send(url, keys, body, id: id, until: end))
        } catch HTTPFailure.noConnection {
            throw SignInError(
                .unprocessableContent,
                .hookTimeoutAfterRetry,
                "Failed to reach hook after maximum retries"
            )
        } catch let failure as HTTPFailure {
            throw error(failure)
        }
    }

    private func send(
        _ url: String,
        _ keys: [HMACKey],
        _ body: [UInt8],
        id: String,
        until end: ContinuousClock.Instant
    ) async throws -> HTTPResponse {
        var request = HTTPRequest("POST", url, body: body)
        request.headers = [("Content-Type", "application/json"), ("Accept", "application/json")]
        // GoTrue separates them so.
        let seconds = clock.milliseconds() / 1000
        request.headers += try WebhookSignature.headers(id: id, seconds: seconds, body: body, keys, separator: ", ")
        request.timeout = max(.milliseconds(1), end - .now)
        request.maximumBodyBytes = Self.maximumBytes
        return try await http.send(request)
    }

    private func error(_ failure: HTTPFailure) -> SignInError {
        switch failure {
        case .timedOut:
            SignInError(
                .unprocessableContent,
                .hookTimeout,
                "Failed to reach hook within maximum time of \(Double(timeout / .milliseconds(100)) / 10) seconds"
            )
        case .tooLarge:
            SignInError(
                .unprocessableContent,
                "hook_payload_over_size_limit",
                "Payload size exceeds the limit of 200 KB"
            )
        default: .hookFailed("it cannot be reached")
        }
    }

    private static func asksForAnother(_ reply: HTTPResponse) -> Bool {
        (reply.status == 429 || reply.status == 503) && reply.header("Retry-After")?.isEmpty == false
    }

    private static func read(_ reply: HTTPResponse) throws -> JSONValue {
        switch reply.status {
        case 204: return .object([:])
        case 200, 202:
            guard !reply.body.isEmpty else { return .object([:]) }
            guard reply.header("Content-Type")?.lowercased().hasPrefix("application/json") == true else {
                throw SignInError(
                    .badRequest,
                    "hook_payload_invalid_content_type",
                    "Invalid JSON response. Received content-type: other than application/json"
                )
            }
            guard let value = try? JSONParser.parse(reply.body) else {
                throw SignInError.hookFailed("its answer is no JSON")
            }
            return value
        default: throw HookStatus(code: reply.status)
        }
    }
}

/// A service has answered with a status that says nothing to our client.
struct HookStatus: Error {
    let code: Int
}
