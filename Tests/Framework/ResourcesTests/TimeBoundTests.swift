import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import Testing

/// Events around midnight, in a column without a zone and in one with it.
@Suite(.needsDatabase, .hangLimit)
struct TimeBoundTests {
    @Test(arguments: [
        // A day as the upper bound means its end, and a second is whole, as it is shown.
        ("from=2026-11-23&to=2026-11-23", [2, 3, 4]), ("to=2026-11-22", [1]), ("from=2026-11-24", [5, 6]),
        ("from=2026-11-23T00:00:00Z&to=2026-11-23T23:59:59Z", [2, 3, 4]), ("to=2026-11-23T00:00:00Z", [1, 2]),
        ("from=2026-11-23T12:00:00.5Z", [4, 5, 6]), ("to=2026-11-23T12:00:00.1Z", [1, 2, 3]),
        // Midnight in Berlin is at 23:00 UTC.
        ("from=2026-11-23&to=2026-11-23&tz=Europe/Berlin", [1, 2, 3]), ("from=2026-11-24&tz=Europe/Berlin", [4, 5, 6]),
        ("to=2026-11-23T01:00&tz=Europe/Berlin", [1, 2]), ("to=2026-11-23T01:00:00%2B01:00&tz=America/Lima", [1, 2]),
        ("seen_after=2026-11-23&seen_before=2026-11-24", [2, 3, 4]),
        ("seenAfter=2026-11-23&seenBefore=2026-11-24&tz=Europe/Berlin", [1, 2, 3]),
        ("at=2026-11-23T23:59:59Z", [4]), ("at=2026-11-23", [2, 3, 4]), ("at=2026-11-23&tz=Europe/Berlin", [1, 2, 3]),
        ("day_from=2026-11-23&day_to=2026-11-23&tz=Europe/Berlin", [2, 3, 4]),
        ("from=0001-01-01&to=9999-12-31", [1, 2, 3, 4, 5, 6]),
    ])
    func `what is shown is what is compared`(query: String, ids: [Int]) async throws {
        try await Office.with([events], sql: schema) { office async throws in
            let page = try await office.ask(.ann, .get, "/events?\(query)").json
            #expect(page["data"]?.array?.map { $0["id"]?.int } == ids)
            #expect(page["total"]?.int == ids.count)
        }
    }

    /// Berlin's clocks are put forward on 2026-03-29 at 01:00 UTC, so that this day has 23 hours.
    @Test func `a day in which summer time begins is shorter`() async throws {
        let rows = """
            INSERT INTO events (tenant_id, at) VALUES ('a', '2026-03-28 22:59:59'), ('a', '2026-03-28 23:00'),
                ('a', '2026-03-29 21:59:59.9'), ('a', '2026-03-29 22:00');
            """
        try await Office.with([events], sql: "\(schema) DELETE FROM events; \(rows)") { office async throws in
            let page = try await office.ask(.ann, .get, "/events?from=2026-03-29&to=2026-03-29&tz=Europe/Berlin").json
            #expect(page["data"]?.array?.map { $0["id"]?.int } == [8, 9])
        }
    }

    @Test(arguments: ["CEST", "Mars/Base", "+02:00", "europe/berlin", "GMT+2", "../etc/passwd"])
    func `refuses what is no time zone`(zone: String) async throws {
        try await Office.with([events], sql: schema) { office async throws in
            let query = zone.replacing("+", with: "%2B")
            let answer = try await office.ask(.ann, .get, "/events?tz=\(query)")
            #expect(answer.status == .badRequest)
            #expect(answer.json["details"]?["tz"] == "must be a time zone such as Europe/Berlin")
        }
    }

    @Test func `a time that apps cannot decode is null, and its column named once`() async throws {
        let rows = """
            UPDATE events SET at = 'infinity', seen = '0044-03-15 BC', day = '10000-01-01', times = '{-infinity,epoch}'
                WHERE id < 4;
            UPDATE events SET span = ROW('infinity', 'infinity'), stored = '{"until":"infinity"}' WHERE id = 1;
            INSERT INTO visits (tenant_id, event_id, at, days, note)
            VALUES ('a', 1, 'infinity', '{0044-03-15 BC,2026-01-01}', 'infinity'), ('a', 1, '2026-01-01', NULL, NULL);
            """
        try await Office.with([events], sql: schema + rows) { office async throws in
            let page = try await office.ask(.ann, .get, "/events")
            let first = try #require(page.json["data"]?[0])
            for column in ["at", "seen", "day"] { #expect(first[column] == .null, "\(column)") }
            #expect(first["times"] == [.null, "1970-01-01T00:00:00Z"])
            #expect(first["visits"]?.array?.map { $0["at"] } == [.null, "2026-01-01T00:00:00Z"])
            #expect(first["visits"]?[0]?["days"] == [.null, "2026-01-01"])
            // Somebody's text, no time.
            #expect(first["visits"]?[0]?["note"] == "infinity")
            #expect(first["stored"] == ["until": "infinity"])
            // Nobody knows whether these are.
            #expect(first["latest"] == "infinity")
            #expect(first["built"]?["until"] == "infinity")
            #expect(first["span"] == ["begins": "infinity", "ends": "infinity"])
            #expect(page.json["data"]?[5]?["day"] == "2026-11-24")
            #expect(page.headers[.xUndecodableColumns] == Self.named)
            #expect(page.headers["Access-Control-Expose-Headers"]?.contains("x-undecodable-columns") == true)
            let row = try await office.ask(.ann, .get, "/events/1")
            #expect(row.headers[.xUndecodableColumns] == Self.named)
            let own = try await office.ask(.ann, .get, "/events/own")
            #expect(
                own.text == #"{"data":[{"at":null,"day":null,"stored":{"until":"infinity"},"#
                    + #""visits":[{"at":"infinity"},{"at":"2026-01-01T00:00:00Z"}]}],"total":1}"#
            )
            #expect(own.headers[.xUndecodableColumns] == "at, day")
            #expect(try await office.ask(.ann, .get, "/events/5").headers[.xUndecodableColumns] == nil)
        }
    }

    private static let named = "at, seen, day, times, visits.at, visits.days"
}

private let events = Function("events") {
    Get("/own") { _, context in
        try .list(
            await context.database.query(
                """
                SELECT at, day, stored, (SELECT jsonb_agg(jsonb_build_object('at', at) ORDER BY id) FROM visits) AS visits
                FROM events WHERE tenant_id = \(context.tenant) AND id = 1
                """
            )
        )
    }
    resource.routes()
}

private let resource = Resource("events", scope: .tenant) {
    Between("from", "to", on: "at")
    Between("day_from", "day_to", on: "day")
    RangeFilter("seen", on: "seen")
    Filter("at")
    Computed("latest", "greatest(t.at, t.seen)", needs: "at", "seen")
    Computed(
        "built",
        "jsonb_build_object('until', t.at, 'all', jsonb_build_array(t.seen, jsonb_build_object('day', t.day), 'infinite'))",
        needs: "at",
        "seen",
        "day"
    )
    Lines("visits", in: "visits", by: "event_id")
    DefaultOrder("id")
}

private let schema = """
    CREATE TYPE span AS (begins timestamp, ends date);
    CREATE TABLE events (id serial PRIMARY KEY, tenant_id varchar NOT NULL, at timestamp, seen timestamptz, day date,
        times timestamp[], span span, stored jsonb);
    CREATE TABLE visits (id serial PRIMARY KEY, tenant_id varchar NOT NULL, event_id int, at timestamp, days date[], note text,
        created_at timestamptz DEFAULT clock_timestamp());
    INSERT INTO events (tenant_id, at, seen, day) SELECT 'a', moment, moment AT TIME ZONE 'UTC', moment::date
    FROM unnest(ARRAY['2026-11-22 23:00', '2026-11-23 00:00', '2026-11-23 12:00:00.25', '2026-11-23 23:59:59.75',
        '2026-11-24 00:00', '2026-11-24 12:00']::timestamp[]) AS moment;
    """
