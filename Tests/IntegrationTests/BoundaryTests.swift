import Foundation
import Testing

/// The import rules of the package, checked against the files themselves.
@Suite struct BoundaryTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let sources = root.appending(path: "Sources")

    /// Modules of the toolchain that say nothing about layers.
    private static let toolchain: Set<String> = ["Glibc", "Darwin", "Dispatch", "Synchronization"]

    /// What each target may import beside the toolchain. A target that is missing here fails the test.
    private static let allowed: [String: Set<String>] = [
        "CLinux": [], "CLibpq": [], "COpenSSL": [], "CCrypt": [], "CArgon2": [], "CCurl": [], "CPango": [],
        "Bytes": [],
        "JSON": ["Bytes"],
        "HTTP": ["Bytes"],
        "EventLoop": ["CLinux"],
        "Offloading": [],
        "HTTPServer": ["EventLoop", "HTTP", "COpenSSL"],
        "Postgres": ["CLibpq", "EventLoop", "Offloading"],
        "Auth": ["Bytes", "COpenSSL", "CCrypt", "CArgon2", "JSON"],
        "Web": [
            "Bytes", "HTTP", "JSON", "Auth", "Offloading", "Outbound", "Postgres", "Storage", "Logging",
            "Foundation",
        ],
        "Resources": ["Bytes", "Web", "Auth", "HTTP", "JSON", "Logging", "Postgres"],
        "Jobs": ["Auth", "EventLoop", "Web", "Postgres", "Logging", "Foundation"],
        "Swiftlet": [
            "Documents", "Jobs", "Web", "Resources", "HTTP", "JSON", "Auth", "Outbound", "Postgres", "Storage",
            "Logging",
        ],
        "Documents": ["CPango"],
        "Functions": ["Swiftlet"],
        "Outbound": ["CCurl", "EventLoop"],
        "Push": ["Auth", "JSON", "Outbound"],
        "Storage": ["Auth", "HTTP", "Offloading", "Outbound"],
        "SignIn": [
            "Bytes", "Web", "HTTP", "JSON", "Auth", "Offloading", "Postgres", "Outbound", "Logging", "Foundation",
        ],
        "Rest": ["Auth", "Bytes", "Foundation", "HTTP", "JSON", "Logging", "Postgres", "Web"],
        "Description": ["HTTP", "JSON", "Postgres", "Resources", "Web"],
        "Migrations": ["Postgres", "Foundation"],
        "SwiftletClient": ["Foundation", "FoundationNetworking", "Security"],
        "SwiftletClientMocks": ["Foundation", "SwiftletClient"],
        "EmbeddedPostgres": ["Foundation"],
        "SwiftletTesting": [
            "Auth", "Bytes", "EmbeddedPostgres", "EventLoop", "Foundation", "HTTP", "JSON", "Jobs", "Logging",
            "Migrations", "Outbound", "Postgres", "Rest", "SignIn", "Storage", "Testing", "Web",
        ],
        "SwiftletServer": [
            "ArgumentParser", "Auth", "Description", "EmbeddedPostgres", "EventLoop", "Foundation", "HTTP",
            "HTTPServer", "JSON", "Jobs", "Logging", "Migrations", "Offloading", "Outbound", "Postgres", "Push", "Rest",
            "SignIn", "Storage", "Swiftlet", "Web",
        ],
        "swiftlet-command": ["Functions", "SwiftletServer"],
    ]

    @Test func `every target has its row in the import table`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.sources.path)
        #expect(folders.filter { !$0.hasPrefix(".") }.sorted() == Self.allowed.keys.sorted())
    }

    @Test(arguments: allowed.keys.sorted())
    func `imports only what it may`(target: String) throws {
        let allowed = try #require(Self.allowed[target]).union(Self.toolchain)
        for file in try Self.swiftFiles(in: Self.sources.appending(path: target)) {
            // Every other part is within a literal of several lines: the text of a file that `swiftlet new` writes.
            let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\"\"\"")
            let code = parts.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
            // The pattern alone takes a second for each target.
            for line in code.flatMap({ $0.split(separator: "\n") }) where line.contains("import ") {
                let pattern =
                    #/\s*(?:@\w+ )*(?:public |package |internal |private )?import (?:struct |enum |class |func |typealias |protocol )?(\w+)/#
                guard let match = line.prefixMatch(of: pattern) else { continue }
                #expect(allowed.contains(String(match.1)), "\(file.lastPathComponent) imports \(match.1)")
            }
        }
    }

    @Test func `only one file of Web knows Foundation`() throws {
        let files = try Self.swiftFiles(in: Self.sources.appending(path: "Web"))
        let knowing = try files.filter { try String(contentsOf: $0, encoding: .utf8).contains("import Foundation") }
        #expect(knowing.map(\.lastPathComponent) == ["Request+Decodable.swift"])
    }

    @Test func `every function file is in the list`() throws {
        let folder = Self.sources.appending(path: "Functions")
        let list = try String(contentsOf: folder.appending(path: "Functions.swift"), encoding: .utf8)
        for file in try Self.swiftFiles(in: folder) {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: #/public let (\w+) = Function\(/#) {
                #expect(list.contains("    \(match.1),"), "\(match.1) is not in Functions.swift")
            }
        }
    }

    @Test(arguments: allowed.keys.sorted())
    func `no more than three files refer to each other in a ring`(target: String) throws {
        let files = try Self.swiftFiles(in: Self.sources.appending(path: target))
        let graph = FileGraph(try files.map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8)) })
        let rings = graph.rings.filter { $0.count > 3 }
        #expect(rings.isEmpty)
    }

    @Test func `rings are found, whatever comments, literals and extensions say`() {
        let graph = FileGraph([
            ("A.swift", "struct A {\n    let b: B\n    // D\n}"),
            ("B.swift", "final class B { let c = \"D\"; var e: C? }"),
            ("C.swift", "enum C { case one(A), two(D) }"),
            ("D.swift", "private struct E { let e: E }\npackage struct D {}"),
            ("A+D.swift", "extension A { var d: D { D() } }"),
        ])
        #expect(graph.rings == [["A.swift", "B.swift", "C.swift"]])
    }

    private static func swiftFiles(in folder: URL) throws -> [URL] {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
    }
}
