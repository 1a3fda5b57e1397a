import Foundation
import SwiftletTesting
import Testing

/// The site of the documentation, which `make docs` builds: whoever writes a page must not hear of it there only.
@Suite struct SiteTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
    }

    private static func pages() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Repository.root.appending(path: "docs").path)
            .filter { $0.hasSuffix(".md") }.sorted()
    }

    @Test func `each page is on the path of a reader, and on the first page`() throws {
        let paths = try #require(try Self.text(".ci/site/mkdocs.yml").split(separator: "nav:").last)
        let first = try Self.text(".ci/site/index.md")
        let pages = try Self.pages()
        #expect(pages.count > 20)
        for page in pages {
            #expect(paths.contains(page), "\(page) is missing in .ci/site/mkdocs.yml")
            #expect(first.contains("](\(page))"), "\(page) is missing in .ci/site/index.md")
        }
    }

    @Test func `links lead to files that are there`() throws {
        for page in try Self.pages() {
            // Not within code.
            let text = try Self.text("docs/\(page)").replacing(#/(?s)```.*?```|`[^`\n]+`/#, with: "")
            for link in text.matches(of: #/\]\((?<path>[^)#\s:]+)(?:#[^)]*)?\)/#) {
                let path = Repository.root.appending(path: "docs").appending(path: String(link.path)).standardized.path
                #expect(FileManager.default.fileExists(atPath: path), "\(page) leads to \(link.path)")
            }
        }
    }
}
