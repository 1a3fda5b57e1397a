import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletFiles

/// The official clients that are no program here, by what they send and what they can decode: supabase-swift and
/// storage-js, as anonymous, as a user, as another, and with the service key.
@Suite(.needsDatabase, .hangLimit) struct ClientWireTests {
    // What supabase-swift decodes: a property that is not optional must be there, and of this type.

    private struct SwiftBucket: Decodable {
        let id, name, owner: String
        let isPublic: Bool
        let createdAt, updatedAt: Date

        enum CodingKeys: String, CodingKey {
            case id, name, owner
            case isPublic = "public"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }

    private struct SwiftUpload: Decodable {
        let Key: String
        let Id: UUID
    }

    private struct SwiftCopy: Decodable { let Key: String }

    private struct SwiftError: Decodable {
        let statusCode: String?
        let message: String
        let error: String?
    }

    private struct SwiftInfo: Decodable {
        let id, version, name: String
        let size: Int?
        let metadata: [String: String]?
    }

    private struct SwiftFile: Decodable {
        let name: String
        let id: UUID?
        let createdAt: Date?
        let metadata: [String: Metadata]?

        enum CodingKeys: String, CodingKey {
            case name, id, metadata
            case createdAt = "created_at"
        }
    }

    private enum Metadata: Decodable {
        case text(String), number(Int)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }
    }

    private struct SwiftLink: Decodable { let signedURL: String }

    private struct SwiftUploadLink: Decodable { let url: String }

    private func decode<Value: Decodable>(_ response: Response, as: Value.Type = Value.self) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
            return try style.parse(text)
        }
        return try decoder.decode(Value.self, from: Data(response.body))
    }

    private static let own = "own/\(FilesServer.ada)"

    /// As supabase-swift makes it: the field of the file has an empty name, and numbers come as text.
    private static func form(_ text: String) -> String {
        UploadTests.part("cacheControl", "3600") + UploadTests.part("metadata", #"{"k":"v"}"#)
            + UploadTests.part("", text, file: "a.txt", type: "text/plain") + "--B--\r\n"
    }

    private static let formHeaders: KeyValuePairs<Headers.Name, String> = [
        "Content-Type": "multipart/form-data; boundary=B", "Cache-Control": "max-age=3600", "x-upsert": "false",
        "duplex": "half", "X-Client-Info": "storage-swift/2.55.1",
    ]

    @Test func `supabase-swift decodes what it asks for`() async throws {
        try await FilesServer.with { files in
            let ada = FilesServer.ada
            for bucket in try decode(await files.send(.get, "bucket"), as: [SwiftBucket].self) {
                #expect(bucket.owner == "" && bucket.id == bucket.name)
            }
            _ = try decode(await files.send(.get, "bucket/own"), as: SwiftBucket.self)
            let made = try decode(
                await files.send(.post, "object/\(Self.own)/a.txt", Self.form("hello"), as: ada, Self.formHeaders),
                as: SwiftUpload.self
            )
            #expect(made.Key == "\(Self.own)/a.txt")
            // PUT, without `x-upsert`.
            let replaced = try await files.send(
                .put,
                "object/\(Self.own)/a.txt",
                Self.form("again"),
                as: ada,
                ["Content-Type": "multipart/form-data; boundary=B", "Cache-Control": "max-age=3600"]
            )
            #expect(try decode(replaced, as: SwiftUpload.self).Id == made.Id)
            let info = try decode(await files.send(.get, "object/info/\(Self.own)/a.txt", as: ada), as: SwiftInfo.self)
            #expect(info.size == 5 && info.metadata == ["k": "v"])
            // `null` where it has nothing to say.
            let names = #""bucketId":"own","sourceKey":"\#(ada)/a.txt","destinationBucket":null"#
            let copied = try await files.send(
                .post,
                "object/copy",
                #"{\#(names),"destinationKey":"\#(ada)/b.txt"}"#,
                as: ada
            )
            #expect(try decode(copied, as: SwiftCopy.self).Key == "\(Self.own)/b.txt")
            let moved = #"{\#(names),"destinationKey":"\#(ada)/c/d.txt"}"#
            #expect(try await files.send(.post, "object/move", moved, as: ada).status == .ok)
            let list = try decode(
                await files.send(
                    .post,
                    "object/list/own",
                    #"{"prefix":"\#(ada)","limit":100,"offset":0,"sortBy":{"column":"name","order":"asc"},"search":null}"#,
                    as: ada
                ),
                as: [SwiftFile].self
            )
            #expect(list.map(\.name) == ["b.txt", "c"])
            #expect(list.map { $0.id == nil } == [false, true])
            let link = try decode(
                await files.send(
                    .post,
                    "object/sign/\(Self.own)/b.txt",
                    #"{"expiresIn":60,"transform":null}"#,
                    as: ada
                ),
                as: SwiftLink.self
            )
            #expect(link.signedURL.contains("token="))
            let upload = try decode(
                await files.send(.post, "object/upload/sign/\(Self.own)/e.txt", "", as: ada),
                as: SwiftUploadLink.self
            )
            #expect(URLComponents(string: upload.url)?.queryItems?.first { $0.name == "token" }?.value != nil)
            // `exists`: 400 and 404 are false, 401 and 403 are errors.
            for subject in [ada, FilesServer.bob] {
                let head = try await files.send(.head, "object/\(Self.own)/none", as: subject)
                #expect(head.status == .notFound && head.body.isEmpty)
            }
            // Whom it does not concern: errors that it can read.
            for refused in [
                try await files.send(.get, "object/\(Self.own)/b.txt", as: FilesServer.bob),
                try await files.send(
                    .post,
                    "object/\(Self.own)/f",
                    Self.form("x"),
                    as: FilesServer.bob,
                    Self.formHeaders
                ),
                try await files.sendAnonymously(.get, "object/\(Self.own)/b.txt"),
                try await files.sendAnonymously(.post, "object/\(Self.own)/f", Self.form("x"), Self.formHeaders),
            ] {
                #expect(refused.status == .badRequest)
                let error = try decode(refused, as: SwiftError.self)
                #expect(error.statusCode.flatMap { Int($0) } != nil && !error.message.isEmpty && error.error != nil)
            }
            let removed = try decode(
                await files.send(.delete, "object/own", #"{"prefixes":["\#(ada)/b.txt"]}"#, as: ada),
                as: [SwiftFile].self
            )
            #expect(removed.map(\.name) == ["\(ada)/b.txt"])
        }
    }

    @Test func `storage-js is understood, and understands`() async throws {
        try await FilesServer.with { files in
            let ada = FilesServer.ada
            // Text, bytes and streams go as they are, a Blob as a form whose file has no name.
            let raw: KeyValuePairs<Headers.Name, String> = [
                "Content-Type": "text/plain;charset=UTF-8", "Cache-Control": "max-age=3600", "x-upsert": "false",
                "x-metadata": "eyJrIjoidiJ9",
            ]
            let made = try await files.json(.post, "object/\(Self.own)/a.txt", "hello", as: ada, raw)
            #expect(made["Key"] == .string("\(Self.own)/a.txt") && made["Id"]?.string != nil)
            let blob =
                UploadTests.part("cacheControl", "3600") + UploadTests.part("", "blob", file: "blob", type: "image/png")
            let sent = try await files.json(
                .post,
                "object/\(Self.own)/b%20c.png",
                blob + "--B--\r\n",
                as: ada,
                ["Content-Type": "multipart/form-data; boundary=B", "x-upsert": "true"]
            )
            #expect(sent["Key"] == .string("\(Self.own)/b c.png"))
            // `new URL(base + data.signedURL)` must be one, and must lead there.
            let signed = try await files.json(.post, "object/sign/\(Self.own)/b%20c.png", #"{"expiresIn":60}"#, as: ada)
            let text = "http://x/storage/v1" + (signed["signedURL"]?.string ?? "")
            let url = try #require(URL(string: text, encodingInvalidCharacters: true))
            let target = String(url.absoluteString.dropFirst("http://x/storage/v1/".count))
            #expect(try await files.sendAnonymously(.get, target).text == "blob")
            let upload = try await files.json(.post, "object/upload/sign/\(Self.own)/d", "{}", as: ada)
            let place = try #require(URL(string: "http://x/storage/v1" + (upload["url"]?.string ?? "")))
            #expect(place.query()?.hasPrefix("token=") == true)
            let put = String(place.absoluteString.dropFirst("http://x/storage/v1/".count))
            #expect(try await files.sendAnonymously(.put, put, "linked", raw).status == .ok)
            let many = try await files.json(
                .post,
                "object/sign/own",
                #"{"expiresIn":60,"paths":["\#(ada)/d","none"]}"#,
                as: ada
            )
            #expect(many.array?.map { $0["signedURL"]?.isNull } == [false, true])
            let page = try await files.json(
                .post,
                "object/list-v2/own",
                #"{"prefix":"\#(ada)/","with_delimiter":true,"limit":2}"#,
                as: ada
            )
            #expect(page["hasNext"] == true && page["objects"]?.array?.count == 2)
            #expect(page["objects"]?[0]?["metadata"]?.object != nil && page["objects"]?[0]?["key"] == "a.txt")
            // What it sends where it has nothing to send.
            _ = try await files.json(.post, "bucket", #"{"id":"js","name":"js","public":false}"#)
            _ = try await files.json(.post, "bucket/js/empty", "{}")
            _ = try await files.json(.delete, "bucket/js", "{}")
            #expect(
                try await files.json(.delete, "object/own", #"{"prefixes":["\#(ada)/d"]}"#, as: ada).array?.count == 1
            )
            for refused in [
                try await files.send(.get, "object/\(Self.own)/a.txt", as: FilesServer.bob),
                try await files.send(.post, "bucket", #"{"id":"mine","name":"mine"}"#, as: ada),
                try await files.sendAnonymously(.get, "object/public/\(Self.own)/a.txt"),
            ] {
                let error = try JSONParser.parse(refused.body)
                #expect(error["message"]?.string != nil && error["error"]?.string != nil)
                #expect(error["statusCode"]?.string.flatMap { Int($0) } != nil)
            }
        }
    }
}
