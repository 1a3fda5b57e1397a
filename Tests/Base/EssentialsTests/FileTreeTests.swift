import Foundation
import SwiftletEssentials
import Testing

@Suite struct FileTreeTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "swiftlet-tree-\(UUID().uuidString)")
        .path

    private func make() throws {
        for name in ["a/b", ".hidden/c"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        for name in ["one", "a/two", "a/b/three", "a/.four", ".hidden/c/five"] {
            try Data(name.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: "a")
    }

    @Test(arguments: [
        (true, ["a/b/three", "a/two", "link", "one"]),
        (false, [".hidden/c/five", "a/.four", "a/b/three", "a/two", "link", "one"]),
    ])
    func `lists files and links, and follows none`(skipsHidden: Bool, names: [String]) throws {
        try make()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = FileTree(folder, skipsHidden: skipsHidden).files().sorted { $0.name < $1.name }
        #expect(files.map(\.name) == names)
        #expect(files.filter(\.isLink).map(\.name) == ["link"])
        for file in files where !file.isLink {
            #expect(file.size == file.name.utf8.count)
            #expect(abs(file.modified.timeIntervalSinceNow) < 3600)
        }
    }

    @Test func `a folder that cannot be read is left out, or ends the list`() throws {
        #expect(FileTree(folder).files().isEmpty)
        #expect(throws: CocoaError.self) { try FileTree(folder).files { throw $1 } }
    }

    @Test func `folders are folders, and links to them`() throws {
        try make()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let found = ["a", "link", "one", "none"].filter { FileManager.default.folderExists(atPath: "\(folder)/\($0)") }
        #expect(found == ["a", "link"])
    }
}
