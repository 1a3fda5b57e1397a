import SwiftletHTTP
import Synchronization
import Testing

@testable import SwiftletStorage

/// What holds for both kinds of storage.
enum StoreContract {
    struct Broken: Error {}

    static let key: ObjectKey = "tenant/files/one.png"

    /// Chunks of changing size, and perhaps an error at the end.
    static func chunks(_ size: Int, fails: Bool = false) -> AsyncThrowingStream<[UInt8], any Error> {
        let position = Mutex(0)
        return AsyncThrowingStream {
            let range = position.withLock { position in
                defer { position = min(size, position + 1 + position % 70_001) }
                return position..<min(size, position + 1 + position % 70_001)
            }
            guard !range.isEmpty else {
                if fails { throw Broken() }
                return nil
            }
            return content(range)
        }
    }

    static func content(_ range: Range<Int>) -> [UInt8] {
        range.map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    static func read(_ chunks: ObjectChunks) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in chunks { bytes += chunk }
        return bytes
    }

    /// All objects, those of a folder, and all but those of a folder.
    static func lists(in storage: ObjectStorage) async throws {
        let names = ["a/1", "a/2", "a/b/3", "a-4", "objects/5", "objects/c/6", "objectss/7", "z/8", "z/9", "zz/10"]
        for name in names {
            _ = try await storage.put(chunks(name.utf8.count), at: #require(ObjectKey(name)), contentType: .bytes)
        }
        func list(_ folder: ObjectKey?, skipping skipped: ObjectKey? = nil) async throws -> [String] {
            let found = Mutex<[ListedObject]>([])
            try await storage.list(folder, skipping: skipped) { page in found.withLock { $0 += page } }
            let objects = found.withLock(\.self)
            #expect(objects.allSatisfy { !$0.stamp.isEmpty })
            return objects.map(\.key.text).sorted()
        }
        #expect(try await list(nil) == names.sorted())
        #expect(try await list("a") == ["a/1", "a/2", "a/b/3"])
        #expect(try await list("nothing") == [])
        #expect(try await list(nil, skipping: "objects") == names.filter { !$0.hasPrefix("objects/") }.sorted())
        #expect(try await list(nil, skipping: "zz") == names.filter { $0 != "zz/10" }.sorted())
    }

    /// A content that is replaced has another stamp, one that stays has the same.
    static func stamps(in storage: ObjectStorage) async throws {
        func stamp() async throws -> String? {
            let found = Mutex<String?>(nil)
            try await storage.list(nil, skipping: nil) { page in found.withLock { $0 = page.first?.stamp } }
            return found.withLock(\.self)
        }
        _ = try await storage.put(chunks(10), at: key, contentType: .bytes)
        let first = try await stamp()
        #expect(try await stamp() == first)
        _ = try await storage.put(chunks(11), at: key, contentType: .bytes)
        #expect(try await stamp() != first)
    }

    /// Contents that come in several requests, in whatever order they are sent.
    static func adoptsPartials(in storage: ObjectStorage, sizes: [Int]) async throws {
        let partials = try #require(storage.partials)
        let name: ObjectKey = "tenant/partial"
        for size in sizes {
            #expect(try await partials.length(name) == nil)
            let (first, second) = (try await partials.open(name), try await partials.open(name))
            #expect(try await partials.length(name) == 0)
            let half = size / 2
            #expect(try await first.append(content(0..<half), at: 0))
            #expect(try await second.append([1], at: half + 1) == false)
            #expect(try await second.append(content(half..<size), at: half))
            if half < size { #expect(try await first.append([1], at: half) == false) }
            try await second.flush()
            #expect(try await partials.length(name) == size)
            #expect(try await storage.get(key) == nil)
            try await storage.adopt(name, of: partials, at: key)
            let object = try #require(await storage.get(key))
            #expect(object.length == size)
            let bytes = try await read(object.chunks)
            #expect(bytes == content(0..<size), "\(size) bytes")
            try await partials.remove(name)
            try await storage.delete(key)
        }
        try await partials.remove(name)
        await #expect(throws: StorageError.self) { try await storage.adopt(name, of: partials, at: key) }
    }

    static func keepsObjects(in storage: ObjectStorage, sizes: [Int], keepsTypes: Bool = true) async throws {
        let type = try #require(MediaType("text/plain; charset=utf-8"))
        for size in sizes {
            let stored = try await storage.put(chunks(size), at: key, contentType: type, limit: size)
            #expect(stored == size)
            let object = try #require(await storage.get(key))
            #expect(object.length == size)
            #expect(object.contentType == (keepsTypes ? type : .bytes))
            let bytes = try await read(object.chunks)
            #expect(bytes == content(0..<size), "\(size) bytes")
            let some = size / 3..<min(size, size / 3 + 200_000)
            let part = try await read(object.chunks(in: some))
            #expect(part == content(some))
        }
        try await storage.delete(key)
        try await storage.delete(key)
        let gone = try await storage.get(key)
        #expect(gone?.length == nil)
    }

    static func showsNothingUnfinished(in storage: ObjectStorage, size: Int) async throws {
        _ = try await storage.put(chunks(3), at: key, contentType: .bytes, limit: 3)
        await #expect(throws: Broken.self) {
            _ = try await storage.put(chunks(size, fails: true), at: key, contentType: .bytes, limit: size)
        }
        await #expect(throws: StorageError.tooLarge) {
            _ = try await storage.put(chunks(size), at: key, contentType: .bytes, limit: size - 1)
        }
        let cancelled = Task {
            try await storage.put(
                AsyncThrowingStream<[UInt8], any Error> {
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                    return content(0..<size)
                },
                at: key,
                contentType: .bytes,
                limit: .max
            )
        }
        let outcome = await cancelled.result
        #expect(throws: (any Error).self) { try outcome.get() }
        let object = try #require(await storage.get(key))
        let bytes = try await read(object.chunks)
        #expect(bytes == content(0..<3))
    }
}
