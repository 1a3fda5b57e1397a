import Foundation
import SwiftletTesting
import Testing

/// `docs/request.md` is about the folders that there are.
@Suite struct RequestPageTests {
    private static let sources = Repository.root.appending(path: "Sources")

    private static func page() throws -> String {
        try String(contentsOf: Repository.root.appending(path: "docs/request.md"), encoding: .utf8)
    }

    private static func folders(in folder: URL) throws -> Set<String> {
        let entries = try FileManager.default.contentsOfDirectory(
            at: folder,
            includingPropertiesForKeys: [.isDirectoryKey],
            options: .skipsHiddenFiles
        )
        return Set(
            try entries.filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
                .map(\.lastPathComponent)
        )
    }

    @Test func `each step names files that exist, on some floor`() throws {
        let floors = try Self.folders(in: Self.sources)
        let rows = try Self.page().split(separator: "\n").filter { $0.hasPrefix("| ") && $0.contains("`") }
        let paths = rows.flatMap { $0.matches(of: #/`([A-Za-z]+/[A-Za-z/+]+(\.swift)?)`/#).map { String($0.output.1) } }
        #expect(paths.count >= 12)
        for path in paths {
            let places = [path] + floors.map { "\($0)/\(path)" }
            let exists = places.contains {
                FileManager.default.fileExists(atPath: Self.sources.appending(path: $0).path)
            }
            #expect(exists, "there is no \(path)")
        }
    }

    @Test func `the layout names each floor and each of its rooms`() throws {
        let page = try Self.page()
        let layout = try #require(page.components(separatedBy: "\nSources/\n").last).split(separator: "\n")
        for floor in try Self.folders(in: Self.sources) {
            let line = try #require(layout.first { $0.hasPrefix("  \(floor)/") }, "no line for \(floor)/")
            // C headers are named by their libraries, products of apps in words.
            guard floor != "System", floor != "Client", floor != "swiftlet" else { continue }
            for room in try Self.folders(in: Self.sources.appending(path: floor)) {
                #expect(line.contains(room), "\(floor)/ does not name \(room)")
            }
        }
    }
}
