import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@Suite(
    .needsDatabase,
    .hangLimit
)
struct BadInputTests {
    /// A body, and the field that the answer must name; nil when the JSON itself is at fault.
    private static let bodies: [(String, String?)] = [
        ("", nil), ("{", nil), ("[]", nil), ("null", nil), (#"{"title":"x"}x"#, nil), (#"{"title":NaN}"#, nil),
        (#"{"title":"\ud800"}"#, nil), ("{\"title\":\"a\u{1}\"}", nil),
        (#"{"title":"# + String(repeating: "[", count: 100) + String(repeating: "]", count: 100) + "}", nil),
        ("{}", "title"), (#"{"title":""}"#, "title"), (#"{"title":"  "}"#, "title"), (#"{"title":null}"#, "title"),
        (#"{"title":5}"#, "title"), (#"{"title":"a\u0000b"}"#, "title"),
        (#"{"title":"x","status":"flying"}"#, "status"), (#"{"title":"x","status":5}"#, "status"),
        (#"{"title":"x","priority":"none"}"#, "priority"),
        (#"{"title":"x","due_date":"soon"}"#, "due_date"), (#"{"title":"x","due_date":"2024-02-30"}"#, "due_date"),
        (#"{"title":"x","estimated_hours":1.5}"#, "estimated_hours"),
        (#"{"title":"x","estimated_hours":"3"}"#, "estimated_hours"),
        (#"{"title":"x","estimated_hours":9223372036854775808}"#, "estimated_hours"),
        (#"{"title":"x","estimated_hours":2147483648}"#, "estimated_hours"),
        (#"{"title":"x","estimated_hours":1e400}"#, "estimated_hours"),
        (#"{"title":"x","tags":"a"}"#, "tags"), (#"{"title":"x","tags":[1]}"#, "tags"),
        (#"{"title":"x","custom_fields":{"a":"\u0000"}}"#, "custom_fields"),
        (#"{"title":"x","custom_fields":"a"}"#, "custom_fields"), (#"{"title":"x","watchers":{"a":1}}"#, "watchers"),
        (#"{"title":"x","dueDate":"soon"}"#, "dueDate"),
        (#"{"title":"x","assigned_to":"\#(incompressible)"}"#, "assigned_to"),
        (#"{"title":"x","id":"\#(incompressible)"}"#, "id"),
    ]

    /// Longer than an index entry can be, however it is packed.
    private static let incompressible = String(
        sequence(first: UInt64(1)) { $0 &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
            .prefix(16_384)
            .map { Character(UnicodeScalar(UInt8(ascii: "a") + UInt8(($0 >> 33) % 26))) }
    )

    @Test func `a bad body is a 400 that names the field, and nothing is stored`() async throws {
        try await Shop.with { shop in
            for (body, field) in Self.bodies {
                let response = try await shop.alice.send(.post, "/tasks", body)
                #expect(response.status == .badRequest, "\(body)")
                let error = try JSONParser.parse(response.body)
                #expect(error["code"] == (field == nil ? "INVALID_JSON" : "VALIDATION_ERROR"), "\(body)")
                #expect(error["error"] == error["message"], "\(body)")
                #expect(error["error"] == error["msg"], "\(body)")
                #expect(error["request_id"]?.string?.isEmpty == false, "\(body)")
                #expect(response.headers["sb-error-code"] == error["code"]?.string, "\(body)")
                if let field { #expect(error["details"]?[field]?.string?.isEmpty == false, "\(body)") }
            }
            #expect(try await shop.alice.json(.get, "/tasks")["total"] == 0)
        }
    }

    @Test func `every bad field is named at once`() async throws {
        try await Shop.with { shop in
            let body = #"{"status":"flying","due_date":"soon","estimated_hours":"x"}"#
            let error = try await shop.alice.json(.post, "/tasks", body)
            #expect(error["details"]?.object?.keys.sorted() == ["due_date", "estimated_hours", "status", "title"])
        }
    }

    @Test(arguments: ["status=flying", "priority=5", "due_before=soon", "sort=evil;drop", "sort=-nothing"])
    func `a bad query is a 400`(query: String) async throws {
        try await Shop.with { shop in
            let response = try await shop.alice.send(.get, "/tasks?\(query)")
            #expect(response.status == .badRequest)
        }
    }

    @Test(arguments: ["'; DROP TABLE tasks; --", "\\", "%", "_", "{a,b}", "$1", "\"", "NULL", "\u{202E}😀"])
    func `SQL's own characters are data everywhere`(text: String) async throws {
        try await Shop.with { shop in
            var json = JSONWriter()
            json.object {
                $0.member("title", text)
                $0.member("assigned_to", text)
                $0.key("tags")
                $0.write(.array([.string(text), ""]))
                $0.key("custom_fields")
                $0.write(.object(["k": .string(text)]))
            }
            let body = String(decoding: json.finish(), as: UTF8.self)
            let task = try await shop.alice.json(.post, "/tasks", body)
            #expect(task["title"] == .string(text))
            #expect(task["assigned_to"] == .string(text))
            #expect(task["tags"] == .array([.string(text), ""]))
            #expect(task["custom_fields"]?["k"] == .string(text))
            let encoded = text.utf8.map { byte in "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
            #expect(try await shop.alice.json(.get, "/tasks?search=\(encoded)")["total"] == 1)
            #expect(try await shop.alice.send(.get, "/tasks/\(encoded)").status == .notFound)
            #expect(try await shop.alice.send(.delete, "/tasks/\(encoded)").status == .ok)
            #expect(try await shop.alice.json(.get, "/tasks")["total"] == 1)
        }
    }

    @Test func `paths that nobody serves are told apart`() async throws {
        try await Shop.with { shop in
            let unknown = try await shop.alice.send(.get, "/nothing")
            #expect(unknown.status == .notFound)
            #expect(try JSONParser.parse(unknown.body)["available"]?.array?.contains("tasks") == true)
            #expect(try await shop.alice.send(.get, "/tasks/1/2/3").status == .notFound)
            let wrongMethod = try await shop.alice.send(.post, "/tasks/stats")
            #expect(wrongMethod.status == .methodNotAllowed)
            #expect(wrongMethod.headers[.allow] == "GET, HEAD, OPTIONS")
        }
    }
}
