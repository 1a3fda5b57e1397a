import SwiftletEssentials

/// The properties of this machine that defaults depend on.
struct Machine: Sendable {
    /// Cores that this process may use, at least 1. Respects CPU affinity and the container's quota.
    let cores: Int
    /// Whether standard output is a terminal.
    let isTerminal: Bool

    static var current: Machine {
        Machine(
            cores: max(1, min(ProcessInfo.processInfo.activeProcessorCount, containerQuota() ?? .max)),
            isTerminal: isatty(STDOUT_FILENO) == 1
        )
    }

    /// cgroup v2's "quota period" in microseconds, or "max period" without a limit; rounded up to whole cores.
    static func containerQuota(_ path: String = "/sys/fs/cgroup/cpu.max") -> Int? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let quota = Int(words[0]), let period = Int(words[1]), period > 0 else { return nil }
        return max(1, (quota + period - 1) / period)
    }
}
