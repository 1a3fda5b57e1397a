import Foundation
import JSON
import Postgres
import SwiftletTesting
import Testing

@testable import Description

@Suite(.needsDatabase) struct SwiftModelsTests {
    @Test func `models of every table compile without warnings, and read and write what PostgreSQL does`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.execute(OddSchema.script)
        let schemas = try ["public", "odd"].map { try DescriptionReader.read($0, from: connection) }
        try Tool.inFolder { folder in
            var main = Self.checks
            for schema in schemas {
                let models = SwiftModels(schema)
                let file = folder.appending(path: "\(schema.name).swift")
                try Data(models.text.utf8).write(to: file)
                for relation in schema.relations {
                    let rows = try rows(of: relation, schema, connection)
                    let names = SwiftTypeNames(schema)
                    let type = try #require(names.relations[relation.name]).select
                    main +=
                        "try check(\(names.schema).\(type).self, \(names.schema).decoder, \(names.schema).encoder, "
                    main += "\(SwiftName.literal(rows)))\n"
                }
            }
            try Data((main + Self.update).utf8).write(to: folder.appending(path: "main.swift"))
            let program = folder.appending(path: "check").path
            let files = ["main", "public", "odd"].map { folder.appending(path: "\($0).swift").path }
            try Tool.run(["swiftc", "-swift-version", "6", "-warnings-as-errors", "-Onone", "-o", program] + files)
            let output = try Tool.run([program])
            #expect(output.contains(#"{"class":null,"naive":"2026-01-31T11:30:00.123456Z"}"#))
            #expect(output.contains("unknown words survive"))
        }
    }

    /// The rows that there are, and one with all values, as JSON of the database.
    private func rows(
        of relation: RelationDescription,
        _ schema: SchemaDescription,
        _ connection: borrowing BlockingConnection
    ) throws -> String {
        let name = "\"\(schema.name)\".\"\(relation.name)\""
        var writer = JSONWriter()
        writer.write(SampleRow.json(relation, schema))
        let sample = String(decoding: writer.finish(), as: UTF8.self)
        // No row has the type of a view.
        let all =
            try connection.query("SELECT coalesce(json_agg(to_json(whole_row)), '[]') FROM \(name) whole_row").first?[0]
            ?? "[]"
        guard !relation.columns.isEmpty, all == "[]" else { return all }
        let query = "SELECT json_build_array(to_json(jsonb_populate_record(NULL::\(name), $1::jsonb)))"
        return try connection.query(query, [sample]).first?[0] ?? "[]"
    }

    private static let checks = """
        import Foundation

        struct Difference: Error { let type: String }

        func check<Row: Codable & Equatable>(_ type: Row.Type, _ decoder: JSONDecoder, _ encoder: JSONEncoder, _ json: String) throws {
            let rows = try decoder.decode([Row].self, from: Data(json.utf8))
            guard !rows.isEmpty || json == "[]" else { throw Difference(type: "\\(type) read nothing") }
            let again = try decoder.decode([Row].self, from: encoder.encode(rows))
            guard rows == again else { throw Difference(type: "\\(type)") }
        }

        """

    private static let update = """
        let update = OddSchema._2FastUpdate(
            class: .null,
            naive: .set(try OddSchema.decoder.decode([Date].self, from: Data(#"["2026-01-31 12:30:00.123456+01"]"#.utf8))[0])
        )
        let encoder = OddSchema.encoder
        encoder.outputFormatting = .sortedKeys
        print(String(decoding: try encoder.encode(update), as: UTF8.self))
        let read = try OddSchema.decoder.decode(OddSchema._2FastUpdate.self, from: encoder.encode(update))
        guard read == update else { throw Difference(type: "update") }
        let word = try OddSchema.decoder.decode([OddSchema.Mood].self, from: Data(#"["later"]"#.utf8))
        if word == [.unrecognized("later")], word[0].rawValue == "later" { print("unknown words survive") }
        let person: any Identifiable = OddSchema.PeopleSelect(id: UUID(), name: "Ada")
        _ = person

        """

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
        let start = ContinuousClock.now
        let text = SwiftModels(try DescriptionReader.read("public", from: connection)).text
        let spent = ContinuousClock.now - start
        #expect(text.contains("struct Table199Update"))
        #expect(spent < .seconds(1))
    }
}
