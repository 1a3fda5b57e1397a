import SwiftletJSON
import SwiftletPostgres
import SwiftletResources
import Testing
import SwiftletWeb

@testable import SwiftletInterface

@Suite struct OpenAPIDocumentTests {
    private static let text = ColumnType(oid: 25, name: "text", category: .text)
    private static let schema = Schema(
        version: 1,
        tables: [
            "notes": Table(
                name: "notes",
                columns: [
                    Column(name: "id", type: ColumnType(oid: 2950, name: "uuid", category: .uuid), isNullable: false),
                    Column(name: "tenant_id", type: text, isNullable: false),
                    Column(name: "title", type: text, isNullable: false, maximumLength: 200),
                    Column(name: "body", type: text),
                    Column(name: "secret", type: text),
                ],
                primaryKey: ["id"]
            )
        ]
    )
    private static let resource = Resource("notes", scope: .tenant) {
        Filter("topic", on: "body")
        Search("title")
        Hidden("secret")
        Required("title")
    }
    private static let notes = Function("notes") {
        resource.routes()
        Get("/stats") { _, _ in .json(["count": 1]) }.open()
        Post("/:id/archive") { _, _ in .json(["archived": true]) }
        Post("/import") { _, _ in .json(["count": 1]) }
            .taking(query: ["dry": .flag])
            .taking(.object(["titles": .list(.text(upTo: 200)), "since": .day.nullable.optional]))
            .answering(.created, .list(resource.rowSchema))
            .answering(mediaType: "text/csv")
            .requiring(level: 4)
            .refusing(.conflict, 402)
    }

    private var document: JSONValue { OpenAPIDocument([Self.notes], in: Self.schema, version: "1").json }

    @Test func `each route is an operation with a short name`() throws {
        let paths = try #require(document["paths"]?.object)
        #expect(paths["/notes"]?["get"]?["operationId"] == "listNotes")
        #expect(paths["/notes"]?["post"]?["operationId"] == "createNote")
        #expect(paths["/notes/{id}"]?["get"]?["operationId"] == "getNote")
        #expect(paths["/notes/{id}"]?["patch"]?["operationId"] == "updateNote")
        #expect(paths["/notes/{id}"]?["put"]?["operationId"] == "replaceNote")
        #expect(paths["/notes/{id}"]?["delete"]?["operationId"] == "deleteNote")
        #expect(paths["/notes/{id}/archive"]?["post"]?["operationId"] == "postNotesArchive")
        #expect(paths["/notes/stats"]?["get"]?["security"] == [])
        #expect(paths["/notes"]?["get"]?["security"] == [["token": []]])
    }

    @Test func `rows are described as clients see them`() throws {
        let schemas = try #require(document["components"]?["schemas"]?.object)
        let note = schemas["Note"]?["properties"]
        #expect(note?["id"] == ["type": "string", "format": "uuid"])
        #expect(note?["body"] == ["type": ["string", "null"]])
        #expect(note?["title"]?["maxLength"] == 200)
        #expect(note?["secret"] == nil)
        #expect(schemas["NoteInput"]?["required"] == ["title"])
        #expect(schemas["NoteInput"]?["properties"]?["tenant_id"] == nil)
    }

    @Test func `a list names its parameters`() throws {
        let parameters = try #require(document["paths"]?["/notes"]?["get"]?["parameters"]?.array)
        let names = [
            "page", "limit", "offset", "sort", "sortBy", "sort_by", "sortOrder", "sort_order", "search", "body",
            "topic",
        ]
        #expect(parameters.compactMap { $0["name"]?.string } == names)
    }

    @Test func `each operation lists the statuses that it can answer with, and errors are named once`() throws {
        func statuses(_ method: String, _ path: String) throws -> [String] {
            try #require(document["paths"]?[path]?[method]?["responses"]?.object).map(\.name)
        }
        #expect(try statuses("get", "/notes") == ["200", "400", "401", "503"])
        #expect(try statuses("get", "/notes/{id}") == ["200", "400", "401", "404", "503"])
        let create = ["201", "400", "401", "404", "409", "413", "415", "422", "503"]
        #expect(try statuses("post", "/notes") == create)
        #expect(try statuses("delete", "/notes/{id}") == ["200", "400", "401", "404", "409", "503"])
        #expect(
            try statuses("post", "/notes/import")
                == ["200", "201", "400", "401", "402", "403", "409", "413", "415", "503"]
        )
        let conflict = document["paths"]?["/notes"]?["post"]?["responses"]?["409"]
        #expect(conflict == ["$ref": "#/components/responses/Conflict"])
        #expect(document["components"]?["responses"]?["Conflict"]?["content"] != nil)
        // Of a route that says nothing, nothing is claimed.
        #expect(document["paths"]?["/notes/stats"]?["get"]?["responses"]?["default"] != nil)
    }

    @Test func `a hand-written route says what it reads and answers`() throws {
        let operation = try #require(document["paths"]?["/notes/import"]?["post"])
        #expect(operation["parameters"]?.array?.first?["schema"] == ["type": "boolean"])
        let body = operation["requestBody"]?["content"]?["application/json"]?["schema"]
        #expect(body?["required"] == ["titles"])
        #expect(body?["properties"]?["titles"] == ["type": "array", "items": ["type": "string", "maxLength": 200]])
        #expect(body?["properties"]?["since"] == ["type": ["string", "null"], "format": "date"])
        let answers = operation["responses"]
        let rows: JSONValue = ["type": "array", "items": ["$ref": "#/components/schemas/Note"]]
        #expect(answers?["201"]?["content"]?["application/json"]?["schema"] == rows)
        #expect(answers?["200"]?["content"]?["text/csv"] != nil)
    }

    @Test func `tables and views of the schema that is served are operations below the root`() throws {
        let document = OpenAPIDocument([], in: Self.schema, restSchema: "public", version: "1").json
        let item = try #require(document["paths"]?["/rest/v1/notes"])
        #expect(item["servers"] == [["url": "/"]])
        #expect(item["get"]?["operationId"] == "selectRestNotes")
        let names = item["get"]?["parameters"]?.array?.compactMap { $0["name"]?.string }
        #expect(
            names == ["select", "order", "limit", "offset", "Prefer", "id", "tenant_id", "title", "body", "secret"]
        )
        #expect(item["post"]?["responses"]?.object?.map(\.name).contains("201") == true)
        #expect(item["delete"]?["responses"]?["204"]?["content"] == nil)
        let schemas = document["components"]?["schemas"]
        #expect(schemas?["RestNotes"]?["properties"]?["title"] == ["type": "string", "maxLength": 200])
        #expect(schemas?["RestNotes"]?["required"] == nil)
        #expect(schemas?["RestNotesInput"]?["required"] == ["id", "tenant_id", "title"])
        #expect(OpenAPIDocument([], in: Self.schema, restSchema: "other", version: "1").json["paths"] == [:])
    }

    @Test func `an error is described with all its members`() {
        let required = document["components"]?["schemas"]?["Error"]?["required"]
        #expect(required == ["error", "message", "msg", "code", "request_id"])
    }

    @Test func `the document leaves its name to an app that has it`() {
        let own = Function("openapi.json") { Get { _, _ in .json(["mine": true]) } }
        for (functions, names) in [([own], []), ([], ["openapi.json"])] {
            let pages = OpenAPIPages.functions(describing: functions, restSchema: nil, version: "1") { .empty }
            #expect(pages.map(\.name) == names)
        }
    }
}
