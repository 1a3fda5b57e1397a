import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct FieldTests {
    @Test func `each key stands once in an object, whatever columns a database has`() async throws {
        try await Office.with([bills], sql: schema) { office in
            let answer = try await office.ask(
                .boss,
                .post,
                "/bills",
                #"{"state":"settled","total":5,"maker_name":"me","mobile":"2"}"#
            )
            #expect(answer.status == .created)
            let keys = try memberNames(of: answer.text)
            #expect(keys.count == Set(keys).count, "\(keys)")
            #expect(answer.json["state"] == "paid")
            #expect(answer.json["bill_state"] == "paid")
            #expect(answer.json["phone"] == .null)
            #expect(answer.json["maker_name"] == "me")
            #expect(answer.json["total"] == 5)
            #expect(answer.ignoredFields == "mobile")
            #expect(try await office.ask(.boss, .get, "/bills?state=paid").json["total"] == 1)
            #expect(try await office.ask(.boss, .get, "/bills?sort=phone").status == .ok)
        }
    }

    @Test func `a hook may fill a column that the body leaves out and the table demands`() async throws {
        try await Office.with([people], sql: schema) { office in
            let answer = try await office.ask(.boss, .post, "/people", #"{"full_name":"Ada Lovelace"}"#)
            #expect(answer.json["last_name"] == "Lovelace")
            let empty = try await office.ask(.boss, .post, "/people", "{}")
            #expect(empty.json["details"]?.object?.keys == ["last_name"])
            // Both faults at once, before any hook has run.
            let faulty = try await office.ask(.boss, .post, "/people", #"{"full_name":"Ada Lovelace","age":"x"}"#)
            #expect(faulty.json["details"]?.object?.keys == ["age"])
        }
    }

    @Test func `unknown fields are named also when there is nothing to write`() async throws {
        try await Office.with([people], sql: schema) { office in
            let person = try await office.ask(.boss, .post, "/people", #"{"last_name":"x","rank":7}"#)
            let id = person.json["id"]?.int ?? 0
            let answer = try await office.ask(.boss, .patch, "/people/\(id)", #"{"colour":"red","rank":7}"#)
            #expect(answer.status == .ok)
            #expect(answer.ignoredFields == "colour")
            #expect(answer.json["rank"] == .null)
        }
    }

    @Test func `several times in a filter are read with their zones`() async throws {
        try await Office.with([people], sql: schema) { office in
            _ = try await office.ask(.boss, .post, "/people", #"{"last_name":"x","born":"2026-01-01T12:00:00+02:00"}"#)
            for times in ["2026-01-01T12:00:00%2B02:00", "2026-01-01T12:00:00%2B02:00,2025-01-01"] {
                #expect(try await office.ask(.boss, .get, "/people?born=\(times)").json["total"] == 1, "\(times)")
            }
        }
    }

    @Test func `a name may stand in several columns, some of them empty or missing`() async throws {
        try await Office.with([badges], sql: schema) { office in
            try office.server.execute(
                """
                INSERT INTO people (tenant_id, full_name, last_name) VALUES ('a', 'Ada', 'Lovelace'),
                    ('a', NULL, 'Hopper'), ('b', 'Not', 'Ours'), ('a', NULL, '');
                """
            )
            for (person, name) in [(1, "Ada Lovelace"), (2, "Hopper"), (3, nil), (4, nil), (5, nil)] {
                let badge = try await office.ask(.ann, .post, "/badges", #"{"person_id":\#(person),"holder":"x"}"#)
                #expect(badge.json["holder"] == name.map(JSONValue.string) ?? .null, "\(person)")
            }
        }
    }

    @Test func `what is computed from another table comes from the tenant's rows`() async throws {
        try await Office.with([boxes], sql: schema) { office in
            try office.server.execute(
                "INSERT INTO coins (tenant_id, box_id, worth) VALUES ('a', 1, 2), ('a', 1, 3), ('b', 1, 9), ('a', 2, 1)"
            )
            let made = try await office.ask(.ann, .post, "/boxes", "{}")
            #expect(made.json["coin_count"] == 2)
            #expect(made.json["best"] == 3)
            #expect(made.json["bonus"] == nil)
            #expect(made.json["coins"] == [["worth": 2], ["worth": 3]])
            _ = try await office.ask(.ann, .post, "/boxes", "{}")
            let empty = try await office.ask(.ann, .post, "/boxes", #"{"coin_count":7}"#)
            #expect(empty.json["coin_count"] == 0)
            #expect(empty.json["best"] == .null)
            #expect(empty.json["coins"] == [])
            #expect(try await office.ask(.ann, .get, "/boxes").json["total"] == 3)
        }
    }

    @Test func `a key of the body that is no column reaches the hooks`() async throws {
        try await Office.with([numbers], sql: schema) { office in
            for (body, sum) in [(#"{"partsToAdd":[1,2]}"#, 3), (#"{"parts_to_add":[4]}"#, 4), ("{}", 0)] {
                let made = try await office.ask(.ann, .post, "/numbers", body)
                #expect(made.json["total"] == .number(JSONNumber(sum)), "\(body)")
                #expect(made.ignoredFields == nil, "\(body)")
                #expect(made.json["parts_to_add"] == nil)
            }
            let strict = [(Headers.Name.prefer, "handling=strict")]
            #expect(
                try await office.ask(.ann, .post, "/numbers", #"{"parts_to_add":[]}"#, headers: strict).status
                    == .created
            )
            let faulty = try await office.ask(.ann, .patch, "/numbers/1", #"{"partsToAdd":1}"#)
            #expect(faulty.json["details"] == ["partsToAdd": "must be a list"])
        }
    }

    @Test func `neither a key of the body nor a hook moves a row to another tenant`() async throws {
        try await Office.with([numbers], sql: schema) { office in
            _ = try await office.ask(.ann, .post, "/numbers", #"{"tenant_id":"b","copied":{"tenant_id":"b"}}"#)
            let body = #"{"tenant_id":"b","tenantId":"b","code":"N-1","rank":7,"copied":{"tenant_id":"b","total":5}}"#
            let changed = try await office.ask(.ann, .patch, "/numbers/1", body)
            #expect(changed.json["tenant_id"] == "a")
            #expect(changed.json["total"] == 5)
            #expect(changed.json["code"] == "N-1")
            #expect(changed.json["rank"] == .null, "a read-only column that is declared as input as well")
            #expect(try await office.ask(.nora, .get, "/numbers").json["total"] == 0)
        }
    }

    @Test func `numbers are made in order and differ`() async throws {
        try await Office.with([numbers], sql: schema) { office in
            var made: [String] = []
            for _ in 0..<3 {
                made.append(try await office.ask(.ann, .post, "/numbers", "{}").json["code"]?.string ?? "")
                try await Task.sleep(for: .milliseconds(2))
            }
            #expect(made == made.sorted())
            #expect(Set(made).count == 3)
            #expect(made.allSatisfy { $0.wholeMatch(of: /N-[0-9A-Z]{12}/) != nil }, "\(made)")
            #expect(try await office.ask(.ann, .post, "/numbers", #"{"code":"mine"}"#).json["code"] == "mine")
        }
    }

    /// The keys of an object of plain values, repeated ones as often as they occur.
    private func memberNames(of text: String) throws -> [String] {
        text.dropFirst().dropLast().split(separator: ",").compactMap { member in
            member.split(separator: "\"").first.map(String.init)
        }
    }
}

private let bills = Function("bills") {
    bill.routes()
}

/// The table has columns under some of the names that others are given.
private let bill = Resource("bills", scope: .tenant) {
    Filter("state", on: "bill_state")
    Hidden("state")
    Alias("bill_state", as: "state")
    Rename("mobile", to: "phone")
    Enumerated("bill_state", Enumeration("open", "paid", synonyms: ["settled": "paid"]))
    Joined("maker_name", from: "makers", column: "name", by: "maker_id")
    Computed("bill_state", "'open'::text")
    Computed("phone", "'none'::text")
}

private let people = Function("people") {
    person.routes()
}

private let person = Resource("people", scope: .tenant) {
    Filter("born")
    ReadOnly("rank")
    Before(.create) { change, _ in
        guard let name = change["full_name"]?.string, let last = name.split(separator: " ").last else { return }
        change["last_name"] = .string(String(last))
    }
}

private let badges = Function("badges") {
    Resource("badges", scope: .tenant) {
        Joined("holder", from: "people", columns: "full_name", "nickname", "last_name", by: "person_id")
    }
    .routes()
}

private let boxes = Function("boxes") {
    Resource("boxes", scope: .tenant) {
        Computed("coin_count", from: "coins", "count(*)", where: "o.box_id = t.id")
        Computed("best", from: "coins", "max(o.worth)", where: "o.box_id = t.id", needs: "id")
        Computed(
            "coins",
            from: "coins",
            "coalesce(jsonb_agg(jsonb_build_object('worth', o.worth) ORDER BY o.worth), '[]')",
            where: "o.box_id = t.id OR o.box_id = -t.id"
        )
        Computed("bonus", from: "medals", "count(*)", where: "true")
    }
    .routes()
}

private let numbers = Function("numbers") {
    Resource("numbers", scope: .tenant) {
        Input("parts_to_add", "copied", "tenant_id", "rank")
        ReadOnly("rank")
        Numbered("code", "N-")
        Before(.create, .update) { change, _ in
            for (column, value) in change["copied"]?.object ?? [:] { change[column] = value }
            guard let parts = change["parts_to_add"] else { return }
            guard let list = parts.array else { throw change.refusal(of: "parts_to_add", "must be a list") }
            change["total"] = .number(JSONNumber(list.compactMap(\.int).reduce(0, +)))
        }
    }
    .routes()
}

private let schema = """
    CREATE TABLE boxes (id serial PRIMARY KEY, tenant_id varchar NOT NULL);
    CREATE TABLE coins (id serial PRIMARY KEY, tenant_id varchar NOT NULL, box_id int, worth int);
    CREATE TABLE numbers (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, code varchar NOT NULL, total int DEFAULT 0,
        rank int
    );
    CREATE TABLE badges (id serial PRIMARY KEY, tenant_id varchar NOT NULL, person_id int NOT NULL);
    CREATE TABLE makers (id serial PRIMARY KEY, tenant_id varchar NOT NULL, name text NOT NULL);
    CREATE TABLE bills (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, bill_state varchar NOT NULL DEFAULT 'open',
        state varchar, total int, mobile varchar, phone varchar, maker_id int, maker_name text
    );
    CREATE TABLE people (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, full_name text, last_name text NOT NULL, age int,
        rank int, born timestamp, created_at timestamp
    );
    """
