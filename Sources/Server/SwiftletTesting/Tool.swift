package import Foundation

/// Runs a program of this toolchain, or one that is installed.
package enum Tool {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// What it printed, errors among it. Throws that if the program fails.
    @discardableResult
    package static func run(_ arguments: [String], in folder: String? = nil) async throws -> String {
        let output = FileManager.default.temporaryDirectory.appending(path: "swiftlet-output-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: output) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        let file = try FileHandle(forWritingTo: output)
        process.standardOutput = file
        process.standardError = file
        try process.run()
        // Waiting must not take a thread that other tests run on.
        while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
        let text = try String(contentsOf: output, encoding: .utf8)
        guard process.terminationStatus == 0 else { throw Failure(description: text) }
        return text
    }

    /// A new folder that is removed afterwards.
    package static func inFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "swiftlet-models-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }
}
