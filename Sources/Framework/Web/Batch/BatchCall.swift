import SwiftletJSON

/// One call of a batch, as it was sent.
struct BatchCall {
    /// How others refer to it; by default its position.
    let id: String
    let method: Method
    /// With references in braces: `/customers/{a.id}`.
    let path: BatchPath
    let headers: [(Headers.Name, String)]
    /// nil for a call without a body.
    let body: JSONValue?

    private static let methods: Set<Method> = [.get, .post, .put, .patch, .delete]
    /// Who calls, and from where, is the batch's own.
    private static let headerNames: Set<String> = [
        "prefer", "accept", "accept-language", "content-type", "if-match", "if-none-match", "range", "idempotency-key",
        "accept-profile", "content-profile",
    ]
    private static let maximumIDBytes = 64

    /// `ids` are those of the calls before it, which it may refer to.
    init(_ value: JSONValue, _ index: Int, after ids: Set<String>) throws(BatchFault) {
        guard let object = value.object else { throw BatchFault("", "must be an object") }
        id = try Self.id(object["id"], index)
        guard let method = object["method"]?.string.map({ Method(rawValue: $0.uppercased()) }),
            Self.methods.contains(method)
        else { throw BatchFault("method", "must be GET, POST, PUT, PATCH or DELETE") }
        self.method = method
        guard let text = object["path"]?.string, let path = BatchPath(text) else {
            throw BatchFault("path", "must be a path such as /tasks/7?view=my, in visible ASCII")
        }
        self.path = path
        headers = try Self.headers(object["headers"])
        body = object["body"]
        try Self.check(path.references, in: "path", after: ids)
        try Self.check(body.map(BatchReference.all) ?? [], in: "body", after: ids)
    }

    private static func check(
        _ references: [BatchReference],
        in field: String,
        after ids: Set<String>
    ) throws(BatchFault) {
        for reference in references where !ids.contains(reference.id) {
            throw BatchFault(field, "refers to \(reference.id), which is no call before it")
        }
    }

    private static func id(_ value: JSONValue?, _ index: Int) throws(BatchFault) -> String {
        switch value {
        case nil, .null: return String(index)
        case .string(let text)
        where (1...maximumIDBytes).contains(text.utf8.count) && text.utf8.allSatisfy(BatchReference.isWord):
            return text
        default: throw BatchFault("id", "must be up to \(maximumIDBytes) letters, digits, hyphens and underscores")
        }
    }

    private static func headers(_ value: JSONValue?) throws(BatchFault) -> [(Headers.Name, String)] {
        guard let value, !value.isNull else { return [] }
        guard let object = value.object else { throw BatchFault("headers", "must be an object") }
        var headers: [(Headers.Name, String)] = []
        for (name, value) in object {
            guard headerNames.contains(name.lowercased()), let field = Headers.Name(name) else {
                throw BatchFault("headers", "may be \(headerNames.sorted().joined(separator: ", "))")
            }
            guard let text = value.string, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw BatchFault("headers", "must have visible characters")
            }
            headers.append((field, text))
        }
        return headers
    }
}
