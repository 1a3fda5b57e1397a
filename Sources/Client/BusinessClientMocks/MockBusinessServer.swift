import BusinessClient
import Foundation
public import SwiftletClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The business functions without a server: lists that are set from outside, and what was asked.
///
///     let server = MockBusinessServer()
///     await server.set(#"[{"id":"t1","title":"Call back","status":"todo"}]"#, at: "/tasks")
///     let tasks = try await TaskService(server.client).tasks()
public actor MockBusinessServer {
    private var bodies: [String: RecordedTransport.Outcome] = [:]
    /// Methods and paths, in order: `GET /tasks`.
    public private(set) var calls: [String] = []

    public init() {}

    /// Rows as JSON, which the list below this path answers with from now on. Paths are without `/api`.
    public func set(_ rows: String, at path: String) {
        bodies[path] = .json(#"{"data":\#(rows),"total":null,"page":1,"limit":25,"has_more":false}"#)
    }

    /// Any answer, also a refusal.
    public func set(_ answer: RecordedTransport.Outcome, at path: String) { bodies[path] = answer }

    /// A client whose requests end here.
    public nonisolated var client: APIClient {
        APIClient(
            configuration: .init(baseURL: URL(fileURLWithPath: "/")),
            tokens: InMemoryTokenStore(),
            transport: RecordedTransport { request in await self.answer(request) }
        )
    }

    private func answer(_ request: URLRequest) -> RecordedTransport.Outcome {
        var path = request.url?.path ?? ""
        if path.hasPrefix("/api/") { path.removeFirst("/api".count) }
        calls.append("\(request.httpMethod ?? "GET") \(path)")
        return bodies[path] ?? .json(#"{"error":"NOT_FOUND","message":"Nothing was set for \#(path)"}"#, status: 404)
    }
}
