import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// The second door to a table: the functions' routes, which have scopes of their own beside policies. They are really
/// asked, with a token of one minute that never leaves this process.
struct RouteProbe: Sendable {
    let settings: ConsoleSettings

    /// A route whose rows are those of a table.
    struct Line: Sendable {
        let method: String
        /// `/notes/:id`.
        let path: String
        let access: String
        let scope: RouteSchema.Scope?
        /// The segments before the row's key, of a route that reads one row; nil for others.
        let prefix: [String]?

        var json: JSONValue {
            [
                "method": .string(method), "path": .string(path), "access": .string(access),
                "scope": scope.map { .string($0.text) } ?? .null,
            ]
        }
    }

    struct Outcome: Sendable {
        let route: Line
        let status: Int
        let text: String

        var json: JSONValue {
            [
                "route": .string("\(route.method) \(route.path)"), "status": .number(JSONNumber(status)),
                "allowed": .bool((200..<300).contains(status)), "text": .string(text),
            ]
        }
    }

    private static let lifetime = 60

    /// The routes of tables in `public`, which is where functions look first.
    func routes(of table: ConsoleTable) -> [Line] {
        guard table.schema == "public" else { return [] }
        let schema = settings.schema()
        return settings.functions.flatMap { function in
            function.routes.filter { $0.table?.name == table.name }.map { route in
                let routeSchema = route.table?.schema(schema)
                return Line(
                    method: route.method.rawValue,
                    path: "/\(function.name)\(route.path.description == "/" ? "" : route.path.description)",
                    access: route.access.description,
                    scope: routeSchema?.scope,
                    prefix: routeSchema?.verb == .get ? Self.prefix(function.name, route.path.segments) : nil
                )
            }
        }
    }

    private static func prefix(_ function: String, _ segments: [RoutePath.Segment]) -> [String]? {
        guard case .parameter = segments.last else { return nil }
        var words = [function]
        for segment in segments.dropLast() {
            guard case .literal(let word) = segment else { return nil }
            words.append(word)
        }
        return words
    }

    /// What the routes that read one row answer to the identity.
    func answers(
        _ routes: [Line],
        _ table: ConsoleTable,
        _ row: AccessSample.Row,
        _ identity: Identity
    ) async throws -> [Outcome] {
        guard table.key.count == 1, let key = row.keyValues.first ?? nil, settings.issuer != nil else { return [] }
        var answers: [Outcome] = []
        for route in routes {
            guard let prefix = route.prefix else { continue }
            let segments = (prefix + [key]).map(PercentCoding.encode)
            var headers = Headers()
            let token = try ServiceCall(settings: settings).token(identity.claims, seconds: Self.lifetime)
            headers.append(.authorization, "Bearer \(token)")
            let request = try Request(target: "/" + segments.joined(separator: "/"), headers: headers)
            let status = await settings.call(request).status.rawValue
            let text = Self.sentence(route, status, table, row, identity)
            answers.append(Outcome(route: route, status: status, text: text))
        }
        return answers
    }

    private static func sentence(
        _ route: Line,
        _ status: Int,
        _ table: ConsoleTable,
        _ row: AccessSample.Row,
        _ identity: Identity
    ) -> String {
        let name = "\(route.method) \(route.path)"
        switch status {
        case 200..<300: return "\(name) answers \(status)"
        case 401: return "\(name) answers 401: it is for \(route.access), and the token is of none"
        case 403: return "\(name) answers 403: it is for \(route.access)"
        case 404:
            guard let scope = route.scope else { return "\(name) answers 404, by its own code" }
            let values = scope.columns.compactMap { column -> (held: String, claimed: String?, text: String)? in
                guard let place = table.columns.firstIndex(where: { $0.name == column.name }) else { return nil }
                let held = row.cells[place] ?? "null"
                let claimed = column.claim.flatMap { value($0, in: identity.claims) }
                let said = claimed.map { ", the token says \($0)" } ?? ""
                return (held, claimed, "\(column.name) is \(held)\(said)")
            }
            let reason = values.isEmpty ? "" : " (\(values.map(\.text).joined(separator: "; ")))"
            let lets = !values.isEmpty && values.allSatisfy { $0.held == $0.claimed }
            return lets
                ? "\(name) answers 404, though its scope \(scope.text) lets the row through\(reason): another rule hides it"
                : "\(name) answers 404 by scope \(scope.text)\(reason)"
        default: return "\(name) answers \(status)"
        }
    }

    private static func value(_ path: [String], in claims: JSONObject) -> String? {
        path.reduce(Optional(JSONValue.object(claims))) { $0?[$1] }?.string
    }
}
