extension ProjectTemplate {
    /// The package, its function, its table and its test.
    static let code: [(path: String, text: String)] = [
        (
            "Package.swift",
            #"""
            // swift-tools-version: 6.3
            import PackageDescription

            let package = Package(
                name: "{{package}}",
                platforms: [.macOS(.v15)],
                dependencies: [.package(name: "swiftlet", path: "{{path}}")],
                targets: [
                    .executableTarget(
                        name: "{{module}}",
                        dependencies: [.product(name: "SwiftletServer", package: "swiftlet")]
                    ),
                    .testTarget(
                        name: "{{module}}Tests",
                        dependencies: ["{{module}}", .product(name: "SwiftletTesting", package: "swiftlet")]
                    ),
                ]
            )

            """#
        ),
        (
            "Sources/{{module}}/Backend.swift",
            #"""
            import SwiftletServer

            @main struct Backend: SwiftletApp {
                let functions: [Function] = [notes]
            }

            """#
        ),
        (
            "Sources/{{module}}/Notes.swift",
            #"""
            import SwiftletServer

            /// The notes of a team.
            let notes = Function("notes") {
                resource.routes()
                Post("/:id/archive", archive)
            }

            private let resource = Resource("notes", scope: .tenant) {
                Filter("topic")
                Filter("archived")
                Search("title", "body")
                Required("title")
            }

            private func archive(_ request: Request, _ context: Context) async throws -> Response {
                try await resource.update(context.parameters["id"], ["archived": true], in: context).response()
            }

            """#
        ),
        (
            "Tests/{{module}}Tests/NotesTests.swift",
            #"""
            import SwiftletTesting
            import Testing

            @testable import {{module}}

            /// Against a real PostgreSQL, which the first test starts and the last one takes along.
            @Suite struct NotesTests {
                @Test func `a note is made, archived and found by its team alone`() async throws {
                    try await TestBackend.with(functions: Backend().functions) { backend in
                        let ada = try TestBackend.token(tenant: "acme", user: "ada")
                        let made = try await backend.send(.post, "/notes", token: ada, #"{"title":"Read the manual"}"#)
                        #expect(made.status == .created)
                        let id = try #require(try made.jsonObject()["id"]?.string)

                        let archived = try await backend.send(.post, "/notes/\(id)/archive", token: ada)
                        #expect(try archived.jsonObject()["archived"] == true)

                        let stranger = try TestBackend.token(tenant: "other", user: "eve")
                        let refused = try await backend.send(.get, "/notes/\(id)", token: stranger)
                        #expect(refused.status == .notFound)
                    }
                }

                @Test func `a note needs a title`() async throws {
                    try await TestBackend.with(functions: Backend().functions) { backend in
                        let ada = try TestBackend.token(tenant: "acme", user: "ada")
                        let refused = try await backend.send(.post, "/notes", token: ada, #"{"body":"Nobody finds me"}"#)
                        #expect(refused.status == .badRequest)
                        #expect(try refused.jsonObject()["details"]?["title"] == "is required")
                    }
                }
            }

            """#
        ),
        (
            "migrations/0001_notes.sql",
            #"""
            CREATE TABLE notes (
                id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
                tenant_id varchar NOT NULL,
                title varchar(200) NOT NULL,
                body text,
                topic varchar(50),
                archived boolean NOT NULL DEFAULT false,
                created_by varchar,
                created_at timestamptz NOT NULL DEFAULT now(),
                updated_at timestamptz NOT NULL DEFAULT now()
            );
            -- The order of the list.
            CREATE INDEX notes_tenant_created ON notes (tenant_id, created_at DESC NULLS LAST, id);
            -- A second wall, for every database role but Swiftlet's own.
            SELECT swiftlet_protect('notes', 'tenant_id::text = (SELECT swiftlet_tenant_id())');

            """#
        ),
    ]
}
