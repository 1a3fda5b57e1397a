import Foundation
@testable import SwiftletSignIn
import Testing

@Suite struct AuthDescriptionTests {
    /// What a reader of `/docs` finds is what is served, and nothing that only says "not here".
    @Test func `every route of auth v1 is described`() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../../../Sources/Services/SignIn/API").standardized
        let names = try #require(FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String })
        let sources = try names.filter { $0.hasSuffix(".swift") && !$0.contains("Unbuilt") }.map {
            try String(contentsOf: root.appending(path: $0), encoding: .utf8)
        }
        let served = sources.flatMap { source in
            source.matches(of: #/(?m)^\s*(Get|Post|Put|Patch|Delete)\("(/v1/[^"]+)"/#).map { match in
                "\(match.1.uppercased()) \(match.2)"
            }
        }
        #expect(served.count > 40)
        #expect(AuthDescription.operations.map(\.key).sorted() == served.sorted())
    }
}
