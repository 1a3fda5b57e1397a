/// One media type that a client accepts, read.
enum RequestedMediaType: Hashable, Sendable {
    case json
    /// JSON without members that are null.
    case strippedJSON
    case object(stripsNulls: Bool)
    case csv
    case geoJSON
    case openAPI
    /// `*/*`
    case any
    /// In lower case, without parameters.
    case other(String)
    indirect case plan(of: RequestedMediaType, PlanOptions)

    struct PlanOptions: Hashable, Sendable {
        var isText = false
        /// Those that PostgreSQL knows, in its order.
        var options: [String] = []
    }

    /// As it stands in errors.
    var name: String {
        switch self {
        case .json: "application/json"
        case .strippedJSON: "application/vnd.pgrst.array+json;nulls=stripped"
        case .object(false): "application/vnd.pgrst.object+json"
        case .object(true): "application/vnd.pgrst.object+json;nulls=stripped"
        case .csv: "text/csv"
        case .geoJSON: "application/geo+json"
        case .openAPI: "application/openapi+json"
        case .any: "*/*"
        case .other(let name): name
        case .plan(let type, let options):
            "application/vnd.pgrst.plan+\(options.isText ? "text" : "json"); for=\"\(type.name)\""
                + (options.options.isEmpty ? "" : "; options=\(options.options.joined(separator: "|"))")
        }
    }

    /// For `Content-Type`: what is made of text says how it is encoded.
    var contentType: String {
        switch self {
        case .other(let name) where !Self.texts.contains(name): name
        default: "\(name); charset=utf-8"
        }
    }

    private static let texts: Set = ["text/plain", "text/xml", "application/x-www-form-urlencoded"]

    /// Of a media type without parameters, which a domain can be named after.
    init(named name: String) {
        self = MediaRanges.type(name.lowercased(), [:])
    }
}

/// Reads `Accept`: the types in the order in which the client prefers them.
struct MediaRanges {
    private(set) var types: [RequestedMediaType]

    /// More are not looked at.
    private static let maximumRanges = 32

    init(_ accept: String?) {
        // What most clients send.
        guard let accept, !accept.isEmpty, accept != "*/*" else {
            types = [.any]
            return
        }
        if accept == "application/json" {
            types = [.json]
            return
        }
        let ranges = accept.split(separator: ",", maxSplits: Self.maximumRanges).prefix(Self.maximumRanges)
            .map(Self.range).filter { $0.quality > 0 && !$0.type.isEmpty }
        let sorted = ranges.enumerated().sorted { first, second in
            let (one, other) = (first.element, second.element)
            if one.quality != other.quality { return one.quality > other.quality }
            if one.wildcards != other.wildcards { return one.wildcards < other.wildcards }
            return first.offset < second.offset
        }
        types = sorted.map { Self.type($0.element.type, $0.element.parameters) }
    }

    private struct Range {
        var type: String
        var parameters: [String: String]
        var quality: Double

        var wildcards: Int { type == "*/*" ? 2 : type.hasSuffix("/*") ? 1 : 0 }
    }

    private static func range(_ text: Substring) -> Range {
        let parts = text.split(separator: ";", omittingEmptySubsequences: true).map { String($0).trimmingSpaces() }
        var range = Range(type: parts.first?.lowercased() ?? "", parameters: [:], quality: 1)
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2 else { continue }
            let value = pair[1].trimmingPrefix { $0 == "\"" }
            range.parameters[pair[0].lowercased()] = value.last == "\"" ? String(value.dropLast()) : String(value)
        }
        range.quality = range.parameters["q"].flatMap { Double($0) } ?? 1
        return range
    }

    fileprivate static func type(_ name: String, _ parameters: [String: String]) -> RequestedMediaType {
        let stripsNulls = parameters["nulls"] == "stripped"
        return switch name {
        case "*/*", "*": .any
        case "application/json", "application/*": .json
        case "application/vnd.pgrst.array+json", "application/vnd.pgrst.array": stripsNulls ? .strippedJSON : .json
        case "application/vnd.pgrst.object+json", "application/vnd.pgrst.object": .object(stripsNulls: stripsNulls)
        case "text/csv": .csv
        case "application/geo+json": .geoJSON
        case "application/openapi+json": .openAPI
        case "application/vnd.pgrst.plan+json": plan(parameters, isText: false)
        case "application/vnd.pgrst.plan+text", "application/vnd.pgrst.plan": plan(parameters, isText: true)
        default: .other(name)
        }
    }

    private static func plan(_ parameters: [String: String], isText: Bool) -> RequestedMediaType {
        let wanted = parameters["options"]?.split(separator: "|").map { String($0).trimmingSpaces() } ?? []
        let known = ["analyze", "verbose", "settings", "buffers", "wal"].filter(wanted.contains)
        let options = RequestedMediaType.PlanOptions(isText: isText, options: known)
        // A plan is of something else than a plan.
        guard let name = parameters["for"], !name.contains("pgrst.plan") else { return .plan(of: .json, options) }
        let words = name.lowercased().split(separator: ";").map { String($0).trimmingSpaces() }
        let type = type(words.first ?? "", words.dropFirst().contains("nulls=stripped") ? ["nulls": "stripped"] : [:])
        return .plan(of: type, options)
    }
}
