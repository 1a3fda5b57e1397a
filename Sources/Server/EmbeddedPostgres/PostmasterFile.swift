import SwiftletEssentials

/// `postmaster.pid` in a data folder, which a running server keeps there and a killed one leaves.
struct PostmasterFile {
    let dataFolder: String

    var path: String { "\(dataFolder)/postmaster.pid" }

    /// Whether its process is the postmaster of this folder.
    var isRunning: Bool {
        guard let process = lines.first.flatMap({ Int32($0) }) else { return false }
        // Only Linux tells what the process is: its working directory is the data folder, but in a container even root
        // may not read that of another user's process. The command line names the folder, too.
        guard FileManager.default.fileExists(atPath: "/proc/self") else { return kill(process, 0) == 0 }
        let directory = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
        if directory == URL(fileURLWithPath: dataFolder).resolvingSymlinksInPath().path { return true }
        let arguments = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")?.split(separator: 0) ?? []
        return arguments.contains { $0.elementsEqual(dataFolder.utf8) }
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
