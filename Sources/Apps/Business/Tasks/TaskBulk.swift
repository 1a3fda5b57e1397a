import Swiftlet

private let maximumBatch = 500

/// The names under which the apps send the ids.
private let idKeys = ["task_ids", "taskIds", "ids"]

let taskBatch = JSONSchema.object([
    "task_ids": .list(.text).optional, "taskIds": .list(.text).optional, "ids": .list(.text).optional,
    "patch": taskResource.changeSchema.optional,
])

let updatedTasks = JSONSchema.object(["success": .flag, "updated": .integer])

/// Sets the same values on many tasks: `{"task_ids":[…],"status":…}` or `{"taskIds":[…],"patch":{"status":…}}`.
func updateManyTasks(_ request: Request, _ context: Context) async throws -> Response {
    let body = try request.jsonObject()
    let isStrict = request.prefersStrictHandling
    return try await taskResource.updateMany(taskIDs(in: body), values(in: body), in: context, isStrict: isStrict)
        .response()
}

/// Deletes many tasks.
func deleteManyTasks(_ request: Request, _ context: Context) async throws -> Response {
    let deleted = try await taskResource.deleteMany(taskIDs(in: request.jsonObject()), in: context)
    return .json(["success": true, "deleted": JSONValue(deleted)])
}

/// The ids under all names together, each once.
private func taskIDs(in body: JSONObject) throws -> [String] {
    let fault = APIError.validation(["task_ids": "must be a list of task ids"])
    var ids: Set<String> = []
    for key in idKeys {
        guard let value = body[key], value != .null else { continue }
        guard let list = value.array else { throw fault }
        for element in list {
            guard let id = element.string else { throw fault }
            ids.insert(id)
        }
    }
    guard !ids.isEmpty else { throw fault }
    guard ids.count <= maximumBatch else {
        throw APIError(.badRequest, "BATCH_TOO_LARGE", "At most \(maximumBatch) tasks can be changed at once")
    }
    return Array(ids)
}

/// The members of the body and of `patch`, which takes precedence.
private func values(in body: JSONObject) throws -> JSONObject {
    var values = body
    for key in idKeys + ["patch"] {
        values[key] = nil
    }
    guard let patch = body["patch"] else { return values }
    guard let patched = patch.object else { throw APIError.validation(["patch": "must be an object"]) }
    for (key, value) in patched {
        values[key] = value
    }
    return values
}
