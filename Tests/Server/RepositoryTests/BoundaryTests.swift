import Foundation
import SwiftletTesting
import Testing

/// The import rules of the package, checked against the files themselves.
@Suite struct BoundaryTests {
    private static let root = Repository.root

    private static let sources = root.appending(path: "Sources")

    /// Modules of the toolchain that say nothing about layers.
    private static let toolchain: Set<String> = ["Glibc", "Darwin", "Dispatch", "Synchronization"]

    /// The floors, bottom first, and what each room may import beside the toolchain. A room that is missing here fails
    /// the test. Names are those of the folders; modules have the prefix `Swiftlet`.
    private static let floors: KeyValuePairs<String, [String: Set<String>]> = [
        "System": [
            "CLinux": [], "CLibpq": [], "COpenSSL": [], "CCrypt": [], "CArgon2": [], "CCurl": [], "CPango": [],
            "CConsole": [],
            "CFido": [],
            "CQrencode": [],
            "CSQLite": [], "CZlib": [],
        ],
        "Base": [
            "Essentials": ["Foundation", "FoundationEssentials"], "Bytes": [], "JSON": ["Bytes"], "HTTP": ["Bytes"],
            "EventLoop": ["CLinux"], "BlockingPool": [],
            "Compression": ["CZlib"], "Processes": ["CLinux", "Essentials"],
        ],
        "Engine": [
            "HTTPServer": ["EventLoop", "HTTP", "COpenSSL"],
            "Postgres": ["CLibpq", "EventLoop", "BlockingPool"],
            "Auth": ["Bytes", "COpenSSL", "CCrypt", "CArgon2", "JSON"],
            "Outbound": ["CCurl", "EventLoop"],
            "Redis": ["BlockingPool", "EventLoop", "Outbound"],
        ],
        "Framework": [
            "Web": [
                "Bytes", "HTTP", "JSON", "Auth", "BlockingPool", "Compression", "Postgres", "Logging", "Essentials",
            ],
            "Calls": ["Essentials", "JSON", "Outbound", "Web"],
            "Push": ["Auth", "JSON", "Outbound", "Web"],
            "Storage": ["Auth", "HTTP", "BlockingPool", "Outbound", "Postgres", "Web"],
            "Resources": ["Bytes", "Web", "Auth", "HTTP", "JSON", "Logging", "Postgres"],
            "Jobs": ["Auth", "EventLoop", "Web", "Postgres", "Logging", "Essentials"],
            "Webhooks": ["Auth", "Jobs", "Outbound", "Web", "Postgres", "Logging", "Essentials"],
            "Swiftlet": [
                "Jobs", "Web", "Calls", "Push", "Resources", "HTTP", "JSON", "Auth", "Outbound", "Postgres", "Storage",
                "Logging", "Webhooks",
            ],
        ],
        "Services": [
            "SignIn": [
                "Bytes", "Web", "HTTP", "JSON", "Auth", "BlockingPool", "EventLoop", "Postgres", "Outbound", "CFido",
                "CQrencode",
                "Logging", "Essentials",
            ],
            "Rest": ["Auth", "Bytes", "Essentials", "HTTP", "JSON", "Logging", "Postgres", "Web"],
            "Realtime": ["Auth", "Bytes", "EventLoop", "HTTP", "JSON", "Logging", "Postgres", "Redis", "Web"],
            "Files": [
                "Auth", "BlockingPool", "Bytes", "Essentials", "HTTP", "JSON", "Logging", "Postgres", "Processes",
                "Storage", "Web",
            ],
            "Console": ["Auth", "BlockingPool", "Bytes", "CConsole", "Essentials", "HTTP", "JSON", "Postgres", "Web"],
            "Interface": ["HTTP", "JSON", "Postgres", "Resources", "Web"],
        ],
        "Server": [
            "Migrations": ["Postgres", "Essentials"],
            "EmbeddedPostgres": ["Essentials", "HTTP"],
            "Backups": [
                "Auth", "BlockingPool", "EmbeddedPostgres", "Files", "Essentials", "HTTP", "Postgres", "Processes",
                "Storage",
            ],
            "Imports": [
                "Backups", "BlockingPool", "Files", "Essentials", "HTTP", "Migrations", "Outbound", "Postgres",
                "Processes", "Storage",
            ],
            "SwiftletTesting": [
                "Auth", "Bytes", "Calls", "Console", "EmbeddedPostgres", "EventLoop", "Files", "Foundation", "HTTP",
                "HTTPServer", "JSON", "Jobs", "Logging", "Migrations", "Outbound", "Postgres", "Processes", "Push",
                "Realtime", "Rest", "SignIn", "Storage", "Testing", "Web", "Webhooks",
            ],
            "SwiftletServer": [
                "ArgumentParser", "Auth", "Backups", "Bytes", "Calls", "Console", "Interface", "EmbeddedPostgres",
                "EventLoop",
                "Files", "Essentials", "HTTP", "HTTPServer", "Imports", "JSON", "Jobs", "Logging", "Migrations",
                "BlockingPool", "Outbound", "Postgres", "Processes", "Push", "Realtime", "Redis", "Rest", "SignIn",
                "Storage",
                "Swiftlet",
                "Web", "Webhooks",
            ],
        ],
        "Apps": [
            "Documents": ["CPango"],
            "Business": ["Swiftlet", "Documents"],
            "CheckIns": ["Swiftlet"],
            "DeviceLogs": ["Swiftlet"],
            "Gallery": ["Swiftlet"],
        ],
        "Client": [
            "SwiftletClient": ["AuthenticationServices", "Foundation", "FoundationNetworking", "Security"],
            "BusinessClient": ["Foundation", "FoundationNetworking", "SwiftletClient"],
            "BusinessClientMocks": ["Foundation", "FoundationNetworking", "SwiftletClient", "BusinessClient"],
            "CheckInsClient": ["Foundation", "FoundationNetworking", "SwiftletClient"],
            "CheckInsClientMocks": ["Foundation", "SwiftletClient", "CheckInsClient"],
            "DeviceLogsClient": ["Foundation", "FoundationNetworking", "SwiftletClient"],
            "DeviceLogsClientMocks": ["Foundation", "SwiftletClient", "DeviceLogsClient"],
            "GalleryClient": ["Foundation", "FoundationNetworking", "SwiftletClient"],
            "GalleryClientMocks": ["Foundation", "FoundationNetworking", "SwiftletClient", "GalleryClient"],
            "SwiftletSync": ["CSQLite", "Foundation", "SQLite3", "SwiftletClient"],
        ],
    ]

    /// The rooms by their folders: `Base/JSON`.
    private static let allowed = Dictionary(
        uniqueKeysWithValues: floors.flatMap { floor, rooms in rooms.map { ("\(floor)/\($0)", $1) } }
    )

    @Test func `every room has its row in the import table`() throws {
        var found: [String] = []
        for (floor, _) in Self.floors {
            let rooms = try FileManager.default.contentsOfDirectory(atPath: Self.sources.appending(path: floor).path)
            found += rooms.filter { !$0.hasPrefix(".") }.map { "\(floor)/\($0)" }
        }
        #expect(found.sorted() == Self.allowed.keys.sorted())
        let floors = try FileManager.default.contentsOfDirectory(atPath: Self.sources.path)
        #expect(floors.filter { !$0.hasPrefix(".") }.sorted() == (Self.floors.map(\.key) + ["swiftlet"]).sorted())
    }

    @Test func `the manifest lists the rooms floor by floor, bottom first`() throws {
        let manifest = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
        let targets = try #require(manifest.components(separatedBy: "    targets: [").last)
        let positions = Self.floors.compactMap { targets.range(of: "        // \($0.key)")?.lowerBound }
        #expect(positions.count == Self.floors.count)
        #expect(positions == positions.sorted())
    }

    /// Words of the apps in code and comments of the floors below them.
    @Test(arguments: floors.map(\.key).filter { $0 != "Apps" && $0 != "Client" })
    func `no floor below the apps names one`(floor: String) throws {
        let words = #/(?i)poop|check-?in|gallery|service.?ticket|opportunit|responder/#
        for file in try Self.swiftFiles(in: Self.sources.appending(path: floor)) {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                #expect(line.firstMatch(of: words) == nil, "\(file.lastPathComponent): \(line)")
            }
        }
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
                let module = match.1.hasPrefix("Swiftlet") ? String(match.1.dropFirst("Swiftlet".count)) : ""
                let isAllowed = allowed.contains(String(match.1)) || allowed.contains(module)
                #expect(isAllowed, "\(file.lastPathComponent) imports \(match.1)")
            }
        }
    }

    /// Its numbers are `Int` with the whole of Foundation alone, as in tests; the server would read nil.
    @Test func `no room of the server asks for the attributes of files`() throws {
        for floor in Self.floors.map(\.0) where floor != "Client" {
            for file in try Self.swiftFiles(in: Self.sources.appending(path: floor)) {
                let isFree = try !String(contentsOf: file, encoding: .utf8).contains(".attributesOfItem(")
                #expect(isFree || file.path.contains("/SwiftletTesting/"), "\(file.lastPathComponent): use FileStatus")
            }
        }
    }

    @Test func `only values of one's own types, and time zones, bring the essentials of Foundation into Web`() throws {
        let files = try Self.swiftFiles(in: Self.sources.appending(path: "Framework/Web"))
        let knowing = try files.filter {
            try String(contentsOf: $0, encoding: .utf8).contains("import SwiftletEssentials")
        }
        #expect(
            Set(knowing.map(\.lastPathComponent))
                == [
                    "Context+Now.swift", "PathValue.swift", "Request+Decodable.swift", "Response+Encodable.swift",
                    "ZoneDatabase.swift",
                ]
        )
    }

    @Test(arguments: ["Business", "CheckIns", "DeviceLogs"])
    func `every function is in its app's list`(app: String) throws {
        let files = try Self.swiftFiles(in: Self.sources.appending(path: "Apps/\(app)"))
        let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
        let list = try #require(texts.first { $0.contains("= App(") })
        for match in texts.joined().matches(of: #/let (\w+) = Function\(/#) {
            #expect(
                list.contains(" \(match.1),") || list.contains("[\(match.1)]"),
                "\(match.1) is not in the list of \(app)"
            )
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
