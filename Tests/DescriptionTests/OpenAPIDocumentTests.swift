import JSON
import Postgres
import Resources
import Testing
import Web

@testable import Description

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
        filter("topic", on: "body")
        search("title")
        hidden("secret")
        required("title")
    }
    private static let notes = Function("notes") {
        resource.routes()
        get("/stats") { _, _ in .json(["count": 1]) }.open()
        post("/:id/archive") { _, _ in .json(["archived": true]) }
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
        #expect(parameters.compactMap { $0["name"]?.string } == ["page", "limit", "sort", "search", "body", "topic"])
    }

    @Test func `the pages leave their names to an app that has them`() {
        let own = Function("docs") { get { _, _ in .json(["mine": true]) } }
        let pages = OpenAPIPages.functions(describing: [own], version: "1") { .empty }
        #expect(pages.map(\.name) == ["openapi.json"])
    }
}
