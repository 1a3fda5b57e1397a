import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletWeb

@Suite(.needsDatabase, .hangLimit)
struct FunctionTests {
    private struct Teapot: Error {}

    private struct Order: Decodable {
        let customerID: String?
        let lineItems: [Item]

        struct Item: Decodable {
            let unitPrice: Double
        }

        enum CodingKeys: String, CodingKey {
            case customerID = "customerId"
            case lineItems
        }
    }

    private static let functions: [Function] = [
        Function("plain") {
            Post("/") { request, _ in .json(.object(try request.jsonObject())) }.open()
            Get("/") { _, _ in .success }.open()
            Get("/value") { _, _ in .json(["title": "x", "at": "2025-03-15T17:44:35.123Z"]) }.open()
            Post("/order") { request, _ in
                let order = try request.decode(Order.self)
                return .json([.string(order.customerID ?? "")])
            }.open()
            Get("/status") { _, _ in .json(.accepted, [1, 2.5, nil]) }.open()
        },
        Function("hidden") {
            Get("/v1/page") { _, _ in
                var response = Response.json(.ok, ["at": "2025-03-15T17:44:35.123456Z"])
                response.datesAreNormalized = true
                response.headers.append(.cacheControl, "public, max-age=600")
                response.isCacheable = true
                return response
            }.open()
            Get("/v1/broken") { _, _ in throw Teapot() }.open()
        }
        .with(
            Middleware { request, context, next in
                do {
                    return try await next(request, context)
                } catch {
                    return Response(status: (error as? APIError)?.status ?? 418, body: Array("own words".utf8))
                }
            }
        )
        .unlisted(),
    ]

    @Test func `keeps its dates as its handlers have written them, if it says so`() async throws {
        let written = #"{"at":"2025-03-15T17:44:35.123Z"}"#
        let handler: Handler = { _, _ in .json(["at": "2025-03-15T17:44:35.123Z"]) }
        let functions = [
            Function("usual") { Get(handler).open() },
            Function("exact") { Get(handler).open() }.unlisted().keepingDates().with(
                Middleware { try await $2($0, $1) }
            ),
        ]
        try await TestApplication.with(functions) { application in
            let usual = try await application.send(.get, "/usual").text
            #expect(usual == #"{"at":"2025-03-15T17:44:35Z"}"#)
            #expect(try await application.send(.get, "/exact").text == written)
        }
    }

    @Test func `leaves nothing of a request behind`() async throws {
        try await TestApplication.with(Self.functions) { application in
            let request = try Request(target: "/plain/value")
            _ = await application.send(request)
            #expect(request.attachment == nil)
        }
    }

    @Test func `stays off the health page and the list of what there is`() async throws {
        try await TestApplication.with(Self.functions) { application in
            let health = try JSONParser.parse(try await application.send(.get, "/health").body)
            #expect(health["functions"] == ["plain"])
            let unknown = try JSONParser.parse(try await application.send(.get, "/nothing").body)
            #expect(unknown["available"] == ["plain"])
            #expect(unknown["hint"] == nil)
            let near = try JSONParser.parse(try await application.send(.get, "/functions/v1/plane").body)
            #expect(near["hint"] == "Perhaps you meant the function plain.")
            #expect(try await application.send(.get, "/hidden/v1/page").status == .ok)
        }
    }

    @Test(
        arguments: [
            ("value", 200, #"{"title":"x","at":"2025-03-15T17:44:35Z"}"#), ("status", 202, "[1,2.5,null]"),
        ]
    )
    func `answers with a value, with or without a status`(path: String, status: Int, text: String) async throws {
        try await TestApplication.with(Self.functions) { application in
            let response = try await application.send(.get, "/plain/\(path)")
            #expect(response.status.rawValue == status)
            #expect(response.text == text)
        }
    }

    /// A body, and the field that its answer names.
    @Test(
        arguments: [
            (#"{"line_items":[{"unit_price":1},{"unit_price":"2"}]}"#, "line_items.1.unit_price"),
            (#"{"customer_id":5,"line_items":[]}"#, "customer_id"),
            (#"{"line_items":[{}]}"#, "line_items.0.unit_price"),
            (#"{"customerId":"x"}"#, "line_items"), ("[]", nil), ("null", nil), ("", nil), ("{", nil),
        ]
    )
    func `names the field that a type does not take, as it is on the wire`(body: String, field: String?) async throws {
        try await TestApplication.with(Self.functions) { application in
            let response = try await application.send(.post, "/plain/order", body)
            let error = try JSONParser.parse(response.body)
            #expect(response.status == .badRequest)
            #expect(error["details"]?.object?.keys == field.map { [$0] })
            #expect(error["code"] == (field == nil ? "INVALID_JSON" : "VALIDATION_ERROR"))
        }
    }

    @Test(arguments: [
        ("/plain", "gzip", 415), ("/plain", "identity, BR", 415), ("/plain/order", "gzip", 415),
        ("/plain", "Identity", 400), ("/plain", "", 400), ("/plain/order", "identity", 400),
    ])
    func `asks for a body that is not compressed`(path: String, coding: String, status: Int) async throws {
        try await TestApplication.with(Self.functions) { application in
            let headers: [(Headers.Name, String)] = coding.isEmpty ? [] : [("Content-Encoding" as Headers.Name, coding)]
            let response = try await application.send(.post, path, "\u{1F}\u{8}", headers: headers)
            #expect(response.status.rawValue == status)
            let error = try JSONParser.parse(response.body)
            #expect(error["code"] == (status == 415 ? "UNSUPPORTED_MEDIA_TYPE" : "INVALID_JSON"))
            #expect(response.headers["Accept-Encoding"] == (status == 415 ? "identity" : nil))
        }
    }

    @Test(arguments: [("GET", "/hidden/v1/broken", 418), ("GET", "/hidden/x", 404), ("POST", "/hidden/v1/page", 405)])
    func `shapes all of its errors`(method: String, path: String, status: Int) async throws {
        try await TestApplication.with(Self.functions) { application in
            let response = try await application.send(SwiftletHTTP.Method(rawValue: method), path)
            #expect(response.status.rawValue == status)
            #expect(response.text == "own words")
        }
    }

    @Test func `says itself how long it may be kept, and how its dates look`() async throws {
        try await TestApplication.with(Self.functions) { application in
            let page = try await application.send(.get, "/hidden/v1/page")
            #expect(page.headers.all(.cacheControl) == ["public, max-age=600"])
            #expect(page.headers[.xContentTypeOptions] == "nosniff")
            #expect(page.text == #"{"at":"2025-03-15T17:44:35.123456Z"}"#)
            #expect(try await application.send(.get, "/plain").headers.all(.cacheControl) == ["no-store"])
        }
    }
}
