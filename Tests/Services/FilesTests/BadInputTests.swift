import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletFiles

/// What a client may get wrong, or wants to.
@Suite(.needsDatabase, .hangLimit) struct BadInputTests {
    /// A body that ends before its length, one that goes on behind it, and chunks without an end; as it is and as a form.
    @Test(arguments: [
        "Content-Length: 100\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello, and more\r\n0\r\n\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", "Content-Length: -5\r\n\r\nhello",
        "Content-Length: 99999999999999999999\r\n\r\nhello",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ])
    func `an upload that lies about its length stores nothing`(rest: String) async throws {
        for type in ["text/plain", "multipart/form-data; boundary=B"] {
            try await FilesServer.with { files in
                try await files.withPort { port in
                    let client = try SocketClient(port: port)
                    let token = try FilesServer.token(role: "service_role")
                    let head =
                        "POST /storage/v1/object/pictures/a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
                    try client.send("\(head)Content-Type: \(type)\r\n\(rest)")
                    client.finishSending()
                    let answer = try await blocking { Result { try client.rest() } }.get()
                    #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"), "\(answer)")
                }
                #expect(try files.application.count("storage.objects") == 0)
                let isTidy = try await eventually { files.files.isEmpty }
                #expect(isTidy, "\(files.files)")
            }
        }
    }

    /// What comes behind the length is another request, and a bad one.
    @Test func `of a body that is longer than it says, the length counts`() async throws {
        try await FilesServer.with { files in
            try await files.withPort { port in
                let client = try SocketClient(port: port)
                let token = try FilesServer.token(role: "service_role")
                try client.send(
                    """
                    POST /storage/v1/object/pictures/a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r
                    Content-Length: 5\r\n\r\nhello and more\r\n\r\n
                    """
                )
                let text = try await blocking { Result { try client.rest() } }.get()
                #expect(text.hasPrefix("HTTP/1.1 200 "))
                #expect(text.contains("HTTP/1.1 400 "))
            }
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/a").text == "hello")
        }
    }

    /// A body that does not say how long it is.
    @Test func `a body without a length is held to the limits`() async throws {
        try await FilesServer.with(maximumBytes: 100_000) { files in
            try await files.withPort { port in
                for (path, size, status) in [
                    ("pictures/a", 100_000, 200), ("pictures/b", 100_001, 400), ("small/c", 11, 400),
                ] {
                    let client = try SocketClient(port: port)
                    let token = try FilesServer.token(role: "service_role")
                    let body = String(repeating: "x", count: size)
                    client.sendInBackground(
                        """
                        POST /storage/v1/object/\(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r
                        Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r
                        \(String(size, radix: 16))\r\n\(body)\r\n0\r\n\r\n
                        """
                    )
                    let reply = try await blocking { Result { try client.reply() } }.get()
                    #expect(reply.status == status, "\(path): \(reply.body)")
                    if status == 400 { #expect(reply.body.contains("exceeded the maximum allowed size")) }
                }
            }
            #expect(files.files.count == 1)
        }
    }

    /// In a path, it makes no request (RFC 3986 §7.3); elsewhere, no name.
    @Test func `a name with NUL is none`() async throws {
        try await FilesServer.with { files in
            for path in ["a%00b", "%00", "a%00.png"] {
                await #expect(throws: ParseError.self) { try await files.send(.post, "object/pictures/\(path)", "x") }
            }
            let upload = try await files.begin("pictures", "a\0b", length: 1, content: "x")
            #expect(upload.made.status == .badRequest)
            let link = try await files.send(.post, "object/sign/pictures", #"{"expiresIn":60,"paths":["a\u0000b"]}"#)
            #expect(try JSONParser.parse(link.body)[0]?["signedURL"]?.isNull == true)
            let removal = try await files.json(.delete, "object/pictures", #"{"prefixes":["a\u0000b"]}"#)
            #expect(removal.array?.isEmpty == true)
            for body in [#"{"prefix":"a\u0000"}"#, #"{"prefix":"","search":"a\u0000"}"#] {
                let list = try await files.send(.post, "object/list/pictures", body)
                #expect(list.status == .badRequest || list.text == "[]", "\(list.text)")
            }
            #expect(try files.application.count("storage.objects") == 0)
            #expect(files.files.isEmpty)
        }
    }

    @Test(arguments: ["%2e%2e%2fa", "..%2fa", "%2e%2e", "a/..%2f..%2fb", "a%2F%2e%2E%2Fb", "%2e/a"])
    func `a name with a way out is none`(path: String) async throws {
        try await FilesServer.with { files in
            for method in [.post, .put, .get, .delete] as [SwiftletHTTP.Method] {
                let response = try await files.send(method, "object/pictures/\(path)", method == .get ? "" : "x")
                #expect(response.status == .badRequest || response.status == .notFound, "\(method) \(path)")
            }
            let move = #"{"bucketId":"pictures","sourceKey":"a","destinationKey":"../a\u0000"}"#
            for route in ["move", "copy"] {
                #expect(try await files.send(.post, "object/\(route)", move).status == .badRequest)
            }
            #expect(try files.application.count("storage.objects") == 0)
            #expect(files.files.isEmpty)
        }
    }

    @Test func `a hundred thousand prefixes are refused, and nothing is deleted`() async throws {
        try await FilesServer.with { files in
            _ = try await files.json(.post, "object/pictures/n1", "x")
            let names = (0..<100_000).map { "\"n\($0)\"" }.joined(separator: ",")
            let removal = try await files.send(.delete, "object/pictures", #"{"prefixes":[\#(names)]}"#)
            #expect(removal.status == .badRequest)
            #expect(try FilesServer.fault(removal).contains("body"))
            let links = try await files.send(
                .post,
                "object/sign/pictures",
                #"{"expiresIn":60,"paths":[\#(names)]}"#
            )
            #expect(try FilesServer.fault(links).hasPrefix("4"))
            #expect(try files.application.count("storage.objects") == 1)
        }
    }

    /// Each says who somebody is, but not here, not now, or not for this.
    @Test func `tokens of another scope, another time or another key open nothing`() async throws {
        try await FilesServer.with { files in
            _ = try await files.json(.post, "object/own/\(FilesServer.ada)/a", "mine")
            let path = "/storage/v1/object/authenticated/own/\(FilesServer.ada)/a"
            func get(_ token: String) async throws -> Response {
                try await files.application.send(.get, path, token: token)
            }
            #expect(try await get(FilesServer.token(FilesServer.ada)).text == "mine")
            let name = "own/\(FilesServer.ada)/a"
            let claims = #""sub":"\#(FilesServer.ada)","role":"authenticated","iat":1700000000"#
            for (payload, secret) in [
                (#"{\#(claims),"exp":1700000001}"#, TestApplication.secret),
                (#"{\#(claims),"nbf":4000000000,"exp":4000000001}"#, TestApplication.secret),
                (#"{\#(claims),"exp":4000000000}"#, "another secret of at least 32 bytes"),
                (#"{\#(claims),"url":"\#(name)","scope":"download","exp":4000000000}"#, TestApplication.secret),
                (#"{\#(claims),"url":"\#(name)","scope":"upload","exp":4000000000}"#, TestApplication.secret),
                (#"{"sub":"\#(FilesServer.bob)","role":"authenticated","exp":4000000000}"#, TestApplication.secret),
                (#"{"role":"nobody","exp":4000000000}"#, TestApplication.secret),
                (#"{"role":"anon","exp":4000000000}"#, TestApplication.secret),
            ] {
                let token = try FilesServer.token(payload: payload, secret: secret)
                let response = try await get(token)
                #expect(response.status == .badRequest, "\(payload): \(response.text)")
                #expect(["403", "404", "400"].contains(try FilesServer.fault(response).prefix(3)), "\(payload)")
            }
        }
    }

    /// Who may do all in one bucket may do nothing in another, by whichever route.
    @Test func `policies of one bucket open no other`() async throws {
        let other = """
            INSERT INTO storage.buckets (id, name) VALUES ('other', 'other');
            CREATE POLICY everything ON storage.objects TO authenticated USING (bucket_id = 'other')
            """
        try await FilesServer.with(sql: other) { files in
            _ = try await files.json(.post, "object/own/\(FilesServer.ada)/a", "mine", as: FilesServer.ada)
            _ = try await files.json(.post, "object/other/b", "other", as: FilesServer.bob)
            let path = "own/\(FilesServer.ada)/a"
            func move(_ from: (String, String), _ to: (String, String)) -> String {
                #"{"bucketId":"\#(from.0)","sourceKey":"\#(from.1)","destinationBucket":"\#(to.0)","destinationKey":"\#(to.1)"}"#
            }
            let (mine, others) = (("own", "\(FilesServer.ada)/a"), ("other", "b"))
            for (method, route, body) in [
                (.get, "object/\(path)", ""), (.get, "object/info/\(path)", ""), (.delete, "object/\(path)", ""),
                (.put, "object/\(path)", "x"), (.post, "object/own/b", "x"),
                (.post, "object/sign/\(path)", #"{"expiresIn":60}"#), (.post, "object/upload/sign/own/c", "{}"),
                (.post, "object/move", move(mine, ("other", "c"))), (.post, "object/copy", move(mine, ("other", "c"))),
                (.post, "object/move", move(others, ("own", "c"))), (.post, "object/copy", move(others, ("own", "c"))),
                (.get, "render/image/authenticated/\(path)", ""),
            ] as [(SwiftletHTTP.Method, String, String)] {
                let response = try await files.send(method, route, body, as: FilesServer.bob)
                #expect(response.status == .badRequest, "\(method) \(route): \(response.text)")
            }
            let removed = try await files.json(
                .delete,
                "object/own",
                #"{"prefixes":["\#(FilesServer.ada)/a"]}"#,
                as: FilesServer.bob
            )
            #expect(removed.array?.isEmpty == true)
            let list = try await files.json(.post, "object/list/own", #"{"prefix":""}"#, as: FilesServer.bob)
            #expect(list.array?.isEmpty == true)
            #expect(try await files.send(.get, "object/\(path)", as: FilesServer.ada).text == "mine")
            #expect(try await files.send(.get, "object/other/b", as: FilesServer.bob).text == "other")
            #expect(try files.application.count("storage.objects") == 2)
        }
    }
}
