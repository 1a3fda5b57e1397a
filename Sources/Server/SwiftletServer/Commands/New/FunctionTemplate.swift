/// A function with a table of its own, to begin with.
struct FunctionTemplate {
    /// As in the path: `line-items`.
    let name: String

    /// Throws if the name cannot be one.
    init(_ name: String) throws(CommandFailure) {
        let isName = name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }
        guard isName, name.first?.isLowercase == true, name.last != "-" else {
            throw CommandFailure("a name has lower-case letters, digits and hyphens, and begins with a letter: \(name)")
        }
        self.name = name
    }

    /// `LineItems`.
    var type: String { name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() }

    /// `lineItems`.
    var variable: String { type.prefix(1).lowercased() + type.dropFirst() }

    /// `line_items`.
    var table: String { name.replacing("-", with: "_") }

    var source: String {
        """
        import SwiftletServer

        /// The \(name) of a team.
        let \(variable) = Function("\(name)") {
            \(variable)Resource.routes()
        }

        private let \(variable)Resource = Resource("\(table)", scope: .tenant) {
            Search("name")
            Required("name")
        }

        """
    }

    var migration: String {
        """
        CREATE TABLE \(table) (
            id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
            tenant_id varchar NOT NULL,
            name varchar(200) NOT NULL,
            created_by varchar,
            created_at timestamptz NOT NULL DEFAULT now(),
            updated_at timestamptz NOT NULL DEFAULT now()
        );
        -- The order of the list.
        CREATE INDEX \(table)_tenant_created ON \(table) (tenant_id, created_at DESC NULLS LAST, id);
        -- A second wall, for every database role but Swiftlet's own.
        SELECT swiftlet_protect('\(table)', 'tenant_id::text = (SELECT swiftlet_tenant_id())');

        """
    }

    func test(module: String) -> String {
        """
        import SwiftletTesting
        import Testing

        @testable import \(module)

        @Suite struct \(type)Tests {
            @Test func `one of \(name) is made, and found by its team alone`() async throws {
                try await TestBackend.with(functions: [\(variable)]) { backend in
                    let ada = try TestBackend.token(tenant: "acme", user: "ada")
                    let made = try await backend.send(.post, "/\(name)", token: ada, #"{"name":"The first"}"#)
                    #expect(made.status == .created)
                    let id = try #require(try made.jsonObject()["id"]?.string)

                    let stranger = try TestBackend.token(tenant: "other", user: "eve")
                    let refused = try await backend.send(.get, "/\(name)/\\(id)", token: stranger)
                    #expect(refused.status == .notFound)
                }
            }
        }

        """
    }
}
