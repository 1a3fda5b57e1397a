import SwiftletJSON

/// One route of `/auth/v1` for people: what it is for, who may call it, what its body has.
struct AuthOperation: Sendable {
    enum Caller: Sendable { case everyone, person, service }

    /// `email: text`, or `email?: text` for what may be left out.
    struct Field: Sendable, ExpressibleByStringLiteral {
        let name: String
        let type: String
        let isRequired: Bool

        init(stringLiteral text: String) {
            let parts = text.split(separator: ":", maxSplits: 1).map { $0.filter { $0 != " " } }
            isRequired = !(parts.first ?? "").hasSuffix("?")
            name = (parts.first ?? "").filter { $0 != "?" }
            type = parts.count > 1 ? parts[1] : "text"
        }

        /// An example says more than a type: it is what snippets send.
        var schema: JSONValue {
            switch (type, name) {
            case ("flag", _): ["type": "boolean", "example": true]
            case ("number", _): ["type": "integer", "example": 1]
            case ("object", _): ["type": "object", "example": [:]]
            case (_, "email"): ["type": "string", "format": "email", "example": "ada@acme.example"]
            case (_, "phone"): ["type": "string", "example": "+491701234567"]
            case (_, "password"): ["type": "string", "example": "correct horse battery"]
            case (_, "redirect_to"): ["type": "string", "format": "uri", "example": "https://app.example.com/welcome"]
            case (_, "code"), (_, "token"): ["type": "string", "example": "123456"]
            default: ["type": "string"]
            }
        }
    }

    let method: String
    let path: String
    let summary: String
    let caller: Caller
    let text: String?
    let body: [Field]
    let query: [Field]

    init(
        _ method: String,
        _ path: String,
        _ summary: String,
        for caller: Caller = .everyone,
        _ text: String? = nil,
        body: [Field] = [],
        query: [Field] = []
    ) {
        self.method = method
        self.path = path
        self.summary = summary
        self.caller = caller
        self.text = text
        self.body = body
        self.query = query
    }

    var key: String { "\(method) \(path)" }
}

extension AuthOperation {
    /// As OpenAPI describes it.
    var json: JSONValue {
        var operation: JSONObject = [
            "operationId": .string(identifier), "tags": ["auth"], "summary": .string(summary),
            "responses": [
                "200": ["description": "It is done."],
                "default": ["description": "A refusal, with `error_code` and `msg`."],
            ],
        ]
        if let text { operation["description"] = .string(text) }
        let inPath = path.split(separator: "/").filter { $0.hasPrefix(":") }.map { segment -> JSONValue in
            [
                "name": .string(String(segment.dropFirst())), "in": "path", "required": true,
                "schema": ["type": "string"],
            ]
        }
        let inQuery = query.map { field -> JSONValue in
            [
                "name": .string(field.name), "in": "query", "required": .bool(field.isRequired), "schema": field.schema,
            ]
        }
        if !(inPath + inQuery).isEmpty { operation["parameters"] = .array(inPath + inQuery) }
        if !body.isEmpty {
            var properties: JSONObject = [:]
            for field in body { properties[field.name] = field.schema }
            let required = body.filter(\.isRequired).map { JSONValue.string($0.name) }
            let schema: JSONValue = [
                "type": "object", "properties": .object(properties), "required": .array(required),
            ]
            operation["requestBody"] = ["required": true, "content": ["application/json": ["schema": schema]]]
        }
        switch caller {
        case .everyone: operation["security"] = []
        case .person, .service: operation["security"] = [["token": []]]
        }
        return .object(operation)
    }

    /// `/auth/v1/user` for templates of OpenAPI: `:id` is `{id}`.
    var template: String {
        "/auth" + path.split(separator: "/").map { $0.hasPrefix(":") ? "/{\($0.dropFirst())}" : "/\($0)" }.joined()
    }

    private var identifier: String {
        let words = path.split { !$0.isLetter && !$0.isNumber }.dropFirst().map {
            $0.prefix(1).uppercased() + $0.dropFirst()
        }
        return "auth" + method.prefix(1) + method.dropFirst().lowercased() + words.joined()
    }
}
