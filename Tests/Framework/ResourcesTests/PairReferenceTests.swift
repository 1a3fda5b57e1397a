import SwiftletHTTP
import Swiftlet
import SwiftletTesting
import Testing

/// Parcels refer to a line of an order by two columns and no tenant. The tenant has the lines 1/1, 1/2 and 2/1; 2/2 is
/// another tenant's.
@Suite(.needsDatabase, .hangLimit)
struct PairReferenceTests {
    @Test func `another tenant's pair is refused on create as one that is not there`() async throws {
        try await Office.with([parcels], sql: schema) { office async throws in
            for line in [2, 9] {
                let refused = try await office.ask(.ann, .post, "/parcels", #"{"orderId":2,"line_no":\#(line)}"#)
                #expect(refused.status == .conflict, "\(line)")
                #expect(refused.json["details"] == ["orderId": "is not usable", "line_no": "is not usable"])
            }
            #expect(try await office.ask(.nora, .post, "/parcels", #"{"order_id":2,"line_no":2}"#).status == .created)
            #expect(try await office.ask(.ann, .post, "/parcels", #"{"order_id":2,"line_no":1}"#).status == .created)
        }
    }

    /// PostgreSQL does not look for a row if one of the columns is NULL (manual, CREATE TABLE: MATCH SIMPLE).
    @Test(arguments: [#"{}"#, #"{"order_id":2}"#, #"{"order_id":9,"line_no":null}"#, #"{"order_id":null,"line_no":2}"#])
    func `a pair that is not whole refers to nothing`(body: String) async throws {
        try await Office.with([parcels], sql: schema) { office async throws in
            #expect(try await office.ask(.ann, .post, "/parcels", body).status == .created)
        }
    }

    @Test func `an update of one column is checked with the other one of the row`() async throws {
        try await Office.with([parcels], sql: schema) { office async throws in
            for path in ["/parcels/1", "/parcels/bulk"] {
                // Both rows refer to line 2 of order 1.
                let theirs = try await office.ask(.ann, .patch, path, #"{"order_id":2}"#)
                #expect(theirs.status == .conflict)
                #expect(theirs.json["details"] == ["order_id": "is not usable"])
                #expect(try await office.ask(.ann, .patch, path, #"{"orderId":2,"line_no":1}"#).status == .ok)
                let swapped = try await office.ask(.ann, .patch, path, #"{"line_no":2}"#)
                #expect(swapped.status == .conflict)
                #expect(swapped.json["details"] == ["line_no": "is not usable"])
                #expect(try await office.ask(.ann, .patch, path, #"{"line_no":null}"#).status == .ok)
                #expect(try await office.ask(.ann, .patch, path, #"{"order_id":1,"line_no":2}"#).status == .ok)
            }
            let rows = try await office.server.database.query("SELECT count(*)::int AS count FROM parcels")
            #expect(try rows[0].decode(Int.self, "count") == 2)
        }
    }

    /// The row would hold a pair that only the database knows.
    @Test func `half a pair is not left to the database's default`() async throws {
        let lines = "ALTER TABLE parcels ALTER line_no SET DEFAULT 2;"
        try await Office.with([parcels], sql: schema + lines) { office async throws in
            let half = try await office.ask(.ann, .post, "/parcels", #"{"order_id":2}"#)
            #expect(half.status == .badRequest)
            #expect(half.json["details"] == ["line_no": "is required"])
            for whole in ["{}", #"{"order_id":null}"#] {
                #expect(try await office.ask(.ann, .post, "/parcels", whole).status == .created, "\(whole)")
            }
        }
    }

    @Test func `a pair with a generated half is the database's to check`() async throws {
        let halves = """
            ALTER TABLE parcels ADD first_line int GENERATED ALWAYS AS (order_id - order_id + 1) STORED,
                ADD FOREIGN KEY (order_id, first_line) REFERENCES order_lines;
            """
        try await Office.with([parcels], sql: schema + halves) { office async throws in
            let made = try await office.ask(.ann, .post, "/parcels", #"{"order_id":2}"#)
            #expect(made.status == .created)
            #expect(made.json["first_line"] == 1)
            #expect(try await office.ask(.ann, .patch, "/parcels/1", #"{"order_id":2,"line_no":1}"#).status == .ok)
            #expect(try await office.ask(.ann, .post, "/parcels", #"{"order_id":9}"#).status == .conflict)
        }
    }

    @Test func `two at once do not make another tenant's pair out of two of their own`() async throws {
        try await Office.with([parcels], sql: schema) { office async throws in
            for _ in 0..<10 {
                try office.server.execute("UPDATE parcels SET order_id = 1, line_no = 1 WHERE id = 1")
                async let order = office.ask(.ann, .patch, "/parcels/1", #"{"order_id":2}"#)
                async let line = office.ask(.ann, .patch, "/parcels/1", #"{"line_no":2}"#)
                let answers = try await [order.status, line.status]
                #expect(answers.contains(.ok))
                #expect(answers.contains(.conflict))
            }
        }
    }

    @Test func `a key to another table does not stand in for this one's tenant`() async throws {
        let stores = """
            CREATE TABLE stores (id int PRIMARY KEY, tenant_id varchar NOT NULL, UNIQUE (tenant_id, id));
            INSERT INTO stores VALUES (1, 'a'), (3, 'a');
            CREATE TABLE docks (id int PRIMARY KEY, tenant_id varchar NOT NULL);
            INSERT INTO docks VALUES (1, 'a'), (3, 'b');
            ALTER TABLE parcels ADD place int REFERENCES docks,
                ADD FOREIGN KEY (tenant_id, place) REFERENCES stores (tenant_id, id);
            """
        try await Office.with([parcels], sql: schema + stores) { office async throws in
            #expect(try await office.ask(.ann, .post, "/parcels", #"{"place":1}"#).status == .created)
            #expect(try await office.ask(.ann, .post, "/parcels", #"{"place":3}"#).status == .conflict)
        }
    }
}

private let parcels = Function("parcels") {
    Patch("/bulk") { request, context in
        try await parcel.updateMany(["1", "2"], request.jsonObject(), in: context).response()
    }
    parcel.routes()
}

private let parcel = Resource("parcels", scope: .tenant) {}

private let schema = """
    CREATE TABLE order_lines (
        order_id int, line_no int, tenant_id varchar NOT NULL, PRIMARY KEY (order_id, line_no)
    );
    INSERT INTO order_lines VALUES (1, 1, 'a'), (1, 2, 'a'), (2, 1, 'a'), (2, 2, 'b');
    CREATE TABLE parcels (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, order_id int, line_no int,
        FOREIGN KEY (order_id, line_no) REFERENCES order_lines (order_id, line_no)
    );
    INSERT INTO parcels (tenant_id, order_id, line_no) VALUES ('a', 1, 2), ('a', 1, 2);
    """
