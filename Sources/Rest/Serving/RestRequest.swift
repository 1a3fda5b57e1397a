import HTTP
import JSON

/// What the header of a request says, read.
struct RestRequest {
    let request: Request
    let caller: RestCaller
    let schema: String
    let preferences: Preferences
    let format: AnswerFormat
    let stripsNulls: Bool
    /// More than one schema is exposed, so that answers name theirs.
    let namesSchema: Bool

    /// Throws ``RestError``.
    init(_ request: Request, _ caller: RestCaller, _ settings: RestSettings) throws(RestError) {
        self.request = request
        self.caller = caller
        preferences = Preferences(request.combinedHeader("Prefer"))
        if preferences.handling == .strict, !preferences.unknown.isEmpty {
            throw RestError(
                400,
                "PGRST122",
                "Invalid preferences given with handling=strict",
                details: "Invalid preferences: \(preferences.unknown.joined(separator: ", "))"
            )
        }
        let accept = request.combinedHeader("Accept")
        let ranges = MediaRanges(accept)
        guard let format = ranges.format else { throw .noMediaType(accept ?? "") }
        self.format = format
        stripsNulls = ranges.stripsNulls
        if case .plan = format, !settings.showsPlans { throw .noMediaType(accept ?? "") }
        let isRead = request.method == .get || request.method == .head
        let profile = request.header(isRead ? "Accept-Profile" : "Content-Profile")
        let schema = profile ?? settings.schemas[0]
        guard settings.schemas.contains(schema) else { throw .unknownSchema(schema, settings.schemas) }
        self.schema = schema
        namesSchema = settings.schemas.count > 1
    }

    var method: HTTP.Method { request.method }
    var isRead: Bool { method == .get || method == .head }
    var isObject: Bool { format == .object }

    var hasRange: Bool { request.header("Range") != nil }

    /// `Range: 0-9` of a read, as offset and limit.
    var range: (offset: Int, limit: Int?)? {
        get throws(RestError) {
            guard isRead, let text = request.header("Range") else { return nil }
            let value = text.hasPrefix("items=") ? String(text.dropFirst(6)) : text
            let parts = value.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, let first = Int(parts[0]), first >= 0 else { return nil }
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
    var contextTexts: (headers: [UInt8], cookies: [UInt8]) {
        var headers = JSONWriter()
        headers.beginObject()
        for (name, value) in request.fields {
            let name = name.lowercased()
            guard name != "cookie" else { continue }
            headers.key(name)
            headers.write(value)
        }
        headers.endObject()
        return (headers.finish(), cookies)
    }

    private var cookies: [UInt8] {
        guard let header = request.combinedHeader("Cookie") else { return Array("{}".utf8) }
        var cookies = JSONWriter()
        cookies.beginObject()
        for pair in header.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).trimmingSpaces() }
            guard parts.count == 2 else { continue }
            cookies.key(parts[0])
            cookies.write(parts[1])
        }
        cookies.endObject()
        return cookies.finish()
    }
}
