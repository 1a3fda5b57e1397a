import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import Testing

/// Leads and customers in one table.
@Suite(.needsDatabase, .hangLimit)
struct SharedTableTests {
    @Test func `each resource has its own rows of the table`() async throws {
        try await withCompanies { office in
            let customers = try await office.ask(.ann, .get, "/customers?sort=name")
            #expect(customers.json["data"]?[1]?["name"] == "old")
            for (path, total) in [("/customers", 2), ("/leads", 1), ("/companies", 4), ("/customers?kind=lead", 0)] {
                #expect(try await office.ask(.ann, .get, path).json["total"] == .number(JSONNumber(total)), "\(path)")
            }
            #expect(try await office.ask(.ann, .get, "/customers").json["active"] == 2)
            #expect(try await office.ask(.ann, .get, "/leads").json["active"] == 1)
        }
    }

    @Test func `rows of another resource are out of reach, and so are their children`() async throws {
        try await withCompanies { office in
            for (method, path, body) in [
                (SwiftletHTTP.Method.get, "", ""), (.patch, "", #"{"name":"x"}"#), (.get, "/calls", ""),
                (.post, "/calls", #"{"text":"x"}"#),
            ] {
                #expect(try await office.ask(.ann, method, "/customers/1\(path)", body).status == .notFound, "\(path)")
                #expect(try await office.ask(.ann, method, "/leads/1\(path)", body).status != .notFound, "\(path)")
            }
            let deleted = try await office.ask(.ann, .delete, "/customers/1")
            #expect(deleted.status == .ok)
            #expect(try await office.ask(.ann, .get, "/leads/1").json["id"] == 1)
        }
    }

    @Test(
        arguments: [
            ("/leads", #"{"name":"x"}"#, "lead"), ("/leads", #"{"name":"x","kind":"prospect"}"#, "prospect"),
            ("/leads", #"{"name":"x","kind":"customer"}"#, "lead"),
            ("/customers", #"{"name":"x","kind":"lead"}"#, "customer"),
            ("/customers", #"{"name":"x","kind":"former"}"#, "former_customer"),
        ]
    )
    func `what is made belongs to the resource that made it`(path: String, body: String, stored: String) async throws {
        try await withCompanies { office in
            let made = try await office.ask(.ann, .post, path, body)
            #expect(made.status == .created)
            #expect(made.json["kind"] == .string(stored))
            #expect(made.json["seen"] == .string(stored), "the hook sees it")
            #expect(made.ignoredFields == nil)
        }
    }

    @Test func `an update takes no row away, a handler of another resource does`() async throws {
        try await withCompanies { office in
            let answer = try await office.ask(.ann, .patch, "/leads/1", #"{"kind":"customer","name":"y"}"#)
            #expect(answer.json["kind"] == "lead")
            #expect(answer.json["name"] == "y")
            #expect(try await office.ask(.ann, .patch, "/leads/1", #"{"kind":"prospect"}"#).json["kind"] == "prospect")
            #expect(try await office.ask(.ann, .post, "/leads/1/convert").json["kind"] == "customer")
            #expect(try await office.ask(.ann, .get, "/leads/1").status == .notFound)
            #expect(try await office.ask(.nora, .post, "/leads/1/convert").status == .notFound)
        }
    }

    @Test func `a flag may divide the table, and its word is always the same`() async throws {
        try await withCompanies { office in
            let made = try await office.ask(.ann, .post, "/archive", #"{"name":"z","kind":"lead","is_archived":false}"#)
            #expect(made.json["is_archived"] == true)
            #expect(made.ignoredFields == nil)
            #expect(
                try await office.ask(.ann, .patch, "/archive/6", #"{"isArchived":false}"#).json["is_archived"] == true
            )
            #expect(try await office.ask(.ann, .get, "/archive").json["total"] == 1)
        }
    }

    @Test func `without the column there are no rows, rather than all`() async throws {
        try await withCompanies { office in
            try office.server.execute("ALTER TABLE companies DROP COLUMN kind")
            try await office.server.database.reloadSchema()
            #expect(try await office.ask(.ann, .get, "/customers").json["total"] == 0)
            #expect(try await office.ask(.ann, .post, "/customers", #"{"name":"x"}"#).status == .notFound)
        }
    }

    @Test func `a value that the column cannot hold leaves no rows, whatever else is asked of the column`() async throws
    {
        try await withCompanies { office in
            let list = try await office.ask(.ann, .get, "/nobody")
            #expect(list.json["total"] == 0)
            #expect(try await office.ask(.ann, .get, "/nobody/1").status == .notFound)
        }
    }

    private func withCompanies(_ body: (Office) async throws -> Void) async throws {
        try await Office.with([customers, leads, companies, archive, nobody], sql: schema, body)
    }
}

private let customers = Function("customers") {
    customer.routes()
    Resource("calls", scope: .tenant) { ChildOf(customer, by: "company_id") }.routes(at: "/:id/calls")
}

private let leads = Function("leads") {
    lead.routes()
    Post("/:id/convert") { _, context in
        try await company.update(context.parameters["id"], ["kind": "customer"], in: context).response()
    }
    Resource("calls", scope: .tenant) { ChildOf(lead, by: "company_id") }.routes(at: "/:id/calls")
}

private let companies = Function("companies") { company.routes() }

private let archive = Function("archive") {
    Resource("companies", scope: .tenant) { Only("is_archived", "true") }.routes()
}

private let nobody = Function("nobody") {
    Resource("companies", scope: .tenant) {
        Only("id", "1")
        Only("id", "x")
    }.routes()
}

private let company = Resource("companies", scope: .tenant) { companyRules() }

private let customer = Resource("companies", scope: .tenant) {
    Only("kind", "customer", "former_customer")
    companyRules()
}

private let lead = Resource("companies", scope: .tenant) {
    Only("kind", "lead", "prospect")
    companyRules()
}

@ResourceBuilder private func companyRules() -> [ResourceRule] {
    Filter("kind")
    Enumerated(
        "kind",
        Enumeration("lead", "prospect", "customer", "former_customer", synonyms: ["former": "former_customer"])
    )
    Count("active", where: "NOT t.is_archived", needs: "is_archived")
    ReadOnly("seen")
    Before(.create) { change, _ in change["seen"] = change["kind"] }
}

private let schema = """
    CREATE TABLE companies (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, name text NOT NULL, kind varchar NOT NULL,
        is_archived boolean NOT NULL DEFAULT false, seen text
    );
    CREATE TABLE calls (id serial PRIMARY KEY, tenant_id varchar NOT NULL, company_id int NOT NULL, text text NOT NULL);
    INSERT INTO companies (tenant_id, name, kind) VALUES
        ('a', 'new', 'lead'), ('a', 'good', 'customer'), ('a', 'old', 'former'), ('a', 'odd', 'supplier'),
        ('b', 'theirs', 'customer');
    """
