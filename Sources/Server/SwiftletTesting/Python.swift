import Foundation

/// Finds Python and the programs in `Tests/Python/`.
package enum Python {
    private static let root = Repository.root

    package static let scripts = root.appending(path: "Tests/Python").path

    private static let environment = root.appending(path: ".build-python/bin/python").path

    /// The interpreter with the packages from `.ci/setup test`, else the system's.
    package static let interpreter = hasPackages ? environment : "/usr/bin/python3"

    /// Whether the clients and servers from PyPI are installed.
    package static let hasPackages = FileManager.default.isExecutableFile(atPath: environment)

    package static let isInstalled = FileManager.default.isExecutableFile(atPath: interpreter)

    /// Runs a program of `Tests/Python/` to its end, and returns the lines that it has printed. Its errors are among
    /// them.
    package static func run(_ script: String, _ arguments: [String], in folder: String) async throws -> [String] {
        let output = "\(folder)/\(script).out"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: interpreter)
        process.arguments = ["\(scripts)/\(script)"] + arguments
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        process.standardOutput = file
        process.standardError = file
        try process.run()
        while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
        return try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map(String.init)
    }
}
