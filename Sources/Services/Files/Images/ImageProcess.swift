import Foundation

#if os(Linux)
import SwiftletCLinux
#endif

/// Runs one program to its end, within a time.
///
/// Foundation's `Process` does not survive a server without free descriptors: it then watches a wrong one, and waits for
/// ever for all children that come later.
enum ImageProcess {
    /// Blocks. Returns the status, 128 and the signal for a program that was killed, and what it printed, up to a
    /// mebibyte. Throws `POSIXError` if it cannot be started. A program that takes longer than the limit is killed.
    static func run(
        _ command: [String],
        _ environment: [String: String],
        within limit: Duration
    ) throws -> (status: Int32, output: String) {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        defer { close(ends[0]) }
        let process: pid_t
        do {
            defer { close(ends[1]) }
            // Children of others that are started meanwhile must not hold it open.
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            process = try unsafe spawn(command, environment, output: ends[1])
        }
        let output = read(ends[0], until: ContinuousClock.now + limit)
        if output == nil { kill(process, SIGKILL) }
        var status: CInt = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw POSIXError(.ECHILD) }
        }
        // WIFEXITED and WEXITSTATUS are macros.
        let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
        return (code, String(decoding: output ?? [], as: UTF8.self))
    }

    /// All that comes until the end, which is that of the program; nil if the time is over before, or if it is too much.
    private static func read(_ descriptor: CInt, until deadline: ContinuousClock.Instant) -> [UInt8]? {
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while output.count < 1 << 20 {
            let left = (deadline - ContinuousClock.now).components
            guard left.seconds >= 0, left.attoseconds >= 0 else { return nil }
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&watched, 1, CInt(clamping: left.seconds * 1000 + 100))
            if ready == 0 { continue }
            let count = ready < 0 ? -1 : unsafe Foundation.read(descriptor, &piece, piece.count)
            if count == 0 { return output }
            if count > 0 { output += piece.prefix(count) } else if errno != EINTR { return nil }
        }
        return nil
    }

    /// The program gets none of the server's descriptors.
    @unsafe private static func spawn(
        _ command: [String],
        _ environment: [String: String],
        output: CInt
    ) throws -> pid_t {
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
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var flags = POSIX_SPAWN_SETSIGMASK
        #if canImport(Darwin)
        flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        #endif
        // Children must not inherit blocked signals.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        let arguments = unsafe command.map { unsafe strdup($0) } + [nil]
        let variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        let error = unsafe posix_spawn(&process, command[0], &actions, &attributes, arguments, variables)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EAGAIN) }
        return process
    }
}
