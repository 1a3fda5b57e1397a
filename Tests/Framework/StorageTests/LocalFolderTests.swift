import SwiftletAuth
import Foundation
import SwiftletHTTP
import SwiftletTesting
import Testing

@testable import SwiftletStorage

@Suite(.hangLimit) final class LocalFolderTests: Sendable {
    private let path = "\(FileManager.default.temporaryDirectory.path)/swiftlet-storage-\(UUID().uuidString)"
    private let storage: ObjectStorage

    init() { storage = ObjectStorage(LocalFolder(path: "\(path)/new/folder")) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private var files: [String] {
        get throws {
            let all = try FileManager.default.subpathsOfDirectory(atPath: "\(path)/new/folder")
            return all.filter { !$0.hasPrefix(".incoming/") && $0.hasSuffix(".png") }
        }
    }

    private var unfinished: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "\(path)/new/folder/.incoming") }
    }

    private func makeFolder() async throws {
        let key: ObjectKey = "first"
        _ = try await storage.put(StoreContract.chunks(1), at: key, contentType: .bytes, limit: 1)
        try await storage.delete(key)
    }

    @Test func `keeps objects of any size`() async throws {
        try await StoreContract.keepsObjects(in: storage, sizes: [0, 1, 131_071, 131_072, 1_000_000])
        #expect(try unfinished.isEmpty)
        #expect(try files.isEmpty)
    }

    @Test func `lists objects, and nothing else`() async throws {
        try FileManager.default.createDirectory(atPath: "\(path)/new/folder/.images", withIntermediateDirectories: true)
        for name in [".images/a", "not a key", ".hidden"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(path)/new/folder/\(name)"))
        }
        try FileManager.default.createSymbolicLink(
            atPath: "\(path)/new/folder/link",
            withDestinationPath: "\(path)/new/folder"
        )
        try await StoreContract.lists(in: storage)
        try await StoreContract.lists(in: ObjectStorage(LocalFolder(path: "\(path)/plain", keepsTypes: false)))
        try await StoreContract.stamps(in: ObjectStorage(LocalFolder(path: "\(path)/stamps")))
    }

    @Test func `a folder that keeps no types has the objects alone in its files`() async throws {
        let plain = ObjectStorage(LocalFolder(path: "\(path)/plain", keepsTypes: false))
        try await StoreContract.keepsObjects(in: plain, sizes: [0, 1, 131_073], keepsTypes: false)
        let key: ObjectKey = "a/b"
        _ = try await plain.put(StoreContract.chunks(1000), at: key, contentType: .bytes)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(path)/plain/a/b"))
        #expect(Array(bytes) == StoreContract.content(0..<1000))
    }

    @Test func `takes over what has come in several requests`() async throws {
        try await StoreContract.adoptsPartials(in: storage, sizes: [0, 1, 1_000_001])
        let left = try FileManager.default.contentsOfDirectory(atPath: "\(path)/new/folder/.resumable")
        #expect(left.isEmpty)
    }

    @Test func `removes partial files that nobody has written to for long, and no others`() async throws {
        let partials = try #require(storage.partials)
        for name in ["old", "new"] as [ObjectKey] { _ = try await partials.open(name).append([1], at: 0) }
        let old = Date.now.addingTimeInterval(-3700)
        try FileManager.default.setAttributes(
            [.modificationDate: old],
            ofItemAtPath: "\(path)/new/folder/.resumable/old"
        )
        try await partials.sweep(olderThan: .seconds(3600))
        #expect(try await partials.length("old") == nil)
        #expect(try await partials.length("new") == 1)
    }

    @Test func `shows nothing unfinished, and leaves nothing of it`() async throws {
        try await StoreContract.showsNothingUnfinished(in: storage, size: 300_000)
        #expect(try unfinished.isEmpty)
        #expect(try files == ["tenant/files/one.png"])
    }

    @Test func `has nothing before the first object, and says whether it can have any`() async throws {
        let key = StoreContract.key
        #expect(try await storage.get(key)?.length == nil)
        try await storage.delete(key)
        try await storage.probe()
        #expect(!FileManager.default.fileExists(atPath: path))
        try await makeFolder()
        try await storage.probe()
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(path)/new/folder") == [".incoming"])
        let impossible = ObjectStorage(LocalFolder(path: "/dev/null/nowhere"))
        await #expect(throws: StorageError.self) { try await impossible.probe() }
    }

    @Test func `begins a file with its type, of which the rest is the object`() async throws {
        let key = StoreContract.key
        let type = try #require(MediaType("image/png"))
        _ = try await storage.put(StoreContract.chunks(5), at: key, contentType: type, limit: 5)
        let file = FileManager.default.contents(atPath: "\(path)/new/folder/\(key)")
        #expect(file.map(Array.init) == Array("image/png\n".utf8) + StoreContract.content(0..<5))
    }

    @Test(arguments: [
        "", "/", "a/", "/a", "a//b", ".", "..", "../a", "a/../b", "a/.b", "a\\b", "a b", "a\u{0}", "ä", "a%2Fb",
        String(repeating: "a", count: 201), String(repeating: "a/", count: 256) + "a",
    ])
    func `takes no key that could lead elsewhere`(text: String) {
        #expect(ObjectKey(text) == nil)
    }

    @Test(arguments: ["acme", "../..", ".hidden", "a/b", "ä", String(repeating: "x", count: 255)])
    func `makes a new key of any tenant`(name: String) throws {
        let tenant = try #require(TenantID(rawValue: name))
        let keys = (0..<10).map { _ in ObjectKey.unique(in: "photos", of: tenant) }
        #expect(Set(keys).count == 10)
        #expect(keys.allSatisfy { ObjectKey($0.text) == $0 && $0.text.split(separator: "/").count == 3 })
    }

    @Test func `follows no link out of its folder, and opens no pipe`() async throws {
        let key = StoreContract.key
        try await makeFolder()
        let outside = "\(path)/outside"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
        let link = "\(path)/new/folder/tenant"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: outside)
        await #expect(throws: StorageError.self) {
            _ = try await storage.put(StoreContract.chunks(5), at: key, contentType: .bytes, limit: 5)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty)
        #expect(try unfinished.isEmpty)
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createDirectory(atPath: "\(link)/files", withIntermediateDirectories: true)
        try Data("secret\n".utf8).write(to: URL(fileURLWithPath: "\(outside)/one.png"))
        try FileManager.default.createSymbolicLink(
            atPath: "\(link)/files/one.png",
            withDestinationPath: "\(outside)/one.png"
        )
        #expect(try await storage.get(key)?.length == nil)
        try await storage.delete(key)
        #expect(FileManager.default.fileExists(atPath: "\(outside)/one.png"))
        unsafe mkfifo("\(link)/files/one.png", 0o600)
        #expect(try await storage.get(key)?.length == nil)
    }

    @Test func `an object that is replaced while it is read is read to its end as it was`() async throws {
        let key = StoreContract.key
        _ = try await storage.put(StoreContract.chunks(400_000), at: key, contentType: .bytes, limit: .max)
        let old = try #require(await storage.get(key))
        _ = try await storage.put(StoreContract.chunks(3), at: key, contentType: .bytes, limit: .max)
        let bytes = try await StoreContract.read(old.chunks)
        #expect(bytes == StoreContract.content(0..<400_000))
    }

    @Test func `removes what a crash has left behind, but nothing that is new`() async throws {
        try await makeFolder()
        let folder = "\(path)/new/folder/.incoming"
        for (name, age) in [("old", 90_000.0), ("new", 80_000)] {
            _ = FileManager.default.createFile(
                atPath: "\(folder)/\(name)",
                contents: Data(),
                attributes: [.modificationDate: Date(timeIntervalSinceNow: -age)]
            )
        }
        let key = StoreContract.key
        _ = try await storage.put(StoreContract.chunks(3), at: key, contentType: .bytes, limit: .max)
        #expect(try unfinished == ["new"])
    }

    @Test func `two that write one object at once leave one of them whole`() async throws {
        let key = StoreContract.key
        let storage = storage
        try await withThrowingTaskGroup { group in
            for size in 1...20 {
                group.addTask {
                    try await storage.put(StoreContract.chunks(size * 9000), at: key, contentType: .bytes, limit: .max)
                }
            }
            try await group.waitForAll()
        }
        let object = try #require(await storage.get(key))
        let bytes = try await StoreContract.read(object.chunks)
        #expect(bytes == StoreContract.content(0..<object.length))
        #expect(object.length % 9000 == 0)
    }
}
