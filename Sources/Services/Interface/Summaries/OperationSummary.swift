import SwiftletJSON
import SwiftletWeb

/// A title and a text for an operation, for people.
struct OperationSummary {
    let title: String
    let text: String?

    /// The first sentence of a doc comment is the title, the rest the text.
    init(comment: String) {
        let end = comment.firstMatch(of: #/[.:;](?=\s|$)/#)?.range ?? comment.endIndex..<comment.endIndex
        title = Self.capitalized(String(comment[..<end.lowerBound]))
        let rest = comment[end.upperBound...].drop { $0.isWhitespace }
        text = rest.isEmpty ? nil : Self.capitalized(String(rest))
    }

    init(title: String, text: String? = nil) {
        self.title = title
        self.text = text
    }

    /// Of a route over a table: "Lists the comments of a note".
    init(_ verb: RouteSchema.Verb, isReplacement: Bool, literals: [String]) {
        let last = Self.words(literals.last ?? "")
        let owner = literals.count > 1 ? " of \(Self.one(literals[literals.count - 2]))" : ""
        let one = Self.one(literals.last ?? "")
        switch verb {
        case .list:
            title = owner.isEmpty ? "Lists \(last)" : "Lists the \(last)\(owner)"
            text = "A page of rows: filtered by the parameters, in the order of `sort`."
        case .get: (title, text) = ("Gets \(one)\(owner)", nil)
        case .create: (title, text) = ("Creates \(one)\(owner)", nil)
        case .update:
            title = "Changes \(one)\(owner)"
            text = "What the body leaves out stays\(isReplacement ? ", as with PATCH" : "")."
        case .delete: (title, text) = ("Deletes \(one)\(owner)", nil)
        }
    }

    func add(to operation: inout JSONObject) {
        operation["summary"] = .string(title)
        if let text { operation["description"] = .string(text) }
    }

    /// `team-notes` is "team notes".
    static func words(_ name: String) -> String { name.replacing("-", with: " ").replacing("_", with: " ") }

    /// `entries` is "an entry".
    static func one(_ name: String) -> String {
        let singular = words(SwiftName.singular(name))
        let article = singular.first.map { "aeio".contains($0) } == true ? "an" : "a"
        return "\(article) \(singular)"
    }

    private static func capitalized(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }
}
