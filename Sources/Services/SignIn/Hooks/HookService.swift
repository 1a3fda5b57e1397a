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

    init(_ http: HTTPEngine, timeout: Duration, clock: ServerClock) {
        self.http = http
        self.timeout = timeout
        self.clock = clock
    }

    func ask(_ url: String, _ keys: [HMACKey], _ payload: JSONObject, id: String) async throws -> JSONValue {
        let body = Array(JSONValue.object(payload).description.utf8)
        var request = HTTPRequest("POST", url, body: body)
        request.headers = [("Content-Type", "application/json"), ("Accept", "application/json")]
        // GoTrue separates them so.
        let seconds = clock.milliseconds() / 1000
        request.headers += try WebhookSignature.headers(id: id, seconds: seconds, body: body, keys, separator: ", ")
        request.timeout = timeout
        request.maximumBodyBytes = Self.maximumBytes
        let reply: HTTPResponse
        do throws(HTTPFailure) {
            reply = try await http.send(request)
        } catch .timedOut {
            throw SignInError(
                .unprocessableContent,
                .hookTimeout,
                "Failed to reach hook within maximum time of \(Double(timeout / .milliseconds(100)) / 10) seconds"
            )
        } catch .tooLarge {
            throw SignInError(
                .unprocessableContent,
                "hook_payload_over_size_limit",
                "Payload size exceeds the limit of 200 KB"
            )
        } catch {
            throw SignInError.hookFailed("it cannot be reached")
        }
        return try Self.read(reply)
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
