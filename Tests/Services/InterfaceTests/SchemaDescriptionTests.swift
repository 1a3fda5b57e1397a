import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletInterface

@Suite(.needsDatabase) struct SchemaDescriptionTests {
    @Test func `the catalog is read with what columns allow`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.createEmpty())
        try connection.execute(OddSchema.script)
        let schema = try SchemaDescription(of: "odd", in: Catalog.read(["odd"], from: connection))
        #expect(schema.relations.map(\.name) == ["2 Fast", "names", "nothing", "people"])
        let fast = try #require(schema.relations.first)
        #expect(fast.primaryKey == ["id"])
        #expect(fast.columns.first { $0.name == "state" }?.words == ["open", "done's", "switch"])
        #expect(fast.columns.first { $0.name == "kind" }?.words == ["a", "b"])
        #expect(fast.columns.filter(\.isGenerated).map(\.name) == ["id", "total"])
        #expect(fast.columns.first { $0.name == "email" }?.type == .base("varchar"))
        #expect(fast.columns.first { $0.name == "addresses" }?.type == .array(.composite("address")))
        #expect(fast.relationships.map(\.isOneToOne) == [true, false])
        #expect(schema.routines.map(\.name) == ["add", "everyone", "pair"])
        #expect(schema.routines.first?.arguments.map(\.hasDefault) == [false, true])
        let limited = try schema.limited(to: ["people"])
        #expect(limited.relations.map(\.name) == ["people"])
        #expect(limited.composites.isEmpty)
        #expect(limited.enumerations.isEmpty)
    }

    @Test func `what is not there is named`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.createEmpty())
        #expect(throws: DescriptionError.noSchema("missing")) {
            try SchemaDescription(of: "missing", in: Catalog.read(["missing"], from: connection))
        }
        let schema = try SchemaDescription(of: "public", in: Catalog.read(["public"], from: connection))
        #expect(throws: DescriptionError.noTable("missing", schema: "public")) { try schema.limited(to: ["missing"]) }
    }

    @Test(arguments: [
        "CHECK (((status)::text = ANY ((ARRAY['a'::character varying, 'b''c'::character varying])::text[])))",
        "CHECK ((status = ANY (ARRAY['a'::text, 'b''c'::text])))",
        "CHECK (((status IS NULL) OR (status = ANY (ARRAY['a'::text, 'b''c'::text]))))",
    ])
    func `the words of a constraint are found`(definition: String) {
        #expect(CheckList(definition, column: "status")?.words == ["a", "b'c"])
    }

    @Test(arguments: [
        "CHECK ((status <> ALL (ARRAY['a'::text, 'b'::text])))", "CHECK ((status ~ 'a'::text))",
        "CHECK (((status = ANY (ARRAY['a'::text])) OR (length(status) > 3)))", "CHECK ((status > 'a'::text))",
    ])
    func `other constraints are no lists`(definition: String) {
        #expect(CheckList(definition, column: "status") == nil)
    }
}
