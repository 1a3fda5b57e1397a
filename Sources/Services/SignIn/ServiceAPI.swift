import SwiftletHTTP
import SwiftletWeb

/// An API whose handlers share services.
protocol ServiceAPI: Sendable {
    var services: Services { get }

    init(services: Services)
}

extension ServiceAPI {
    /// The handler, whose statements are added to the log line of its request.
    func serve(
        _ handler: @escaping @Sendable (Self) -> (Request, Context) async throws -> Response
    ) -> Handler {
        { request, context in
            try await handler(Self(services: services.counting(in: context)))(request, context)
        }
    }
}
