package import SwiftletOutbound

extension HTTPRequest {
    package static func get(_ url: String, headers: [(name: String, value: String)] = []) -> HTTPRequest {
        HTTPRequest("GET", url, headers: headers)
    }

    package static func post(
        _ url: String,
        _ body: [UInt8],
        headers: [(name: String, value: String)] = []
    ) -> HTTPRequest {
        HTTPRequest("POST", url, body: body, headers: headers)
    }

    /// Sends it to a server of the test.
    package func sent() async throws -> HTTPResponse { try await HTTPEngine.background().send(self) }
}
