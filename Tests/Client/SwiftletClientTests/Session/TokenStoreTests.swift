import Foundation
import BusinessClient
import CheckInsClient
import DeviceLogsClient
import GalleryClient
import SwiftletClient
import Testing

@Suite struct TokenStoreTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("client-\(UUID().uuidString)")

    @Test func `secrets are kept by name, and removed`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("deep/tokens.json")
        for store: any TokenStore in [InMemoryTokenStore(), FileTokenStore(url: url)] {
            #expect(try await store.read("a") == nil)
            try await store.write(Data("1".utf8), as: "a")
            try await store.write(Data("2".utf8), as: "b")
            try await store.write(Data("3".utf8), as: "a")
            try await store.write(nil, as: "b")
            #expect(try await store.read("a") == Data("3".utf8))
            #expect(try await store.read("b") == nil)
        }
        #expect(try await FileTokenStore(url: url).read("a") == Data("3".utf8))
    }

    @Test func `a file of secrets is its owner's alone, and no draft is left`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("tokens.json")
        let store = FileTokenStore(url: url)
        for number in 0..<5 { try await store.write(Data("\(number)".utf8), as: "a") }
        let permissions = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber
        #expect(permissions?.intValue == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["tokens.json"])
    }
}
