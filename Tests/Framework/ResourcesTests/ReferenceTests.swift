import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import Testing

/// Foreign keys that lack the tenant, as in databases made elsewhere.
@Suite(.needsDatabase, .hangLimit)
struct ReferenceTests {
    /// 1 and 2 are rows of the tenant, 3 is another tenant's, 9 is nobody's.
    @Test(arguments: [#""shop_id":3"#, #""shop_id":9"#, #""shop_id":1,"rivalId":3"#, #""shop_id":9,"rival_id":3"#])
    func `another tenant's row is refused as one that is not there`(keys: String) async throws {
        try await Office.with([staff], sql: schema) { office in
            let absent = keys.replacing(":3", with: ":9")
            for (method, path) in [(SwiftletHTTP.Method.post, "/staff"), (.patch, "/staff/1"), (.patch, "/staff")] {
                let theirs = try await office.ask(.ann, method, path, "{\(keys)}")
                let nobodys = try await office.ask(.ann, method, path, "{\(absent)}")
                #expect(theirs.status == .conflict, "\(method) \(path)")
                #expect(theirs.json["code"] == "CONFLICT", "\(method) \(path)")
                #expect(
                    theirs.json["details"] == nobodys.json["details"] && theirs.json["error"] == nobodys.json["error"]
                )
                #expect(nobodys.status == .conflict)
            }
            let rows = try await office.server.database.query(
                "SELECT count(*)::int AS count FROM staff WHERE shop_id > 2"
            )
            #expect(try rows[0].decode(Int.self, "count") == 0)
        }
    }

    @Test func `the fault has the client's name for the column`() async throws {
        try await Office.with([staff], sql: schema) { office in
            let answer = try await office.ask(.ann, .post, "/staff", #"{"shop_id":1,"rivalId":3}"#)
            #expect(answer.json["details"] == ["rivalId": "is not usable"])
        }
    }

    @Test func `the tenant's own rows, null and what the server sets are taken`() async throws {
        try await Office.with([staff], sql: schema) { office in
            for body in [#"{"shop_id":1}"#, #"{"shop_id":2,"rival_id":null}"#, #"{"shop_id":2,"rival_id":1}"#, "{}"] {
                let answer = try await office.ask(.ann, .post, "/staff", body)
                // `made_in` defaults to another tenant's row: the function's own choice.
                #expect(answer.status == .created, "\(body)")
                #expect(answer.json["made_in"] == 3, "\(body)")
            }
            #expect(try await office.ask(.ann, .patch, "/staff/1", #"{"shop_id":2}"#).json["shop_id"] == 2)
            #expect(try await office.ask(.nora, .post, "/staff", #"{"shop_id":3}"#).status == .created)
        }
    }

    @Test func `what a hook takes from the client is checked as if the client had sent it`() async throws {
        try await Office.with([staff], sql: schema) { office in
            for (method, path) in [(SwiftletHTTP.Method.post, "/staff"), (.patch, "/staff/1")] {
                let theirs = try await office.ask(.ann, method, path, #"{"transfer":{"to":3}}"#)
                #expect(theirs.status == .conflict)
                #expect(theirs.json["details"] == ["rival_id": "is not usable"])
                let ours = try await office.ask(.ann, method, path, #"{"transfer":{"to":2}}"#)
                #expect(ours.json["rival_id"] == 2)
            }
        }
    }

    /// Who works in one tenant may be listed in another.
    @Test func `a hook may name the caller, and a client may not`() async throws {
        try await Office.with([staff], sql: schema) { office in
            let made = try await office.ask(.ann, .post, "/staff", "{}")
            #expect(made.status == .created)
            #expect(made.json["hired_by"] == "ann")
            for name in ["ann", "abe"] {
                let refused = try await office.ask(.ann, .post, "/staff", #"{"hired_by":"\#(name)"}"#)
                #expect(refused.status == .conflict)
                #expect(refused.json["details"] == ["hired_by": "is not usable"])
            }
        }
    }

    @Test func `a key that holds the tenant needs no check`() async throws {
        try await Office.with([staff], sql: schema) { office in
            #expect(try await office.ask(.ann, .post, "/staff", #"{"branch_id":1}"#).json["branch_id"] == 1)
            let theirs = try await office.ask(.ann, .post, "/staff", #"{"branch_id":3}"#)
            #expect(theirs.status == .conflict)
            #expect(theirs.json["details"] == ["branch_id": "is not usable"])
        }
    }
}

private let staff = Function("staff") {
    person.routes()
    Patch { request, context in try await person.updateMany(["1"], request.jsonObject(), in: context).response() }
}

private let person = Resource("staff", scope: .tenant) {
    Default("made_in") { _ in 3 }
    Input("transfer")
    Before(.create) { change, context in
        if change["hired_by"] == nil { change["hired_by"] = .string(try context.user.id) }
    }
    Before(.create, .update) { change, _ in
        if let shop = change["transfer"]?["to"] { change["rival_id"] = shop }
    }
}

private let schema = """
    CREATE TABLE shops (id serial PRIMARY KEY, tenant_id varchar NOT NULL, UNIQUE (tenant_id, id));
    INSERT INTO shops (tenant_id) VALUES ('a'), ('a'), ('b');
    CREATE TABLE members (id varchar PRIMARY KEY, tenant_id varchar NOT NULL);
    INSERT INTO members VALUES ('ann', 'b'), ('abe', 'b'), ('nora', 'b');
    CREATE TABLE staff (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, shop_id int REFERENCES shops, rival_id int REFERENCES shops,
        made_in int REFERENCES shops, hired_by varchar REFERENCES members, branch_id int,
        FOREIGN KEY (tenant_id, branch_id) REFERENCES shops (tenant_id, id)
    );
    INSERT INTO staff (tenant_id, shop_id) VALUES ('a', 1);
    """
