import SwiftletPostgres
import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// What the header of a request says, read. A reference, as every step of the request passes it on.
final class RestRequest: Sendable {
    let request: Request
    let caller: DatabaseCaller
    let schema: String
    let preferences: Preferences
    /// In the order in which the client prefers them.
    let accepted: [RequestedMediaType]
    /// What was negotiated; JSON until then.
    let format: ResponseFormat
    let stripsNulls: Bool
    let contentType: String
    /// More than one schema is exposed, so that answers name theirs.
    let namesSchema: Bool
    let timings: RestTimings?

    /// Throws ``RestError``.
    init(
        _ request: Request,
        _ caller: DatabaseCaller,
        _ settings: RestSettings,
        _ timings: RestTimings?
    ) throws(RestError) {
        self.request = request
        self.caller = caller
        self.timings = timings
        var preferences = Preferences(request.combinedHeader("Prefer"))
        preferences.dropUnknownTimeZone()
        self.preferences = preferences
        if preferences.handling == .strict, !preferences.unknown.isEmpty {
            throw RestError(
                400,
                "PGRST122",
                "Invalid preferences given with handling=strict",
                details: "Invalid preferences: \(preferences.unknown.joined(separator: ", "))"
            )
        }
        accepted = MediaRanges(request.combinedHeader("Accept")).types
        let isRead = request.method == .get || request.method == .head
        let profile = request.header(isRead ? "Accept-Profile" : "Content-Profile")
        let schema = profile ?? settings.schemas[0]
        guard settings.schemas.contains(schema) else { throw .unknownSchema(schema, settings.schemas) }
        self.schema = schema
        namesSchema = settings.schemas.count > 1
        format = .json
        stripsNulls = false
        contentType = RequestedMediaType.json.contentType
    }

    private init(_ other: RestRequest, _ found: NegotiatedFormat) {
        request = other.request
        caller = other.caller
        timings = other.timings
        preferences = other.preferences
        accepted = other.accepted
        schema = other.schema
        namesSchema = other.namesSchema
        format = found.format
        stripsNulls = found.stripsNulls
        contentType = found.type.contentType
    }

    var method: SwiftletHTTP.Method { request.method }
    var isRead: Bool { method == .get || method == .head }
    var isObject: Bool { format.content == .object }

    var hasRange: Bool { method == .get && request.header("Range") != nil }

    /// The same, with the form of its answer. Throws ``RestError`` 406.
    func negotiated(
        _ handlers: MediaHandlers,
        target: QualifiedName,
        isWhole: @autoclosure () -> Bool,
        showsPlans: Bool
    ) throws(RestError) -> RestRequest {
        guard
            let found = NegotiatedFormat(
                accepted,
                handlers,
                target: target,
                isWhole: handlers.isEmpty || isWhole(),
                showsPlans: showsPlans
            )
        else { throw .noMediaType(accepted.map(\.name).joined(separator: ", ")) }
        return RestRequest(self, found)
    }

    /// The form of the OpenAPI description. Throws ``RestError`` 406.
    func descriptionType() throws(RestError) -> RequestedMediaType {
        for type in accepted {
            switch type {
            case .json, .openAPI: return type
            case .any: return .openAPI
            default: continue
            }
        }
        throw .noMediaType(accepted.map(\.name).joined(separator: ", "))
    }

    /// The query asks for rows as they are: `*`, or nothing.
    var selectsAll: Bool { request.query.all("select").allSatisfy { $0.isEmpty || $0 == "*" } }

    /// `Range: 0-9` of a read, as offset and limit.
    var range: (offset: Int, limit: Int?)? {
        get throws(RestError) {
            guard method == .get, let text = request.header("Range") else { return nil }
            let value = text.hasPrefix("items=") ? String(text.dropFirst(6)) : text
            let parts = value.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, let first = Int(parts[0]), first >= 0, first < Int(Int32.max) else { return nil }
            guard !parts[1].isEmpty else { return (first, nil) }
            guard let last = Int(parts[1]), last < Int(Int32.max) else { return nil }
            guard last >= first else {
                throw RestError(
                    416,
                    "PGRST103",
                    "Requested range not satisfiable",
                    details: "The lower boundary must be lower than or equal to the upper boundary in the Range header."
                )
            }
            return (first, last - first + 1)
        }
    }

    /// What functions and policies read as `request.headers` and `request.cookies`: JSON objects.
    var contextTexts: (headers: [UInt8], cookies: [UInt8]) { request.settingTexts }
}
