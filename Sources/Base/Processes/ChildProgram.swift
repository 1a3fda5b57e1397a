import SwiftletEssentials
import Synchronization

#if os(Linux)
import SwiftletCLinux
#endif

/// A running program that has none of the server's descriptors but those it is given.
///
/// Foundation's `Process` does not survive a server without free descriptors: it then watches a wrong one, and waits for
/// ever for all children that come later.
package final class ChildProgram: Sendable {
    private let id: pid_t
    private let leadsGroup: Bool
    private let isOver = Mutex(false)

    private init(id: pid_t, leadsGroup: Bool) { (self.id, self.leadsGroup) = (id, leadsGroup) }

    /// The number that an inherited descriptor has in the child.
    package static let inheritedNumber: CInt = 3

    /// Its standard streams; nil is `/dev/null`. One more descriptor may be inherited, as ``inheritedNumber``. The caller closes its own descriptors afterwards. Throws `POSIXError` if
    /// it cannot be started. `leadsGroup`: it gets a process group of its own, so that a terminal's signals do not reach
    /// it, and ``kill()`` and ``interrupt()`` reach its children.
    package static func start(
        _ command: [String],
        _ environment: [String: String],
        input: CInt? = nil,
        output: CInt? = nil,
        errors: CInt? = nil,
        inherited: CInt? = nil,
        leadsGroup: Bool = false
    ) throws -> ChildProgram {
        ChildProgram(
            id: try unsafe spawn(
                command,
                environment,
                [(input, O_RDONLY), (output, O_WRONLY), (errors, O_WRONLY)],
                inherited,
                leadsGroup
            ),
            leadsGroup: leadsGroup
        )
    }

    /// Does nothing once it has ended. May be called while another thread waits for it.
    package func kill() {
        isOver.withLock { isOver in
            if !isOver { _ = SwiftletEssentials.kill(leadsGroup ? -id : id, SIGKILL) }
        }
    }

    /// What Ctrl-C does. Does nothing once it has ended.
    package func interrupt() {
        isOver.withLock { isOver in
            if !isOver { _ = SwiftletEssentials.kill(leadsGroup ? -id : id, SIGINT) }
        }
    }

    /// Asks it to end. Does nothing once it has.
    package func terminate() {
        isOver.withLock { isOver in
            if !isOver { _ = SwiftletEssentials.kill(id, SIGTERM) }
        }
    }

    /// Blocks until it has ended. Returns its status, or 128 and the signal for a program that was killed. Called once.
    package func wait() throws -> CInt {
        // Its number stays its own until the second call, so that no other program is killed in its place.
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0 {
            guard errno == EINTR else { throw POSIXError(.ECHILD) }
        }
        return try isOver.withLock { isOver in
            isOver = true
            var status: CInt = 0
            while unsafe waitpid(id, &status, 0) < 0 {
                guard errno == EINTR else { throw POSIXError(.ECHILD) }
            }
            // WIFEXITED and WEXITSTATUS are macros.
            return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
        }
    }

    @unsafe private static func spawn(
        _ command: [String],
        _ environment: [String: String],
        _ streams: [(descriptor: CInt?, flags: CInt)],
        _ inherited: CInt?,
        _ leadsGroup: Bool
    ) throws -> pid_t {
        guard let program = command.first else { throw POSIXError(.EINVAL) }
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
        for (number, stream) in streams.enumerated() {
            if let descriptor = stream.descriptor {
                unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, CInt(number))
            } else {
                unsafe posix_spawn_file_actions_addopen(&actions, CInt(number), "/dev/null", stream.flags, 0)
            }
        }
        if let inherited { unsafe posix_spawn_file_actions_adddup2(&actions, inherited, inheritedNumber) }
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        #if canImport(Darwin)
        flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
        unsafe posix_spawn_file_actions_addclosefrom_np(
            &actions,
            inherited == nil ? inheritedNumber : inheritedNumber + 1
        )
        #endif
        if leadsGroup {
            flags |= POSIX_SPAWN_SETPGROUP
            unsafe posix_spawnattr_setpgroup(&attributes, 0)
        }
        // Children must inherit neither blocked signals nor that we ignore SIGPIPE.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        let arguments = unsafe command.map { unsafe strdup($0) } + [nil]
        let variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        let error = unsafe posix_spawn(&process, program, &actions, &attributes, arguments, variables)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EAGAIN) }
        return process
    }
}
