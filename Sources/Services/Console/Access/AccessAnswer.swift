import SwiftletHTTP
package import SwiftletJSON

/// What the tester has found.
package struct AccessAnswer {
    package let role: String
    package let claims: JSONObject
    let table: ConsoleTable
    let policies: PolicySet
    /// How many of the examined rows the role's own query finds; nil for a table without a key.
    package let seen: Int?
    package let examined: Int
    /// There are more rows than were examined.
    package let isCut: Bool
    package let rows: [RowVerdict]
    let routes: [RouteProbe.Line]
    package let insert: Verdict?
}

extension AccessAnswer {
    var json: JSONValue {
        var granted: JSONObject = [:]
        for action in PolicySet.Action.allCases { granted[action.rawValue] = .bool(policies.granted[action] ?? false) }
        return [
            "role": .string(role), "claims": .object(claims), "rows": .array(rows.map(\.json)),
            "columns": .array(table.columns.map { .string($0.name) }),
            "key": .array(table.key.map { .string($0.name) }),
            "active": .bool(policies.isActive), "bypasses": .bool(policies.isExempt),
            "triggers": table.description["triggers"] ?? .array([]),
            "seen": seen.map { .number(JSONNumber($0)) } ?? .null, "of": .number(JSONNumber(examined)),
            "cut": .bool(isCut), "grants": .object(granted), "insert": insert?.json ?? .null,
            "routes": .array(routes.map(\.json)), "policies": .array(policies.policies.map(\.json)),
        ]
    }
}
