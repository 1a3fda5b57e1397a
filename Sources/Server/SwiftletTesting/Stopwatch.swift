import Foundation

/// Time since it was made, less what the machine's host took of it.
///
/// A virtual machine whose host is busy stands still at times, for longer than any limit of a test. What `/proc/stat`
/// tells of that (`steal` in proc_stat(5)) is the sum of its processors: all that any work can have been held up, or
/// more. So a quarter of the time counts at the least: a wait for what never comes must end. Where there is no such
/// file, nothing is taken off.
package struct Stopwatch: Sendable {
    private let start = ContinuousClock.now
    private let stolenBefore = Stopwatch.stolenSoFar()

    package init() {}

    package var elapsed: Duration { Self.elapsed(wallTime: wallTime, stolen: stolen) }

    static func elapsed(wallTime: Duration, stolen: Duration) -> Duration { max(wallTime / 4, wallTime - stolen) }

    /// With what the host took.
    package var wallTime: Duration { ContinuousClock.now - start }

    /// What the host took since.
    package var stolen: Duration { Self.stolenSoFar() - stolenBefore }

    /// By all processors together since the machine was started.
    private static func stolenSoFar() -> Duration {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return .zero }
        return stolen(in: text, ticksPerSecond: Int64(sysconf(Int32(_SC_CLK_TCK))))
    }

    /// The steal of a `/proc/stat`'s first line: `cpu user nice system idle iowait irq softirq steal …`, in ticks.
    static func stolen(in text: String, ticksPerSecond: Int64) -> Duration {
        let fields = text.prefix { $0 != "\n" }.split(separator: " ")
        guard fields.count > 8, let ticks = Int64(fields[8]), ticksPerSecond > 0 else { return .zero }
        return .milliseconds(ticks * 1000 / ticksPerSecond)
    }
}
