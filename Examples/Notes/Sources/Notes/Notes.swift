import SwiftletServer

/// The notes of a team.
let notes = Function("notes") {
    resource.routes()
    post("/:id/archive", archive)
}

private let resource = Resource("notes", scope: .tenant) {
    filter("topic")
    filter("archived")
    search("title", "body")
    required("title")
}

private func archive(_ request: Request, _ context: Context) async throws -> Response {
    try await resource.update(context.parameters["id"], ["archived": true], context).response()
}
