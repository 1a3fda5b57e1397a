import Foundation
import SwiftletTesting
import Testing

/// The commands of the README and of docs/, as they are written, against `swiftlet dev`.
@Suite(
    .needsDatabase,
    .hangLimit,
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "install curl")
)
final class DocumentedCommandTests {
    private let parent: String
    private let folder: String

    /// Need a clone, containers, a toolchain's hour, or never end.
    private static let elsewhere = [
        "make ", "docker ", "swift ", "swiftlet new ", "cd ", "--apply", "pg_basebackup ", "pg_ctl ", "kill -HUP",
    ]

    struct Block: Sendable, CustomTestStringConvertible {
        let file: String
        let lines: [String]

        var testDescription: String { "\(file): \(lines.first ?? "")" }
    }

    init() throws {
        parent = try SwiftletProcess.makeFolder()
        folder = "\(parent)/clone"
        let files = FileManager.default
        for name in ["bin", "clone/App", "clone/src", "production", "own/migrations"] {
            try files.createDirectory(atPath: "\(parent)/\(name)", withIntermediateDirectories: true)
        }
        for name in ["clone", "production"] {
            try files.copyItem(atPath: TestDatabase.migrations, toPath: "\(parent)/\(name)/migrations")
        }
        try files.createSymbolicLink(
            atPath: "\(parent)/bin/swiftlet",
            withDestinationPath: SwiftletProcess.program.path
        )
        // A refusal fails, as a reader would see it.
        try Data("#!/bin/sh\nexec /usr/bin/curl --fail-with-body --silent --show-error \"$@\"\n".utf8)
            .write(to: URL(fileURLWithPath: "\(parent)/bin/curl"))
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(parent)/bin/curl")
    }

    deinit { try? FileManager.default.removeItem(atPath: parent) }

    /// Those between ```sh and ```.
    private static func blocks() throws -> [Block] {
        let docs = Repository.root.appending(path: "docs")
        let names = try FileManager.default.contentsOfDirectory(atPath: docs.path).filter { $0.hasSuffix(".md") }
        let files = [Repository.root.appending(path: "README.md")] + names.sorted().map { docs.appending(path: $0) }
        return try files.flatMap { file in
            let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "```")
            return parts.enumerated().filter { !$0.offset.isMultiple(of: 2) && $0.element.hasPrefix("sh\n") }.map {
                Block(
                    file: file.lastPathComponent,
                    lines: $0.element.split(separator: "\n").dropFirst().map(String.init)
                )
            }
        }
    }

    @Test func `each command does what it says`() async throws {
        let process = try SwiftletProcess(["dev", "--port", "0"], in: folder, ["LOG_FORMAT": "json"])
        try await process.print(of: "Ctrl-C stops both.")
        let match = try #require(process.text.firstMatch(of: /serves http:\/\/127\.0\.0\.1:(\d+)/))
        var count = 0
        for block in try Self.blocks() {
            let isElsewhere = block.lines.contains { line in Self.elsewhere.contains { line.contains($0) } }
            if isElsewhere { continue }
            let isProduction = block.lines.contains { $0.contains("DATABASE_URL") }
            // Of a project with one app, as `swiftlet new` makes it.
            let isOwn = block.lines.contains { $0.contains("migrate new") }
            let lines = try block.lines.filter { $0 != "swiftlet serve" }.map { line in
                try isProduction
                    ? line.replacing("postgresql://user:password@host:5432/name", with: TestDatabase.createEmpty())
                    : line.replacing(/(localhost|127\.0\.0\.1):8000/, with: "127.0.0.1:\(match.1)")
            }
            let answer = try run(
                lines.joined(separator: "\n"),
                in: isProduction ? "production" : isOwn ? "own" : "clone"
            )
            #expect(answer.status == 0, "\(block.testDescription)\n\(answer.text)")
            count += 1
        }
        #expect(count >= 5)
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    private func run(_ script: String, in name: String) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-ec", script]
        process.currentDirectoryURL = URL(fileURLWithPath: "\(parent)/\(name)")
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        process.environment = ["PATH": "\(parent)/bin:\(path)", "HOME": parent, "PUSH": "log"]
        let pipe = Pipe()
        (process.standardOutput, process.standardError) = (pipe, pipe)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
