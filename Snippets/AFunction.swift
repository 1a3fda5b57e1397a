// A table that is served over HTTP, and a route of one's own.

import Swiftlet

/// The vans of our technicians.
public let vans = Function("vans") {
    resource.routes()  // list, get, create, update, delete
    Post("/:id/archive", archive)
}

private let resource = Resource("vans", scope: .tenant) {
    Filter("city")
    Search("name", "city")
    Required("name")
}

private func archive(_ request: Request, _ context: Context) async throws -> Response {
    try await resource.update(context.parameters["id"], ["archived": true], in: context).response()
}
