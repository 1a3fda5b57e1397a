import SwiftletBytes
import SwiftletAuth
import SwiftletPostgres
import SwiftletWeb

extension Resource {
    /// Writes a row and then the lines that `values` has for it, as one; `completion` gets the whole row. Without lines,
    /// it is no more than the one and the other.
    func withLines(
        _ values: JSONObject,
        _ context: Context,
        replaces: Bool = false,
        _ write: (Context) async throws -> ResourceRow,
        then completion: (ResourceRow, Context) async throws -> Void
    ) async throws -> ResourceRow {
        let lists = try lines.compactMap { line in try LineList(line.rule, of: line.resource, in: values) }
        guard !lists.isEmpty else {
            let row = try await write(context)
            try await completion(row, context)
            return row
        }
        return try await context.transaction { context in
            let written = try await write(context)
            for list in lists {
                try await list.store(parentKey: written.key, context, replaces: replaces)
            }
            let row = try await get(written.key, in: context).ignoring(written.ignoredFields)
            try await completion(row, context)
            return row
        }
    }
}

/// The lines that a body has, and the key under which it has them.
private struct LineList {
    private let resource: Resource
    private let key: String
    private let lines: [JSONObject]

    /// nil if the body has none. Throws 400 for what is no list of objects, and for too many.
    init?(_ rule: LinesRule, of resource: Resource, in values: JSONObject) throws(APIError) {
        guard let key = rule.keys.last(where: { values[$0] != nil }), let value = values[key] else { return nil }
        let elements = value.isNull ? [] : value.array
        guard let elements else { throw .validation([key: "must be a list of objects"]) }
        guard elements.count <= LinesRule.maximumCount else {
            throw .validation([key: "must have at most \(LinesRule.maximumCount) elements"])
        }
        var lines: [JSONObject] = []
        for (index, element) in elements.enumerated() {
            guard let line = element.object else { throw .validation(["\(key)[\(index)]": "must be an object"]) }
            lines.append(line)
        }
        self.resource = resource
        self.key = key
        self.lines = lines
    }

    func store(parentKey: String, _ context: Context, replaces: Bool) async throws {
        let plan = resource.plan(in: context.server.database.schema)
        guard plan.canBeChildren else { return }
        let call = try ResourceCall(resource, plan, context)
        if replaces { _ = try await DeleteAction(call: call).children(of: parentKey) }
        let keyName = plan.fieldName(of: call.table.key)
        let now = context.server.clock.milliseconds()
        for (index, sent) in lines.enumerated() {
            var line = sent
            // Their order is that of their keys, as all of them are made at the same time.
            line[keyName] = .string(UUIDv7(millisecondsSince1970: now + index).text)
            do {
                try await resource.create(line, in: context, parentKey: parentKey)
            } catch let error as APIError {
                throw error.prefixed("\(key)[\(index)].")
            }
        }
    }
}

extension APIError {
    /// Names the fields of one element of a list.
    fileprivate func prefixed(_ path: String) -> APIError {
        guard !details.isEmpty else { return self }
        let named = details.reduce(into: [:]) { $0[path + $1.key] = $1.value }
        guard code == "VALIDATION_ERROR" else {
            var error = self
            error.details = named
            return error
        }
        return .validation(named)
    }
}
