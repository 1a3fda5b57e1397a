import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import Testing
import SwiftletWeb

@Suite(.needsDatabase, .hangLimit)
struct ShownWordTests {
    @Test func `a row shows the first word that suits it, and is found by that only`() async throws {
        try await Office.with([loans], sql: schema) { office in
            for (query, ids) in [
                ("", [1, 2, 3, 4, 5]), ("state=late", [2, 4]), ("state=lost", [3]), ("state=out", [1]),
                ("state=out,late", [1, 2, 4]), ("state=LATE&state=lost", [2, 3, 4]), ("state=back", [5]),
                ("state=out,late,lost,back", [1, 2, 3, 4, 5]),
            ] {
                let page = try await office.ask(.ann, .get, "/loans?sort=id&\(query)").json
                #expect(page["data"]?.array?.compactMap { $0["id"]?.int } == ids, "\(query)")
                #expect(page["total"]?.int == ids.count, "\(query)")
            }
            let states = try await office.ask(.ann, .get, "/loans?sort=id").json["data"]?.array?.map { $0["state"] }
            #expect(states == ["out", "late", "lost", "late", "back"])
            #expect(try await office.ask(.ann, .get, "/loans?state=gone").status == .badRequest)
        }
    }

    @Test func `what is stored stays, and hooks see it`() async throws {
        try await Office.with([loans], sql: schema) { office in
            let row = try await office.ask(.ann, .patch, "/loans/2", #"{"note":"n"}"#)
            #expect(row.json["state"] == "late")
            #expect(row.json["note"] == "was out")
            #expect(try await office.ask(.ann, .patch, "/loans/2", #"{"days":0}"#).json["state"] == "out")
            #expect(try await office.ask(.ann, .post, "/loans", #"{"days":9}"#).json["state"] == "late")
        }
    }

    @Test func `a word that needs a column which the database lacks is not shown`() async throws {
        try await Office.with([loans], sql: schema + "ALTER TABLE loans DROP COLUMN note;") { office in
            let lost = try await office.ask(.ann, .get, "/loans?state=lost")
            #expect(lost.json["total"] == 0)
            let late = try await office.ask(.ann, .get, "/loans?state=late")
            #expect(late.json["total"] == 3)
        }
    }

    @Test func `faults of its SQL are found without a request`() async throws {
        let faulty = Function("loans") {
            Resource("loans", scope: .tenant) {
                Shown("late", in: "state", where: "t.dayz > 1")
                Shown("lost", in: "state", where: "t.days")
            }
            .routes()
        }
        try await Office.with([faulty], sql: schema) { office in
            let faults = try await DeclarationFaults.find(in: [faulty], office.server.database)
            #expect(
                faults == [
                    #"loans: Shown("late"): column t.dayz does not exist"#,
                    #"loans: Shown("lost"): argument of IS TRUE must be type boolean, not type integer"#,
                ]
            )
        }
    }

    @Test func `an object of another table's columns is the tenant's own`() async throws {
        try await Office.with([loans], sql: schema) { office in
            let page = try await office.ask(.ann, .get, "/loans?sort=id").json
            #expect(page["data"]?[0]?["book"] == ["id": 1, "name": "Ours", "price": 15])
            #expect(page["data"]?[1]?["book"] == .null)
            #expect(page["data"]?[2]?["book"] == .null)
            let sent = try await office.ask(.ann, .patch, "/loans/2", #"{"book":{"id":1}}"#)
            #expect(sent.json["book"] == .null)
        }
    }

    @Test func `rows that refer to one are counted, whatever the type of the reference`() async throws {
        let books = Function("books") {
            Resource("books", scope: .tenant) {
                Counted("loan_count", in: "loans", by: "book_id")
                Counted("page_count", in: "pages", by: "book_id")
            }
            .routes()
        }
        for change in ["", "ALTER TABLE loans ALTER COLUMN book_id TYPE text;"] {
            try await Office.with([books], sql: schema + change) { office in
                let book = try await office.ask(.ann, .get, "/books/1").json
                #expect(book["loan_count"] == 1)
                #expect(book["page_count"] == nil)
                let made = try await office.ask(.ann, .post, "/books", #"{"loan_count":7}"#).json
                #expect(made["loan_count"] == 0)
            }
        }
    }
}

private let loans = Function("loans") {
    Resource("loans", scope: .tenant) {
        Filter("state")
        Enumerated("state", Enumeration("out", "back", "late", "lost", synonyms: ["returned": "back"]))
        Shown("lost", in: "state", where: "t.note = 'x'", needs: "note")
        Shown("late", in: "state", where: "t.days > 7 AND t.state = 'out'", needs: "days")
        Joined("book", from: "books", object: "id", "name", "price", by: "book_id")
        Before(.update) { change, row, _ in
            if change.contains("note") { change["note"] = .string("was \(row["state"]?.string ?? "")") }
        }
    }
    .routes()
}

private let schema = """
    CREATE TABLE books (id serial PRIMARY KEY, tenant_id varchar NOT NULL, name text, price int);
    CREATE TABLE loans (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, book_id int, note text, days int DEFAULT 0,
        state text DEFAULT 'out'
    );
    INSERT INTO books (tenant_id, name, price) VALUES ('a', 'Ours', 15), ('b', 'Theirs', 2);
    INSERT INTO loans (tenant_id, book_id, days, state) VALUES
        ('a', 1, 7, 'out'), ('a', NULL, 8, 'out'), ('a', 2, 8, 'out'), ('a', NULL, 0, 'Late'), ('a', NULL, 9, 'returned'),
        ('b', NULL, 9, 'out');
    UPDATE loans SET note = 'x' WHERE id = 3;
    """
