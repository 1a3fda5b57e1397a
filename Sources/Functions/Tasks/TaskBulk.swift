import Swiftlet

private let maximumBatch = 500

/// `{"task_ids":[…],"status":…}` or `{"taskIds":[…],"patch":{…}}`: the same values for many tasks at once.
@Sendable func updateManyTasks(_ request: Request, _ context: Context) async throws -> Response {
    let body = try request.jsonObject()
    let keys = try taskKeys(in: body)
    var values = body
    if let patch = body["patch"] {
        guard let object = patch.object else { throw APIError.validation(["patch": "must be an object"]) }
        values = object
    }
    for key in ["task_ids", "taskIds", "ids"] {
        values[key] = nil
    }
    let updated = try await taskResource.updateMany(keys, values, context)
    return .json { json in
        json.object {
            $0.member("success", true)
            $0.member("updated", updated)
        }
    }
}

@Sendable func deleteManyTasks(_ request: Request, _ context: Context) async throws -> Response {
    let deleted = try await taskResource.deleteMany(taskKeys(in: request.jsonObject()), context)
    return .json { json in
        json.object {
            $0.member("success", true)
            $0.member("deleted", deleted)
        }
    }
}

private func taskKeys(in body: JSONObject) throws -> [String] {
    let list = body["task_ids"] ?? body["taskIds"] ?? body["ids"]
    guard let keys = list?.array?.map(\.string), !keys.isEmpty, !keys.contains(nil) else {
        throw APIError.validation(["task_ids": "must be a list of task ids"])
    }
    guard keys.count <= maximumBatch else {
        throw APIError(.badRequest, "BATCH_TOO_LARGE", "At most \(maximumBatch) tasks can be changed at once")
    }
    return keys.compactMap(\.self)
}
