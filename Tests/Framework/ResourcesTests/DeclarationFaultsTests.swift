import Swiftlet
import SwiftletTesting
import Testing
import SwiftletWeb

@Suite(.needsDatabase, .hangLimit)
struct DeclarationFaultsTests {
    @Test func `SQL that the database refuses is found without a request`() async throws {
        try await Office.with([shelves], sql: schema) { office in
            let faults = try await DeclarationFaults.find(in: [shelves], office.server.database)
            #expect(
                faults == [
                    #"shelves: Computed("average"): function avg(text) does not exist"#,
                    #"shelves: Computed("typo"): column t.widht does not exist"#,
                    #"shelves: Count("wide"): argument of IS TRUE must be type boolean, not type integer"#,
                ]
            )
        }
    }

    @Test func `a division by a row's zero is no fault of the declaration, nor what the database lacks`() async throws {
        let sound = Function("shelves") {
            Resource("shelves", scope: .tenant) {
                Computed("ratio", "1 / t.width")
                Computed("books", from: "books", "count(*)", where: "o.shelf_id = t.id")
                Computed("height", "t.height", needs: "height")
            }
            .routes()
        }
        try await Office.with([sound], sql: schema + "INSERT INTO shelves (tenant_id, width) VALUES ('a', 0);") {
            office in
            let faults = try await DeclarationFaults.find(in: [sound], office.server.database)
            #expect(faults.isEmpty)
        }
    }
}

private let shelves = Function("shelves") {
    Resource("shelves", scope: .tenant) {
        Computed("area", "t.width * 2")
        Computed("typo", "t.widht")
        Computed("average", from: "boards", "avg(o.text)", where: "o.shelf_id = t.id")
        Count("wide", where: "t.width")
        Count("narrow", where: "t.width < 2")
    }
    .routes()
}

private let schema = """
    CREATE TABLE shelves (id serial PRIMARY KEY, tenant_id varchar NOT NULL, width int);
    CREATE TABLE boards (id serial PRIMARY KEY, tenant_id varchar NOT NULL, shelf_id int, text text);
    """
