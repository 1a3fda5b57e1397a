import HTTP
import Testing

@testable import Web

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
            pages: ["health": Destination(Endpoint("health"), method: .get, access: .everyone) { _, _ in Response() }]
        )
    }

    @Test(arguments: [
        "/things", "/things/", "//things", "/api/things", "/v1/things", "/api/v1/things", "/functions/v1/things",
    ])
    func `cuts prefixes and empty segments`(path: String) throws {
        let (destination, _) = router.destination(for: try Request(target: path))
        #expect(destination.endpoint.name == "things")
        #expect(destination.endpoint.pattern.isEmpty)
        #expect(destination.access == .user)
    }

    @Test func `a reserved word wins over a parameter`() throws {
        let (destination, _) = router.destination(for: try Request(target: "/things/stats"))
        #expect(destination.endpoint.pattern == [.literal("stats")])
    }

    @Test func `parameters are percent-decoded once`() throws {
        let (_, parameters) = router.destination(for: try Request(target: "/api/things/a%2Fb%2520/parts"))
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
        let (destination, parameters) = router.destination(for: try Request(method: method, target: "/things/7/parts"))
        #expect(destination.method == method)
        #expect(parameters[name] == "7")
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
        let page = Destination(Endpoint("health"), method: .get, access: .everyone) { _, _ in Response() }
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
        #expect(router.destination(for: try Request(target: "/\(name)")).0.endpoint.name == name.description)
    }

    @Test func `HEAD is answered by GET`() throws {
        let (destination, _) = router.destination(for: try Request(method: .head, target: "/things/5"))
        #expect(destination.method == .get)
        #expect(destination.access == .user)
    }

    @Test(arguments: ["/nothing", "/things/5/other", "/things/5/parts/6", "/health/more", "/functions/v1"])
    func `what is nowhere is open to everyone`(path: String) throws {
        let (destination, _) = router.destination(for: try Request(target: path))
        #expect(destination.access == .everyone)
    }
}
