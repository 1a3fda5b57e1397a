import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletFiles

@Suite(.needsDatabase, .hangLimit) struct PurgeTests {
    @Test func `removes the files of what was replaced or deleted, by SQL too`() async throws {
        try await FilesServer.with { files in
            for name in ["kept", "replaced", "deleted", "by-sql", "moved", "emptied"] {
                _ = try await files.json(.post, "object/pictures/\(name)", name)
            }
            _ = try await files.json(.put, "object/pictures/replaced", "again")
            _ = try await files.json(.delete, "object/pictures/deleted")
            try files.application.execute("DELETE FROM storage.objects WHERE name = 'by-sql'")
            let move = #"{"bucketId":"pictures","sourceKey":"moved","destinationKey":"there"}"#
            _ = try await files.json(.post, "object/move", move)
            #expect(files.files.count == 7)
            #expect(try await files.purge(after: .seconds(3600)) == 0)
            #expect(files.files.count == 7)
            #expect(try await files.purge() == 3)
            #expect(files.files.count == 4)
            for (name, text) in [("kept", "kept"), ("replaced", "again"), ("there", "moved")] {
                #expect(try await files.sendAnonymously(.get, "object/public/pictures/\(name)").text == text)
            }
            _ = try await files.json(.post, "bucket/pictures/empty")
            #expect(try await files.purge() == 4)
            #expect(files.files == [])
            #expect(try files.application.count("storage.swiftlet_purge") == 0)
        }
    }

    @Test func `removes no file that another row has`() async throws {
        try await FilesServer.with { files in
            _ = try await files.json(.post, "object/pictures/a", "shared")
            try files.application.execute(
                """
                INSERT INTO storage.objects (bucket_id, name, version, metadata)
                SELECT bucket_id, 'b', version, metadata FROM storage.objects;
                DELETE FROM storage.objects WHERE name = 'a'
                """
            )
            #expect(try await files.purge() == 0)
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/b").text == "shared")
            _ = try await files.json(.delete, "object/pictures/b")
            #expect(try await files.purge() == 1)
        }
    }

    @Test func `waits while a backup is made`() async throws {
        try await FilesServer.with { files in
            _ = try await files.json(.post, "object/pictures/a", "x")
            _ = try await files.json(.delete, "object/pictures/a")
            do {
                let backup = try BlockingConnection.connect(to: files.application.databaseURL)
                try backup.execute("BEGIN; SELECT pg_advisory_xact_lock(\(FilePurge.lock))")
                #expect(try await files.purge() == 0)
                #expect(files.files.count == 1)
                try backup.execute("COMMIT")
            }
            #expect(try await files.purge() == 1)
        }
    }

    /// Whoever crashed after the file was gone comes again.
    @Test func `goes on where a crash has left off`() async throws {
        try await FilesServer.with { files in
            _ = try await files.json(.post, "object/pictures/a", "x")
            _ = try await files.json(.delete, "object/pictures/a")
            try files.application.execute(
                "INSERT INTO storage.swiftlet_purge (version) SELECT version FROM storage.swiftlet_purge; INSERT INTO storage.swiftlet_purge (version) VALUES ('of others')"
            )
            #expect(try await files.purge() == 3)
            #expect(files.files == [])
            #expect(try files.application.count("storage.swiftlet_purge") == 0)
        }
    }

    @Test func `callers neither read nor write what is to be removed`() async throws {
        try await FilesServer.with { files in
            #expect(throws: (any Error).self) {
                try files.application.execute("SET ROLE authenticated; SELECT * FROM storage.swiftlet_purge")
            }
            #expect(throws: (any Error).self) {
                try files.application.execute("SET ROLE service_role; DELETE FROM storage.swiftlet_purge")
            }
        }
    }
}
