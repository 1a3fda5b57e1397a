import SwiftletEventLoop
import SwiftletHTTP
import SwiftletHTTPServer
import SwiftletJSON
import SwiftletStorage
import SwiftletTesting
import Testing
import SwiftletWeb

/// Files through real sockets.
@Suite(.needsDatabase, .hangLimit)
struct LiveAttachmentTests {
    private func withPort(_ body: (Shop, _ head: String, _ port: Int) async throws -> Void) async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/service-tickets", #"{"title":"Jam"}"#)
            let application = shop.server.application
            var configuration = HTTPServerConfiguration()
            configuration.port = 0
            let handler = HTTPHandler(
                respond: { await application.respond(to: $0) },
                streamingLimit: { application.streamingLimit(of: $0) },
                refuse: { Response(status: $0.status) }
            )
            let server = try HTTPServer.start(configuration, on: shop.server.group, handler: handler)
            let head = """
                POST /service-tickets/\(id)/attachments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(shop.alice.token)\r
                Content-Type: image/png\r\n
                """
            do {
                try await body(shop, head, server.localPort)
            } catch {
                await server.shutdown(grace: .zero)
                throw error
            }
            await server.shutdown(grace: .zero)
        }
    }

    @Test func `a large file goes in and out unchanged`() async throws {
        try await withPort { shop, head, port in
            let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
            let client = try SocketClient(port: port)
            try client.send(head + "Content-Length: \(content.count)\r\n\r\n")
            try client.send(content)
            let made = try client.reply()
            #expect(made.status == 201, "\(made.body)")
            let row = try JSONParser.parse(Array(made.body.utf8))
            let path = "/service-tickets/\(row["ticket_id"]?.string ?? "")/attachments/\(row["id"]?.string ?? "")"
            let request = " \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(shop.alice.token)\r\n\r\n"
            try client.send("HEAD" + request)
            #expect(try client.reply(isHead: true).header("content-length") == "3000000")
            let read = try await shop.alice.send(.get, path)
            #expect(read.body == content)
            try client.send("GET" + request)
            let reply = try client.reply(isHead: true)
            #expect(reply.status == 200)
            #expect(reply.header("content-length") == "3000000")
            try client.skip(content.count)
        }
    }

    @Test func `of a client that breaks off nothing remains`() async throws {
        try await withPort { shop, head, port in
            for isAbrupt in [true, false] {
                let client = try SocketClient(port: port)
                try client.send(head + "Content-Length: 3000000\r\n\r\n")
                try client.send([UInt8](repeating: 1, count: 2_000_000))
                let isUnderway = try await eventually { !shop.server.files.isEmpty }
                #expect(isUnderway)
                if isAbrupt { client.reset() } else { client.close() }
                let isGone = try await eventually { shop.server.files.isEmpty }
                #expect(isGone)
            }
            #expect(try shop.count("service_ticket_attachments") == 0)
        }
    }

    @Test func `a stranger's file is refused before it comes`() async throws {
        try await withPort { shop, head, port in
            let client = try SocketClient(port: port)
            try client.send(
                head.replacing(shop.alice.token, with: shop.bob.token)
                    + "Content-Length: 3000000\r\nExpect: 100-continue\r\n\r\n"
            )
            #expect(try client.reply().status == 404)
            #expect(shop.server.files.isEmpty)
        }
    }
}
