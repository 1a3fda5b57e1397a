import SwiftletHTTP
import SwiftletJSON

/// A path with its query, whose references are in braces, which URLs have nowhere else.
struct BatchPath {
    private enum Part {
        case text(String)
        case reference(BatchReference)
    }

    private let parts: [Part]

    private static let maximumBytes = 8_000

    /// nil for a text that is none.
    init?(_ text: String) {
        guard text.hasPrefix("/"), text.utf8.count <= Self.maximumBytes,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        var parts: [Part] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: "{") {
            guard let end = rest[start...].firstIndex(of: "}"),
                let reference = BatchReference(String(rest[rest.index(after: start)..<end]))
            else { return nil }
            parts.append(.text(String(rest[..<start])))
            parts.append(.reference(reference))
            rest = rest[rest.index(after: end)...]
        }
        self.parts = parts + [.text(String(rest))]
        let isPlain = self.parts.allSatisfy { part in
            if case .text(let text) = part { !text.contains("}") && !text.contains("#") } else { true }
        }
        guard isPlain else { return nil }
    }

    var references: [BatchReference] {
        parts.compactMap { if case .reference(let reference) = $0 { reference } else { nil } }
    }

    /// The target of a request. Values are escaped, so that they stay within their segment. Throws 414 for more than
    /// `maximum` bytes.
    func target(
        within maximum: Int,
        _ value: (BatchReference) throws(APIError) -> JSONValue
    ) throws(APIError) -> String {
        var target = ""
        for part in parts {
            switch part {
            case .text(let text): target += text
            case .reference(let reference):
                switch try value(reference) {
                case .string(let text) where !text.isEmpty && text != "." && text != "..":
                    guard text.utf8.count <= maximum else { throw .longTarget }
                    target += PercentCoding.encode(text)
                case .number(let number): target += PercentCoding.encode(JSONValue.number(number).description)
                case .bool(let flag): target += String(flag)
                default: throw .unmet("\(reference.id) has no text or number there")
                }
            }
            guard target.utf8.count <= maximum else { throw .longTarget }
        }
        return target
    }
}

extension APIError {
    fileprivate static var longTarget: APIError {
        APIError(.uriTooLong, "URI_TOO_LONG", "The path is too long with the values that it refers to")
    }

    /// 424: a call needs what an earlier one has not given.
    static func unmet(_ reason: String) -> APIError {
        APIError(Status(rawValue: 424), "FAILED_DEPENDENCY", "The call was not made: \(reason)")
    }
}
