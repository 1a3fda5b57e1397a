import Foundation
import Testing

@testable import SwiftletServer

@Suite struct SecretFileTests {
    @Test func `the file that a link leads to is replaced, and the link stays`() throws {
        let folder = try SwiftletProcess.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try SecretFile.write("old", to: "\(folder)/key.json")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/link.json",
            withDestinationPath: "key.json"
        )
        try SecretFile.write("new", to: "\(folder)/link.json")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/link.json") == "key.json")
        #expect(try String(contentsOfFile: "\(folder)/key.json", encoding: .utf8) == "new")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["key.json", "link.json"])
    }
}
