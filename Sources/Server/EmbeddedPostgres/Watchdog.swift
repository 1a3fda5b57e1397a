import SwiftletEssentials

/// A shell process that stops the server if its owner cannot, or ends without stopping it, for example by SIGKILL.
///
/// It reads from a pipe of which only the owner has the other end: a line means that the server was stopped, end of
/// file that it was not.
final class Watchdog: Sendable {
    private let lifeline: OpenFile

    /// Watches the cluster in `dataFolder`, from before it starts. `folders` are deleted once the server has ended.
    static func start(
        dataFolder: String,
        isThrowAway: Bool,
        removing folders: [String]
    ) throws(EmbeddedPostgresError) -> Watchdog {
        let script = """
            trap '' INT TERM HUP
            data=$1 signal=$2; shift 2
            runs() {
                [ ! -e /proc/self ] || [ "/proc/$server/cwd" -ef "$data" ] ||
                    tr '\\0' '\\n' < "/proc/$server/cmdline" | grep -qxF -- "$data"
            }
            read -r word && exit 0
            if read -r server < "$data/postmaster.pid" && runs; then
                kill -s "$signal" "$server"
                while kill -0 "$server"; do sleep 0.1; done
            fi
            for folder do rm -rf "$folder"; done
            """
        let signal = isThrowAway ? "QUIT" : "INT"
        // The first shell starts the watching one in the background and exits, so that the watchdog is not our child
        // and never becomes a zombie.
        let launcher = "exec 3<&0; /bin/sh -c \"$@\" <&3 3<&- &"
        let (process, lifeline) = try ChildProcess.start(
            ["/bin/sh", "-c", launcher, "sh", script, "sh", dataFolder, signal] + folders,
            keeping: .input
        )
        _ = ChildProcess.wait(for: process)
        return Watchdog(lifeline: lifeline)
    }

    private init(lifeline: OpenFile) { self.lifeline = lifeline }

    /// Tells the watchdog that the owner has stopped the server itself.
    func dismiss() {
        try? lifeline.write(contentsOf: "stopped\n".utf8)
        try? lifeline.close()
    }

    /// Lets the watchdog stop the server now.
    func takeOver() { try? lifeline.close() }
}
