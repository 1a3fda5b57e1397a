import Foundation
import SwiftletTesting
import Testing

@testable import SwiftletServer

@Suite struct WatchStateTests {
    private func started(canBuild: Bool = true) -> WatchState {
        var state = WatchState(canBuild: canBuild)
        #expect(state.begin() == [.startServer])
        return state
    }

    @Test func `code is built while the old server goes on, and then replaces it`() {
        var state = started()
        #expect(state.handle(.changed(.code)) == [.tell("building"), .build])
        #expect(state.handle(.changed(.data)).isEmpty)
        #expect(state.handle(.changed(.code)) == [.cancelBuild, .tell("building"), .build])
        #expect(state.handle(.buildEnded(status: 0, output: "")) == [.tell("restarting"), .stopServer])
        #expect(state.handle(.serverEnded(status: 0, output: "")) == [.startServer])
        #expect(state.failure == nil)
    }

    @Test func `a build that fails stands until one succeeds`() {
        var state = started()
        _ = state.handle(.changed(.code))
        let output = "Building\na.swift:1:2: error: no such thing\na.swift:1:2: error: no such thing\n"
        #expect(state.handle(.buildEnded(status: 1, output: output)) == [.tell(output), .stopServer])
        #expect(state.handle(.serverEnded(status: 0, output: "")).isEmpty)
        #expect(state.failure == "a.swift:1:2: error: no such thing")
        _ = state.handle(.changed(.code))
        #expect(state.handle(.buildEnded(status: 0, output: "")) == [.tell("starting"), .startServer])
        #expect(state.failure == nil)
    }

    @Test func `a server that ends by itself is told, and started with the next change`() {
        var state = started(canBuild: false)
        #expect(state.handle(.serverEnded(status: 78, output: "PORT is odd")).isEmpty)
        #expect(state.failure?.contains("78") == true && state.failure?.contains("PORT is odd") == true)
        #expect(state.handle(.changed(.data)) == [.tell("starting"), .startServer])
        #expect(state.handle(.stop) == [.stopServer])
        #expect(state.handle(.serverEnded(status: 0, output: "")) == [.end])
    }

    @Test func `what browsers and apps are answered`() {
        let page = String(
            decoding: FailurePage.response(to: "GET / HTTP/1.1\r\nAccept: text/html\r\n\r\n", "a < b"),
            as: UTF8.self
        )
        #expect(page.contains("text/html") && page.contains("a &lt; b"))
        let json = String(decoding: FailurePage.response(to: "GET / HTTP/1.1\r\n\r\n", "a < b"), as: UTF8.self)
        #expect(json.hasPrefix("HTTP/1.1 503 ") && json.contains(#""error":"a < b""#))
    }
}

/// `dev --watch` with a stand-in for the compiler, as a build takes minutes: it refuses a source with "broken" in it. A
/// private PostgreSQL is started, which takes seconds.
@Suite(.needsDatabase, .hangLimit) final class WatchTests: Sendable {
    private let folder: String

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        for name in [".build/debug", "Sources", "bin", "migrations"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        try write("// a package", to: "Package.swift")
        try write("fine", to: "Sources/App.swift")
        try write(
            """
            #!/bin/sh
            echo built >> \(folder)/builds
            if grep -q slow \(folder)/Sources/App.swift; then
                sleep 300 > \(folder)/compiler.out 2>&1 &
                echo $! > \(folder)/compiler.tmp
                mv \(folder)/compiler.tmp \(folder)/compiler
                wait
            fi
            grep -q broken \(folder)/Sources/App.swift || exit 0
            echo 'Sources/App.swift:1:1: error: it is broken'
            exit 1
            """,
            to: "bin/swift"
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/bin/swift")
        // The program has to lie where SwiftPM puts it.
        try FileManager.default.copyItem(
            atPath: SwiftletProcess.program.path,
            toPath: "\(folder)/.build/debug/swiftlet"
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    private func get(_ port: Int, accept: String = "*/*") throws -> SocketClient.Reply {
        let client = try SocketClient(port: port)
        try client.send("GET /health HTTP/1.1\r\nHost: localhost\r\nAccept: \(accept)\r\nConnection: close\r\n\r\n")
        return try client.reply()
    }

    private struct Child {
        let id: pid_t
        let command: String
        let state: String
        let group: pid_t
    }

    /// Of /proc/N/stat: "12 (name) S parent group …".
    private static func status(of id: pid_t) -> (command: String, fields: [Substring])? {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
            let start = text.firstIndex(of: "("), let end = text.lastIndex(of: ")")
        else { return nil }
        return (String(text[text.index(after: start)..<end]), text[text.index(after: end)...].split(separator: " "))
    }

    private static func children(of parent: pid_t) -> [Child] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
        return all.compactMap { id in
            guard let (command, fields) = status(of: id), fields.count > 2, pid_t(fields[1]) == parent else {
                return nil
            }
            return Child(id: id, command: command, state: String(fields[0]), group: pid_t(fields[2]) ?? 0)
        }
    }

    /// One that nobody has waited for yet does not run.
    private static func isRunning(_ id: pid_t) -> Bool {
        guard kill(id, 0) == 0 else { return false }
        return status(of: id).map { $0.fields.first != "Z" } ?? true
    }

    @Test func `a change is built and served, an error stands in the browser, and nobody is refused`() async throws {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "\(folder)/.build/debug/swiftlet")
        process.arguments = ["dev", "--watch", "--port", "0"]
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.environment = ["PATH": "\(folder)/bin:\(path)", "APPS": "none"]
        let output = URL(fileURLWithPath: "\(folder)/output.txt")
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = process.standardOutput
        try process.run()
        defer { kill(process.processIdentifier, SIGKILL) }
        let banner = "Ctrl-C stops it."
        func text() -> String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }
        func banners(_ count: Int) async throws {
            let isThere = try await eventually(within: .seconds(60)) { text().ranges(of: banner).count >= count }
            try #require(isThere, "\(text())")
        }
        try await banners(1)
        let match = try #require(text().firstMatch(of: /serves http:\/\/127\.0\.0\.1:(\d+)/))
        let port = try #require(Int(match.1))
        #expect(try get(port).status == 200)

        try write("finer", to: "Sources/App.swift")
        // Each of these waits for the next server, if it has to.
        for _ in 0..<200 where text().ranges(of: banner).count < 2 { #expect(try get(port).status == 200) }
        try await banners(2)

        try write("broken", to: "Sources/App.swift")
        let isTold = try await eventually(within: .seconds(60)) { try self.get(port).status == 503 }
        #expect(isTold, "\(text())")
        #expect(try get(port).body.contains("error: it is broken"))
        #expect(
            try get(port, accept: "text/html").body.contains("<pre>Sources/App.swift:1:1: error: it is broken</pre>")
        )
        #expect(text().contains("error: it is broken"))

        try write("fine again", to: "Sources/App.swift")
        try await banners(3)
        #expect(try get(port).status == 200)

        // A build that is not wanted any more ends with its compilers.
        try write("slow", to: "Sources/App.swift")
        let compiler = "\(folder)/compiler"
        let isCompiling = try await eventually(within: .seconds(60)) {
            FileManager.default.fileExists(atPath: compiler)
        }
        try #require(isCompiling, "\(text())")
        let number = try String(contentsOfFile: compiler, encoding: .utf8).trimmingCharacters(
            in: .whitespacesAndNewlines
        )
        let id = try #require(pid_t(number))
        #expect(Self.isRunning(id))
        #if os(Linux)
        // Ctrl-C in the terminal is for us alone.
        let children = Self.children(of: process.processIdentifier)
        #expect(children.contains { $0.command == "swiftlet" })
        #expect(children.filter { ["swiftlet", "sh", "swift"].contains($0.command) }.allSatisfy { $0.group == $0.id })
        #endif
        try write("finest", to: "Sources/App.swift")
        try await banners(4)
        #expect(!Self.isRunning(id))
        #if os(Linux)
        #expect(Self.children(of: process.processIdentifier).allSatisfy { $0.state != "Z" })
        #endif
        let builds = try String(contentsOfFile: "\(folder)/builds", encoding: .utf8)

        // SQL and settings need no build.
        try write("LOG_LEVEL=debug\n", to: ".env")
        try await banners(5)
        #expect(try String(contentsOfFile: "\(folder)/builds", encoding: .utf8) == builds)
        try write("LOG_LEVEL=loud\n", to: ".env")
        let isFaulty = try await eventually(within: .seconds(60)) { try self.get(port).body.contains("LOG_LEVEL") }
        #expect(isFaulty, "\(text())")

        process.terminate()
        let isOver = try await eventually(within: .seconds(60)) { !process.isRunning }
        #expect(isOver)
    }
}
