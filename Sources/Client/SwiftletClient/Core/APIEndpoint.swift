public import Foundation

/// One request as the server's documentation names it: what is asked, not where or by whom.
///
/// The endpoints of the business functions are static functions of this type, in a file for each feature.
public struct APIEndpoint: Sendable {
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
        case head = "HEAD"
    }

    public enum Body: Sendable {
        /// Encoded by `JSONEncoder.swiftlet`.
        case json(any Encodable & Sendable)
        case data(Data, contentType: String)
    }

    /// Whether the request may be sent again when its answer was lost.
    public enum Repetition: Sendable {
        /// It could take effect twice.
        case never
        /// The server sees by an `Idempotency-Key` that it is the same request, and gives its first answer again. Only for
        /// functions that keep their answers: those for whoever is signed in, see the server's `Idempotency-Key`.
        case keyed
        /// Twice is as good as once.
        case safe
        /// The new row has this id, so the server refuses a second one with 409. The row is then read where it says.
        case creation(id: String, readBack: ReadBack)
    }

    public enum ReadBack: Sendable {
        /// `GET` on the path followed by the id.
        case row
        /// `GET` on the path, whose list has it.
        case list
    }

    public var method: Method
    /// Begins with `/api/`, `/auth/` or another `/`; its segments are percent-encoded, see ``path(_:)``.
    public var path: String
    public var query: [URLQueryItem]
    public var body: Body?
    /// Whether the access token is sent, and refreshed when it has expired.
    public var requiresAuth: Bool
    public var repetition: Repetition
    public var headers: [String: String] = [:]
    /// Whether it gets a key although it is never repeated here.
    let hasKey: Bool

    /// A read may be repeated unless it is said otherwise, and no other request. A `POST` or `PATCH` of a function by
    /// whoever is signed in has a key all the same; whether the function keeps its answers, and so may be asked again, only
    /// `.keyed` can say.
    public init(
        _ method: Method = .get,
        _ path: String,
        query: [URLQueryItem] = [],
        body: Body? = nil,
        requiresAuth: Bool = true,
        repetition: Repetition? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.requiresAuth = requiresAuth
        self.repetition = repetition ?? (method == .get || method == .head ? .safe : .never)
        hasKey = repetition == nil && Self.mayHaveKey(method, path, body)
    }

    private static func mayHaveKey(_ method: Method, _ path: String, _ body: Body?) -> Bool {
        guard method == .post || method == .patch, path.hasPrefix("/api/"), !path.hasPrefix("/api/mobile-auth/") else {
            return false
        }
        if case .data = body { return false }
        return true
    }

    /// `/api/tasks/7`, with every segment encoded, so that an id can be any text.
    public static func path(_ segments: String...) -> String {
        segments.reduce("/api") { "\($0)/\(QueryText.encoded($1))" }
    }
}

extension APIEndpoint {
    /// `POST` of a new row, which gets its id here: sent twice, it is made once.
    public static func create(
        _ path: String,
        _ values: some Encodable & Sendable,
        id: String = UUID().uuidString.lowercased(),
        readBack: ReadBack = .row
    ) -> APIEndpoint {
        APIEndpoint(
            .post,
            path,
            body: .json(SentValues(values: values, id: id)),
            repetition: .creation(id: id, readBack: readBack)
        )
    }

    /// A change of some fields. Those of `values` that are nil stay as they are; those named in `clearing` become null.
    public static func update(
        _ method: Method = .patch,
        _ path: String,
        _ values: some Encodable & Sendable,
        clearing: [String] = [],
        repetition: Repetition? = nil
    ) -> APIEndpoint {
        APIEndpoint(method, path, body: .json(SentValues(values: values, clearing: clearing)), repetition: repetition)
    }

    /// A row that is gone already is deleted too.
    public static func delete(_ path: String) -> APIEndpoint {
        APIEndpoint(.delete, path, repetition: .safe)
    }
}

/// Values with what is said beside them: the id of a new row, and the fields that become null.
private struct SentValues<Values: Encodable & Sendable>: Encodable, Sendable {
    let values: Values
    var id: String?
    var clearing: [String] = []

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        try values.encode(to: encoder)
        guard id != nil || !clearing.isEmpty else { return }
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(id, forKey: Key(stringValue: "id"))
        for name in clearing { try container.encodeNil(forKey: Key(stringValue: name)) }
    }
}

/// Collects the query items that are given.
package struct Query {
    package private(set) var items: [URLQueryItem] = []

    package init() {}

    package mutating func add(_ name: String, _ value: String?) {
        if let value { items.append(URLQueryItem(name: name, value: value)) }
    }

    package mutating func add(_ name: String, _ value: Int?) { add(name, value.map(String.init)) }

    /// A flag that is not set is left out.
    package mutating func add(_ name: String, _ flag: Bool) { if flag { add(name, "true") } }

    package mutating func add(_ name: String, _ date: Date?) { add(name, date.map(ServerTime.text)) }

    package static func page(_ page: Int, _ limit: Int) -> Query {
        var query = Query()
        query.add("page", page)
        query.add("limit", limit)
        return query
    }
}

/// `2025-03-15T17:44:35Z`
package enum ServerTime {
    package static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
