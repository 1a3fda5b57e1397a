import Dispatch
import SwiftletEventLoop
import SwiftletHTTP
import SwiftletHTTPServer
import SwiftletTesting
import Testing

/// Against OpenSSL's own client.
@Suite(.hangLimit, .enabled(if: shell("openssl version").hasPrefix("OpenSSL"), "openssl is not installed"))
struct TLSTests {
    @Test(arguments: PollerKind.allCases, ["-tls1_2", "-tls1_3"])
    func `answers requests over TLS 1.2 and 1.3`(poller: PollerKind, version: String) async throws {
        try await withSecureServer(poller) { server, _ in
            let output = ask(
                server,
                "GET /1 HTTP/1.1\\r\\nHost: a\\r\\n\\r\\nGET /2 HTTP/1.0\\r\\n\\r\\n",
                "\(version) -quiet"
            )
            #expect(output.contains("HTTP/1.1 200 OK\r\n"))
            #expect(output.contains("\r\n\r\n/1HTTP/1.1 200 OK\r\n"))
            #expect(output.hasSuffix("\r\n\r\n/2"))
            #expect(server.log.all == ["GET /1", "GET /2"])
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `large bodies arrive whole in both directions`(poller: PollerKind) async throws {
        try await withSecureServer(poller) { server, certificates in
            let file = "\(certificates.folder)/request"
            let count = 900_000
            _ = shell(
                """
                { printf 'POST /echo HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\nContent-Length: \(count)\\r\\n\\r\\n'
                head -c \(count) /dev/zero | tr '\\0' y; } > \(file)
                """
            )
            let output = shell("openssl s_client -connect 127.0.0.1:\(server.port) -quiet < \(file) 2> /dev/null")
            #expect(output.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(output.utf8.count { $0 == UInt8(ascii: "y") } == count)
        }
    }

    @Test(arguments: [
        ("-alpn http/1.1", "ALPN protocol: http/1.1"),
        ("-alpn h2,http/1.1", "ALPN protocol: http/1.1"),
        ("", "No ALPN negotiated"),
        ("-alpn h2", "no application protocol"),
        ("-tls1_1 -cipher DEFAULT@SECLEVEL=0", "alert protocol version"),
        ("-tls1_2 -cipher AES128-SHA", "alert handshake failure"),
    ])
    func `negotiates the protocol by ALPN, version and cipher`(options: String, answer: String) async throws {
        try await withSecureServer(.default) { server, _ in
            let output = ask(server, "GET / HTTP/1.0\\r\\n\\r\\n", options)
            #expect(output.contains(answer))
        }
    }

    @Test func `sends a close_notify, so that the end cannot be forged`() async throws {
        try await withSecureServer(.default) { server, _ in
            let output = ask(server, "GET /1 HTTP/1.0\\r\\n\\r\\n", "-msg")
            #expect(output.contains("<<< TLS 1.3, Alert [length 0002], warning close_notify"))
        }
    }

    @Test func `refuses renegotiation`() async throws {
        try await withSecureServer(.default) { server, _ in
            let output = shell(
                "{ sleep 0.2; echo R; sleep 0.2; } | openssl s_client -connect 127.0.0.1:\(server.port) -tls1_2"
            )
            #expect(output.contains("RENEGOTIATING"))
            #expect(output.contains("no renegotiation"))
        }
    }

    @Test(arguments: PollerKind.allCases, ["close", "keep-alive"])
    func `a client may update its keys while a response is pending`(poller: PollerKind, ending: String) async throws {
        try await withSecureServer(poller) { server, _ in
            let count = 8_000_000
            let client = try TLSClient(port: server.port)
            #expect(eventually { client.continueHandshake() })
            #expect(client.send("GET /large?bytes=\(count) HTTP/1.1\r\nHost: a\r\nConnection: \(ending)\r\n\r\n"))
            #expect(server.log.waits(for: "GET /large"))
            pause(.milliseconds(50))
            // OpenSSL can put off one answer, but no more.
            for _ in 0..<3 { #expect(client.updateKeys(requestsUpdate: true)) }
            var received = 0
            while received < count, let bytes = client.receive() {
                received += bytes.count { $0 == UInt8(ascii: "x") }
                if bytes.isEmpty { pause(.milliseconds(1)) }
            }
            #expect(received == count)
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `an incomplete handshake is closed`(poller: PollerKind) async throws {
        try await withSecureServer(poller, { $0.headerTimeout = .milliseconds(50) }) { server, _ in
            let client = try SocketClient(port: server.port)
            #expect(try client.rest() == "")
            #expect(eventually { server.server.statistics.openConnections == 0 })
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a shutdown does not wait for a client that completes its handshake and asks nothing`(
        poller: PollerKind
    ) async throws {
        try await withSecureServer(poller) { server, _ in
            let client = try TLSClient(port: server.port)
            #expect(eventually { server.server.statistics.openConnections == 1 })
            let isOver = server.beginShutdown(grace: .seconds(10))
            #expect(eventually { (try? SocketClient(port: server.port)) == nil })
            #expect(eventually { client.continueHandshake() })
            #expect(isOver.wait(timeout: .now() + 4) == .success)
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `plain HTTP and garbage on a TLS port get no response`(poller: PollerKind) async throws {
        try await withSecureServer(poller) { server, _ in
            let client = try SocketClient(port: server.port)
            try client.send("GET /1 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(!(try client.rest().contains("HTTP/1.1")))
            let vanishing = try SocketClient(port: server.port)
            try vanishing.send([22, 3, 1, 2, 0, 1])
            vanishing.reset()
            #expect(eventually { server.server.statistics.openConnections == 0 })
            #expect(server.log.all.isEmpty)
        }
    }

    @Test func `reloads its certificate, and keeps the old one when the new one is unusable`() async throws {
        try await withSecureServer(.default) { server, certificates in
            #expect(subject(server) == "first")
            certificates.make(for: "second")
            #expect(subject(server) == "first")
            try server.server.reloadTLS()
            #expect(subject(server) == "second")
            _ = shell("echo nonsense > \(certificates.certificateFile)")
            #expect(throws: TLSError.self) { try server.server.reloadTLS() }
            #expect(subject(server) == "second")
        }
    }

    @Test func `serves while it waits for the files of a reload`() async throws {
        try await withSecureServer(.default) { server, certificates in
            _ = shell("rm \(certificates.certificateFile); mkfifo \(certificates.certificateFile)")
            onThread {
                try? server.server.reloadTLS()
                server.log.add("reloaded")
            }
            pause(.milliseconds(200))
            _ = shell("{ sleep 5; echo nonsense > \(certificates.certificateFile); } > /dev/null 2>&1 &")
            #expect(subject(server) == "first")
            #expect(!server.log.all.contains("reloaded"))
            #expect(server.log.waits(for: "reloaded"))
        }
    }

    @Test(arguments: [-1, 2])
    func `tells how long its certificate is still valid`(days: Int) async throws {
        let certificates = Certificates()
        await blocking { certificates.make(for: "first", days: days) }
        let files = TLSConfiguration(
            certificateFile: certificates.certificateFile,
            keyFile: certificates.keyFile
        )
        let seconds = try files.check().components.seconds
        #expect(abs(Int(seconds) - days * 86_400) < 3600)
    }

    @Test func `refuses unusable files, each by its name`() async throws {
        let certificates = Certificates()
        let others = Certificates()
        let encrypted = ["pkcs8", "traditional"].map { "\(certificates.folder)/\($0).pem" }
        let errors = await blocking {
            certificates.make(for: "first")
            others.make(for: "other")
            let encrypt = "openssl ec -in \(certificates.keyFile) -aes128 -passout pass:secret"
            _ = shell("\(encrypt) | openssl pkcs8 -topk8 -passin pass:secret -passout pass:secret -out \(encrypted[0])")
            _ = shell("\(encrypt) -out \(encrypted[1])")
            return [
                (certificates.certificateFile, "/nowhere/key.pem"),
                ("/nowhere/certificate.pem", certificates.keyFile),
                (certificates.certificateFile, others.keyFile),
                (certificates.certificateFile, certificates.certificateFile),
                (certificates.certificateFile, encrypted[0]),
                (certificates.certificateFile, encrypted[1]),
            ].map { certificateFile, keyFile in
                do {
                    let tls = TLSConfiguration(certificateFile: certificateFile, keyFile: keyFile)
                    _ = try TestServer.start(.default) { $0.tls = tls }
                    return "started"
                } catch {
                    return "\(error)"
                }
            }
        }
        #expect(errors[0] == "TLS key /nowhere/key.pem: No such file or directory")
        #expect(errors[1] == "TLS certificate /nowhere/certificate.pem: No such file or directory")
        #expect(errors[2] == "TLS key \(others.keyFile) does not belong to certificate \(certificates.certificateFile)")
        #expect(errors[3].hasPrefix("TLS key \(certificates.certificateFile): "))
        #expect(
            errors[4...] == encrypted.map { "TLS key \($0) is encrypted: store it without a passphrase" }[...]
        )
    }

    private func client(_ server: TestServer, _ options: String) -> String {
        "openssl s_client -connect 127.0.0.1:\(server.port) -ign_eof \(options)"
    }

    /// The common name in the server's certificate; OpenSSL prints "CN = name", newer ones "CN=name".
    private func subject(_ server: TestServer) -> String? {
        ask(server, "", "").firstMatch(of: /subject=CN ?= ?(\w+)/).map { String($0.1) }
    }

    private func ask(_ server: TestServer, _ request: String, _ options: String) -> String {
        let input = request.isEmpty ? "GET / HTTP/1.0\\r\\n\\r\\n" : request
        return shell("printf '\(input)' | \(client(server, options))")
    }
}

private func withSecureServer(
    _ poller: PollerKind,
    _ configure: (inout HTTPServerConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (TestServer, Certificates) throws -> Void
) async throws {
    let certificates = Certificates()
    await blocking { certificates.make(for: "first") }
    let tls = TLSConfiguration(certificateFile: certificates.certificateFile, keyFile: certificates.keyFile)
    try await withServer(
        poller,
        { configuration in
            configuration.tls = tls
            configure(&configuration)
        }
    ) { server in
        try body(server, certificates)
    }
}
