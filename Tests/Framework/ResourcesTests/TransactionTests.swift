import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import Synchronization
import Testing

/// Orders with lines: what a handler changes together is stored together.
@Suite(.needsDatabase, .hangLimit)
struct TransactionTests {
    @Test func `what a handler makes together is there together`() async throws {
        try await Office.with([orders], sql: schema) { office in
            let made = try await office.ask(
                .ann,
                .post,
                "/orders",
                #"{"title":"x","lines":[{"text":"a"},{"text":"b"}]}"#
            )
            #expect(made.status == .created)
            #expect(made.json["line_count"] == 2)
            #expect(made.json["lines"] == nil)
            #expect(made.ignoredFields == nil)
            #expect(
                try await office.ask(.ann, .get, "/orders/1/lines").json["total"] == 2
            )
        }
    }

    @Test(
        arguments: [
            (#"{"text":7}"#, Status.badRequest), (#"{"text":"taken"},{"text":"taken"}"#, .conflict),
            (#"{"text":""}"#, .unprocessableContent), (#"{"text":"stop"}"#, .forbidden),
        ]
    )
    func `an error undoes everything, whoever throws it`(lines: String, status: Status) async throws {
        try await Office.with([orders], sql: schema) { office in
            let body = #"{"title":"x","lines":[{"text":"a"},\#(lines)]}"#
            #expect(try await office.ask(.ann, .post, "/orders", body).status == status)
            #expect(try await office.ask(.ann, .get, "/orders").json["total"] == 0)
            let lines = try await office.server.database.query("SELECT count(*)::int AS count FROM order_lines")
            #expect(try lines[0].decode(Int.self, "count") == 0)
        }
    }

    @Test func `nothing is visible outside before the end, and all of it inside`() async throws {
        try await Office.with([orders], sql: schema) { office in
            // What is known to be fast needs no connection of its own, of which the transaction has the only one.
            for _ in 0..<10 { _ = try await office.ask(.ann, .get, "/orders") }
            let answer = try await office.ask(.ann, .post, "/orders/looks", "{}")
            #expect(answer.json == ["inside": 1, "nested": 1, "outside": 0])
            #expect(try await office.ask(.ann, .get, "/orders").json["total"] == 1)
        }
    }

    @Test func `a nested one with a failed statement is undone alone, though its error was caught`() async throws {
        try await Office.with([orders], sql: schema) { office in
            #expect(try await office.ask(.ann, .post, "/orders/swallowing", "{}").status == .ok)
            let left = try await office.ask(.ann, .get, "/orders").json
            #expect(left["total"] == 1)
            #expect(left["data"]?[0]?["title"] == "kept")
        }
    }

    @Test(arguments: ["without", "under-stranger"])
    func `a handler cannot make a row without its parent`(way: String) async throws {
        try await Office.with([orders], sql: schema) { office in
            #expect(try await office.ask(.ann, .post, "/orders/\(way)", "{}").status == .internalServerError)
            let lines = try await office.server.database.query("SELECT count(*)::int AS count FROM order_lines")
            #expect(try lines[0].decode(Int.self, "count") == 0)
        }
    }

    @Test func `a statement without the tenant is refused in a transaction as well`() async throws {
        try await Office.with([orders], sql: schema) { office in
            let answer = try await office.ask(.ann, .post, "/orders/unscoped", "{}")
            #expect(answer.status == .internalServerError)
            #expect(try await office.ask(.ann, .get, "/orders").json["total"] == 0)
        }
    }

    @Test func `another tenant's rows stay out of reach`() async throws {
        try await Office.with([orders], sql: schema) { office in
            _ = try await office.ask(.ann, .post, "/orders", #"{"title":"x"}"#)
            #expect(try await office.ask(.nora, .post, "/orders/1/close", "{}").status == .notFound)
            #expect(try await office.ask(.ann, .post, "/orders/1/close", "{}").json["is_open"] == false)
        }
    }

    @Test func `a schema that has changed is read again, and everything done once`() async throws {
        try await Office.with([orders], sql: schema) { office in
            #expect(
                try await office.ask(.ann, .post, "/orders", #"{"title":"x","lines":[{"text":"a"}]}"#).status
                    == .created
            )
            try office.server.execute("ALTER TABLE order_lines DROP COLUMN note")
            let body = #"{"title":"y","lines":[{"text":"a"},{"text":"b","note":"c"}]}"#
            #expect(try await office.ask(.ann, .post, "/orders", body).json["line_count"] == 2)
            #expect(try await office.ask(.ann, .get, "/orders").json["total"] == 2)
        }
    }

    /// It may send a mail.
    @Test func `what fails although the schema is as it was is not done again`() async throws {
        try await Office.with([orders], sql: schema) { office in
            let answer = try await office.ask(.ann, .post, "/orders/mistaken", "{}")
            #expect(answer.status == .internalServerError)
            #expect(mistakes.load(ordering: .relaxed) == 1)
        }
    }

    @Test(arguments: [(Office.Person.ann, Status.internalServerError), (.boss, .ok)])
    func `a setting may be changed for a transaction only`(person: Office.Person, status: Status) async throws {
        try await Office.with([orders], sql: schema) { office in
            let answer = try await office.ask(person, .post, "/orders/patient", "{}")
            #expect(answer.status == status)
        }
    }

    @Test func `a column that must not be null may be added while the server runs`() async throws {
        try await Office.with([orders], sql: schema) { office in
            #expect(try await office.ask(.ann, .post, "/orders", #"{"title":"x"}"#).status == .created)
            try office.server.execute("ALTER TABLE orders ADD phase text NOT NULL DEFAULT 'old'")
            try office.server.execute("ALTER TABLE orders ALTER phase DROP DEFAULT")
            // A catalog that was read just now is not read again for a miss.
            try await Task.sleep(for: .seconds(2.1))
            let body = #"{"title":"y","phase":"new","lines":[{"text":"a"}]}"#
            #expect(try await office.ask(.ann, .post, "/orders", body).json["phase"] == "new")
            let refused = try await office.ask(.ann, .post, "/orders", #"{"title":"z"}"#)
            #expect(refused.json["details"] == ["phase": "is required"])
            #expect(try await office.ask(.ann, .get, "/orders").json["total"] == 2)
        }
    }

    /// More transactions at once than there are connections.
    @Test func `many at once all come to their end`() async throws {
        try await Office.with([orders], sql: schema) { office in
            try await withThrowingTaskGroup(of: Status.self) { group in
                for _ in 0..<24 {
                    group.addTask {
                        try await office.ask(.ann, .post, "/orders", #"{"title":"x","lines":[{"text":"a"}]}"#).status
                    }
                }
                for try await status in group { #expect(status == .created) }
            }
            #expect(try await office.ask(.ann, .get, "/orders").json["total"] == 24)
        }
    }

    @Test func `a column that gets another type fails no transaction`() async throws {
        try await Office.with([orders], sql: schema) { office in
            for type in ["bigint", "integer", "bigint"] {
                // Each connection has prepared the statements, and another one is met when it runs once more.
                #expect(try await Self.makeOrders(office) == [.created])
                try office.server.execute("ALTER TABLE orders ALTER line_count TYPE \(type)")
                #expect(try await Self.makeOrders(office) == [.created])
            }
        }
    }

    /// What several who ask at once are answered.
    private static func makeOrders(_ office: Office) async throws -> Set<Status> {
        try await withThrowingTaskGroup(of: Status.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await office.ask(.ann, .post, "/orders", #"{"title":"x","lines":[{"text":"a"}]}"#).status
                }
            }
            return try await group.reduce(into: Set<Status>()) { $0.insert($1) }
        }
    }
}

private let orders = Function("orders") {
    order.routes(.list, .get)
    Post(createOrder)
    Post("/looks", look)
    Post("/unscoped", forgetTenant)
    Post("/without") { _, context in try await lines.create(["text": "x"], in: context).response() }
    Post("/under-stranger") { request, context in
        let stranger = try await stranger.create(["title": "x"], in: context)
        return try await lines.create(["text": "x"], in: context, parent: stranger).response()
    }
    Post("/mistaken", mistake)
    Post("/swallowing", swallow)
    Post("/patient", patience)
    Post("/:id/close", close)
    lines.routes(.list, at: "/:id/lines")
}

private let order = Resource("orders", scope: .tenant) {
    Input("lines")
    Rename("id", to: "number")
    ReadOnly("line_count")
    Before(.create) { change, _ in
        if let lines = change["lines"], lines.array == nil { throw change.refusal(of: "lines", "must be a list") }
    }
}

private let stranger = Resource("strangers", scope: .tenant) {}

private let lines = Resource("order_lines", scope: .tenant) {
    ChildOf(order, by: "order_id", .count("line_count"))
    After(.create) { line, _ in
        if line["text"] == "stop" { throw APIError.forbidden }
    }
}

@Sendable private func createOrder(_ request: Request, _ context: Context) async throws -> Response {
    let body = try request.jsonObject()
    return try await context.transaction { context in
        let made = try await order.create(body, in: context)
        for line in body["lines"]?.array ?? [] {
            try await lines.create(line.object ?? [:], in: context, parent: made)
        }
        return try await order.get(made.key, in: context).response(.created)
    }
}

@Sendable private func look(_ request: Request, _ context: Context) async throws -> Response {
    try await context.transaction { inner in
        try await order.create(["title": "x"], in: inner)
        let inside = try await order.list(request, in: inner).total
        let nested = try await inner.transaction { try await order.list(request, in: $0).total }
        let outside = try await order.list(request, in: context).total
        return .json(["inside": JSONValue(inside), "nested": JSONValue(nested), "outside": JSONValue(outside)])
    }
}

@Sendable private func swallow(_ request: Request, _ context: Context) async throws -> Response {
    try await context.transaction { context in
        try await order.create(["title": "kept"], in: context)
        do {
            try await context.transaction { context in
                try await order.create(["title": "undone"], in: context)
                _ = try? await context.database.query("SELECT 1 / length('') WHERE \(context.tenant) <> ''")
            }
        } catch {
            return .success
        }
        throw APIError.internal
    }
}

@Sendable private func forgetTenant(_ request: Request, _ context: Context) async throws -> Response {
    try await context.transaction { context in
        try await order.create(["title": "x"], in: context)
        _ = try await context.database.query("SELECT count(*) FROM orders")
        return .success
    }
}

private let mistakes = Atomic(0)

@Sendable private func mistake(_ request: Request, _ context: Context) async throws -> Response {
    try await context.transaction { context in
        mistakes.add(1, ordering: .relaxed)
        _ = try await context.database.query("SELECT titel FROM orders WHERE tenant_id = \(context.tenant)")
        return .success
    }
}

/// Those below level 5 want it for the whole session.
@Sendable private func patience(_ request: Request, _ context: Context) async throws -> Response {
    try await context.transaction { context in
        let isPatient = try context.user.roleLevel >= 5
        try await context.database.queryAcrossTenants(
            isPatient ? "SET LOCAL lock_timeout = 0" : "SET lock_timeout = 0"
        )
        return .success
    }
}

@Sendable private func close(_ request: Request, _ context: Context) async throws -> Response {
    try await context.transaction { try await order.update($0.parameters["id"], ["is_open": false], in: $0).response() }
}

private let schema = """
    CREATE TABLE orders (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, title text NOT NULL, is_open boolean DEFAULT true,
        line_count int DEFAULT 0
    );
    CREATE TABLE strangers (id serial PRIMARY KEY, tenant_id varchar NOT NULL, title text);
    CREATE TABLE order_lines (
        id varchar PRIMARY KEY, tenant_id varchar NOT NULL, order_id int,
        text text NOT NULL CHECK (text <> ''), note text, UNIQUE (order_id, text)
    );
    """
