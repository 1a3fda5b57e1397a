import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletStorage
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

    /// As a killed server leaves it: the file is there, and nobody makes its row.
    @Test func `removes a file whose row never came, when it is old enough`() async throws {
        try await FilesServer.with { files in
            _ = try await files.json(.post, "object/pictures/kept", "kept")
            #expect(try files.application.count("storage.swiftlet_purge") == 0)
            try files.application.execute(
                """
                CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END';
                CREATE TRIGGER slow BEFORE INSERT ON storage.objects FOR EACH ROW
                    WHEN (NEW.name LIKE 'lost%') EXECUTE FUNCTION slow()
                """
            )
            for name in ["lost1", "lost2", "lost3"] {
                let before = files.files.count
                async let upload = files.send(.post, "object/pictures/\(name)", name)
                #expect(try await eventually { files.files.count == before + 1 })
                let ended = try await eventually {
                    try BlockingConnection.connect(to: files.application.databaseURL).query(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE wait_event = 'PgSleep' AND datname = current_database()
                        """
                    ).isEmpty == false
                }
                #expect(ended)
                #expect(try await upload.status != .ok)
            }
            #expect(files.files.count == 4)
            // Its row may still come.
            #expect(try await files.purge() == 0)
            #expect(files.files.count == 4)
            try files.application.execute("UPDATE storage.swiftlet_purge SET at = at - interval '48 hours'")
            #expect(try await files.purge() == 3)
            #expect(files.files.count == 1)
            #expect(try files.application.count("storage.swiftlet_purge") == 0)
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/kept").text == "kept")
        }
    }

    @Test func `removes files of functions that no row came to name, or that none names any more`() async throws {
        try await FilesServer.with { files in
            let context = files.context
            let storage = files.storage
            for name in ["kept", "lost", "dropped"] {
                let key = try #require(ObjectKey("t-a/things/\(name)"))
                let (chunks, continuation) = AsyncStream.makeStream(of: [UInt8].self)
                continuation.yield(Array(name.utf8))
                continuation.finish()
                try await context.expectFile(key)
                _ = try await storage.put(chunks, at: key, contentType: .bytes)
                if name != "lost" { try await context.transaction { try await $0.keepFiles([key]) } }
                if name == "dropped" { try await context.transaction { try await $0.dropFiles([key]) } }
            }
            #expect(try await files.purge(after: .seconds(3600)) == 0)
            #expect(try await files.purge() == 1)
            try files.application.execute("UPDATE swiftlet.unkept_files SET due = due - interval '48 hours'")
            #expect(try await files.purge() == 1)
            #expect(try await storage.get("t-a/things/kept") != nil)
            #expect(try await storage.get("t-a/things/lost") == nil)
            #expect(try files.application.count("swiftlet.unkept_files") == 0)
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
