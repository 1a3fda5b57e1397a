import SwiftletHTTP
import Testing

@testable import SwiftletWeb

@Suite struct RouterTests {
    private let router: Router

    init() throws {
        let answer: @Sendable (String) -> Handler = { name in
            { _, context in Response(body: Array((name + context.parameters["id"]).utf8)) }
        }
        let things = Function("things") {
            Get("/", answer("list"))
            Get("/:id", answer("one "))
            Get("/stats", answer("stats"))
            Patch("/:id", answer("patched "))
            Get("/:id/parts", answer("parts of "))
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

    @Test(
        arguments: [
            (.get, "/files/b/a/c.png", "file b a/c.png"), (.get, "/files/b/a//c%2Fd/", "file b a//c/d/"),
            (.get, "/files/b", "bucket b "), (.get, "/files/public/b/a", "public b a"),
            (.get, "/files/public/a", "file public a"), (.post, "/files/list/b", "list b "),
            (.get, "/files/list/b", "file list b"), (.delete, "/files/b/a", "405"), (.delete, "/files/b", "405"),
            (.get, "/files", "404"),
        ] as [(SwiftletHTTP.Method, String, String)]
    )
    func `a rest takes what no path of that length has`(
        method: SwiftletHTTP.Method,
        path: String,
        answer: String
    ) throws {
        let handler: Handler = { _, _ in Response() }
        let files = Function("files") {
            Get("/:bucket/*", handler)
            Get("/:bucket", handler)
            Get("/public/:bucket/*", handler)
            Post("/list/:bucket", handler)
        }
        let router = try Router(functions: [files], pages: [:])
        let (destination, parameters) = router.destination(for: try Request(method: method, target: path))
        let names: [RoutePath: String] = [
            "/:bucket/*": "file", "/:bucket": "bucket", "/public/:bucket/*": "public", "/list/:bucket": "list",
        ]
        let name = names.first { $0.key.segments == destination.endpoint.pattern }?.value
        guard let name, destination.method == method else {
            // What refuses has no path of its own.
            return #expect(answer == (path == "/files" ? "404" : "405"))
        }
        #expect("\(name) \(parameters["bucket"]) \(parameters.rest)" == answer)
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
            Get("/:a/parts", handler)
            Delete("/:b/parts", handler)
        }
        let router = try Router(functions: [things], pages: [:])
        let (destination, parameters) = router.destination(for: try Request(method: method, target: "/things/7/parts"))
        #expect(destination.method == method)
        #expect(parameters[name] == "7")
    }

    @Test func `two routes for the same are refused by name`() {
        let things = Function("things") {
            Patch("/:id") { _, _ in Response() }
            Patch("/:key") { _, _ in Response() }
        }
        let conflict = #expect(throws: DeclarationError.self) { try Router(functions: [things], pages: [:]) }
        #expect(conflict?.description.hasPrefix("The function things has two routes for PATCH /things/:") == true)
    }

    @Test func `two functions of one name are refused by name`() {
        let things = Function("things") { Get("/") { _, _ in Response() } }
        let conflict = #expect(throws: DeclarationError.self) { try Router(functions: [things, things], pages: [:]) }
        #expect(conflict == .duplicateFunction("things"))
    }

    @Test func `a function cannot take the name of a page`() {
        let health = Function("health") { Get("/") { _, _ in Response() } }
        let page = Destination(Endpoint("health"), method: .get, access: .everyone) { _, _ in Response() }
        #expect(throws: DeclarationError.functionNamedLikePage("health")) {
            try Router(functions: [health], pages: ["health": page])
        }
    }

    @Test(arguments: ["api", "v1", "functions", "", "a/b", "a b", "größe", #"a"b"#] as [StaticString])
    func `a function that no path names is refused by name`(name: StaticString) {
        let function = Function(name) { Get("/") { _, _ in Response() } }
        #expect(throws: DeclarationError.unreachableFunction(name.description)) {
            try Router(functions: [function], pages: [:])
        }
    }

    @Test(arguments: ["v1s", "mobile-auth", "a_b.c~2"] as [StaticString])
    func `a function may be named with what URLs need not escape`(name: StaticString) throws {
        let function = Function(name) { Get("/") { _, _ in Response() } }
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
