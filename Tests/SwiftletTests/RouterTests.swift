import HTTP
import Testing

@testable import Swiftlet

@Suite struct RouterTests {
    private let router: Router

    init() throws {
        let answer: @Sendable (String) -> Handler = { name in
            { _, context in Response(body: Array((name + context.parameters["id"]).utf8)) }
        }
        let things = Function("things") {
            get("/", answer("list"))
            get("/:id", answer("one "))
            get("/stats", answer("stats"))
            patch("/:id", answer("patched "))
            get("/:id/parts", answer("parts of "))
        }
        router = try Router(
            functions: [things],
            pages: ["health": Endpoint(name: "health", method: .get, access: .everyone) { _, _ in Response() }]
        )
    }

    @Test(arguments: [
        "/things", "/things/", "//things", "/api/things", "/v1/things", "/api/v1/things", "/functions/v1/things",
    ])
    func `cuts prefixes and empty segments`(path: String) throws {
        let (endpoint, _) = router.endpoint(for: try Request(target: path))
        #expect(endpoint.name == "things" && endpoint.pattern.isEmpty && endpoint.access == .user)
    }

    @Test func `a reserved word wins over a parameter`() throws {
        let (endpoint, _) = router.endpoint(for: try Request(target: "/things/stats"))
        #expect(endpoint.pattern == [.literal("stats")])
    }

    @Test func `parameters are percent-decoded once`() throws {
        let (_, parameters) = router.endpoint(for: try Request(target: "/api/things/a%2Fb%2520/parts"))
        #expect(parameters["id"] == "a/b%20")
    }

    @Test(arguments: [(Method.get, "a"), (.delete, "b")])
    func `each route calls its parameters as it likes`(method: Method, name: String) throws {
        let handler: Handler = { _, _ in Response() }
        let things = Function("things") {
            get("/:a/parts", handler)
            delete("/:b/parts", handler)
        }
        let router = try Router(functions: [things], pages: [:])
        let (endpoint, parameters) = router.endpoint(for: try Request(method: method, target: "/things/7/parts"))
        #expect(endpoint.method == method && parameters[name] == "7")
    }

    @Test func `two routes for the same are refused by name`() {
        let things = Function("things") {
            patch("/:id") { _, _ in Response() }
            patch("/:key") { _, _ in Response() }
        }
        let conflict = #expect(throws: DeclarationError.self) { try Router(functions: [things], pages: [:]) }
        #expect(conflict?.description.hasPrefix("The function things has two routes for PATCH /things/:") == true)
    }

    @Test func `two functions of one name are refused by name`() {
        let things = Function("things") { get("/") { _, _ in Response() } }
        let conflict = #expect(throws: DeclarationError.self) { try Router(functions: [things, things], pages: [:]) }
        #expect(conflict == .duplicateFunction("things"))
    }

    @Test func `a function cannot take the name of a page`() {
        let health = Function("health") { get("/") { _, _ in Response() } }
        let page = Endpoint(name: "health", method: .get, access: .everyone) { _, _ in Response() }
        #expect(throws: DeclarationError.functionNamedLikePage("health")) {
            try Router(functions: [health], pages: ["health": page])
        }
    }

    @Test(arguments: ["api", "v1", "functions", "", "a/b", "a b", "größe", #"a"b"#] as [StaticString])
    func `a function that no path names is refused by name`(name: StaticString) {
        let function = Function(name) { get("/") { _, _ in Response() } }
        #expect(throws: DeclarationError.unreachableFunction(name.description)) {
            try Router(functions: [function], pages: [:])
        }
    }

    @Test(arguments: ["v1s", "mobile-auth", "a_b.c~2"] as [StaticString])
    func `a function may be named with what URLs need not escape`(name: StaticString) throws {
        let function = Function(name) { get("/") { _, _ in Response() } }
        let router = try Router(functions: [function], pages: [:])
        #expect(router.endpoint(for: try Request(target: "/\(name)")).0.name == name.description)
    }

    @Test func `a subquery, which would read every tenant's rows, is refused by name`() {
        let rules: [(rule: ResourceRule, name: String)] = [
            (computed("parts", "(SELECT count(*) FROM parts)"), #"computed("parts")"#),
            (computed("parts", from: "parts", "count(*)", where: "o.id IN (TABLE ids)"), #"computed("parts")"#),
            (count("open", where: "t.id = ANY(ARRAY(select id FROM open))"), #"count("open")"#),
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
        let parts = Resource("parts", scope: .tenant) { parent(whole, by: "thing_id") }
        func things(at path: RoutePath) -> Function {
            Function("things") { verbs.isEmpty ? parts.routes(at: path) : verbs.flatMap { parts.routes($0, at: path) } }
        }
        #expect(throws: DeclarationError.routeWithoutParent(function: "things", path: named)) {
            try Router(functions: [things(at: path)], pages: [:])
        }
        _ = try Router(functions: [things(at: "/:id/parts")], pages: [:])
    }

    @Test func `a vocabulary that responses cannot be written with is refused by name`() {
        let rules: [(rule: ResourceRule, fault: String)] = [
            (
                enumeration("state", Enumeration("new", synonyms: ["x": "unknown"])),
                #"enumeration("state") has the synonym x for unknown, which is not one of its words"#
            ),
            (
                enumeration("state", Enumeration("new", #"a"b"#)),
                #"enumeration("state") has the word "a\"b": leave out quotes, backslashes and control characters"#
            ),
            (enumeration("state", Enumeration()), #"enumeration("state") has no words"#),
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
            Resource("things", scope: .tenant) { computed("wish", "coalesce(t.selected_tables, 0)") }.routes()
        }
        _ = try Router(functions: [things], pages: [:])
    }

    @Test func `HEAD is answered by GET`() throws {
        let (endpoint, _) = router.endpoint(for: try Request(method: .head, target: "/things/5"))
        #expect(endpoint.method == .get && endpoint.access == .user)
    }

    @Test(arguments: ["/nothing", "/things/5/other", "/things/5/parts/6", "/health/more", "/functions/v1"])
    func `what is nowhere is open to everyone`(path: String) throws {
        let (endpoint, _) = router.endpoint(for: try Request(target: path))
        #expect(endpoint.access == .everyone)
    }
}
