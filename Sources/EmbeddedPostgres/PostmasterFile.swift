import Foundation

/// `postmaster.pid` in a data folder, which a running server keeps there and a killed one leaves.
struct PostmasterFile {
    let dataFolder: String

    var path: String { "\(dataFolder)/postmaster.pid" }

    /// Whether its process is the postmaster of this folder.
    var isRunning: Bool {
        guard let process = lines.first.flatMap({ Int32($0) }) else { return false }
        // On Linux, compare the working directory, which is the data folder; elsewhere, only check that the process
        // exists.
        if FileManager.default.fileExists(atPath: "/proc/self") {
            let directory = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
            return directory == URL(fileURLWithPath: dataFolder).resolvingSymlinksInPath().path
        }
        return kill(process, 0) == 0
    }

    /// Where the server listens; nil unless it is running.
    var socketFolder: String? {
        let lines = lines
        return isRunning && lines.count > 4 && !lines[4].isEmpty ? String(lines[4]) : nil
    }

    private var lines: [Substring] {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n", omittingEmptySubsequences: false)
    }
}
