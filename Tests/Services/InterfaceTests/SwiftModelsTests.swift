import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletInterface

@Suite(.needsDatabase) struct SwiftModelsTests {
    @Test func `a name is escaped, and taken once`() {
        #expect(SwiftName.member("user_id") == "userId")
        #expect(SwiftName.member("URL") == "url")
        #expect(SwiftName.member("1st place") == "_1stPlace")
        #expect(SwiftName.member("self") == "self_")
        #expect(SwiftName.escaped(SwiftName.member("class")) == "`class`")
        #expect(SwiftName.type("order-items") == "OrderItems")
        #expect(SwiftName.literal("a\"\\(b)\n") == #""a\"\\(b)\n""#)
        var names = TakenNames()
        #expect([names.take("a"), names.take("a"), names.take("b")] == ["a", "a2", "b"])
    }

    @Test func `two hundred tables take less than a second`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.createEmpty())
        let tables = (0..<200).map { number in
            """
            CREATE TABLE table_\(number) (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL,
                state text CHECK (state IN ('a', 'b')), at timestamptz DEFAULT now(), amount numeric, day date,
                other bigint REFERENCES table_\(max(number - 1, 0)), more jsonb, tags text[], flag boolean);
            """
        }
        try connection.execute(tables.joined())
        // The quickest of three: other tests use the processors as well.
        var quickest = Duration.seconds(60)
        for _ in 0..<3 {
            let start = ContinuousClock.now
            let description = try SchemaDescription(of: "public", in: Catalog.read(["public"], from: connection))
            let text = SwiftModels(description).text
            quickest = min(quickest, ContinuousClock.now - start)
            #expect(text.contains("struct Table199Update"))
        }
        #expect(quickest < .seconds(1))
    }
}
