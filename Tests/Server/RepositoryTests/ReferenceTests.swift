import Foundation
import SwiftletBusiness
import SwiftletCheckIns
import SwiftletDeviceLogs
import Swiftlet
import SwiftletTesting
import Testing
import SwiftletWeb

/// `docs/reference.md` is about what there is.
@Suite struct ReferenceTests {
    @Test func `names every function of this repository, and no others`() throws {
        let root = Repository.root
        let page = try String(contentsOf: root.appending(path: "docs/reference.md"), encoding: .utf8)
        let section = try #require(page.components(separatedBy: "## The functions of this repository").last)
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let named = rows.flatMap { row in
            row.split(separator: "|")[0].split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map {
                String($0.element)
            }
        }
        // Sign-in brings its own.
        #expect(
            Set(named)
                == Set((business.functions + checkIns.functions + deviceLogs.functions).map(\.name) + ["devices"])
        )
        #expect(named.count == Set(named).count)
    }
}
