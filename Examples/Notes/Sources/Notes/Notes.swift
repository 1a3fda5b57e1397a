import SwiftletServer

/// The notes of a team.
let notes = Function("notes") {
    resource.routes()
    Post("/:id/archive", archive)
}

private let resource = Resource("notes", scope: .tenant) {
    Filter("topic")
    Filter("archived")
    Search("title", "body")
    Required("title")
}

private func archive(_ request: Request, _ context: Context) async throws -> Response {
    try await resource.update(context.parameters["id"], ["archived": true], in: context).response()
}
