import SwiftletPostgres
import SwiftletTesting
import Testing

/// Who may do what in the gallery.
@Suite(.needsDatabase, .hangLimit)
struct GalleryTests {
    private static let ann = "11111111-1111-4111-8111-111111111111"
    private static let bea = "22222222-2222-4222-8222-222222222222"

    @Test func `people see all images, and change their own ones`() throws {
        let database = try Self.database()
        try database.become("authenticated", #"{"sub":"\#(Self.ann)"}"#)
        #expect(try database.query("SELECT name FROM gallery.users") == [["Ann"]])
        #expect(try database.query("SELECT image_url FROM gallery.images ORDER BY id") == [["a.jpg"], ["b.jpg"]])
        #expect(try database.query("UPDATE gallery.images SET metadata = '{}' RETURNING image_url") == [["a.jpg"]])
        #expect(try database.query("DELETE FROM gallery.images WHERE image_url = 'b.jpg' RETURNING 1") == [])
        #expect(try database.query("UPDATE gallery.users SET name = 'X' WHERE name = 'Bea' RETURNING 1") == [])
        let made = "INSERT INTO gallery.images (user_id, image_url) VALUES ('\(Self.ann)', 'c.jpg') RETURNING id > 0"
        #expect(try database.query(made) == [["t"]])
        for text in [
            "INSERT INTO gallery.images (user_id, image_url) VALUES ('\(Self.bea)', 'x.jpg')",
            "INSERT INTO gallery.images (image_url) VALUES ('x.jpg')",
            "UPDATE gallery.images SET user_id = '\(Self.bea)'",
            "INSERT INTO gallery.users (apple_id) VALUES ('third')",
            "SELECT gallery.allow_anonymous(true)",
        ] {
            #expect(try database.refuses(text), "\(text)")
        }
    }

    @Test func `is closed to those who are not signed in, until it is opened, and again after`() throws {
        let database = try Self.database()
        let reading = "SELECT count(*) FROM gallery.images"
        let writing = "INSERT INTO gallery.users (apple_id, name) VALUES ('third', '🦊 سارة')"
        try database.become("anon", #"{"role":"anon"}"#)
        #expect(try database.refuses(reading) && database.refuses(writing))
        for allowed in [true, false, true, true] {
            try database.execute("RESET ROLE; SELECT gallery.allow_anonymous(\(allowed))")
            try database.become("anon", #"{"role":"anon"}"#)
            #expect(try database.refuses(reading) == !allowed)
        }
        #expect(try database.query(reading) == [["2"]])
        #expect(try !database.refuses(writing))
        // As the app writes it: an upsert by the key of the other service.
        try database.execute(writing + " ON CONFLICT (apple_id) DO UPDATE SET last_login = now()")
        #expect(try database.refuses("SELECT gallery.allow_anonymous(false)"))
        try database.become("authenticated", #"{"role":"authenticated"}"#)
        #expect(try database.query(reading) == [["0"]])
    }

    private static func database() throws -> BlockingConnection {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.execute(
            """
            INSERT INTO gallery.users (id, apple_id, name) VALUES ('\(ann)', 'one', 'Ann'), ('\(bea)', 'two', 'Bea');
            INSERT INTO gallery.images (user_id, image_url) VALUES ('\(ann)', 'a.jpg'), ('\(bea)', 'b.jpg');
            """
        )
        return connection
    }
}
