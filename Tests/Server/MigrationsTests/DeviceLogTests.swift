import SwiftletPostgres
import SwiftletTesting
import Testing

/// What row policies make of devices and their logs.
@Suite(.needsDatabase, .hangLimit)
struct DeviceLogTests {
    private static let own = "11111111-1111-4111-8111-111111111111"
    private static let other = "22222222-2222-4222-8222-222222222222"

    @Test func `a device reads and writes its own logs only`() throws {
        let database = try Self.database()
        try database.become("authenticated", #"{"sub":"\#(Self.own)"}"#)
        #expect(try database.query("SELECT notes FROM poop_logs") == [["own"]])
        #expect(try database.query("UPDATE poop_logs SET rating = 'bad' RETURNING notes") == [["own"]])
        #expect(try database.query("DELETE FROM poop_logs WHERE notes = 'other' RETURNING 1") == [])
        let row = "VALUES ('\(Self.other)', now(), 60, 'great')"
        #expect(try database.refuses("INSERT INTO poop_logs (device_id, logged_at, duration_seconds, rating) \(row)"))
        #expect(try database.refuses("UPDATE poop_logs SET device_id = '\(Self.other)'"))
        try database.execute("RESET ROLE")
        let rows = try database.query("SELECT notes, rating FROM poop_logs ORDER BY 1")
        #expect(rows == [["other", "good"], ["own", "bad"]])
    }

    @Test func `a device sees itself, without what its secret is compared with`() throws {
        let database = try Self.database()
        try database.become("authenticated", #"{"sub":"\#(Self.own)"}"#)
        #expect(try database.query("SELECT id::text FROM devices") == [[Self.own]])
        #expect(try database.query("UPDATE devices SET model = 'x' RETURNING id::text") == [[Self.own]])
        for text in [
            "SELECT secret_hash FROM devices", "UPDATE devices SET secret_hash = ''", "DELETE FROM devices",
            "UPDATE devices SET id = gen_random_uuid()", "INSERT INTO devices (id) VALUES (gen_random_uuid())",
        ] {
            #expect(try database.refuses(text), "\(text)")
        }
    }

    @Test(arguments: ["{}", #"{"role":"authenticated"}"#])
    func `who is no device sees nothing`(claims: String) throws {
        let database = try Self.database()
        try database.become("authenticated", claims)
        #expect(try database.query("SELECT 1 FROM poop_logs") == [])
        #expect(try database.query("SELECT id FROM devices") == [])
        try database.become("anon", claims)
        #expect(try database.refuses("SELECT 1 FROM poop_logs") && database.refuses("SELECT id FROM devices"))
    }

    @Test func `a change stamps its time, and an account that ends takes its logs along`() throws {
        let database = try Self.database()
        try database.execute("UPDATE poop_logs SET deleted_at = now() WHERE device_id = '\(Self.own)'")
        #expect(try database.query("SELECT notes FROM poop_logs WHERE updated_at > created_at") == [["own"]])
        try database.execute("DELETE FROM auth.users WHERE id = '\(Self.own)'")
        #expect(try database.query("SELECT notes FROM poop_logs") == [["other"]])
    }

    private static func database() throws -> BlockingConnection {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.makeDevices([own, other])
        for (id, notes) in [(own, "own"), (other, "other")] {
            try connection.execute(
                """
                INSERT INTO poop_logs (device_id, logged_at, duration_seconds, rating, notes)
                VALUES ('\(id)', now(), 120, 'good', '\(notes)')
                """
            )
        }
        return connection
    }
}
