public import SwiftletClient

extension APIEndpoint {
    /// Those for the caller, and those that the caller is for others.
    public static var responders: APIEndpoint { APIEndpoint(.get, path("responders")) }

    public static func askResponder(_ userID: String) -> APIEndpoint {
        APIEndpoint(.post, path("responders"), body: .json(["userId": userID]))
    }

    public static func acceptResponder(_ id: String) -> APIEndpoint {
        APIEndpoint(.post, path("responders", id, "accept"), repetition: .safe)
    }

    public static func removeResponder(_ id: String) -> APIEndpoint { delete(path("responders", id)) }
}

/// Who is told when the user misses a check-in or calls for help, and for whom the user was asked to respond.
public struct ResponderService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    public func responders() async throws -> [Responder] { try await client.requestArray(.responders) }

    /// Throws ``APIError/notFound`` for somebody who does not exist, ``APIError/conflict`` for one who was asked before.
    @discardableResult
    public func ask(_ userID: String) async throws -> Responder { try await client.request(.askResponder(userID)) }

    /// Says yes to whoever has asked.
    @discardableResult
    public func accept(_ id: String) async throws -> Responder { try await client.request(.acceptResponder(id)) }

    /// From either side.
    public func remove(_ id: String) async throws { try await client.requestVoid(.removeResponder(id)) }
}
