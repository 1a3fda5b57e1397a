import Foundation
import SwiftletTesting
import Testing

@testable import SwiftletServer

@Suite struct ProjectTemplateTests {
    private static let example = Repository.root.appending(path: "Examples/Notes")

    @Test func `the example is what the command writes`() throws {
        for file in try ProjectTemplate(name: "notes", swiftlet: "../..").files {
            let written = try String(contentsOf: Self.example.appending(path: file.path), encoding: .utf8)
            #expect(written == file.text, "\(file.path)")
        }
    }

    @Test func `names follow the package's`() throws {
        let files = try ProjectTemplate(name: "my-backend", swiftlet: "../swiftlet").files
        let paths = files.map(\.path)
        #expect(paths.contains("Sources/MyBackend/Backend.swift"))
        #expect(paths.contains("Tests/MyBackendTests/NotesTests.swift"))
        #expect(files.allSatisfy { !$0.text.contains("{{") || $0.path.contains("workflows") })
        #expect(files[0].text.contains(#"path: "../swiftlet""#))
    }

    @Test(arguments: ["", "My", "a_b", "1a", "a-", "../a", "swiftlet", "swiftlet-rest", "logging"])
    func `a name that would not build is refused`(name: String) {
        #expect(throws: CommandFailure.self) { try ProjectTemplate(name: name, swiftlet: "../swiftlet") }
    }

    @Test func `a function's names are one word each`() throws {
        let template = try FunctionTemplate("line-items")
        #expect(template.source.contains(#"let lineItems = Function("line-items")"#))
        #expect(template.migration.contains("CREATE TABLE line_items ("))
        #expect(template.test(module: "MyBackend").contains("@testable import MyBackend"))
    }
}
