import Foundation
import SwiftletHTTP
import SwiftletPostgres
import SwiftletStorage
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletFiles

/// A server that is killed at each step: it runs in a process of its own, which ends itself by SIGKILL, and another goes
/// on in its place.
@Suite(.needsDatabase, .hangLimit) struct KilledServerTests {
    private static let old = String(repeating: "old", count: 5000)
    private static let new = String(repeating: "newer", count: 5000)

    @Test(arguments: DyingStep.ofUploads)
    func `killed at a step of an upload, leaves the old content or the new one, whole`(step: DyingStep) async throws {
        let place = try FilesServer.Place.make(sql: DyingStep.gate("storage.objects", "INSERT OR UPDATE"))
        defer { place.remove() }
        try await FilesServer.with(place: place) { files in
            _ = try await files.json(.post, "object/pictures/a", Self.old)
        }
        try await kill(at: step, place) {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [step = step as DyingStep, place = place as FilesServer.Place] in
                try await Self.serve(place, until: step) { files in
                    _ = try await files.send(.put, "object/pictures/a", Self.new)
                }
            }
        }
        try await FilesServer.with(place: place) { files in
            let got = try await files.sendAnonymously(.get, "object/public/pictures/a")
            let isNew = got.text == Self.new
            #expect(isNew || got.text == Self.old)
            if step == .done { #expect(isNew) }
            if step != .done, step != .rowWaits { #expect(!isNew) }
            try await expectOneFile(files)
            // Nobody holds the name.
            _ = try await files.json(.put, "object/pictures/a", "again")
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/a").text == "again")
        }
    }

    @Test(arguments: DyingStep.ofResumables)
    func `killed at the end of a resumable upload, is finished by whoever asks`(step: DyingStep) async throws {
        let place = try FilesServer.Place.make(sql: DyingStep.gate("storage.swiftlet_uploads", "UPDATE"))
        defer { place.remove() }
        var path = ""
        try await FilesServer.with(place: place) { files in
            path = try await files.begin("pictures", "a", length: 11, content: "hello ").path
        }
        let upload = path
        try await kill(at: step, place) {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [step = step as DyingStep, place = place as FilesServer.Place, path = upload as String] in
                try await Self.serve(place, until: step) { files in
                    let upload = Upload(files: files, path: path, made: Response(status: .ok))
                    _ = try await upload.patch("world", at: 6)
                }
            }
        }
        try await FilesServer.with(place: place) { files in
            let upload = Upload(files: files, path: path, made: Response(status: .ok))
            #expect(try await upload.offset() == 11)
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/a").text == "hello world")
            #expect(try await upload.patch("", at: 11) == "204 11")
            #expect(try files.application.count("storage.objects") == 1)
            try await expectOneFile(files)
        }
    }

    @Test(arguments: DyingStep.ofPurges)
    func `killed at a step of a purge, has the next one remove the rest and nothing else`(
        step: DyingStep
    ) async throws {
        let place = try FilesServer.Place.make(sql: DyingStep.gate("storage.swiftlet_purge", "DELETE"))
        defer { place.remove() }
        try await FilesServer.with(place: place) { files in
            for name in ["kept", "a", "b", "c"] { _ = try await files.json(.post, "object/pictures/\(name)", name) }
            for name in ["a", "b", "c"] { _ = try await files.json(.delete, "object/pictures/\(name)") }
            #expect(files.files.count == 4)
        }
        try await kill(at: step, place) {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [step = step as DyingStep, place = place as FilesServer.Place] in
                try await Self.serve(place, until: step) { files in
                    let storage = ObjectStorage(DyingStore(folder: LocalFolder(path: place.folder), step: step))
                    _ = try await FilePurge(storage: storage, after: .zero).run(files.context)
                }
            }
        }
        try await FilesServer.with(place: place) { files in
            #expect(files.files.count == [.removing: 4, .removed: 3][step, default: 1])
            _ = try await files.purge()
            #expect(files.files.count == 1)
            #expect(try files.application.count("storage.swiftlet_purge") == 0)
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/kept").text == "kept")
        }
    }

    /// In the process that ends.
    private static func serve(
        _ place: FilesServer.Place,
        until step: DyingStep,
        _ body: (FilesServer) async throws -> Void
    ) async throws {
        if step == .rowWaits || step == .rowLost { DyingStep.dieWhileOneWaits(place.url) }
        let store = DyingStore(folder: LocalFolder(path: place.folder), step: step)
        try await FilesServer.with(place: place, store: store) { files in
            try await body(files)
            if step == .done { step.reached() }
        }
    }

    /// Holds the gate while the server dies at it, and waits until PostgreSQL has done with what it was asked.
    private func kill(at step: DyingStep, _ place: FilesServer.Place, _ death: () async -> Void) async throws {
        do {
            let gate = try BlockingConnection.connect(to: place.url)
            if step == .rowWaits || step == .rowLost { try gate.execute("SELECT pg_advisory_lock(\(DyingStep.lock))") }
            await death()
            if step == .rowLost {
                try gate.execute("SELECT pg_terminate_backend(pid) FROM (\(DyingStep.waiting)) AS waiting")
            }
        }
        let isOver = try await eventually(within: .seconds(60)) {
            try BlockingConnection.connect(to: place.url).query(
                """
                SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                AND backend_type = 'client backend'
                """
            ).isEmpty
        }
        #expect(isOver)
    }

    /// Two days later, and when the next upload begins, nothing is left of what nobody has.
    private func expectOneFile(_ files: FilesServer) async throws {
        try files.application.execute("UPDATE storage.swiftlet_purge SET at = at - interval '49 hours'")
        for file in files.files where file.hasPrefix(".incoming/") {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -90_000)],
                ofItemAtPath: "\(files.folder)/\(file)"
            )
        }
        _ = try await files.json(.post, "object/pictures/next", "next")
        _ = try await files.json(.delete, "object/pictures/next")
        _ = try await files.purge()
        #expect(files.files.count == 1, "\(files.files)")
    }
}
