import Swiftlet

private let maximumBatch = 500

/// The names under which the apps send the ids.
private let idKeys = ["task_ids", "taskIds", "ids"]

/// Sets the same values on many tasks: `{"task_ids":[…],"status":…}` or `{"taskIds":[…],"patch":{"status":…}}`.
@Sendable func updateManyTasks(_ request: Request, _ context: Context) async throws -> Response {
    let body = try request.jsonObject()
    return try await taskResource.updateMany(taskIDs(in: body), values(in: body), request, context)
}

@Sendable func deleteManyTasks(_ request: Request, _ context: Context) async throws -> Response {
    let deleted = try await taskResource.deleteMany(taskIDs(in: request.jsonObject()), context)
    return .json(["success": true, "deleted": JSONValue(deleted)])
}

private func taskIDs(in body: JSONObject) throws -> [String] {
    let list = idKeys.lazy.compactMap { body[$0] }.first?.array ?? []
    let ids = list.compactMap(\.string)
    guard !ids.isEmpty, ids.count == list.count else {
        throw APIError.validation(["task_ids": "must be a list of task ids"])
    }
    guard ids.count <= maximumBatch else {
        throw APIError(.badRequest, "BATCH_TOO_LARGE", "At most \(maximumBatch) tasks can be changed at once")
    }
    return ids
}

/// The members of `patch`, or of the body itself.
private func values(in body: JSONObject) throws -> JSONObject {
    if let patch = body["patch"] {
        guard let values = patch.object else { throw APIError.validation(["patch": "must be an object"]) }
        return values
    }
    var values = body
    for key in idKeys {
        values[key] = nil
    }
    return values
}
