import SwiftletCompression
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import SwiftletWeb
import Testing

/// What of the answers is compressed, and for whom.
@Suite(.needsDatabase, .hangLimit)
struct CompressionTests {
    private static let text = String(repeating: "All work and no play. ", count: 500)

    private static let texts = Function("texts") {
        Get("/long") { _, _ in .json(["text": .string(text)]) }.open()
        Get("/huge") { _, _ in .json(["text": .string(String(repeating: text, count: 50))]) }.open()
        Get("/short") { _, _ in .json(["text": "short"]) }.open()
        Get("/picture") { _, _ in
            var response = Response(body: Array(text.utf8))
            response.headers.append(.contentType, "image/png")
            return response
        }
        .open()
        Get("/tagged") { _, _ in
            var response = Response.json(["text": .string(text)])
            response.headers.append(.etag, "\"1\"")
            return response
        }
        .open()
        Get("/cookie") { _, _ in
            var response = Response.json(["text": .string(text)])
            response.headers.append("Set-Cookie", "a=b")
            return response
        }
        .open()
    }

    private static let tokens = Function("tokens") {
        Get { _, _ in .json(["text": .string(text)]) }.open()
    }
    .uncompressed()

    private func ask(
        _ target: String,
        _ headers: [(Headers.Name, String)] = [("Accept-Encoding", "gzip, deflate, br")],
        method: SwiftletHTTP.Method = .get
    ) async throws -> Response {
        let server = try await TestApplication.start([Self.texts, Self.tokens])
        let response = try await server.send(method, target, headers: headers)
        await server.stop()
        return response
    }

    @Test(arguments: ["long", "huge"])
    func `JSON above a kilobyte is compressed for clients that ask`(path: String) async throws {
        let plain = try await ask("/texts/\(path)", [])
        #expect(plain.headers["Content-Encoding"] == nil)
        #expect(plain.headers.all(.vary) == ["Origin", "Accept-Encoding"])
        let response = try await ask("/texts/\(path)")
        #expect(response.headers["Content-Encoding"] == "gzip")
        #expect(response.headers.all(.vary) == ["Origin", "Accept-Encoding"])
        #expect(response.body.count < plain.body.count / 10)
        #expect(Gzip.decompress(response.body, limit: 1 << 20) == plain.body)
    }

    @Test func `HEAD has the headers of GET`() async throws {
        let response = try await ask("/texts/long", method: .head)
        #expect(response.headers["Content-Encoding"] == "gzip")
    }

    @Test func `a tag is weak then`() async throws {
        #expect(try await ask("/texts/tagged").headers[.etag] == "W/\"1\"")
        #expect(try await ask("/texts/tagged", []).headers[.etag] == "\"1\"")
    }

    @Test(arguments: ["/texts/short", "/texts/picture", "/texts/cookie", "/tokens", "/texts/nothing"])
    func `short answers, pictures, cookies and tokens go as they are`(target: String) async throws {
        #expect(try await ask(target).headers["Content-Encoding"] == nil)
    }

    @Test(
        arguments: [
            [("Accept-Encoding", "gzip;q=0")], [("Accept-Encoding", "br")],
            [("Accept-Encoding", "gzip"), ("Cookie", "a=b")],
        ] as [[(Headers.Name, String)]]
    )
    func `so they do for clients that do not ask, or whose browser adds rights by itself`(
        headers: [(Headers.Name, String)]
    ) async throws {
        #expect(try await ask("/texts/long", headers).headers["Content-Encoding"] == nil)
    }
}
