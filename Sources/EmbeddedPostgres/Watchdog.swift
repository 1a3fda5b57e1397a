import Foundation

/// A small shell that stops the server when its owner dies without stopping it, even by SIGKILL.
///
/// It waits on a pipe whose other end only the owner holds: a line means "all is done", end of file means that the
/// owner is gone.
final class Watchdog: Sendable {
    private let lifeline: FileHandle

    /// Guards the cluster in `dataFolder`, from before it starts; `folders` are deleted once the server has ended.
    static func start(
        dataFolder: String,
        isThrowAway: Bool,
        removing folders: [String]
    ) throws(EmbeddedPostgresError) -> Watchdog {
        let script = """
            trap '' INT TERM HUP
            data=$1 signal=$2; shift 2
            read -r word && exit 0
            if read -r server < "$data/postmaster.pid"; then
                kill -s "$signal" "$server"
                while kill -0 "$server"; do sleep 0.1; done
            fi
            for folder do rm -rf "$folder"; done
            """
        let signal = isThrowAway ? "QUIT" : "INT"
        // The first shell hands its input to the one that watches and ends: nobody's child when it ends, the watchdog
        // is no zombie that its owner would have to wait for.
        let launcher = "exec 3<&0; /bin/sh -c \"$@\" <&3 3<&- &"
        let (process, lifeline) = try ChildProcess.start(
            ["/bin/sh", "-c", launcher, "sh", script, "sh", dataFolder, signal] + folders,
            keeping: .input
        )
        _ = ChildProcess.wait(for: process)
        return Watchdog(lifeline: lifeline)
    }

    private init(lifeline: FileHandle) { self.lifeline = lifeline }

    /// The owner has stopped the server itself.
    func dismiss() {
        try? lifeline.write(contentsOf: Data("stopped\n".utf8))
        try? lifeline.close()
    }
}
