import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import Testing

/// Bills that are paid once, for all that they amount to.
@Suite(.needsDatabase, .hangLimit)
struct RowHookTests {
    @Test func `a hook sees the row that is about to change, and none on create`() async throws {
        try await Office.with([bills], sql: schema) { office in
            let made = try await office.ask(.ann, .post, "/bills", #"{"id":"b","amount":12.50}"#)
            #expect(made.json["state"] == "open")
            #expect(made.json["paid"]?.double == 0)
            let paid = try await office.ask(.ann, .patch, "/bills/b", #"{"state":"paid"}"#)
            #expect(paid.status == .ok && paid.text.contains(#""paid":12.50"#) && paid.json["payments"] == 1)
            let again = try await office.ask(.ann, .patch, "/bills/b", #"{"state":"paid","note":"x"}"#)
            #expect(again.json["payments"] == 1)
            #expect(again.json["note"] == "x")
            let refused = try await office.ask(.ann, .patch, "/bills/b", #"{"state":"open"}"#)
            #expect(refused.json["details"] == ["state": "is paid for good"])
            #expect(try await office.ask(.ann, .get, "/bills/b").json["state"] == "paid")
        }
    }

    @Test func `a row out of reach runs no hook`() async throws {
        try await Office.with([bills], sql: schema) { office in
            _ = try await office.ask(.ann, .post, "/bills", #"{"id":"b","amount":1}"#)
            for (person, status) in [(Office.Person.nora, Status.notFound), (.abe, .forbidden)] {
                #expect(try await office.ask(person, .patch, "/bills/b", #"{"state":"paid"}"#).status == status)
            }
            #expect(try await office.ask(.ann, .patch, "/bills/none", #"{"state":"paid"}"#).status == .notFound)
            #expect(try await office.ask(.boss, .get, "/bills/b").json["state"] == "open")
        }
    }

    @Test func `each of many rows has a hook of its own`() async throws {
        try await Office.with([bills], sql: schema) { office in
            for (id, amount) in [("a", 1), ("b", 2), ("c", 3)] {
                _ = try await office.ask(.ann, .post, "/bills", #"{"id":"\#(id)","amount":\#(amount)}"#)
            }
            _ = try await office.ask(.abe, .post, "/bills", #"{"id":"d","amount":4}"#)
            let answer = try await office.ask(.ann, .patch, "/bills", #"{"ids":["a","b","d","x"]}"#)
            #expect(answer.json == ["success": true, "updated": 2])
            let all = try await office.ask(.boss, .get, "/bills?sort=id").json["data"]?.array ?? []
            #expect(all.map { $0["paid"]?.int } == [1, 2, 0, 0])
            // One refusal undoes the others.
            let refused = try await office.ask(.ann, .patch, "/bills", #"{"ids":["a","c"],"state":"open","note":"y"}"#)
            #expect(refused.status == .badRequest)
            #expect(try await office.ask(.boss, .get, "/bills?note=y").json["total"] == 0)
            #expect(try await office.ask(.ann, .post, "/bills/close-open", "{}").json == ["closed": 1])
            #expect(try await office.ask(.boss, .get, "/bills?state=paid").json["total"] == 3)
        }
    }

    @Test func `two at once never decide on the same row`() async throws {
        try await Office.with([bills], sql: schema) { office in
            _ = try await office.ask(.ann, .post, "/bills", #"{"id":"b","amount":1}"#)
            try await withThrowingTaskGroup(of: Status.self) { group in
                for _ in 0..<12 {
                    group.addTask { try await office.ask(.ann, .patch, "/bills/b", #"{"state":"paid"}"#).status }
                }
                for try await status in group { #expect(status == .ok) }
            }
            #expect(try await office.ask(.ann, .get, "/bills/b").json["payments"] == 1)
        }
    }
}

private let bills = Function("bills") {
    bill.routes(.list, .get, .create, .update)
    Patch(changeMany)
    Post("/close-open") { _, context in
        // No row has what the column cannot hold.
        for value in [7, .null, "a\u{0}"] as [JSONValue] {
            guard try await bill.updateAll(where: "state", is: value, ["state": "paid"], in: context) == 0 else {
                throw APIError.forbidden
            }
        }
        let closed = try await bill.updateAll(where: "state", is: "open", ["state": "paid"], in: context)
        return .json(["closed": .number(JSONNumber(closed))])
    }
}

private let bill = Resource("bills", scope: .tenant) {
    OwnRowsOnly(below: 2, on: "created_by")
    Filter("state")
    Filter("note")
    ReadOnly("paid", "payments")
    Before(.create, .update) { change, bill, _ in
        guard let state = change["state"] else { return }
        switch (bill["state"], state) {
        case ("paid", "open"): throw change.refusal(of: "state", "is paid for good")
        case ("paid", _), (_, "open"): break
        default:
            change["paid"] = change["amount"] ?? bill["amount"]
            change["payments"] = .number(JSONNumber((bill["payments"]?.int ?? 0) + 1))
        }
    }
}

@Sendable private func changeMany(_ request: Request, _ context: Context) async throws -> Response {
    var body = try request.jsonObject()
    let ids = body["ids"]?.array?.compactMap(\.string) ?? []
    body["ids"] = nil
    return try await bill.updateMany(ids, body.isEmpty ? ["state": "paid"] : body, in: context).response()
}

private let schema = """
    CREATE TABLE bills (
        id varchar PRIMARY KEY, tenant_id varchar NOT NULL, created_by varchar, state varchar NOT NULL DEFAULT 'open',
        amount numeric(10, 2) NOT NULL, paid numeric(10, 2) DEFAULT 0, payments int DEFAULT 0, note text
    );
    """
