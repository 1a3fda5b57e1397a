import SwiftletHTTP

/// The type of a request's content, as far as it matters here.
enum ContentType: Hashable, Sendable {
    case json, csv, form
    /// Of functions that take the whole content as their one argument.
    case text, xml, bytes
    case other(String)

    /// JSON where the request does not say.
    init(_ request: Request) {
        let type = request.header(.contentType)?.split(separator: ";").first.map {
            String($0).trimmingSpaces().lowercased()
        }
        self =
            switch type {
            case nil, "", "application/json", "application/vnd.pgrst.object+json", "application/vnd.pgrst.array+json":
                .json
            case "text/csv": .csv
            case "application/x-www-form-urlencoded": .form
            case "text/plain": .text
            case "text/xml": .xml
            case "application/octet-stream": .bytes
            case let name?: .other(name)
            }
    }

    /// It has no names in it.
    var isWhole: Bool { self == .text || self == .xml || self == .bytes }

    /// Whether an argument without a name of the SQL type `type` takes it.
    func fits(_ type: String) -> Bool {
        switch self {
        case .json: type == "json" || type == "jsonb"
        case .text: type == "text"
        case .xml: type == "xml"
        case .bytes: type == "bytea"
        case .csv, .form, .other: false
        }
    }
}
