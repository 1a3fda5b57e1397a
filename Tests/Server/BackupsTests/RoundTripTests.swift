import Foundation
import SwiftletFiles
import SwiftletHTTP
import SwiftletPostgres
import SwiftletStorage
import SwiftletTesting
import Testing

@testable import SwiftletBackups

@Suite(.needsDatabase, .hangLimit) struct RoundTripTests {
    /// The rows and files of one backup in another database and another folder.
    @Test func `brings rows, rights and files back`() async throws {
        let site = try BackupSite()
        try site.execute(
            """
            CREATE TABLE public.notes (id integer PRIMARY KEY, text text);
            INSERT INTO public.notes SELECT n, 'note ' || n FROM generate_series(1, 1000) AS n;
            ALTER TABLE public.notes ENABLE ROW LEVEL SECURITY;
            CREATE POLICY all_notes ON public.notes TO authenticated USING (true);
            GRANT SELECT ON public.notes TO authenticated
            """
        )
        let version = try await site.add("cat.png", String(repeating: "meow", count: 50_000))
        try await site.add("two\tnames\\\n", "")
        try await site.put("a letter", at: "t-1/letters/1", #require(MediaType("text/plain")))

        let manifest = try await site.creation.run()
        #expect((manifest.objects, manifest.files, manifest.newFiles, manifest.missing) == (2, 3, 3, 0))
        #expect(manifest.fileBytes == 200_008)
        let id = try await site.target.snapshot(named: nil)
        #expect(try await BackupVerification(site.target).run(id) == manifest)

        let url = try TestDatabase.createEmpty()
        let store = ObjectStorage(LocalFolder(path: "\(site.folder)/restored"))
        let outcome = try await BackupRestoration(site.target, into: url, store).run(id)
        #expect(outcome.newFiles == 3)
        let connection = try BlockingConnection.connect(to: url)
        #expect(try connection.query("SELECT count(*), max(text) FROM public.notes") == [["1000", "note 999"]])
        #expect(
            try connection.query("SELECT roles FROM pg_policies WHERE tablename = 'notes'") == [["{authenticated}"]]
        )
        #expect(
            try connection.query("SELECT name FROM storage.objects ORDER BY 1") == [["cat.png"], ["two\tnames\\\n"]]
        )
        let key = try #require(version.key)
        #expect(try await BackupSite.text(store.get(key)) == String(repeating: "meow", count: 50_000))
        let letter = try #require(try await store.get("t-1/letters/1"))
        #expect("\(letter.contentType)" == "text/plain")
        #expect(try await BackupSite.text(letter) == "a letter")
    }

    @Test func `copies only what an earlier backup does not have`() async throws {
        let site = try BackupSite()
        for number in 0..<20 { try await site.add("file \(number)", "content \(number)") }
        try await site.put("of a function", at: "t-1/x")
        let first = try await site.creation.run()
        #expect((first.files, first.newFiles) == (21, 21))
        // Neither read nor written again: its file is gone, and nobody notices.
        let kept = try await site.add("kept", "content 1")
        try await site.add("file 3", "another content")
        try await site.put("of a function, later", at: "t-1/x")
        let second = try await site.creation.run()
        #expect((second.files, second.newFiles, second.newBytes) == (22, 2, 35))
        try await site.store.delete(#require(kept.key))
        let third = try await site.creation.run()
        #expect((third.files, third.newFiles, third.missing) == (22, 0, 0))
        for id in try await site.target.snapshots() {
            let isWhole = try await BackupVerification(site.target).run(id).files > 0
            #expect(isWhole)
        }
    }

    @Test func `restores into no database and over no file that somebody uses`() async throws {
        let site = try BackupSite()
        let version = try await site.add("a", "the content")
        _ = try await site.creation.run()
        let id = try await site.target.snapshot(named: nil)
        let error = try await #require(throws: BackupError.self) {
            try await BackupRestoration(site.target, into: site.url, site.store).run(id)
        }
        guard case .databaseNotEmpty = error else {
            Issue.record("another error: \(error)")
            return
        }
        let store = ObjectStorage(LocalFolder(path: "\(site.folder)/restored"))
        let key = try #require(version.key)
        _ = try await store.put(Chunks("THE CONTENT"), at: key, contentType: .bytes)
        let url = try TestDatabase.createEmpty()
        await #expect(throws: BackupError.fileDiffers(key.text)) {
            try await BackupRestoration(site.target, into: url, store).run(id)
        }
        #expect(try await BackupSite.text(store.get(key)) == "THE CONTENT")
        #expect(try BlockingConnection.connect(to: url).query("SELECT to_regnamespace('storage')") == [[nil]])
        // What is the same already is no hindrance.
        let outcome = try await BackupRestoration(site.target, into: url, site.store).run(id)
        #expect(outcome.newFiles == 0)
    }

    /// One byte of each file, in the middle and at its end.
    @Test func `notices one changed byte, wherever it is`() async throws {
        let site = try BackupSite()
        try await site.add("a", "some content")
        _ = try await site.creation.run()
        let id = try await site.target.snapshot(named: nil)
        let verification = BackupVerification(site.target)
        _ = try await verification.run(id)
        let files = try site.targetFiles()
        #expect(files.count == 6)
        for file in files {
            let path = "\(site.targetFolder)/\(file)"
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            for index in [0, whole.count / 2, whole.count - 1] {
                var changed = whole
                changed[index] ^= 1
                try changed.write(to: URL(fileURLWithPath: path))
                await #expect(throws: BackupError.self, "byte \(index) of \(file)") { try await verification.run(id) }
            }
            try whole.dropLast().write(to: URL(fileURLWithPath: path))
            await #expect(throws: BackupError.self, "the end of \(file)") { try await verification.run(id) }
            // A content has been set aside.
            try? FileManager.default.removeItem(atPath: path)
            await #expect(throws: BackupError.self, "without \(file)") { try await verification.run(id) }
            try whole.write(to: URL(fileURLWithPath: path))
        }
        _ = try await verification.run(id)
    }

    @Test func `takes out one file`() async throws {
        let site = try BackupSite()
        let version = try await site.add("folder/a", "some content")
        try await site.add("lost", "x")
        try site.execute(
            "UPDATE storage.objects SET version = 's1.00000000000000000000000000000000' WHERE name = 'lost'"
        )
        _ = try await site.creation.run()
        let id = try await site.target.snapshot(named: nil)
        let extraction = FileExtraction(site.target)
        for name in ["pictures/folder/a", try #require(version.key).text] {
            let path = "\(site.folder)/out/\(UUID().uuidString)"
            try await extraction.write(name, of: id, to: path)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "some content")
        }
        let taken = "\(site.folder)/taken"
        try Data("of somebody".utf8).write(to: URL(fileURLWithPath: taken))
        for (name, path) in [("pictures/folder/a", taken), ("pictures/b", "\(taken)2"), ("pictures/lost", "\(taken)3")]
        {
            await #expect(throws: BackupError.self) { try await extraction.write(name, of: id, to: path) }
        }
        #expect(try String(contentsOfFile: taken, encoding: .utf8) == "of somebody")
    }

    @Test func `restores on trial`() async throws {
        let site = try BackupSite()
        try await site.add("a", "some content")
        _ = try await site.creation.run()
        try await TrialRestoration(site.target).run(site.target.snapshot(named: nil))
    }

    @Test func `sha256sum reads the checksums`() async throws {
        let site = try BackupSite()
        try await site.add("a", "some content")
        _ = try await site.creation.run()
        let id = try await site.target.snapshot(named: nil)
        let text = try await Tool.run(
            ["sha256sum", "--check", "SHA256SUMS"],
            in: "\(site.targetFolder)/snapshots/\(id)"
        )
        #expect(text.components(separatedBy: ": OK").count == 5)
    }
}
