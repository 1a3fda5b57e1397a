import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import Testing

/// What the database refuses, named as the client named it.
@Suite(.needsDatabase, .hangLimit)
struct ConstraintTests {
    /// A body, the status, and the fields that its answer names.
    @Test(
        arguments: [
            (#"{"begins":"2026-01-02","ends":"2026-01-01"}"#, Status.unprocessableContent, ["begins", "ends"]),
            (#"{"ends":"2025-01-01"}"#, .unprocessableContent, ["ends"]),
            (#"{"fee":-1}"#, .created, []), (#"{"price":-1}"#, .unprocessableContent, ["price"]),
            (#"{"code":"c0"}"#, .conflict, ["code"]), (#"{"EMail":"X"}"#, .created, []),
            (#"{"mail":"ANN"}"#, .conflict, ["mail"]), (#"{"slot":"s"}"#, .conflict, ["slot"]),
            (#"{"odd":"x"}"#, .conflict, ["odd"]),
        ]
    )
    func `a constraint names its fields`(body: String, status: Status, fields: [String]) async throws {
        try await Office.with([leases], sql: schema) { office in
            let answer = try await office.ask(.ann, .post, "/leases", body)
            #expect(answer.status == status)
            #expect(answer.json["details"]?.object?.keys.sorted() ?? [] == fields)
        }
    }

    @Test func `a row that is still referred to is named by its own key`() async throws {
        try await Office.with([leases], sql: schema) { office in
            let answer = try await office.ask(.ann, .delete, "/leases/1")
            #expect(answer.status == .conflict)
            #expect(answer.json["details"] == ["id": "is not usable"])
        }
    }

    @Test(arguments: ["23001", "23503"])
    func `a row that must not go is a conflict in every version of PostgreSQL`(state: String) async throws {
        let refusal = """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '\(state)'; END $$;
            CREATE TRIGGER refuse BEFORE DELETE ON leases FOR EACH ROW EXECUTE FUNCTION refuse()
            """
        try await Office.with([leases], sql: "\(schema);\(refusal)") { office in
            let answer = try await office.ask(.ann, .delete, "/leases/1")
            #expect(answer.status == .conflict)
            #expect(answer.json["code"] == "CONFLICT")
        }
    }
}

private let leases = Function("leases") {
    Resource("leases", scope: .tenant) {
        Rename("fee", to: "price")
        Rename("Odd, (name)", to: "odd")
    }
    .routes()
}

private let schema = """
    CREATE TABLE leases (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, begins date DEFAULT '2026-01-01', ends date,
        fee int CONSTRAINT leases_fee_positive CHECK (fee > 0), code varchar, mail varchar, slot varchar, "Odd, (name)" text,
        CONSTRAINT leases_period CHECK (ends >= begins), UNIQUE (tenant_id, code), UNIQUE ("Odd, (name)"),
        EXCLUDE (slot WITH =)
    );
    CREATE UNIQUE INDEX leases_mail ON leases (tenant_id, lower(mail));
    INSERT INTO leases (tenant_id, code, mail, slot, "Odd, (name)") VALUES ('a', 'c0', 'Ann', 's', 'x');
    CREATE TABLE tenants_of_lease (lease_id int REFERENCES leases);
    INSERT INTO tenants_of_lease VALUES (1);
    """
