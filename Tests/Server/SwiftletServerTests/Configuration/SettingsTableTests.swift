import Foundation
import Swiftlet
import SwiftletBusiness
import SwiftletCheckIns
import SwiftletDeviceLogs
import SwiftletTesting
import Testing

@Suite struct SettingsTableTests {
    private static let root = Repository.root

    @Test func `the operations page has every setting, and none that nobody reads`() throws {
        let page = try String(contentsOf: Self.root.appending(path: "docs/operations.md"), encoding: .utf8)
        let section = try #require(page.firstMatch(of: #/\n## Configuration\n((?s).*?)\n## /#)).1
        let listed = Set(section.matches(of: #/`([A-Z][A-Z0-9_]{3,})`/#).map { String($0.1) })
        let folder = Self.root.appending(path: "Sources/Server/SwiftletServer/Configuration")
        var read: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let text = try String(contentsOf: file, encoding: .utf8)
            read.formUnion(text.matches(of: #/"([A-Z][A-Z0-9_]{3,})"/#).map { String($0.1) })
        }
        read.formUnion(["APPS"] + (business.settings + checkIns.settings + deviceLogs.settings).map(\.name))
        #expect(listed.subtracting(read) == [])
        #expect(read.subtracting(listed) == [])
    }
}
