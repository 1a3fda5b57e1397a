import Foundation
import BusinessClient
import CheckInsClient
import DeviceLogsClient
import GalleryClient
import SwiftletClient
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RequestTests {
    private struct Item: Codable, Sendable, Equatable { let id: String }

    @Test(
        arguments: [
            ("/api/tasks", "https://functions.example.com/v1/tasks", "https://example.com/root/api/tasks"),
            ("/auth/v1/user", "https://auth.example.com/auth/v1/user", "https://example.com/root/auth/v1/user"),
            ("/health", "https://example.com/root/health", "https://example.com/root/health"),
            ("rest/v1/users", "https://example.com/root/rest/v1/users", "https://example.com/root/rest/v1/users"),
        ]
    )
    func `goes where the path says`(path: String, routed: String, plain: String) async throws {
        for (expected, isRouted) in [(routed, true), (plain, false)] {
            let transport = RecordedTransport([.json("{}")])
            let client = Clients.make(transport) {
                guard isRouted else { return }
                $0.functionsURL = Clients.url("https://functions.example.com/v1")
                $0.authURL = Clients.url("https://auth.example.com")
            }
            try await client.requestVoid(APIEndpoint(.get, path, requiresAuth: false))
            #expect(await transport.requests.first?.url?.absoluteString == expected)
        }
    }

    @Test func `says who asks, and encodes what is asked`() async throws {
        let transport = RecordedTransport([.json(Clients.session()), .json(#"{"data":[]}"#)])
        let client = Clients.make(transport)
        try await AuthManager(client: client).login(email: "ada@example.com", password: "p")
        let query = [URLQueryItem(name: "q", value: "a+b & c=ü"), URLQueryItem(name: "since", value: "1+00:00")]
        let _: [Item] = try await client.requestArray(APIEndpoint(.get, APIEndpoint.path("x", "a/b?c"), query: query))
        let requests = await transport.requests
        #expect(requests[0].path == "/root/api/mobile-auth/login")
        #expect(requests[0].bearer == nil)
        #expect(requests[0].json as? [String: String] == ["email": "ada@example.com", "password": "p"])
        let request = requests[1]
        #expect(
            request.url?.absoluteString
                == "https://example.com/root/api/x/a%2Fb%3Fc?q=a%2Bb%20%26%20c%3D%C3%BC&since=1%2B00%3A00"
        )
        let expected = [
            "Authorization": "Bearer \(Clients.token(1))", "apikey": "anon", "x-tenant-id": "t1", "X-Client": "tests",
            "Content-Type": "application/json",
        ]
        for (name, value) in expected { #expect(request.value(forHTTPHeaderField: name) == value) }
        #expect(UUID(uuidString: request.value(forHTTPHeaderField: "X-Request-ID") ?? "") != nil)
    }

    @Test func `models may bring a decoder of their own`() async throws {
        struct Van: Decodable, Sendable, Equatable {
            let numberPlate: String
            private enum CodingKeys: String, CodingKey { case numberPlate = "number_plate" }
        }
        let list = #"{"data":[{"number_plate":"B 1"}],"total":1,"has_more":true}"#
        let client = Clients.make(RecordedTransport([.json(list), .json(list), .json(#"{"number_plate":"B 2"}"#)]))
        let endpoint = APIEndpoint(.get, "/api/vans", requiresAuth: false)
        let page = try await client.requestPage(endpoint, of: Van.self, decoder: JSONDecoder())
        #expect(page == Page(data: [Van(numberPlate: "B 1")], total: 1, hasMore: true))
        #expect(try await client.requestArray(endpoint, of: Van.self, decoder: JSONDecoder()) == page.data)
        #expect(try await client.request(endpoint, as: Van.self, decoder: JSONDecoder()).numberPlate == "B 2")
    }

    @Test(arguments: [#"[{"id":"1"}]"#, #"{"data":[{"id":"1"}],"total":null}"#, #" {"extra":1,"data":[{"id":"1"}]}"#])
    func `lists may be wrapped or bare`(json: String) async throws {
        let client = Clients.make(RecordedTransport([.json(json)]))
        let endpoint = APIEndpoint(.get, "/api/x", requiresAuth: false)
        #expect(try await client.requestArray(endpoint) == [Item(id: "1")])
        #expect(try await client.requestPage(endpoint, of: Item.self).data == [Item(id: "1")])
    }

    @Test func `a page knows the others`() async throws {
        let json = #"{"data":[{"id":"1"}],"total":26,"page":2,"limit":25,"has_more":false,"unread":3}"#
        let client = Clients.make(RecordedTransport([.json(json)]))
        let page: Page<Item> = try await client.requestPage(APIEndpoint(.get, "/api/x", requiresAuth: false))
        let expected = Page(data: [Item(id: "1")], total: 26, page: 2, limit: 25, hasMore: false, unread: 3)
        #expect(page == expected)
    }

    @Test func `a bad element is named, not called a missing list`() async throws {
        let client = Clients.make(RecordedTransport([.json(#"{"data":[{"id":"1"},{"id":null}]}"#)]))
        await #expect(throws: APIError.decoding("Value missing at 'data[1].id': expected String, found null")) {
            let _: [Item] = try await client.requestArray(APIEndpoint(.get, "/api/x", requiresAuth: false))
        }
    }

    @Test(
        arguments: [
            (
                400, #"{"error":"Invalid value","details":{"title":"is required"}}"#,
                APIError.validation(["title": "is required"])
            ),
            (400, #"{"message":"No","details":"text"}"#, .refused(.init(status: 400))), (401, "{}", .unauthorized),
            (403, "", .forbidden), (404, "<html>", .notFound), (409, #"{"code":7,"error":{"a":1}}"#, .conflict),
            (422, #"{"details":{"a":"b"}}"#, .validation(["a": "b"])), (413, "", .refused(.init(status: 413))),
            (429, "", .rateLimited(retryAfter: nil)), (500, "null", .server(requestID: nil)),
            (503, "[]", .server(requestID: nil)),
        ]
    )
    func `each refusal has its error`(status: Int, body: String, expected: APIError) async throws {
        let client = Clients.make(RecordedTransport([.json(body, status: status)]))
        await #expect(throws: expected) {
            try await client.requestVoid(APIEndpoint(.post, "/api/x", requiresAuth: false))
        }
        #expect(!expected.localizedDescription.isEmpty)
    }

    @Test func `an error keeps what the server says for people and for support`() async throws {
        let body = #"{"error":"c","error_description":"Invalid login credentials","request_id":"r-1"}"#
        let client = Clients.make(RecordedTransport([.json(body, status: 400)]))
        let error = await #expect(throws: APIError.self) {
            try await AuthManager(client: client).login(email: "a", password: "b")
        }
        #expect(error?.localizedDescription == "Invalid login credentials")
        #expect(error?.requestID == "r-1")
        let limited = Clients.make(RecordedTransport([.status(429, headers: ["Retry-After": "17"])]))
        await #expect(throws: APIError.rateLimited(retryAfter: 17)) {
            try await limited.requestVoid(APIEndpoint(.get, "/api/x", requiresAuth: false))
        }
        #expect(APIError.rateLimited(retryAfter: 17).localizedDescription.contains("17 seconds"))
        #expect(APIError.server(requestID: "r-2").requestID == "r-2")
    }

    @Test func `nobody is asked when nobody is signed in`() async throws {
        let transport = RecordedTransport([.json("{}")])
        await #expect(throws: APIError.unauthorized) {
            try await Clients.make(transport).requestVoid(APIEndpoint(.get, "/api/x"))
        }
        #expect(await transport.requests.isEmpty)
    }
}
