import Foundation
import SwiftletTesting
import Testing

/// The built program as an operator starts it, in a folder of its own, with nothing of our environment but PATH.
final class SwiftletProcess: Sendable {
    let folder: String
    private let process: Process
    private let output: URL
    private let errors: URL

    static func makeFolder() throws -> String {
        let folder = "/tmp/swiftlet-test-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    init(
        _ arguments: [String],
        in folder: String,
        _ environment: [String: String] = [:],
        input: String? = nil,
        through wrapper: [String] = []
    ) throws {
        self.folder = folder
        let name = UUID().uuidString
        output = URL(fileURLWithPath: "\(folder)/\(name).out")
        errors = URL(fileURLWithPath: "\(folder)/\(name).err")
        for file in [output, errors] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        process = Process()
        let command = wrapper + [Self.program.path] + arguments
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.environment = environment.merging(["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]) { $1 }
        let handles = try [FileHandle(forWritingTo: output), FileHandle(forWritingTo: errors)]
        (process.standardOutput, process.standardError) = (handles[0], handles[1])
        process.standardInput = FileHandle.nullDevice
        if let input {
            let pipe = Pipe()
            try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try pipe.fileHandleForWriting.close()
            process.standardInput = pipe
        }
        try process.run()
        // The process object keeps them.
        for handle in handles { try handle.close() }
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Runs to the end.
    static func run(
        _ arguments: [String],
        in folder: String,
        _ environment: [String: String] = [:],
        input: String? = nil
    ) async throws -> (status: Int32, output: String, errors: String) {
        let process = try SwiftletProcess(arguments, in: folder, environment, input: input)
        let status = try await process.end()
        return (status, process.text, process.errorText)
    }

    /// Starts the server and waits until it serves, on a port that the system chooses unless the environment has one. A
    /// `wrapper` is a command that the server is run by.
    static func serve(
        in folder: String,
        _ environment: [String: String],
        through wrapper: [String] = []
    ) async throws -> (process: SwiftletProcess, port: Int) {
        let settings = ["PORT": "0"].merging(environment) { $1 }
        let process = try SwiftletProcess(["serve"], in: folder, settings, through: wrapper)
        try await process.print(of: #""message":"serving""#)
        let match = try #require(process.text.firstMatch(of: /"port":"(\d+)"/))
        return (process, try #require(Int(match.1)))
    }

    /// The same, and waits until it reaches its database.
    static func serveReady(
        in folder: String,
        _ environment: [String: String],
        through wrapper: [String] = []
    ) async throws -> (process: SwiftletProcess, port: Int) {
        let (process, port) = try await serve(in: folder, environment, through: wrapper)
        let isReady = try await eventually(within: .seconds(60)) {
            let client = try SocketClient(port: port)
            try client.send("GET /ready HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return try client.reply().status == 200
        }
        try #require(isReady, "\(process.text)")
        return (process, port)
    }

    var text: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }
    var errorText: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

    /// Waits until `needle` was printed, so many times since the start.
    func print(of needle: String, times: Int = 1, within seconds: Int = 60) async throws {
        for _ in 0..<(seconds * 20) {
            if text.ranges(of: needle).count >= times { return }
            guard process.isRunning else { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("\(needle) was not printed: \(text) \(errorText)")
        throw CancellationError()
    }

    /// True while the kernel drops this signal to it (Linux, proc(5)).
    func ignores(_ signal: Int32) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        let mask = status.firstMatch(of: /SigIgn:\s*([0-9a-f]+)/).flatMap { UInt64($0.1, radix: 16) } ?? 0
        return mask & (1 << UInt64(signal - 1)) != 0
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for the end; the status, negative for a signal.
    func end(within seconds: Int = 60) async throws -> Int32 {
        for _ in 0..<(seconds * 20) where process.isRunning { try await Task.sleep(for: .milliseconds(50)) }
        guard !process.isRunning else {
            Issue.record("it does not end: \(text) \(errorText)")
            throw CancellationError()
        }
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// Beside the tests: .build/debug/swiftlet.
    static let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "swiftlet")
}
