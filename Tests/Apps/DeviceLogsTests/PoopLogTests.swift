import Swiftlet
import SwiftletDeviceLogs
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct PoopLogTests {
    @Test func `a log is made, read, changed and deleted by its device alone`() async throws {
        try await Bathroom.with { bathroom in
            let (own, other) = (bathroom.first, bathroom.second)
            let made = try await own.send(
                .post,
                "/poop-logs",
                """
                {"logged_at":"2025-03-15T17:44:35Z","duration_seconds":240,"rating":"great","consistency":4,
                 "notes":"نهار 💩","flush_funds_earned":5,"device_id":"\(Bathroom.ids[1])"}
                """
            )
            let log = try JSONParser.parse(made.body)
            #expect(made.status == .created)
            #expect(log["device_id"]?.string == Bathroom.ids[0])
            #expect(log["notes"] == "نهار 💩")
            #expect(log["logged_at"] == "2025-03-15T17:44:35Z")
            #expect(log["deleted_at"] == .null)
            let id = log["id"]?.string ?? ""
            for (method, body) in [
                (SwiftletHTTP.Method.get, ""), (.patch, #"{"notes":"x"}"#), (.put, #"{"notes":"x"}"#),
            ] {
                #expect(try await other.send(method, "/poop-logs/\(id)", body).status == .notFound)
            }
            #expect(try await other.send(.delete, "/poop-logs/\(id)").status == .ok)
            #expect(try await other.json(.get, "/poop-logs")["total"] == 0)
            #expect(try await other.json(.get, "/poop-logs/stats")["total"] == 0)
            let patched = try await own.json(.patch, "/poop-logs/\(id)", #"{"rating":"BAD","notes":null}"#)
            #expect(patched["rating"] == "bad")
            #expect(patched["notes"] == .null)
            #expect(patched["duration_seconds"] == 240)
            #expect(try await own.send(.delete, "/poop-logs/\(id)").status == .ok)
            #expect(try await own.send(.get, "/poop-logs/\(id)").status == .notFound)
            #expect(try await own.json(.get, "/poop-logs")["total"] == 0)
            #expect(try bathroom.count("poop_logs WHERE deleted_at IS NOT NULL") == 1)
        }
    }

    @Test func `lists the newest first, from and to inclusive`() async throws {
        try await Bathroom.with { bathroom in
            for day in ["01", "03", "02"] { try await bathroom.log("2025-03-\(day)T08:00:00Z") }
            func days(_ query: String) async throws -> [String] {
                let page = try await bathroom.first.json(.get, "/poop-logs\(query)")
                return page["data"]?.array?.compactMap { $0["logged_at"]?.string }.map {
                    String($0.dropLast(10).suffix(2))
                }
                    ?? []
            }
            #expect(try await days("") == ["03", "02", "01"])
            #expect(try await days("?from=2025-03-02T08:00:00Z") == ["03", "02"])
            #expect(try await days("?to=2025-03-02T08:00:00Z") == ["02", "01"])
            #expect(try await days("?from=2025-03-02T09:00:00%2B01:00&to=2025-03-02T08:00:00Z") == ["02"])
            #expect(try await days("?from=2025-03-04") == [])
            #expect(try await days("?rating=great,good&limit=1&offset=1") == ["02"])
            for name in ["from", "to"] {
                for value in ["yesterday", "2025-13-01", "99999999-01-01", "%01"] {
                    for path in ["/poop-logs", "/poop-logs/stats"] {
                        let answer = try await bathroom.first.send(.get, "\(path)?\(name)=\(value)")
                        #expect(answer.status == .badRequest, "\(path) \(name)=\(value)")
                        #expect(try JSONParser.parse(answer.body)["details"]?[name] != nil, "\(path) \(name)=\(value)")
                    }
                }
            }
        }
    }

    @Test(
        arguments: [
            ("logged_at", .null), ("logged_at", "soon"), ("logged_at", "2025-02-30T00:00:00Z"), ("logged_at", 5),
            ("logged_at", "+300000-01-01T00:00:00Z"), ("duration_seconds", .null), ("duration_seconds", -1),
            ("duration_seconds", 86401), ("duration_seconds", 1.5), ("duration_seconds", "long"),
            ("duration_seconds", 99_999_999_999), ("rating", .null), ("rating", "superb"), ("rating", ""),
            ("rating", 1),
            ("consistency", 0), ("consistency", 8), ("consistency", "firm"), ("flush_funds_earned", -1),
            ("notes", 7), ("notes", "a\u{0}b"),
            ("notes", .string(String(repeating: "💩", count: 10_001))),
        ] as [(String, JSONValue)]
    )
    func `a field at fault is named, and nothing is stored`(field: String, value: JSONValue) async throws {
        try await Bathroom.with { bathroom in
            var body: JSONObject = [
                "logged_at": "2025-03-15T17:44:35Z", "duration_seconds": 240, "rating": "great",
                "flush_funds_earned": 0,
            ]
            body[field] = value
            let answer = try await bathroom.first.send(.post, "/poop-logs", JSONValue.object(body).description)
            // Those that the table checks are 422.
            #expect([400, 422].contains(answer.status.rawValue), "\(field) \(value)")
            #expect(try JSONParser.parse(answer.body)["details"]?[field] != nil, "\(answer.text)")
            #expect(try bathroom.count("poop_logs") == 0)
        }
    }

    @Test func `sums up what the device has logged and not deleted, by rating, day and streak`() async throws {
        try await Bathroom.with { bathroom in
            // Three days up to yesterday; four longer ago, in a row although the last crosses midnight elsewhere.
            try bathroom.server.execute(
                """
                INSERT INTO poop_logs (device_id, logged_at, duration_seconds, rating, flush_funds_earned, deleted_at)
                SELECT '\(Bathroom.ids[0])', date_trunc('day', now(), 'UTC') - day * interval '1 day' + interval '23 hours',
                    seconds, rating, 2, NULL
                FROM (VALUES (1, 100, 'great'), (2, 200, 'good'), (3, 300, 'good'), (3, 400, 'bad'),
                      (10, 10, 'great'), (11, 10, 'great'), (12, 10, 'great'), (13, 10, 'great')) AS v (day, seconds, rating);
                INSERT INTO poop_logs (device_id, logged_at, duration_seconds, rating, deleted_at)
                VALUES ('\(Bathroom.ids[0])', now(), 5000, 'terrible', now()),
                       ('\(Bathroom.ids[1])', now(), 7000, 'terrible', NULL);
                """
            )
            let all = try await bathroom.first.json(.get, "/poop-logs/stats")
            #expect(all["total"] == 8)
            #expect(all["total_duration_seconds"] == 1040)
            #expect(all["average_duration_seconds"] == 130)
            #expect(all["flush_funds_earned"] == 16)
            #expect(all["by_rating"] == ["bad": 1, "good": 2, "great": 5, "okay": 0, "terrible": 0])
            #expect(all["by_day"]?.array?.count == 7 && all["by_day"]?[6]?["count"] == 1)
            #expect(all["current_streak_days"] == 3)
            #expect(all["longest_streak_days"] == 4)
            let none = try await bathroom.first.json(.get, "/poop-logs/stats?to=2020-01-01T00:00:00Z")
            #expect(none["total"] == 0)
            #expect(none["average_duration_seconds"] == 0)
            #expect(none["by_day"] == [])
            #expect(none["by_rating"]?["great"] == 0)
            #expect(none["longest_streak_days"] == 0)
        }
    }

    /// Both are on one day in Berlin, and on two in UTC.
    @Test func `days and streaks are those of the time zone`() async throws {
        try await Bathroom.with { bathroom in
            try bathroom.server.execute(
                """
                INSERT INTO poop_logs (device_id, logged_at, duration_seconds, rating)
                SELECT '\(Bathroom.ids[0])', moment, 60, 'good'
                FROM unnest(ARRAY['2026-11-22 23:30Z', '2026-11-23 22:59:59.9Z']::timestamptz[]) AS moment;
                """
            )
            let path = "/poop-logs/stats?from=2026-11-23&to=2026-11-23"
            let berlin = try await bathroom.first.json(.get, path + "&tz=Europe/Berlin")
            #expect(berlin["by_day"] == [["date": "2026-11-23", "count": 2]])
            #expect(berlin["longest_streak_days"] == 1)
            #expect(try await bathroom.first.json(.get, path)["total"] == 1)
            #expect(try await bathroom.first.json(.get, "/poop-logs/stats")["longest_streak_days"] == 2)
            let list = "/poop-logs?from=2026-11-23&to=2026-11-23"
            #expect(try await bathroom.first.json(.get, list + "&tz=Europe/Berlin")["total"] == 2)
            let shown = try await bathroom.first.json(.get, "/poop-logs?to=2026-11-23T22:59:59Z")
            #expect(shown["total"] == 2)
            #expect(try await bathroom.first.send(.get, path + "&tz=CEST").status == .badRequest)
        }
    }

    @Test func `needs the session of a device`() async throws {
        try await Bathroom.with { bathroom in
            for path in ["/poop-logs", "/poop-logs/stats", "/poop-logs/\(Bathroom.ids[0])"] {
                #expect(try await bathroom.server.send(.get, path).status == .unauthorized)
                let key = try TestApplication.token(claims: ["role": "anon"])
                #expect(try await bathroom.server.send(.get, path, token: key).status == .unauthorized)
                let user = try TestApplication.token(tenant: "tenant-a", user: Bathroom.ids[0], level: 8)
                let answer = try await bathroom.server.send(.get, path, token: user)
                #expect(answer.status == .forbidden)
                #expect(answer.text.contains("NO_DEVICE"))
            }
        }
    }
}

/// Two devices.
private struct Bathroom {
    let server: TestApplication
    let first: TestCaller
    let second: TestCaller

    static let ids = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"]

    static func with(_ body: (Bathroom) async throws -> Void) async throws {
        try await TestApplication.with(deviceLogs.functions) { server in
            for id in ids {
                try server.execute(
                    """
                    INSERT INTO auth.users (id, is_anonymous) VALUES ('\(id)', true);
                    INSERT INTO devices (id) VALUES ('\(id)')
                    """
                )
            }
            func caller(_ id: String) throws -> TestCaller {
                let claims: JSONObject = ["sub": .string(id), "app_metadata": ["device_id": .string(id)]]
                return TestCaller(server: server, token: try TestApplication.token(claims: claims))
            }
            try await body(Bathroom(server: server, first: caller(ids[0]), second: caller(ids[1])))
        }
    }

    func log(_ time: String) async throws {
        let body = #"{"logged_at":"\#(time)","duration_seconds":60,"rating":"good"}"#
        _ = try await first.json(.post, "/poop-logs", body)
    }

    func count(_ rest: String) throws -> Int { try server.count(rest) }
}
