import SwiftletPostgres

/// Where a request goes: who may come, and the handler that answers. The endpoint says what it is called.
final class Destination: Sendable {
    let endpoint: Endpoint
    let method: Method
    let access: Route.Access
    /// Whether times in the strings of its JSON become the server's format.
    let normalizesDates: Bool
    /// Whether an answer may be compressed: it holds no token.
    let isCompressed: Bool
    /// How much content it may have that its handler reads as it arrives.
    let streamingLimit: Int?
    /// Whether its answers have no CORS headers.
    let isSameOriginOnly: Bool
    /// Whether limits of the server count its requests: not those of its own pages, which watch over it.
    let isLimited: Bool
    /// Whether its reads never go to a replica.
    let readsPrimary: Bool
    /// Its own.
    let limits: [RateCounter]
    let handler: Handler
    /// Whether the handler reads a parameter of the query; nil if nobody knows.
    private let knowsParameter: (@Sendable (String, Schema) -> Bool)?

    init(
        _ endpoint: Endpoint,
        method: Method,
        access: Route.Access,
        normalizesDates: Bool = true,
        isCompressed: Bool = true,
        streamingLimit: Int? = nil,
        knowsParameter: (@Sendable (String, Schema) -> Bool)? = nil,
        isSameOriginOnly: Bool = false,
        isLimited: Bool = false,
        readsPrimary: Bool = false,
        limits: [RateCounter] = [],
        handler: @escaping Handler
    ) {
        self.endpoint = endpoint
        self.method = method
        self.access = access
        self.normalizesDates = normalizesDates
        self.isCompressed = isCompressed
        self.streamingLimit = streamingLimit
        self.knowsParameter = knowsParameter
        self.isSameOriginOnly = isSameOriginOnly
        self.isLimited = isLimited
        self.readsPrimary = readsPrimary
        self.limits = limits
        self.handler = handler
    }

    /// Whether answers to requests with an `Idempotency-Key` may be stored: they hold no token, and their requests are
    /// there as a whole.
    var keepsAnswers: Bool { isCompressed && streamingLimit == nil }

    /// The parameters of a request's query that the handler does not read, each once.
    @inline(__always)
    func ignoredParameters(of request: Request, _ schema: Schema) -> [String] {
        guard let knowsParameter, !request.query.isEmpty else { return [] }
        // Supabase's clients send it to choose a region.
        return request.query.names.filter { $0 != "forceFunctionRegion" && !knowsParameter($0, schema) }
    }
}
