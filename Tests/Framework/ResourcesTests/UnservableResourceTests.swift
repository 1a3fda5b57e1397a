import SwiftletHTTP
import Swiftlet
import Testing

@testable import SwiftletWeb

/// Resources that no server starts with.
@Suite struct UnservableResourceTests {
    @Test func `a subquery, which would read every tenant's rows, is refused by name`() {
        let rules: [(rule: any ResourceDeclaration, name: String)] = [
            (Computed("parts", "(SELECT count(*) FROM parts)"), #"Computed("parts")"#),
            (Computed("parts", from: "parts", "count(*)", where: "o.id IN (TABLE ids)"), #"Computed("parts")"#),
            (Count("open", where: "t.id = ANY(ARRAY(select id FROM open))"), #"Count("open")"#),
        ]
        for (rule, name) in rules {
            let things = Function("things") { Resource("things", scope: .tenant) { rule }.routes() }
            #expect(throws: DeclarationError.subqueryWithoutTenant(function: "things", rule: name)) {
                try Router(functions: [things], pages: [:])
            }
        }
    }

    @Test(
        arguments: [
            ("/", [], "/things"), ("/", [.get], "/things/:child"), ("/all", [.create], "/things/all"),
            ("/all", [.delete], "/things/all/:child"),
        ] as [(RoutePath, [ResourceVerb], String)]
    )
    func `a child's routes without the parent's id are refused by path`(
        path: RoutePath,
        verbs: [ResourceVerb],
        named: String
    ) throws {
        let whole = Resource("things", scope: .tenant) {}
        let parts = Resource("parts", scope: .tenant) { ChildOf(whole, by: "thing_id") }
        func things(at path: RoutePath) -> Function {
            Function("things") { verbs.isEmpty ? parts.routes(at: path) : verbs.flatMap { parts.routes($0, at: path) } }
        }
        #expect(throws: DeclarationError.routeWithoutParent(function: "things", path: named)) {
            try Router(functions: [things(at: path)], pages: [:])
        }
        _ = try Router(functions: [things(at: "/:id/parts")], pages: [:])
    }

    @Test func `a vocabulary that responses cannot be written with is refused by name`() {
        let rules: [(rule: any ResourceDeclaration, fault: String)] = [
            (
                Enumerated("state", Enumeration("new", synonyms: ["x": "unknown"])),
                #"Enumerated("state") has the synonym x for unknown, which is not one of its words"#
            ),
            (
                Enumerated("state", Enumeration("new", #"a"b"#)),
                #"Enumerated("state") has the word "a\"b": leave out quotes, backslashes and control characters"#
            ),
            (Enumerated("state", Enumeration()), #"Enumerated("state") has no words"#),
        ]
        for (rule, fault) in rules {
            let things = Function("things") { Resource("things", scope: .tenant) { rule }.routes() }
            #expect(throws: DeclarationError.faultyEnumeration(function: "things", fault: fault)) {
                try Router(functions: [things], pages: [:])
            }
        }
    }

    @Test func `a word within a name or a value is no subquery`() throws {
        let things = Function("things") {
            Resource("things", scope: .tenant) { Computed("wish", "coalesce(t.selected_tables, 0)") }.routes()
        }
        _ = try Router(functions: [things], pages: [:])
    }
}
