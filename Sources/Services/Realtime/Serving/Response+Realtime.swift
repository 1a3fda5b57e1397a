import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

extension Response {
    /// A refusal as the clients of channels read it: `{"error": …}`.
    static func realtimeError(_ status: Status, _ reason: String) -> Response {
        Response(json: JSONText(.object(["error": .string(reason)])), status)
    }
}
