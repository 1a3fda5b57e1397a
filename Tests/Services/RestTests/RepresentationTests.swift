import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletRest

/// Values of a domain that come and go in another form than PostgreSQL's, and relations of odd shapes.
@Suite(.needsDatabase, .hangLimit) struct RepresentationTests {
    private static let sql = """
        CREATE DOMAIN mass AS int;
        CREATE FUNCTION json(mass) RETURNS json LANGUAGE sql IMMUTABLE AS $$ SELECT to_json($1::int || ' g') $$;
        CREATE FUNCTION mass(text) RETURNS mass LANGUAGE sql IMMUTABLE AS $$ SELECT rtrim($1, ' g')::int::mass $$;
        CREATE CAST (mass AS json) WITH FUNCTION json(mass) AS IMPLICIT;
        CREATE CAST (text AS mass) WITH FUNCTION mass(text) AS IMPLICIT;
        CREATE TABLE parcels (id int, weight mass);
        INSERT INTO parcels VALUES (1, 250), (2, 900);
        CREATE TABLE bare ();
        CREATE VIEW store.middle_names AS SELECT * FROM public.shelf_names;
        CREATE VIEW outer_names AS SELECT * FROM store.middle_names;
        GRANT ALL ON ALL TABLES IN SCHEMA public TO service_role;
        """

    /// A request and the JSON that it gets.
    private static let answers: [(String, String)] = [
        ("parcels?id=eq.1", #"[{"id":1,"weight":"250 g"}]"#),
        ("parcels?select=w:weight&weight=eq.900%20g", #"[{"w":"900 g"}]"#),
        // A cast to text is one of what leaves, any other of the value.
        ("parcels?select=weight::int&id=eq.1", #"[{"weight":250}]"#),
        ("parcels?select=weight::text&id=eq.1", #"[{"weight":"\"250 g\""}]"#),
        ("parcels?select=id.sum(),weight&weight=eq.250", #"[{"sum":1,"weight":"250 g"}]"#),
        ("bare", "[]"),
        // Through a view that is not exposed.
        ("outer_names?select=name,books(id)&id=eq.2", #"[{"name":"B","books":[{"id":3}]}]"#),
    ]

    @Test func `values leave as their casts make them`() async throws {
        try await RestServer.with(
            schema: "library.sql",
            {
                $0.allowsAggregates = true
                $0.extraSearchPath = ["public", "store"]
            },
            sql: Self.sql
        ) { rest in
            for (path, expected) in Self.answers {
                let found = try await rest.get(path)
                #expect(try found == JSONParser.parse(Array(expected.utf8)), "\(path)")
            }
            // A pattern is no value, so that no cast is asked to read it.
            let pattern = try await rest.send(.get, "parcels?weight=like.2*")
            #expect(pattern.status == .notFound)
            #expect(pattern.text.contains("operator does not exist: mass ~~ unknown"), "\(pattern.text)")
            let near = try await rest.send(.get, "bares")
            #expect(near.text.contains("Perhaps you meant the table 'public.bare'"), "\(near.text)")
        }
    }
}
