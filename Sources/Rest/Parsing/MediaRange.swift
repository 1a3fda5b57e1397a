/// The form of an answer that a client asks for.
enum AnswerFormat: Hashable, Sendable {
    case json
    case object
    case csv
    case openAPI
    /// One value of a function as it is.
    case text, bytes
    case plan(PlanOptions)

    struct PlanOptions: Hashable, Sendable {
        var isText = false
        var options: Set<String> = []
    }
}

/// Reads `Accept`. Of several forms the first one that exists is taken.
struct MediaRanges {
    private(set) var format: AnswerFormat?
    private(set) var stripsNulls = false

    init(_ accept: String?) {
        // What most clients send.
        guard let accept, !accept.isEmpty, accept != "*/*", accept != "application/json" else {
            format = .json
            return
        }
        let ranges = accept.split(separator: ",").map(Self.range)
        for range in ranges.sorted(by: { $0.quality > $1.quality }) where range.quality > 0 {
            if let found = Self.format(range) {
                format = found
                stripsNulls = range.parameters["nulls"] == "stripped"
                return
            }
        }
    }

    private struct Range {
        var type: String
        var parameters: [String: String]
        var quality: Double
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

    private static func format(_ range: Range) -> AnswerFormat? {
        switch range.type {
        case "*/*", "application/*", "application/json", "application/vnd.pgrst.array+json",
            "application/vnd.pgrst.array":
            .json
        case "application/vnd.pgrst.object+json", "application/vnd.pgrst.object": .object
        case "text/csv": .csv
        case "application/openapi+json": .openAPI
        case "text/plain", "text/*": .text
        case "application/octet-stream": .bytes
        case "application/vnd.pgrst.plan+json", "application/vnd.pgrst.plan": plan(range, isText: false)
        case "application/vnd.pgrst.plan+text": plan(range, isText: true)
        default: nil
        }
    }

    private static func plan(_ range: Range, isText: Bool) -> AnswerFormat {
        let options = range.parameters["options"]?.split(separator: "|").map { String($0).trimmingSpaces() } ?? []
        return .plan(AnswerFormat.PlanOptions(isText: isText, options: Set(options)))
    }
}
