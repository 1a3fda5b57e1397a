import SwiftletEssentials
import Synchronization

/// Runs programs with `posix_spawn`.
///
/// Foundation's `Process` detects a child's exit through a descriptor that grandchildren inherit, so it would wait
/// forever for `pg_ctl start`, whose server keeps running.
enum ChildProcess {
    struct Result: Sendable {
        let status: Int32
        let output: String
    }

    /// Blocks until the program ends; its standard error is part of the output.
    static func run(_ command: [String]) throws(EmbeddedPostgresError) -> Result {
        let started = try start(command, keeping: .output)
        let output = (try? started.pipe.readToEnd()) ?? []
        try? started.pipe.close()
        let text = String(decoding: output, as: UTF8.self).trimmed
        return Result(status: wait(for: started.process), output: text)
    }

    /// Runs a command and returns its output; throws the output if the status is not 0.
    @discardableResult
    static func check(_ command: [String]) throws(EmbeddedPostgresError) -> String {
        let result = try run(command)
        guard result.status == 0 else {
            throw .commandFailed(
                command: command.joined(separator: " "),
                status: result.status,
                output: result.output
            )
        }
        return result.output
    }

    /// The end of the pipe that the caller keeps.
    enum PipeEnd { case output, input }

    /// Starts a program in its own process group, so that Ctrl-C in the terminal does not reach it, and in the root
    /// folder, because the unprivileged user may not have access to the caller's.
    static func start(
        _ command: [String],
        keeping end: PipeEnd
    ) throws(EmbeddedPostgresError) -> (process: pid_t, pipe: OpenFile) {
        // One at a time: another child could inherit the pipe before it is marked close-on-exec.
        let started = starting.withLock { _ in
            unsafe spawn(["/bin/sh", "-c", "cd / && exec \"$@\"", "sh"] + command, end)
        }
        guard let started else {
            throw .commandFailed(command: command.joined(separator: " "), status: -1, output: "it cannot be started")
        }
        return (started.process, OpenFile(owning: started.pipe))
    }

    private static let starting = Mutex(())

    @unsafe private static func spawn(
        _ command: [String],
        _ end: PipeEnd
    ) -> (process: pid_t, pipe: CInt)? {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        keepDescriptorsFromChildren()
        let (ours, theirs) = end == .output ? (ends[0], ends[1]) : (ends[1], ends[0])
        defer { close(theirs) }

        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        for (descriptor, flags) in [(0, O_RDONLY), (1, O_WRONLY), (2, O_WRONLY)] as [(CInt, CInt)] {
            let isPiped = end == .output ? descriptor > 0 : descriptor == 0
            if isPiped {
                unsafe posix_spawn_file_actions_adddup2(&actions, theirs, descriptor)
            } else {
                unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", flags, 0)
            }
        }
        // Children must not inherit blocked signals.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

        let arguments = unsafe command.map { unsafe strdup($0) } + [nil]
        let variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        guard unsafe posix_spawn(&process, command[0], &actions, &attributes, arguments, variables) == 0 else {
            close(ours)
            return nil
        }
        return (process, ours)
    }

    /// Marks all descriptors close-on-exec: a server that keeps running must not hold the pipes of its starter open.
    private static func keepDescriptorsFromChildren() {
        let folder = FileManager.default.fileExists(atPath: "/proc/self/fd") ? "/proc/self/fd" : "/dev/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for descriptor in names.compactMap({ CInt($0) }) where descriptor > 2 {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }

    static func wait(for process: pid_t) -> Int32 {
        var status: CInt = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return -1 }
        }
        // WIFEXITED and WEXITSTATUS are macros. A signal N is reported as 128 + N, as in a shell.
        return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
    }

    /// Without PG… variables, which would select another server or folder; messages in English.
    private static var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PG") }
        environment["LC_ALL"] = "C"
        environment["TZ"] = "UTC"
        return environment
    }
}
