import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import Testing

/// A table as an author meets it: a serial key, names of its own, columns of every sort of type.
@Suite(.needsDatabase, .hangLimit)
struct ResourceTests {
    @Test func `a declared table is served by its declaration`() async throws {
        try await Workshop.with { workshop in
            let made = try await workshop.boss(
                .post,
                "/machines",
                #"{"serial":"s1","makerId":1,"condition":"broken","price":1500.50,"site":{"hall":3}}"#
            )
            #expect(made["id"] == 1)
            #expect(made["serial"] == "S1")
            #expect(made["maker_name"] == "Anvil")
            #expect(made["condition"] == "scrap")
            #expect(made["is_costly"] == true)
            #expect(made["owner"] == "boss")
            #expect(made["site"]?["hall"] == "3")
            #expect(
                try await workshop.boss(.post, "/machines", #"{"serial":"S2","maker_id":2}"#)["maker_name"] == .null
            )
            #expect(try await workshop.boss(.get, "/machines?sort=-serial")["data"]?[0]?["id"] == 2)
            #expect(try await workshop.boss(.delete, "/machines/1") == ["success": true])
            #expect(try await workshop.boss(.get, "/machines/1")["code"] == "NOT_FOUND")
            #expect(try await workshop.boss(.post, "/machines", #"{"serial":"s1"}"#)["id"] == 3)
        }
    }

    /// A body, and what its answer names.
    @Test(
        arguments: [
            (#"{"serialNumber":"x"}"#, ["serial": "is required"]),
            (#"{"serial_number":"x"}"#, ["serial": "is required"]),
            (#"{"serial":"S0"}"#, ["serial": "is taken"]),
            (#"{"serial":5,"makerId":"x"}"#, ["serial": "must be a text", "makerId": "must be a whole number"]),
            (#"{"serial":"x","spot":"here"}"#, ["spot": "is invalid"]),
            (#"{"serial":"x","price":1e20}"#, ["price": "is out of range"]),
            (#"{"serial":"x","site":[1]}"#, ["site": "must be an object"]),
            (#"{"serial":"x","labels":"y"}"#, ["labels": "must be a list"]),
        ]
    )
    func `a fault is named as the client named the field`(body: String, details: [String: String]) async throws {
        try await Workshop.with { workshop in
            _ = try await workshop.boss(.post, "/machines", #"{"serial":"S0"}"#)
            let answer = try await workshop.boss(.post, "/machines", body)
            #expect(answer["details"]?.object?.keys.sorted() == details.keys.sorted())
            for (field, reason) in details { #expect(answer["details"]?[field] == .string(reason)) }
        }
    }

    @Test(arguments: ["notes", "spot", "maker_name"])
    func `a field that has no order is refused as one to sort by`(field: String) async throws {
        try await Workshop.with { workshop in
            let answer = try await workshop.boss(.get, "/machines?sort=\(field)")
            #expect(answer["details"]?["sort"] != nil)
        }
    }

    @Test func `a count stays within the caller's rows, whatever was asked before`() async throws {
        try await Workshop.with { workshop in
            for body in [#"{"serial":"1","condition":"scrap"}"#, #"{"serial":"2","condition":"scrap"}"#] {
                _ = try await workshop.boss(.post, "/machines", body)
            }
            _ = try await workshop.hand(.post, "/machines", #"{"serial":"3","condition":"scrap"}"#)
            // The same conditions on the same columns, once as a filter and once as the caller's scope.
            #expect(try await workshop.boss(.get, "/machines?owner=hand")["scrapped"] == 3)
            #expect(try await workshop.hand(.get, "/machines")["scrapped"] == 1)
        }
    }

    @Test func `fractions add up on the parent`() async throws {
        try await Workshop.with { workshop in
            _ = try await workshop.boss(.post, "/machines", #"{"serial":"1"}"#)
            #expect(try await workshop.boss(.post, "/machines/1/services", #"{"hours":1.5}"#)["hours"] == 1.5)
            for hours in ["2", "null"] {
                let service = try await workshop.boss(.post, "/machines/1/services", #"{"hours":\#(hours)}"#)
                #expect(service["machine_id"] == 1)
            }
            #expect(try await workshop.boss(.get, "/machines/1")["hours_run"] == 3.5)
        }
    }

    @Test func `what hides a parent hides its children`() async throws {
        try await Workshop.with { workshop in
            _ = try await workshop.boss(.post, "/machines", #"{"serial":"1"}"#)
            _ = try await workshop.boss(.post, "/machines/1/services", #"{"hours":1}"#)
            let visits: [(SwiftletHTTP.Method, String, String)] = [
                (.get, "", ""), (.post, "", #"{"hours":9}"#), (.get, "/1", ""), (.patch, "/1", #"{"hours":9}"#),
            ]
            for (method, path, body) in visits {
                let answer = try await workshop.hand(method, "/machines/1/services\(path)", body)
                #expect(answer["code"] == "FORBIDDEN", "\(method) \(path)")
            }
            #expect(try await workshop.hand(.delete, "/machines/1/services/1")["code"] == "FORBIDDEN")
            #expect(try await workshop.boss(.get, "/machines/1/services")["data"]?[0]?["hours"] == 1)
            _ = try await workshop.boss(.delete, "/machines/1")
            for (method, path, body) in visits {
                let answer = try await workshop.boss(method, "/machines/1/services\(path)", body)
                #expect(answer["code"] == "NOT_FOUND", "\(method) \(path)")
            }
        }
    }

    @Test func `what the server sets is set once, and last`() async throws {
        try await Workshop.with { workshop in
            let note = try await workshop.boss(.post, "/notes", #"{"text":"x"}"#)
            #expect(note["tenant_id"] == "a")
            #expect(note["created_by"] == "boss")
            #expect(note["text"] == "x")
            #expect(note["created_at"]?.string?.hasPrefix("1999") == false)
            let changed = try await workshop.boss(.patch, "/notes/\(note["id"]?.string ?? "")", #"{"text":"y"}"#)
            #expect(changed["text"] == "y")
            #expect(changed["updated_at"]?.string?.hasPrefix("1999") == false)
        }
    }

    @Test func `a row is written once, whatever an after-hook runs into`() async throws {
        try await Workshop.with { workshop in
            let answer = try await workshop.boss(.post, "/entries", #"{"text":"x"}"#)
            #expect(answer["code"] == "NOT_FOUND")
            #expect(try await workshop.boss(.get, "/entries")["total"] == 1)
        }
    }

    @Test func `a child can be made under its parent's path and by a handler`() async throws {
        try await Workshop.with { workshop in
            _ = try await workshop.boss(.post, "/machines", #"{"serial":"1"}"#)
            for path in ["/visits/1/visits", "/visits"] {
                let visit = try await workshop.boss(.post, path, #"{"hours":1}"#)
                #expect(visit["machine_id"] == 1, "\(path)")
            }
        }
    }
}

private struct Workshop {
    let server: TestApplication

    static func with(_ body: (Workshop) async throws -> Void) async throws {
        try await TestApplication.with([machines, notes, entries, visits], sql: schema) {
            try await body(Workshop(server: $0))
        }
    }

    func boss(_ method: SwiftletHTTP.Method, _ target: String, _ body: String = "") async throws -> JSONValue {
        try await send(method, target, body, user: "boss", level: 4)
    }

    func hand(_ method: SwiftletHTTP.Method, _ target: String, _ body: String = "") async throws -> JSONValue {
        try await send(method, target, body, user: "hand", level: 1)
    }

    private func send(
        _ method: SwiftletHTTP.Method,
        _ target: String,
        _ body: String,
        user: String,
        level: Int
    ) async throws -> JSONValue {
        let token = try TestApplication.token(tenant: "a", user: user, level: level)
        return try JSONParser.parse(try await server.send(method, target, token: token, body).body)
    }
}

private let machines = Function("machines") {
    machine.routes()
    service.routes(at: "/:id/services")
}

private let machine = Resource("machines", scope: .tenant) {
    Filter("owner")
    Count("scrapped", where: "t.condition = 'scrap'", needs: "condition")
    Rename("serial_number", to: "serial")
    Joined("maker_name", from: "makers", column: "name", by: "maker_id")
    Computed("is_costly", "t.price > 1000", needs: "price")
    Enumerated("condition", Enumeration("new", "used", "scrap", synonyms: ["broken": "scrap"]))
    StringArrays("labels")
    StringDictionaries("site")
    Required("serial_number")
    Default("owner") { context in .string(try context.user.id) }
    OwnRowsOnly(below: 4, on: "owner")
    SoftDelete()
    Before(.create) { change, _ in
        if let serial = change["serial_number"]?.string { change["serial_number"] = .string(serial.uppercased()) }
    }
}

private let service = Resource("services", scope: .tenant) {
    ChildOf(machine, by: "machine_id", .sum(of: "hours", in: "hours_run"))
}

private let notes = Function("notes") {
    note.routes()
}

/// Its hook reaches for what is the server's.
private let note = Resource("notes", scope: .owner("created_by")) {
    AuthoredBy("created_by")
    DefaultNow("created_at")
    Before(.create, .update) { change, _ in
        change["tenant_id"] = "b"
        change["created_by"] = "somebody"
        change["updated_at"] = "1999-12-31T00:00:00Z"
    }
}

private let entries = Function("entries") {
    entry.routes()
}

/// Its after-hook asks for a table that does not exist.
private let entry = Resource("entries", scope: .tenant) {
    After(.create) { _, context in
        _ = try await context.database.query("SELECT 1 FROM gone WHERE tenant_id = \(context.tenant)")
    }
}

private let visits = Function("visits") {
    visit.routes(.create, at: "/:id/visits")
    Post("/") { request, context in try await visit.create(request, in: context).response(.created) }
}

private let visit = Resource("services", scope: .tenant) {
    ChildOf(machine, by: "machine_id")
    Before(.create) { change, _ in change["machine_id"] = 1 }
}

private let schema = """
    CREATE TABLE entries (id uuid PRIMARY KEY, tenant_id varchar NOT NULL, text text NOT NULL);
    CREATE TABLE makers (id bigserial PRIMARY KEY, tenant_id varchar NOT NULL, name text NOT NULL);
    INSERT INTO makers (tenant_id, name) VALUES ('a', 'Anvil'), ('b', 'Bolt');
    CREATE TABLE machines (
        id bigserial PRIMARY KEY,
        tenant_id varchar NOT NULL,
        serial_number varchar(20) NOT NULL,
        maker_id bigint,
        condition varchar NOT NULL DEFAULT 'new',
        owner varchar,
        price numeric(10, 2),
        spot point,
        notes json,
        site jsonb,
        labels jsonb,
        hours_run numeric NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now(),
        deleted_at timestamptz
    );
    CREATE UNIQUE INDEX machines_serial ON machines (tenant_id, serial_number) WHERE deleted_at IS NULL;
    CREATE TABLE services (
        id serial PRIMARY KEY,
        tenant_id varchar NOT NULL,
        machine_id bigint NOT NULL,
        hours numeric
    );
    CREATE TABLE notes (
        id uuid PRIMARY KEY,
        tenant_id varchar NOT NULL,
        text text NOT NULL,
        created_by varchar NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL
    );
    """
