import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import Testing

/// Houses with rooms with lamps, and lamps with switches: children of children, all keys counted from 1.
@Suite(.needsDatabase, .hangLimit)
struct SubResourceTests {
    @Test func `each resource finds its parent at the end of its path`() async throws {
        try await withHouses { office in
            #expect(try await office.ask(.ann, .get, "/houses/1/rooms/2/lamps").json["data"]?[0]?["watts"] == 20)
            #expect(try await office.ask(.ann, .get, "/houses/1/rooms/2/lamps/2").json["watts"] == 20)
            #expect(try await office.ask(.ann, .get, "/houses/1/rooms/2/lamps/2/switches/1").json["side"] == "left")
            let made = try await office.ask(.ann, .post, "/houses/1/rooms/2/lamps", #"{"watts":5}"#)
            #expect(made.json["room_id"] == 2)
            #expect(made.json["id"] == 3)
            #expect(try await office.ask(.ann, .patch, "/houses/1/rooms/2/lamps/3", #"{"watts":6}"#).json["watts"] == 6)
            #expect(try await office.ask(.ann, .delete, "/houses/1/rooms/2/lamps/3").status == .ok)
            #expect(try await office.ask(.ann, .get, "/houses/1/rooms/2/lamps").json["total"] == 1)
            // The rooms of another house, and the lamps of another room.
            #expect(try await office.ask(.ann, .get, "/houses/2/rooms/2/lamps").status == .notFound)
            #expect(try await office.ask(.ann, .get, "/houses/1/rooms/1/lamps/2").status == .notFound)
            #expect(try await office.ask(.ann, .get, "/houses/1/rooms/1/lamps/2/switches").status == .notFound)
            #expect(try await office.ask(.ann, .get, "/houses/2/rooms/2/lamps/2/switches").status == .notFound)
        }
    }

    @Test func `without the column that names the parent there are no children`() async throws {
        try await withHouses { office in
            let made = try await office.ask(.ann, .post, "/houses/1/guests", #"{"name":"x"}"#)
            #expect(made.status == .notFound)
            #expect(try await office.ask(.ann, .get, "/houses/1/guests").status == .notFound)
        }
    }

    @Test func `what hides a grandparent hides its grandchildren`() async throws {
        try await withHouses { office in
            let visits: [(SwiftletHTTP.Method, String, String)] = [
                (.get, "lamps", ""), (.post, "lamps", #"{"watts":9}"#), (.get, "lamps/2", ""),
                (.patch, "lamps/2", #"{"watts":9}"#), (.get, "lamps/2/switches", ""),
                (.patch, "lamps/2/switches/1", #"{"side":"up"}"#),
            ]
            for (method, path, body) in visits {
                let theirs = try await office.ask(.nora, method, "/houses/1/rooms/2/\(path)", body)
                #expect(theirs.status == .notFound, "\(method) \(path)")
                let hidden = try await office.ask(.abe, method, "/houses/1/rooms/2/\(path)", body)
                #expect(hidden.status == .forbidden, "\(method) \(path)")
            }
            // A handler that knows the room only.
            #expect(try await office.ask(.ann, .get, "/lamps?room=2").json["total"] == 1)
            #expect(try await office.ask(.abe, .get, "/lamps?room=2").status == .forbidden)
            #expect(try await office.ask(.ann, .delete, "/houses/1").status == .ok)
            for (method, path, body) in visits {
                let gone = try await office.ask(.ann, method, "/houses/1/rooms/2/\(path)", body)
                #expect(gone.status == .notFound, "\(method) \(path)")
            }
            #expect(try await office.ask(.ann, .get, "/lamps?room=2").status == .notFound)
            #expect(try await office.ask(.ann, .delete, "/houses/1/rooms/2/lamps/2").status == .ok)
            let left = try await office.server.database.query("SELECT sum(watts) AS watts FROM lamps")
            #expect(try left.first?.decode(Int.self, "watts") == 30)
        }
    }

    @Test func `handlers that know only a child's id do not get past its parents either`() async throws {
        try await withHouses { office in
            let change = #"{"watts":9}"#
            #expect(try await office.ask(.ann, .get, "/lamps/2").json["watts"] == 20)
            #expect(try await office.ask(.ann, .patch, "/lamps/2", #"{"watts":21}"#).json["watts"] == 21)
            #expect(try await office.ask(.ann, .patch, "/lamps/1,2", #"{"watts":22}"#).json["updated"] == 2)
            for (method, body) in [(.get, ""), (.patch, change), (.delete, "")] as [(SwiftletHTTP.Method, String)] {
                #expect(try await office.ask(.abe, method, "/lamps/2", body).status == .forbidden, "\(method)")
            }
            #expect(try await office.ask(.abe, .patch, "/lamps/1,2", change).json["updated"] == 0)
            #expect(try await office.ask(.abe, .delete, "/lamps/1,2").json["deleted"] == 0)
            #expect(try await office.ask(.ann, .delete, "/houses/1").status == .ok)
            #expect(try await office.ask(.ann, .get, "/lamps/2").status == .notFound)
            #expect(try await office.ask(.ann, .patch, "/lamps/2", change).status == .notFound)
            #expect(try await office.ask(.ann, .delete, "/lamps/2").status == .ok)
            #expect(try await office.ask(.ann, .patch, "/lamps/1,2", change).json["updated"] == 0)
            #expect(try await office.ask(.ann, .delete, "/lamps/1,2").json["deleted"] == 0)
            let left = try await office.server.database.query("SELECT sum(watts) AS watts FROM lamps")
            #expect(try left.first?.decode(Int.self, "watts") == 44)
        }
    }

    @Test func `a row without a parent is hidden by none`() async throws {
        try await withHouses { office in
            try office.server.execute("ALTER TABLE lamps ALTER room_id DROP NOT NULL")
            try office.server.execute("UPDATE lamps SET room_id = NULL WHERE id = 2")
            #expect(try await office.ask(.abe, .get, "/lamps/2").json["watts"] == 20)
            #expect(try await office.ask(.nora, .get, "/lamps/2").status == .notFound)
            #expect(try await office.ask(.abe, .patch, "/lamps/1,2", #"{"watts":9}"#).json["updated"] == 1)
            #expect(try await office.ask(.abe, .delete, "/lamps/2").status == .ok)
            let left = try await office.server.database.query("SELECT id FROM lamps")
            #expect(try left.map { try $0.decode(Int.self, "id") } == [1])
        }
    }

    /// A house has the same id.
    @Test func `without the column that names the parent, an id finds no child either`() async throws {
        try await withHouses { office in
            try office.server.execute("INSERT INTO guests (tenant_id, name) VALUES ('a', 'x')")
            #expect(try await office.ask(.ann, .get, "/lamps/guests/1").status == .notFound)
        }
    }

    private func withHouses(_ body: (Office) async throws -> Void) async throws {
        try await Office.with([houses, lamps], sql: schema) { office in
            for (path, text) in [
                ("", #"{"name":"1"}"#), ("", #"{"name":"2"}"#), ("/1/rooms", #"{"name":"1"}"#),
                ("/1/rooms", #"{"name":"2"}"#), ("/1/rooms/1/lamps", #"{"watts":10}"#),
                ("/1/rooms/2/lamps", #"{"watts":20}"#), ("/1/rooms/2/lamps/2/switches", #"{"side":"left"}"#),
            ] {
                #expect(try await office.ask(.ann, .post, "/houses\(path)", text).status == .created, "\(path)")
            }
            try await body(office)
        }
    }
}

private let houses = Function("houses") {
    house.routes()
    room.routes(at: "/:id/rooms")
    lamp.routes(at: "/:id/rooms/:room/lamps")
    toggle.routes(at: "/:house/rooms/:room/lamps/:id/switches")
    guest.routes(at: "/:id/guests")
}

private let lamps = Function("lamps") {
    Get { request, context in
        try await lamp.list(request, in: context, parentKey: request.query["room"]).response()
    }
    Get("/guests/:id") { _, context in
        try await guest.get(context.parameters["id"], in: context).response()
    }
    Get("/:ids") { _, context in
        try await lamp.get(context.parameters["ids"], in: context).response()
    }
    Patch("/:ids") { request, context in
        let ids = context.parameters["ids"].split(separator: ",").map(String.init)
        if ids.count == 1 { return try await lamp.update(ids[0], request, in: context).response() }
        return try await lamp.updateMany(ids, request.jsonObject(), in: context).response()
    }
    Delete("/:ids") { _, context in
        let ids = context.parameters["ids"].split(separator: ",").map(String.init)
        if ids.count == 1 {
            try await lamp.delete(ids[0], in: context)
            return .success
        }
        return .json(.ok, ["deleted": JSONValue(try await lamp.deleteMany(ids, in: context))])
    }
}

private let house = Resource("houses", scope: .tenant) {
    Default("owner") { context in .string(try context.user.id) }
    OwnRowsOnly(below: 4, on: "owner")
    SoftDelete()
}

private let room = Resource("rooms", scope: .tenant) {
    ChildOf(house, by: "house_id")
    Hidden("house_id")
}

private let guest = Resource("guests", scope: .tenant) {
    ChildOf(house, by: "house_id")
}

private let lamp = Resource("lamps", scope: .tenant) {
    ChildOf(room, by: "room_id")
}

private let toggle = Resource("switches", scope: .tenant) {
    ChildOf(lamp, by: "lamp_id")
}

private let schema = """
    CREATE TABLE houses (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, name text NOT NULL, owner varchar, deleted_at timestamp
    );
    CREATE TABLE rooms (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, house_id int NOT NULL, name text NOT NULL
    );
    CREATE TABLE lamps (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, room_id int NOT NULL, watts int NOT NULL
    );
    CREATE TABLE guests (id serial PRIMARY KEY, tenant_id varchar NOT NULL, name text NOT NULL);
    CREATE TABLE switches (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, lamp_id int NOT NULL, side text NOT NULL
    );
    """
