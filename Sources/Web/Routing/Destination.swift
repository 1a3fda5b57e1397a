/// Where a request goes: who may come, and the handler that answers. The endpoint says what it is called.
final class Destination: Sendable {
    let endpoint: Endpoint
    let method: Method
    let access: Route.Access
    /// Whether times in the strings of its JSON become the server's format.
    let normalisesDates: Bool
    /// How much content it may have that its handler reads as it arrives.
    let streamingLimit: Int?
    let handler: Handler

    init(
        _ endpoint: Endpoint,
        method: Method,
        access: Route.Access,
        normalisesDates: Bool = true,
        streamingLimit: Int? = nil,
        handler: @escaping Handler
    ) {
        self.endpoint = endpoint
        self.method = method
        self.access = access
        self.normalisesDates = normalisesDates
        self.streamingLimit = streamingLimit
        self.handler = handler
    }
}
