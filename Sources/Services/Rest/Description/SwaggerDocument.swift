import SwiftletEssentials
import SwiftletPostgres
import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// The root: an OpenAPI description (2.0, as PostgREST gives it) of one exposed schema, as far as a caller may use it.
struct SwaggerDocument {
    let schema: String
    private let comment: SwaggerComment
    private let relations: [(relation: Table, relationships: [Relationship])]
    private let routines: [Routine]
    private let knownSchemas: [String]
    private let takesTokens: Bool
    private let address: URLComponents?

    /// `privileges` is what the caller may use; nil for everything.
    init(catalog: RestCatalog, schema: String, privileges: RestTransaction.Privileges?) {
        self.schema = schema
        comment = SwaggerComment(catalog.comments[schema])
        knownSchemas = privileges == nil ? [] : [schema] + catalog.settings.extraSearchPath
        takesTokens = catalog.settings.describesSecurity
        address = catalog.settings.describedURL.flatMap { URLComponents(string: $0) }
        relations = catalog.relations.values
            .filter { $0.schema == schema && privileges?.relations.contains($0.name) ?? true }
            .sorted { $0.name < $1.name }
            // What refers to several relations of one table refers to the table itself first.
            .map { relation in
                let known = catalog.relationships[relation.qualifiedName] ?? []
                func isView(_ name: QualifiedName) -> Bool { catalog.relations[name]?.isView == true }
                return (relation, known.filter { !isView($0.target) } + known.filter { isView($0.target) })
            }
        routines = catalog.routines.filter { $0.key.schema == schema }.values
            .compactMap { overloads in overloads.first { privileges?.routines.contains($0.identifier) ?? true } }
            .sorted { $0.name.name < $1.name.name }
    }

    func response(_ type: RequestedMediaType) -> Response {
        var response = Response.json(.ok) { json in
            json.object { json in
                json.member("swagger", "2.0")
                json.key("info")
                json.object { json in
                    json.member("title", comment.title ?? "REST API")
                    json.member("description", comment.description ?? "The relations and functions of \(schema)")
                    json.member("version", "1")
                }
                writeAddress(&json)
                json.member("consumes", Self.types(["application/json", "text/csv"]))
                json.member("produces", Self.types(["application/json", "text/csv"]))
                json.key("paths")
                json.object { json in writePaths(&json) }
                json.key("definitions")
                json.object { json in
                    for (relation, relationships) in relations {
                        json.key(relation.name)
                        SwaggerRelation(relation).writeDefinition(&json, relationships: relationships)
                    }
                }
                json.key("parameters")
                json.object { json in
                    SwaggerParameter.writeCommon(&json)
                    for (relation, _) in relations { SwaggerRelation(relation).writeParameters(&json) }
                }
                writeSecurity(&json)
                json.member(
                    "externalDocs",
                    [
                        "description": "PostgREST Documentation",
                        "url": "https://postgrest.org/en/stable/references/api.html",
                    ]
                )
            }
        }
        response.headers[.contentType] = type.contentType
        return response
    }

    /// Where the paths are: at the root of a proxy, if one is named.
    private func writeAddress(_ json: inout JSONWriter) {
        guard let address, let host = address.host, let scheme = address.scheme else {
            json.member("basePath", "/rest/v1")
            return json.member("schemes", ["https", "http"])
        }
        json.member("host", "\(host):\(address.port ?? (scheme == "http" ? 80 : 443))")
        json.member("basePath", address.path.isEmpty ? "/" : address.path)
        json.member("schemes", [.string(scheme)])
    }

    private func writeSecurity(_ json: inout JSONWriter) {
        guard takesTokens else { return }
        json.member("security", [["JWT": []]])
        json.member(
            "securityDefinitions",
            [
                "JWT": [
                    "description": "Add the token prepending \"Bearer \" (without quotes) to it",
                    "in": "header", "name": "Authorization", "type": "apiKey",
                ]
            ]
        )
    }

    private func writePaths(_ json: inout JSONWriter) {
        json.member(
            "/",
            [
                "get": [
                    "tags": ["Introspection"],
                    "summary": "OpenAPI description (this document)",
                    "produces": ["application/openapi+json", "application/json"],
                    "responses": ["200": ["description": "OK"]],
                ]
            ]
        )
        for (relation, _) in relations {
            json.key("/\(relation.name)")
            SwaggerRelation(relation).writePath(&json)
        }
        for routine in routines {
            json.key("/rpc/\(routine.name.name)")
            SwaggerRoutine(routine: routine, knownSchemas: knownSchemas).write(&json)
        }
    }

    /// JSON as an array, as one object, and without members that are null, beside others.
    private static func types(_ others: [String]) -> JSONValue {
        let objects = ["application/vnd.pgrst.object+json;nulls=stripped", "application/vnd.pgrst.object+json"]
        return .array((others.prefix(1) + objects + others.dropFirst()).map { .string($0) })
    }
}
