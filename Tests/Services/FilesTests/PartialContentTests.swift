import Foundation
import SwiftletStorage
import SwiftletTesting
import Testing

@testable import SwiftletFiles

@Suite(.hangLimit) struct PartialContentTests {
    private let folder = "\(FileManager.default.temporaryDirectory.path)/swiftlet-partial-\(UUID().uuidString)"
    private let version = FileVersion.unique()

    private var store: FileStore { FileStore(storage: ObjectStorage(LocalFolder(path: folder))) }

    private func chunks(_ texts: String...) -> AsyncStream<[UInt8]> {
        AsyncStream { stream in
            for text in texts { stream.yield(Array(text.utf8)) }
            stream.finish()
        }
    }

    /// Those of "hello world".
    private static let digests = [
        "5eb63bbbe01eeed093cb22bb8f5acdc3", "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
    ]

    @Test func `digests are taken as the pieces come, and the content is not read again for them`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = store
        let content = try PartialContent(store, version, length: 11)
        #expect(try await content.append(chunks("hel", "lo"), at: 0) == 5)
        // Each request has a value of its own.
        #expect(try await PartialContent(store, version, length: 11).append(chunks(" world"), at: 5) == 11)
        let name = try #require(
            FileManager.default.subpathsOfDirectory(atPath: folder).first { $0.contains(version.text) }
        )
        let file = try #require(FileHandle(forUpdatingAtPath: "\(folder)/\(name)"))
        let size = try file.seekToEnd()
        try file.seek(toOffset: size - 1)
        try file.write(contentsOf: Data("X".utf8))
        try file.close()
        for _ in 0..<2 {
            let stored = try await content.store()
            #expect([stored.md5, stored.sha256] == Self.digests)
        }
    }

    @Test func `what other servers have taken is read for its digests`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(try await PartialContent(store, version, length: 11).append(chunks("hello"), at: 0) == 5)
        let content = try PartialContent(store, version, length: 11)
        #expect(try await content.append(chunks(" world"), at: 5) == 11)
        let stored = try await content.store()
        #expect([stored.md5, stored.sha256] == Self.digests)
    }

    @Test func `bytes count in their order only, and the oldest are forgotten`() throws {
        let digests = try PartialDigests()
        digests.add([1], at: 0)
        digests.add([2], at: 2)
        digests.add([2], at: 1)
        #expect(digests.result(of: 2) == nil)
        let shelf = PartialDigests.Shelf()
        let versions = (0...1000).map { _ in FileVersion.unique() }
        for version in versions { _ = shelf.begin(version) }
        #expect(shelf.find(versions[0]) == nil)
        #expect(shelf.find(versions[1]) != nil)
        shelf.remove(versions[1])
        #expect(shelf.find(versions[1]) == nil)
    }
}
