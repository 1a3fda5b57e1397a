import Foundation
import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import Testing

/// Coins, read and written by handlers.
@Suite(.needsDatabase, .hangLimit)
struct ResourceRowTests {
    @Test(
        arguments: [
            ("title", #""T\u00fcr""#), ("label", #""T\u00fcr""#), ("number", "12.50"), ("is_old", "true"),
            ("minted", #""2024-01-15T10:30:00Z""#), ("state", #""kept""#), ("tags", #"["a","7"]"#), ("maker", "null"),
            ("more", #"{"at":"2024-01-15T10:30:00Z"}"#), ("double", "25.00"), ("worth", "absent"), ("secret", "absent"),
        ]
    )
    func `a row gives each value as clients read it`(name: String, value: String) async throws {
        try await Office.with([coins], sql: schema) { office in
            let answer = try await office.ask(.ann, .get, "/coins/one/values/\(name)")
            let expected: JSONValue = value == "absent" ? ["absent": true] : ["value": try parse(value)]
            #expect(answer.json == expected)
        }
    }

    @Test func `a row knows its key, also one that clients cannot see`() async throws {
        try await Office.with([coins], sql: schema) { office in
            let keys = try await office.ask(.ann, .get, "/coins/one/key").json
            #expect(keys == ["keys": ["one", "one"]])
        }
    }

    @Test func `a row written into other JSON is the row that its own response has`() async throws {
        try await Office.with([coins], sql: schema) { office in
            let row = try await office.ask(.ann, .get, "/coins/one").json
            #expect(
                try await office.ask(.ann, .get, "/coins/one/thrice").json == ["a": row, "b": [row, row], "c": row]
            )
        }
    }

    @Test func `a page knows its rows and what is behind them`() async throws {
        try await Office.with([coins], sql: schema) { office in
            let page = try await office.ask(.ann, .get, "/coins/page?limit=2&sort=number").json
            #expect(page == ["keys": ["one", "two"], "total": 3, "page": 1, "limit": 2, "more": true, "old": 1])
        }
    }

    @Test func `a page of a table that is missing is empty`() async throws {
        try await Office.with([coins], sql: "") { office in
            let page = try await office.ask(.ann, .get, "/coins/page").json
            #expect(page == ["keys": [], "total": 0, "page": 1, "limit": 25, "more": false, "old": 0])
        }
    }

    @Test func `what a body had beside the columns stays with the row`() async throws {
        try await Office.with([coins], sql: schema) { office in
            let made = try await office.ask(.ann, .post, "/coins", #"{"title":"x","shine":1}"#)
            #expect(made.status == .created)
            #expect(made.ignoredFields == "shine")
            let untouched = try await office.ask(.ann, .patch, "/coins/one", #"{"shine":1}"#)
            #expect(untouched.ignoredFields == "shine")
        }
    }

    @Test func `a deletion tells whether there was a row`() async throws {
        try await Office.with([coins], sql: schema) { office in
            let first = try await office.ask(.ann, .delete, "/coins/one/melt").json
            #expect(first == ["melted": true])
            let second = try await office.ask(.ann, .delete, "/coins/one/melt").json
            #expect(second == ["melted": false])
        }
    }

    @Test func `rows become values of one's own types, and values become rows`() async throws {
        try await Office.with([coins], sql: schema) { office in
            let titles = try await office.ask(.ann, .get, "/coins/titles?sort=number").json
            #expect(titles == [["at": "2024-01-15T10:30:00Z", "title": "Tür"], ["title": "B"], ["title": "C"]])
            let faces = try await office.ask(.ann, .get, "/coins/faces").json
            #expect(faces == [["is_old": true, "title": "Tür", "worth": 12.5]])
        }
    }

    private func parse(_ text: String) throws -> JSONValue { try JSONParser.parse(Array(text.utf8)) }
}

private struct Coin: Codable, Sendable {
    let title: String
    let minted: Date?
}

private struct Face: Codable, Sendable {
    let title: String
    let worth: Double
    let isOld: Bool
}

private let coins = Function("coins") {
    coin.routes()
    Get("/titles") { request, context in
        let page = try await coin.list(request, in: context).decode(Coin.self)
        return .json(
            .array(
                page.map { coin in
                    guard let minted = coin.minted else { return ["title": .string(coin.title)] }
                    return ["title": .string(coin.title), "at": .string(minted.ISO8601Format())]
                }
            )
        )
    }
    Get("/faces") { _, context in
        let statement: SQL =
            "SELECT title, worth, is_old FROM coins WHERE tenant_id = \(try context.tenant) AND id = 'one'"
        return try await context.database.query(statement).decode(Face.self)
    }
    Get("/page") { request, context in
        let page = try await coin.list(request, in: context)
        let old = page.counts.first { $0.key == "old" }?.value ?? -1
        return .json([
            "keys": .array(page.map { .string($0.key) }), "total": JSONValue(page.total), "page": JSONValue(page.page),
            "limit": JSONValue(page.limit), "more": .bool(page.hasMore), "old": JSONValue(old),
        ])
    }
    Get("/:id/key") { _, context in
        let id = context.parameters["id"]
        let keys = try await [coin.get(id, in: context).key, namelessCoin.get(id, in: context).key]
        return .json(["keys": .array(keys.map { .string($0) })])
    }
    Get("/:id/values/:name") { _, context in
        let row = try await coin.get(context.parameters["id"], in: context)
        let name = context.parameters["name"]
        #expect(row[name] == row.object()[name])
        return .json(row[name].map { ["value": $0] } ?? ["absent": true])
    }
    Get("/:id/thrice") { _, context in
        let row = try await coin.get(context.parameters["id"], in: context)
        return .json { json in
            json.object { json in
                json.member("a", row)
                json.key("b")
                json.array { json in
                    json.write(row)
                    json.write(row)
                }
                json.member("c", row)
            }
        }
    }
    Delete("/:id/melt") { _, context in
        .json(["melted": .bool(try await coin.delete(context.parameters["id"], in: context))])
    }
}

private let coin = Resource("coins", scope: .tenant) {
    Alias("title", as: "label")
    Rename("worth", to: "number")
    Enumerated("state", Enumeration("lost", "kept", synonyms: ["held": "kept"]))
    StringArrays("tags")
    Computed("double", "t.worth * 2", needs: "worth")
    Hidden("secret")
    Count("old", where: "t.is_old")
}

private let namelessCoin = Resource("coins", scope: .tenant) {
    Hidden("id")
}

private let schema = """
    CREATE TABLE coins (
        id varchar PRIMARY KEY, tenant_id varchar NOT NULL, title text, worth numeric(10, 2), is_old boolean,
        minted timestamp, state varchar, tags jsonb, more jsonb, maker text, secret text
    );
    INSERT INTO coins VALUES
        ('one', 'a', 'Tür', 12.50, true, '2024-01-15 10:30:00.5', 'held', '["a", 7]', '{"at": "2024-01-15T10:30:00"}');
    INSERT INTO coins (id, tenant_id, title, worth, is_old) VALUES
        ('two', 'a', 'B', 20, false), ('three', 'a', 'C', 30, false), ('four', 'b', 'D', 40, true);
    """
