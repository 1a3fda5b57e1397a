import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletFiles

/// A Supabase database with its own storage schema and its folder of files serves as it is.
@Suite(.needsDatabase, .hangLimit) struct SupabaseSchemaTests {
    @Test func `what is there is left as it is, and what is added has a name of ours`() throws {
        let url = try SupabaseSchema.create()
        let before = try SupabaseSchema.description(url)
        try SupabaseSchema.migrate(url)
        let after = try SupabaseSchema.description(url)
        let changed = before.filter { !after.contains($0) }
        #expect(changed == [])
        for added in after where !before.contains(added) {
            let names = added.prefix(3).compactMap(\.self).joined(separator: " ")
            let isOurs = ["swiftlet_", "function extension", "function search", "function can_insert", "function get_"]
                .contains { names.contains($0) }
            #expect(isOurs || names.hasPrefix("function "), "\(names)")
        }
        // Again, as a later version does.
        try SupabaseSchema.migrate(url)
        #expect(try SupabaseSchema.description(url) == after)
    }

    @Test func `its rows, files, policies, functions and triggers go on`() async throws {
        let folder = "\(FileManager.default.temporaryDirectory.path)/swiftlet-supabase-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let name = "\(FilesServer.ada)/\(SupabaseSchema.object)"
        let place = FilesServer.Place(url: try SupabaseSchema.create(), folder: "\(folder)/ours")
        try FileManager.default.createDirectory(
            atPath: "\(folder)/stub/pictures/\(name)",
            withIntermediateDirectories: true
        )
        let file = "\(folder)/stub/pictures/\(name)/\(SupabaseSchema.version)"
        try Data("hello".utf8).write(to: URL(filePath: file))
        try SupabaseSchema.migrate(place.url)
        try await FilesServer.with(place: place) {
            $0.supabasePath = "\(folder)/stub"
        } _: { files in
            let path = "object/pictures/\(name.replacing(" ", with: "%20"))"
            #expect(try await files.send(.get, path, as: FilesServer.ada).text == "hello")
            #expect(try await files.send(.get, path).text == "hello")
            for stranger in [FilesServer.bob] {
                let refused = try await files.send(.get, path, as: stranger)
                #expect(try FilesServer.fault(refused) == "404 Object not found")
            }
            #expect(try FilesServer.fault(await files.sendAnonymously(.get, path)) == "404 Bucket not found")
            // New ones run the app's trigger, which reads what Supabase's functions say.
            _ = try await files.json(.post, "object/pictures/\(FilesServer.ada)/new.txt", "new", as: FilesServer.ada)
            let written = try BlockingConnection.connect(to: place.url).query("TABLE public.written")
            #expect(written == [["new.txt", FilesServer.ada, "storage.object.upload"]])
            let list = try await files.json(
                .post,
                "object/list/pictures",
                #"{"prefix":"\#(FilesServer.ada)"}"#,
                as: FilesServer.ada
            )
            #expect(list.array?.map { $0["name"]?.string } == ["new.txt", SupabaseSchema.object])
            let empty = try await files.json(
                .post,
                "object/list/pictures",
                #"{"prefix":"\#(FilesServer.ada)"}"#,
                as: FilesServer.bob
            )
            #expect(empty.array?.isEmpty == true)
            // A policy that tells a list from a download.
            _ = try await files.json(.post, "object/open/p", "seen")
            #expect(try await files.sendAnonymously(.get, "object/public/open/p").text == "seen")
            let anonymous = try FilesServer.token(role: "anon")
            let hidden = try await files.application.send(
                .post,
                "/storage/v1/object/list/open",
                token: anonymous,
                #"{"prefix":""}"#
            )
            #expect(hidden.text == "[]")
            // Replaced, it is ours; deleted, its row goes by the trigger that refuses others.
            _ = try await files.json(.put, path, "again", as: FilesServer.ada)
            #expect(try await files.send(.get, path, as: FilesServer.ada).text == "again")
            #expect(throws: (any Error).self) { try files.application.execute("DELETE FROM storage.objects") }
            _ = try await files.json(.delete, path, as: FilesServer.ada)
            #expect(try await files.send(.get, path, as: FilesServer.ada).status == .badRequest)
            #expect(FileManager.default.fileExists(atPath: file))
            let many = #"{"prefixes":["\#(FilesServer.ada)/new.txt"]}"#
            let gone = try await files.json(.delete, "object/pictures", many, as: FilesServer.ada)
            #expect(gone.array?.count == 1)
            #expect(try await files.json(.post, "bucket/open/empty") != [:])
            #expect(try await files.json(.delete, "bucket/open") == ["message": "Successfully deleted"])
            _ = try await files.purge()
            #expect(files.files == [])
        }
    }
}
