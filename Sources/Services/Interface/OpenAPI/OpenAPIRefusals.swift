import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// The errors that operations share, one per status, as `components/responses`.
enum OpenAPIRefusals {
    private struct Refusal {
        let name: String
        let description: String
        var header: (name: String, schema: JSONValue)?
    }

    /// In the order of statuses. What a server that is stopped or broken may say is not part of its interface.
    private static let all: KeyValuePairs<Int, Refusal> = [
        400: Refusal(name: "BadRequest", description: "A value is missing or wrong; `details` names each."),
        401: Refusal(
            name: "Unauthorized",
            description: "There is no token, or it is not valid.",
            header: ("WWW-Authenticate", ["type": "string"])
        ),
        403: Refusal(name: "Forbidden", description: "The caller may not do this."),
        404: Refusal(name: "NotFound", description: "There is no such row, or it is out of the caller's reach."),
        409: Refusal(name: "Conflict", description: "It collides with what there is."),
        413: Refusal(name: "ContentTooLarge", description: "The body is too large."),
        415: Refusal(
            name: "UnsupportedMediaType",
            description: "The body is compressed, or of a kind that is not taken."
        ),
        416: Refusal(name: "RangeNotSatisfiable", description: "There are no such bytes."),
        422: Refusal(name: "UnprocessableContent", description: "The database does not take a value."),
        429: Refusal(
            name: "TooManyRequests",
            description: "There were too many; try again later.",
            header: ("Retry-After", ["type": "integer"])
        ),
        503: Refusal(
            name: "Unavailable",
            description: "The server or its database cannot answer now; try again.",
            header: ("Retry-After", ["type": "integer"])
        ),
    ]

    static func reference(to status: Int) -> JSONValue? {
        all.first { $0.key == status }.map { ["$ref": .string("#/components/responses/" + $0.value.name)] }
    }

    static var components: JSONValue {
        .object(
            all.reduce(into: JSONObject()) { components, entry in
                var response: JSONObject = [
                    "description": .string(entry.value.description),
                    "content": ["application/json": ["schema": OpenAPISchema.reference("Error")]],
                ]
                if let header = entry.value.header {
                    response["headers"] = .object([header.name: ["schema": header.schema]])
                }
                components[entry.value.name] = .object(response)
            }
        )
    }
}
