import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import Testing
import SwiftletWeb

@Suite(.needsDatabase, .hangLimit)
struct RowKeyTests {
    @Test func `the tenant in a primary key is never taken for the row's own key`() async throws {
        try await Office.with([depots, racks], sql: schema) { office in
            let first = try await office.ask(.boss, .post, "/depots", #"{"id":"d1","name":"North"}"#)
            #expect(first.json["id"] == "d1")
            #expect(first.json["tenant_id"] == "a")
            #expect(try await office.ask(.boss, .post, "/depots", #"{"name":"South"}"#).status == .created)
            #expect(try await office.ask(.nora, .post, "/depots", #"{"id":"d1","name":"Theirs"}"#).status == .created)
            #expect(try await office.ask(.boss, .get, "/depots/d1").json["name"] == "North")
            #expect(try await office.ask(.boss, .get, "/depots/a").status == .notFound)
            #expect(try await office.ask(.boss, .delete, "/depots/a").status == .ok)
            #expect(try await office.ask(.boss, .get, "/depots").json["total"] == 2)
            let shelf = try await office.ask(.boss, .post, "/depots/d1/shelves", #"{"label":"x"}"#)
            #expect(shelf.json["depot_id"] == "d1")
            #expect(shelf.json["depot_name"] == "North")
            #expect(try await office.ask(.boss, .delete, "/depots/d1").status == .ok)
            #expect(try await office.ask(.boss, .get, "/depots").json["total"] == 1)
            #expect(try await office.ask(.nora, .get, "/depots/d1").json["name"] == "Theirs")
        }
    }

    @Test func `a row that others refer to is a conflict, told without the tenant`() async throws {
        try await Office.with([depots], sql: schema) { office in
            try office.server.execute(
                "ALTER TABLE shelves ADD FOREIGN KEY (tenant_id, depot_id) REFERENCES depots (tenant_id, id)"
            )
            _ = try await office.ask(.boss, .post, "/depots", #"{"id":"d1","name":"North"}"#)
            _ = try await office.ask(.boss, .post, "/depots/d1/shelves", #"{"label":"x"}"#)
            let answer = try await office.ask(.boss, .delete, "/depots/d1")
            #expect(answer.status == .conflict)
            #expect(answer.json["details"]?.object?.keys == ["id"])
        }
    }

    @Test func `a row keeps its key, whatever the key is called`() async throws {
        try await Office.with([parts], sql: schema) { office in
            let made = try await office.ask(.boss, .post, "/parts", #"{"id":"p1","title":"x"}"#)
            #expect(made.status == .created)
            #expect(made.json["id"] == "p1")
            for key in ["id", "number", "partNo", "part_no"] {
                let answer = try await office.ask(.boss, .patch, "/parts/p1", #"{"\#(key)":"p2","title":"y"}"#)
                #expect(answer.status == .ok, "\(key)")
                #expect(answer.json["id"] == "p1", "\(key)")
            }
        }
    }

    @Test func `a table without a key of one column is a missing table`() async throws {
        try await Office.with([depots, racks], sql: schema) { office in
            #expect(try await office.ask(.boss, .get, "/racks").json["total"] == 0)
            #expect(try await office.ask(.boss, .delete, "/racks/1").status == .notFound)
            #expect(try await office.ask(.boss, .get, "/racks/1").status == .notFound)
            let left = try await office.server.database.query("SELECT count(*) AS count FROM racks")
            #expect(try left.first?.decode(Int.self, "count") == 2)
        }
    }

    @Test(arguments: [
        ("", 1, 25), ("?limit=2", 1, 2), ("?limit=2&page=3&sort=hall", 3, 2), ("?limit=4&offset=9", 3, 4),
        ("?limit=0&page=x", 1, 25), ("?limit=501&page=", 1, 500), ("?offset=9223372036854775807&limit=1", .max, 1),
    ])
    func `the list of a missing table has the page asked for`(query: String, page: Int, limit: Int) async throws {
        try await Office.with([racks], sql: schema) { office in
            let answer = try await office.ask(.boss, .get, "/racks\(query)")
            let expected = #"{"data":[],"total":0,"page":\#(page),"limit":\#(limit),"has_more":false}"#
            #expect(answer.text == expected)
        }
    }

    /// The columns of a table whose primary key takes several, and whether a row can be told by its `id`.
    @Test(arguments: [
        ("id int, PRIMARY KEY (tenant_id, year, id)", false), ("id text, PRIMARY KEY (year, id)", false),
        ("id int, PRIMARY KEY (tenant_id, year, id), UNIQUE (id, tenant_id)", true),
        ("id int UNIQUE, PRIMARY KEY (year, id)", true), ("id uuid, PRIMARY KEY (year, id)", true),
        ("id serial, PRIMARY KEY (year, id)", true), ("id int", true),
        ("id varchar DEFAULT gen_random_uuid(), PRIMARY KEY (year, id)", true),
    ])
    func `an id that may repeat is no key`(columns: String, isKey: Bool) async throws {
        let table = "CREATE TABLE racks (tenant_id varchar NOT NULL, year int NOT NULL, name text, \(columns))"
        try await Office.with([racks], sql: table) { office in
            let summary = FunctionSummary(racks, in: office.server.database.schema)
            #expect(summary.missing == (isKey ? [] : ["racks.id as a unique key"]))
        }
    }

    @Test func `a key that the database counts is the database's to choose`() async throws {
        try await Office.with([depots, racks, orders, receipts], sql: schema) { office in
            for path in ["/orders", "/receipts"] {
                let answer = try await office.ask(.boss, .post, path, #"{"id":2,"title":"x"}"#)
                #expect(answer.status == .created, "\(path)")
                #expect(answer.json["id"] == 1, "\(path)")
                #expect(answer.ignoredFields == "id")
                #expect(try await office.ask(.nora, .post, path, #"{"title":"y"}"#).json["id"] == 2)
            }
        }
    }
}

private let depots = Function("depots") {
    depot.routes()
    shelf.routes(.list, .create, at: "/:id/shelves")
}

private let depot = Resource("depots", scope: .tenant)

private let shelf = Resource("shelves", scope: .tenant) {
    ChildOf(depot, by: "depot_id")
    Joined("depot_name", from: "depots", column: "name", by: "depot_id")
}

private let racks = Function("racks") {
    Resource("racks", scope: .tenant).routes()
}

private let orders = Function("orders") {
    Resource("orders", scope: .tenant).routes()
}

private let receipts = Function("receipts") {
    Resource("receipts", scope: .tenant).routes()
}

private let parts = Function("parts") {
    Resource("parts", scope: .tenant) {
        Rename("part_no", to: "id")
        Alias("part_no", as: "number")
    }
    .routes()
}

private let schema = """
    CREATE TABLE parts (part_no varchar PRIMARY KEY, tenant_id varchar NOT NULL, title text NOT NULL);
    CREATE TABLE depots (
        tenant_id varchar NOT NULL, id varchar NOT NULL, name text NOT NULL, PRIMARY KEY (tenant_id, id)
    );
    CREATE TABLE shelves (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, depot_id varchar NOT NULL, label text NOT NULL
    );
    CREATE TABLE racks (
        tenant_id varchar NOT NULL, hall int NOT NULL, place int NOT NULL, PRIMARY KEY (tenant_id, hall, place)
    );
    INSERT INTO racks VALUES ('a', 1, 1), ('a', 1, 2);
    CREATE TABLE orders (id serial PRIMARY KEY, tenant_id varchar NOT NULL, title text NOT NULL);
    CREATE TABLE receipts (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant_id varchar NOT NULL, title text NOT NULL
    );
    """
