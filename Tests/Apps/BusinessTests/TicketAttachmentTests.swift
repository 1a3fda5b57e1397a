import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletStorage
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct TicketAttachmentTests {
    private static let photo = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
    private static let jpeg: [(Headers.Name, String)] = [(.contentType, "image/jpeg")]

    /// A ticket of alice's, and the path of its attachments.
    private func withTicket(
        storage: ObjectStorage? = nil,
        _ body: (Shop, _ path: String) async throws -> Void
    ) async throws {
        try await Shop.with(storage: storage) { shop in
            let id = try await shop.alice.make("/service-tickets", #"{"title":"Jam"}"#)
            try await body(shop, "/service-tickets/\(id)/attachments")
        }
    }

    private func expectNothing(in shop: Shop) throws {
        #expect(shop.server.files == [])
        #expect(try shop.count("service_ticket_attachments") == 0)
    }

    @Test func `files of a form are kept, listed, read and deleted`() async throws {
        try await withTicket { shop, path in
            try shop.server.execute(
                "INSERT INTO users (id, tenant_id, email, first_name, last_name) VALUES ('alice', 'tenant-a', 'a@a', 'A', 'Lice')"
            )
            var form = AttachedForm()
            form.add(field: "comment", "two files")
            form.add(file: "C:\\photos\\Größe ✓.JPG", "image/jpeg", Self.photo)
            form.add(file: "note.txt", "text/plain; charset=utf-8", Array("Grüße\r\n--\r\n".utf8))
            form.end()
            let made = try await shop.alice.send(.post, path, bytes: form.bytes, headers: AttachedForm.headers)
            #expect(made.status == .created, "\(made.text)")
            #expect(try JSONParser.parse(made.body)["total"] == 2)
            let list = try await shop.alice.json(.get, path)
            #expect(list["total"] == 2)
            let rows = list["data"]?.array ?? []
            let row = try #require(rows.first { $0["file_name"] == "Größe ✓.JPG" })
            #expect(row["content_type"] == "image/jpeg")
            #expect(row["size"] == 300_000)
            #expect(row["uploaded_by"] == "alice")
            #expect(row["uploaded_by_name"] == "A Lice")
            #expect(row["storage_key"] == nil)
            #expect(row["created_at"] != nil)
            let id = try #require(row["id"]?.string)
            let read = try await shop.alice.send(.get, "\(path)/\(id)")
            #expect(read.status == .ok)
            #expect(read.body == Self.photo)
            #expect(read.headers[.contentType] == "image/jpeg")
            #expect(read.headers[.etag] == "\"\(id)\"")
            #expect(
                read.headers[.contentDisposition]
                    == "attachment; filename=\"Gr__e _.JPG\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E2%9C%93.JPG"
            )
            #expect(read.headers[.xContentTypeOptions] == "nosniff")
            #expect(shop.server.files.count == 2)
            for _ in 0..<2 { #expect(try await shop.alice.send(.delete, "\(path)/\(id)").status == .ok) }
            #expect(try await shop.alice.send(.get, "\(path)/\(id)").status == .notFound)
            #expect(try await shop.alice.json(.get, path)["total"] == 1)
            #expect(shop.server.files.count == 1)
        }
    }

    @Test func `a file whose row goes with its ticket, its tenant or by hand is noted for removal`() async throws {
        try await withTicket { shop, path in
            for name in ["a", "b", "c"] {
                let made = try await shop.alice.send(
                    .post,
                    "\(path)?filename=\(name)",
                    bytes: [1, 2],
                    headers: Self.jpeg
                )
                #expect(made.status == .created, "\(made.text)")
            }
            #expect(try shop.count("swiftlet.unkept_files") == 0)
            try shop.server.execute("DELETE FROM service_ticket_attachments WHERE file_name = 'a'")
            #expect(try shop.count("swiftlet.unkept_files") == 1)
            try shop.server.execute("DELETE FROM service_tickets")
            #expect(try shop.count("service_ticket_attachments") == 0)
            #expect(try shop.count("swiftlet.unkept_files") == 3)
            // They are due at once: whoever removes them waits for those who read them.
            #expect(try shop.count("swiftlet.unkept_files WHERE due > clock_timestamp()") == 0)
            #expect(shop.server.files.count == 3)
        }
    }

    @Test func `a body is a file of its own, named by a field or the query`() async throws {
        try await withTicket { shop, path in
            let named = Self.jpeg + [(.contentDisposition, "attachment; filename=\"x\"; filename*=UTF-8''%C3%BC.jpg")]
            for (target, headers, name) in [
                (path, named, "ü.jpg"), ("\(path)?filename=..%2F..%2Fetc%2Fpasswd", Self.jpeg, "passwd"),
                (path, Self.jpeg, "file"),
            ] {
                let made = try await shop.alice.send(.post, target, bytes: Self.photo, headers: headers)
                #expect(made.status == .created, "\(made.text)")
                let row = try JSONParser.parse(made.body)
                #expect(row["file_name"] == .string(name))
                #expect(row["size"] == 300_000)
                let id = try #require(row["id"]?.string)
                #expect(try await shop.alice.send(.get, "\(path)/\(id)").body == Self.photo)
            }
        }
    }

    @Test(arguments: [
        ("bytes=0-0", 206, 0..<1), ("bytes=100000-199999", 206, 100_000..<200_000),
        ("bytes=-5", 206, 299_995..<300_000),
        ("bytes=299999-", 206, 299_999..<300_000), ("bytes=5-999999999", 206, 5..<300_000),
        ("bytes=300000-", 416, 0..<0), ("bytes=-0", 416, 0..<0), ("bytes=5-4", 200, 0..<300_000),
        ("bytes=0-1,3-4", 200, 0..<300_000), ("lines=0-1", 200, 0..<300_000), ("bytes=x-y", 200, 0..<300_000),
        ("bytes=-99999999999999999999", 200, 0..<300_000), ("bytes=-400000", 206, 0..<300_000),
    ])
    func `a part of a file is sent on demand`(range: String, status: Int, bytes: Range<Int>) async throws {
        try await withTicket { shop, path in
            let made = try await shop.alice.send(.post, path, bytes: Self.photo, headers: Self.jpeg)
            let id = try #require(JSONParser.parse(made.body)["id"]?.string)
            let file = "\(path)/\(id)"
            let read = try await shop.alice.send(.get, file, headers: [("Range", range)])
            #expect(read.status.rawValue == status)
            #expect(read.body == Array(Self.photo[bytes]))
            let place = status == 206 ? "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/300000" : "bytes */300000"
            #expect(read.headers[.contentRange] == (status == 200 ? nil : place))
            let other = try await shop.alice.send(.get, file, headers: [("Range", range), ("If-Range", "\"old\"")])
            #expect(other.status == .ok)
            #expect(other.body.count == 300_000)
            let same = try await shop.alice.send(.get, file, headers: [("If-None-Match", "\"x\", W/\"\(id)\"")])
            #expect(same.status == .notModified)
            #expect(same.body.isEmpty)
        }
    }

    @Test func `what is no file, or not one that is accepted, leaves nothing`() async throws {
        try await withTicket { shop, path in
            var good = AttachedForm()
            good.add(file: "a.png", "image/png", [1, 2, 3])
            var empty = good
            empty.add(file: "b.png", "image/png", [])
            empty.end()
            var script = good
            script.add(file: "b.sh", "application/x-sh", [1])
            script.end()
            var fields = AttachedForm()
            fields.add(field: "file", "no file")
            fields.end()
            let form = AttachedForm.headers
            let cases: [([UInt8], [(Headers.Name, String)], Int, String)] = [
                (good.bytes, form, 400, "INVALID_MULTIPART"), (empty.bytes, form, 400, "VALIDATION_ERROR"),
                (script.bytes, form, 415, "UNSUPPORTED_MEDIA_TYPE"), (fields.bytes, form, 400, "VALIDATION_ERROR"),
                ([], form, 400, "INVALID_MULTIPART"),
                (good.bytes + Array("------aBcX".utf8), form, 400, "INVALID_MULTIPART"),
                (good.bytes, [(.contentType, "multipart/form-data")], 400, "INVALID_MULTIPART"),
                ([], Self.jpeg, 400, "VALIDATION_ERROR"), ([1], [], 415, "UNSUPPORTED_MEDIA_TYPE"),
                ([1], [(.contentType, "application/json")], 415, "UNSUPPORTED_MEDIA_TYPE"),
                ([1], [(.contentType, "application/x-msdownload")], 415, "UNSUPPORTED_MEDIA_TYPE"),
                ([1], [(.contentType, "image")], 415, "UNSUPPORTED_MEDIA_TYPE"),
                ([1], Self.jpeg + [("Content-Encoding", "gzip")], 415, "UNSUPPORTED_MEDIA_TYPE"),
            ]
            for (bytes, headers, status, code) in cases {
                let answer = try await shop.alice.send(.post, path, bytes: bytes, headers: headers)
                #expect(answer.status.rawValue == status, "\(headers): \(answer.text)")
                #expect(try JSONParser.parse(answer.body)["code"] == .string(code), "\(answer.text)")
            }
            try expectNothing(in: shop)
        }
    }

    @Test(arguments: ["..", "", "\u{202E}", "a/", "x\r\nSet-Cookie: a=b", "%00", String(repeating: "ä", count: 400)])
    func `no name leads elsewhere or into a header`(name: String) async throws {
        try await withTicket { shop, path in
            let target = "\(path)?filename=\(PercentCoding.encode(name))"
            let made = try await shop.alice.send(.post, target, bytes: [1], headers: Self.jpeg)
            #expect(made.status == .created, "\(made.text)")
            let row = try JSONParser.parse(made.body)
            let stored = try #require(row["file_name"]?.string)
            #expect(FileName(stored)?.text == stored)
            #expect(stored.utf8.count <= 255)
            let read = try await shop.alice.send(.get, "\(path)/\(row["id"]?.string ?? "")")
            #expect(read.status == .ok)
            #expect(read.headers["Set-Cookie"] == nil)
            #expect(shop.server.files.allSatisfy { $0.hasPrefix("t-tenant-a/service-tickets/") })
        }
    }

    @Test func `a batch that is undone leaves the files that it deleted`() async throws {
        try await withTicket { shop, path in
            let made = try await shop.alice.send(.post, path, bytes: Self.photo, headers: Self.jpeg)
            let file = "\(path)/\(try JSONParser.parse(made.body)["id"]?.string ?? "")"
            for deleted in [file, String(path.dropLast(12))] {
                let calls =
                    #"[{"method":"DELETE","path":"\#(deleted)"},{"method":"GET","path":"/service-tickets/none"}]"#
                let undone = try await shop.alice.send(.post, "/batch", #"{"transaction":true,"requests":\#(calls)}"#)
                #expect(undone.status == .notFound, "\(undone.text)")
                #expect(undone.text.contains("BATCH_UNDONE"))
                #expect(try await shop.alice.send(.get, file).body == Self.photo)
            }
        }
    }

    @Test func `another tenant neither sees nor touches a ticket's files`() async throws {
        try await withTicket { shop, path in
            let made = try await shop.alice.send(.post, path, bytes: Self.photo, headers: Self.jpeg)
            let id = try JSONParser.parse(made.body)["id"]?.string ?? ""
            let own = try await shop.bob.make("/service-tickets", #"{"title":"Own"}"#)
            for target in [path, "/service-tickets/none/attachments"] {
                #expect(try await shop.bob.send(.post, target, bytes: [1], headers: Self.jpeg).status == .notFound)
                #expect(try await shop.bob.send(.get, target).status == .notFound)
                #expect(try await shop.bob.send(.get, "\(target)/\(id)").status == .notFound)
                #expect(try await shop.bob.send(.delete, "\(target)/\(id)").status == .ok)
            }
            #expect(try await shop.bob.send(.get, "/service-tickets/\(own)/attachments/\(id)").status == .notFound)
            #expect(try await shop.bob.send(.delete, "/service-tickets/\(own)/attachments/\(id)").status == .ok)
            #expect(try await shop.bob.send(.delete, String(path.dropLast(12))).status == .ok)
            #expect(try await shop.alice.send(.get, "\(path)/\(id)").body == Self.photo)
            #expect(shop.server.files.count == 1)
            #expect(try await shop.alice.send(.patch, "\(path)/\(id)", "{}").status == .methodNotAllowed)
            #expect(try await shop.alice.send(.get, "\(path)/\(id)/more").status == .notFound)
        }
    }

    @Test func `a ticket takes its files along, however many come meanwhile`() async throws {
        try await withTicket { shop, path in
            let ticket = String(path.dropLast("/attachments".count))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        if number == 6 {
                            #expect(try await shop.alice.send(.delete, ticket).status == .ok)
                        } else {
                            let answer = try await shop.alice.send(.post, path, bytes: Self.photo, headers: Self.jpeg)
                            let expected: [Status] = [.created, .notFound, .conflict]
                            #expect(expected.contains(answer.status), "\(answer.text)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            try expectNothing(in: shop)
            #expect(try await shop.alice.send(.delete, ticket).status == .ok)
        }
    }

    @Test func `a file beyond the limit is refused, and nothing of it remains`() async throws {
        let folder = "\(FileManager.default.temporaryDirectory.path)/swiftlet-small-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let storage = ObjectStorage(LocalFolder(path: folder), maximumBytes: 299_999)
        try await withTicket(storage: storage) { shop, path in
            let large = try await shop.alice.send(.post, path, bytes: Self.photo, headers: Self.jpeg)
            #expect(large.status == .contentTooLarge)
            let fitting = try await shop.alice.send(
                .post,
                path,
                bytes: Array(Self.photo.dropLast()),
                headers: Self.jpeg
            )
            #expect(fitting.status == .created)
            #expect(try shop.count("service_ticket_attachments") == 1)
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
            #expect(files.count { $0.split(separator: "/").count == 3 } == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/.incoming").isEmpty)
        }
    }

    @Test func `a storage that fails is a 503, and no row is made`() async throws {
        try await withTicket(storage: ObjectStorage(LocalFolder(path: "/dev/null/files"))) { shop, path in
            let answer = try await shop.alice.send(.post, path, bytes: [1], headers: Self.jpeg)
            #expect(answer.status == .serviceUnavailable)
            #expect(try JSONParser.parse(answer.body)["code"] == "STORAGE_UNAVAILABLE")
            #expect(!answer.text.contains("null"))
            #expect(try shop.count("service_ticket_attachments") == 0)
        }
    }
}
