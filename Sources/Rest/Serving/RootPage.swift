import HTTP
import JSON
import Web

/// The root: an OpenAPI description (2.0, as PostgREST gives it) of the exposed schema.
struct RootPage {
    let catalogue: Catalogue
    let request: RestRequest
    let settings: RestSettings

    func response() -> Response {
        let relations = catalogue.relations.values.filter { $0.name.schema == request.schema }
            .sorted { $0.name.name < $1.name.name }
        let routines = catalogue.routines.filter { $0.key.schema == request.schema }.values
            .compactMap(\.first).sorted { $0.name.name < $1.name.name }
        var response = Response.json(.ok) { json in
            json.object { json in
                json.member("swagger", "2.0")
                json.key("info")
                json.object { json in
                    json.member("title", catalogue.comments[request.schema] ?? "REST API")
                    json.member("description", "The relations and functions of the schema \(request.schema)")
                    json.member("version", "1")
                }
                json.member("basePath", "/rest/v1")
                json.member("schemes", ["https", "http"])
                json.member("consumes", ["application/json", "text/csv"])
                json.member("produces", ["application/json", "application/vnd.pgrst.object+json", "text/csv"])
                json.key("paths")
                json.object { json in
                    for relation in relations {
                        json.key("/\(relation.name.name)")
                        OpenAPIRelation(relation: relation).writePath(&json)
                    }
                    for routine in routines {
                        json.key("/rpc/\(routine.name.name)")
                        OpenAPIRoutine(routine: routine).write(&json)
                    }
                }
                json.key("definitions")
                json.object { json in
                    for relation in relations {
                        json.key(relation.name.name)
                        let known = catalogue.relationships[relation.name] ?? []
                        OpenAPIRelation(relation: relation).writeDefinition(&json, relationships: known)
                    }
                }
            }
        }
        response.headers[.contentType] = "application/openapi+json; charset=utf-8"
        return response
    }
}
