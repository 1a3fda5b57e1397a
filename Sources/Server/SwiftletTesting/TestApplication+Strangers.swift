package import SwiftletHTTP
import SwiftletWeb

extension TestApplication {
    /// The routes whose handlers check their callers themselves, and that answer somebody without a key otherwise than
    /// by 401 or 403, each with its answer: `GET /settings 200`.
    package func answersToStrangers(
        headers: [(Headers.Name, String)] = [],
        unless isRefused: (Response) -> Bool = { [.unauthorized, .forbidden].contains($0.status) }
    ) async throws -> [String] {
        var answers: [String] = []
        for function in functions {
            for route in function.routes where route.access == .byHandler {
                let path = route.path.segments.map { segment in
                    switch segment {
                    case .literal(let word): "/\(word)"
                    case .parameter: "/00000000-0000-4000-8000-000000000000"
                    case .rest: "/some/thing"
                    }
                }.joined()
                let hasBody = ![.get, .head, .delete, .options].contains(route.method)
                let response = try await send(
                    route.method,
                    "/\(function.name)\(path)",
                    hasBody ? "{}" : "",
                    headers: headers + (hasBody ? [(.contentType, "application/json")] : [])
                )
                if !isRefused(response) {
                    answers.append("\(route.method.rawValue) \(route.path) \(response.status.rawValue)")
                }
            }
        }
        return answers.sorted()
    }
}
