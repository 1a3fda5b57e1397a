import SwiftletHTTP
import Swiftlet
import SwiftletTesting
import Testing

/// Papers whose hook puts them into the folder that the client names: no path names the parent, and no foreign key
/// guards it.
@Suite(.needsDatabase, .hangLimit)
struct HookedParentTests {
    @Test func `a parent that a hook sets is tallied`() async throws {
        try await Office.with([papers], sql: schema) { office async throws in
            for pages in 2...3 {
                let made = try await office.ask(.boss, .post, "/papers", #"{"folder":1,"pages":\#(pages)}"#)
                #expect(made.status == .created)
                #expect(made.json["folder_id"] == 1)
            }
            let folder = try await office.ask(.boss, .get, "/papers/folders/1").json
            #expect(folder["papers"] == 2)
            #expect(folder["pages"] == 5)
        }
    }

    /// Folder 2 is another tenant's, 3 is deleted, 9 is nobody's.
    @Test(arguments: [2, 3, 9])
    func `a hook reaches no further than a path`(folder: Int) async throws {
        try await Office.with([papers], sql: schema) { office async throws in
            let refused = try await office.ask(.boss, .post, "/papers", #"{"folder":\#(folder),"pages":1}"#)
            #expect(refused.status == .notFound)
            let rows = try await office.server.database.query("SELECT count(*)::int AS count FROM papers")
            #expect(try rows[0].decode(Int.self, "count") == 1)
        }
    }

    @Test func `another's folder is as closed to a hook as to a path`() async throws {
        try await Office.with([papers], sql: schema) { office async throws in
            #expect(try await office.ask(.abe, .post, "/papers", #"{"folder":1,"pages":1}"#).status == .forbidden)
        }
    }

    @Test func `a hook moves a child to no other tenant's parent`() async throws {
        try await Office.with([papers], sql: schema) { office async throws in
            for folder in [2, 9] {
                let refused = try await office.ask(.boss, .patch, "/papers/1", #"{"folder":\#(folder)}"#)
                #expect(refused.status == .conflict)
                #expect(refused.json["details"] == ["folder_id": "is not usable"])
            }
            #expect(try await office.ask(.boss, .patch, "/papers/1", #"{"folder":4}"#).json["folder_id"] == 4)
        }
    }
}

private let papers = Function("papers") {
    Get("/folders/:id") { _, context in try await folder.get(context.parameters["id"], in: context).response() }
    Post("/") { request, context in try await paper.create(request, in: context).response(.created) }
    Patch("/:id") { request, context in
        try await paper.update(context.parameters["id"], request, in: context).response()
    }
}

private let folder = Resource("folders", scope: .tenant) {
    OwnRowsOnly(below: 4, on: "owner")
    SoftDelete()
}

private let paper = Resource("papers", scope: .tenant) {
    ChildOf(folder, by: "folder_id", .count("papers"), .sum(of: "pages", in: "pages"))
    Input("folder")
    Before(.create, .update) { change, _ in
        if let folder = change["folder"] { change["folder_id"] = folder }
    }
}

private let schema = """
    CREATE TABLE folders (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, owner varchar, papers int NOT NULL DEFAULT 0, pages int,
        deleted_at timestamptz
    );
    INSERT INTO folders (tenant_id, owner, deleted_at) VALUES
        ('a', 'boss', NULL), ('b', 'boss', NULL), ('a', 'boss', now()), ('a', 'boss', NULL);
    CREATE TABLE papers (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, folder_id int NOT NULL, pages int NOT NULL
    );
    INSERT INTO papers (tenant_id, folder_id, pages) VALUES ('a', 1, 0);
    """
