import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletFiles

@Suite(.needsDatabase, .hangLimit) struct LinkTests {
    private let own = "own/\(FilesServer.ada)"

    @Test func `a link gives the object to whoever has it`() async throws {
        try await FilesServer.with { files in
            _ = try await files.json(.post, "object/\(own)/a%20b", "mine", as: FilesServer.ada)
            let made = try await files.json(
                .post,
                "object/sign/\(own)/a%20b",
                #"{"expiresIn":"60"}"#,
                as: FilesServer.ada
            )
            let url = try #require(made["signedURL"]?.string)
            #expect(url.hasPrefix("/object/sign/\(own)/a b?token="))
            let target = String(url.dropFirst()).replacing(" ", with: "%20")
            let got = try await files.sendAnonymously(.get, target)
            #expect(got.text == "mine")
            #expect(got.headers["Expires"] != nil)
            #expect(got.headers[.cacheControl] == nil)
            #expect(try await files.sendAnonymously(.get, target + "&download=x").headers[.contentDisposition] != nil)
            #expect(try await files.sendAnonymously(.head, target).status == .ok)

            // For no other object, and with nothing changed.
            let token = try #require(url.split(separator: "=").last)
            for (target, fault) in [
                ("object/sign/\(own)/b?token=\(token)", "400 Invalid signature"),
                ("object/sign/\(own)/a%20b?token=\(token.dropLast(2))", "400 signature verification failed"),
                ("object/sign/\(own)/a%20b?token=x", "400 Invalid Compact JWS"),
                ("object/sign/\(own)/a%20b", "400 querystring must have required property 'token'"),
            ] {
                let response = try await files.sendAnonymously(.get, target)
                #expect(try FilesServer.fault(response) == fault)
            }
            // It signs in nobody, and uploads nothing.
            let login = try await files.application.send(
                .get,
                "/storage/v1/object/authenticated/\(own)/a%20b",
                token: String(token)
            )
            #expect(try FilesServer.fault(login).hasPrefix("403 "))
            let upload = try await files.sendAnonymously(.put, "object/upload/sign/\(own)/a%20b?token=\(token)", "x")
            #expect(try FilesServer.fault(upload) == "400 Token is not scoped for upload")

            let foreign = try await files.send(
                .post,
                "object/sign/\(own)/a%20b",
                #"{"expiresIn":60}"#,
                as: FilesServer.bob
            )
            #expect(try FilesServer.fault(foreign) == "404 Object not found")
            for body in ["{}", #"{"expiresIn":0}"#, #"{"expiresIn":"soon"}"#] {
                let response = try await files.send(.post, "object/sign/\(own)/a%20b", body, as: FilesServer.ada)
                #expect(try FilesServer.fault(response).hasPrefix("400 body"))
            }
        }
    }

    @Test func `signs many at once, in their order`() async throws {
        try await FilesServer.with { files in
            _ = try await files.json(.post, "object/\(own)/a", "a", as: FilesServer.ada)
            let body = #"{"expiresIn":60,"paths":["x/y","\#(FilesServer.ada)/a",".."]}"#
            let list = try await files.json(.post, "object/sign/own", body, as: FilesServer.ada)
            #expect(list.array?.map { $0["path"] } == ["x/y", .string("\(FilesServer.ada)/a"), ".."])
            #expect(list.array?.map { $0["error"]?.isNull } == [false, true, false])
            #expect(list.array?.map { $0["signedURL"]?.isNull } == [true, false, true])
            let url = try #require(list[1]?["signedURL"]?.string)
            #expect(try await files.sendAnonymously(.get, String(url.dropFirst())).text == "a")
            let hidden = try await files.json(.post, "object/sign/own", body, as: FilesServer.bob)
            #expect(hidden.array?.map { $0["error"]?.isNull } == [false, false, false])
        }
    }

    @Test func `reads links that Supabase has signed`() async throws {
        let issuer = try TokenIssuer(secret: Secret(TestApplication.secret))
        func link(_ claims: String) throws -> String { try issuer.issue(payload: Array(claims.utf8)) }
        try await FilesServer.with { files in
            _ = try await files.json(.post, "object/own/a", "a")
            for (claims, fault) in [
                (#"{"url":"own/a","scope":"download","exp":4000000000}"#, nil),
                (#"{"url":"own/a","exp":4000000000}"#, nil),
                (#"{"url":"own/a","upsert":false,"exp":4000000000}"#, "400 Token is not scoped for download"),
                (#"{"url":"own/a","exp":1700000000}"#, #"400 "exp" claim timestamp check failed"#),
                (#"{"url":"own/a"}"#, #"400 "exp" claim timestamp check failed"#),
                (#"{"sub":"\#(FilesServer.ada)","role":"authenticated","exp":4000000000}"#, "400 Invalid signature"),
            ] as [(String, String?)] {
                let response = try await files.sendAnonymously(.get, "object/sign/own/a?token=\(try link(claims))")
                #expect((fault == nil) == (response.status == .ok))
                if let fault { #expect(try FilesServer.fault(response) == fault) }
            }
        }
    }

    @Test func `a link for an upload makes the object in its maker's name`() async throws {
        try await FilesServer.with { files in
            let made = try await files.json(.post, "object/upload/sign/\(own)/a", "{}", as: FilesServer.ada)
            let url = try #require(made["url"]?.string)
            let token = try #require(made["token"]?.string)
            #expect(url == "/object/upload/sign/\(own)/a?token=\(token)")
            #expect(try files.application.count("storage.objects") == 0)
            let target = String(url.dropFirst())
            let body =
                UploadTests.part("cacheControl", "60") + UploadTests.part("", "hello", file: "a", type: "text/plain")
            let headers: KeyValuePairs<Headers.Name, String> = ["Content-Type": "multipart/form-data; boundary=B"]
            let put = try await files.sendAnonymously(.put, target, body + "--B--\r\n", headers)
            #expect(put.text == #"{"Key":"\#(own)/a"}"#)
            #expect(try await files.send(.get, "object/\(own)/a", as: FilesServer.ada).text == "hello")
            #expect(try files.application.count("storage.objects WHERE owner_id = '\(FilesServer.ada)'") == 1)
            // The header does not count, only what was asked when the link was made.
            let again = try await files.sendAnonymously(.put, target, "x", ["x-upsert": "true"])
            #expect(try FilesServer.fault(again) == "409 The resource already exists")
            let upsert = try await files.json(
                .post,
                "object/upload/sign/\(own)/a",
                "{}",
                as: FilesServer.ada,
                ["x-upsert": "true"]
            )
            let second = String(try #require(upsert["url"]?.string).dropFirst())
            #expect(try await files.sendAnonymously(.put, second, "new").status == .ok)
            #expect(try await files.send(.get, "object/\(own)/a", as: FilesServer.ada).text == "new")
            let foreign = try await files.send(.post, "object/upload/sign/\(own)/b", "{}", as: FilesServer.bob)
            #expect(try FilesServer.fault(foreign).hasPrefix("403 new row"))
            #expect(try FilesServer.fault(await files.send(.post, "object/upload/sign/\(own)/a")).hasPrefix("409 "))
        }
    }
}
