import EventLoop
import Foundation
import HTTP
import HTTPServer
import Testing

@testable import Auth

@Suite struct WebAddressTests {
    @Test(arguments: [
        ("https://id.example/keys", "id.example", 443, "/keys", "id.example"),
        ("http://id.example", "id.example", 80, "/", "id.example"),
        ("https://id.example:8443/a?b=c#d", "id.example", 8443, "/a?b=c", "id.example:8443"),
        ("https://id.example?b=c", "id.example", 443, "/?b=c", "id.example"),
        ("http://[::1]:8000/health", "::1", 8000, "/health", "[::1]:8000"),
        ("http://[::1]/", "::1", 80, "/", "[::1]"),
    ])
    func `reads`(url: String, host: String, port: Int, path: String, authority: String) throws {
        let address = try #require(WebAddress(url))
        #expect(address.isSecure == url.hasPrefix("https"))
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.path == path)
        #expect(address.authority == authority)
    }

    @Test(arguments: [
        "", "id.example", "ftp://id.example/", "https://", "https:///keys", "https://user@id.example/", "https://a:0/",
        "https://a:65536/", "https://a:b/", "https://a/ b", "https://a/\r\nX: y", "https://ä.example/",
    ])
    func `refuses`(url: String) {
        #expect(WebAddress(url) == nil)
    }
}

/// Against our own server on a real socket.
@Suite(.timeLimit(.minutes(1))) struct BlockingClientTests {
    private func serve<Value>(
        tls: TLSConfiguration? = nil,
        _ body: (_ port: Int) async throws -> Value
    ) async throws -> Value {
        let group = try EventLoopGroup.start(count: 1)
        var configuration = HTTPServerConfiguration()
        configuration.port = 0
        configuration.tls = tls
        let handler = HTTPHandler(
            respond: { request in
                switch request.path {
                case "/slow":
                    try? await Task.sleep(for: .seconds(30))
                    return Response()
                case "/large": return Response(body: [UInt8](repeating: 0x20, count: 100_000))
                case "/missing": return Response(status: .notFound)
                default: return Response(body: Array("{\"path\":\"\(request.path)\"}".utf8))
                }
            },
            refuse: { Response(status: $0.status) }
        )
        let server = try HTTPServer.start(configuration, on: group, handler: handler)
        do {
            let value = try await body(server.localPort)
            await server.shutdown(grace: .zero)
            group.stop()
            return value
        } catch {
            await server.shutdown(grace: .zero)
            group.stop()
            throw error
        }
    }

    /// The client blocks: not on one of Swift's own few threads.
    private func get(_ client: BlockingClient, _ url: String) async -> Result<BlockingClient.Answer, any Error> {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: Result { try client.get(url) }) }
        }
    }

    @Test func `fetches a document, and tells other answers by status`() async throws {
        try await serve { port in
            let answer = try await get(BlockingClient(), "http://127.0.0.1:\(port)/keys").get()
            #expect(answer.status == 200)
            #expect(String(decoding: answer.body, as: UTF8.self) == #"{"path":"/keys"}"#)
            #expect(try await get(BlockingClient(), "http://localhost:\(port)/missing").get().status == 404)
        }
    }

    @Test func `gives up on what is too large, too slow, or not there`() async throws {
        func failure(_ client: BlockingClient, _ url: String) async -> BlockingClientError? {
            if case .failure(let error) = await get(client, url) { return error as? BlockingClientError }
            return nil
        }
        try await serve { port in
            let client = BlockingClient(deadlineSeconds: 1, maximumBytes: 10_000)
            #expect(await failure(client, "http://127.0.0.1:\(port)/large") == .tooLarge)
            #expect(await failure(client, "http://127.0.0.1:\(port)/slow") == .timeout)
            #expect(await failure(client, "http://127.0.0.1:1/") == .noConnection)
            #expect(await failure(client, "https://127.0.0.1:\(port)/") == .noConnection)
            #expect(await failure(client, "nonsense") == .badAddress)
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "install openssl"))
    func `trusts no certificate that the system does not know, except where told`() async throws {
        let folder = try SwiftletProcess.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (certificate, key) = ("\(folder)/cert.pem", "\(folder)/key.pem")
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        openssl.arguments =
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
            + [
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-out", certificate, "-keyout",
                key,
            ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        try await serve(tls: TLSConfiguration(certificateFile: certificate, keyFile: key)) { port in
            let refused = await get(BlockingClient(), "https://localhost:\(port)/keys")
            #expect(throws: BlockingClientError.badCertificate) { try refused.get() }
            let asked = try await get(BlockingClient(trust: .anyone), "https://localhost:\(port)/keys").get()
            #expect(asked.status == 200)
        }
    }
}
