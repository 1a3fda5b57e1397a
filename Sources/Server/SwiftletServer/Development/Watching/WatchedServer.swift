import SwiftletEssentials
import Synchronization
import SwiftletHTTPServer
import SwiftletProcesses

/// Runs `swiftlet dev` as a child, and builds and starts it again when a file changes. Its socket is held here, so that
/// clients wait meanwhile.
final class WatchedServer: Sendable {
    private let build: ProgramBuild?
    private let root: String
    private let program: String
    private let environment: [String: String]
    private let socket: CInt
    /// Written to when it should stop.
    private let wake: CInt
    private let waking: CInt

    private static let socketSetting = "SWIFTLET_INHERITED_SOCKET"
    /// An editor writes several files, and one in several pieces.
    private static let settlingMilliseconds: CInt = 120
    private static let answerMilliseconds: CInt = 1000

    /// In the child: the socket that it was given.
    static var inheritedSocket: CInt? {
        ProcessInfo.processInfo.environment[socketSetting] == nil ? nil : ChildProgram.inheritedNumber
    }

    /// `environment`: what the child has beside our own.
    init(program: String, folder: String, socket: CInt, _ environment: [String: String]) throws {
        build = ProgramBuild(program: program)
        root = build?.package ?? folder
        (self.program, self.socket) = (program, socket)
        var pair: [CInt] = [-1, -1]
        guard unsafe pipe(&pair) == 0 else { throw POSIXError(.EMFILE) }
        for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (waking, wake) = (pair[0], pair[1])
        var all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        all[Self.socketSetting] = "\(ChildProgram.inheritedNumber)"
        self.environment = all
    }

    func stop() { _ = StandardStreams.write([1], to: wake) }

    /// Blocks until it was stopped and the child has ended.
    func run() throws {
        var state = WatchState(canBuild: build != nil)
        var (server, compiler): (WatchedProgram?, WatchedProgram?) = (nil, nil)
        let watch = FileWatch()
        var tree = SourceTree(root)
        watch.watch(tree.folders)
        var actions = state.begin()
        var isStopped = false
        while true {
            while !actions.isEmpty {
                switch actions.removeFirst() {
                case .build: compiler = try build.map { try WatchedProgram($0.command, Self.plain, output: nil) }
                case .cancelBuild:
                    compiler?.cancel()
                    compiler = nil
                case .startServer:
                    server = try WatchedProgram(
                        [program, "dev"],
                        environment,
                        output: STDOUT_FILENO,
                        inherited: socket
                    )
                case .stopServer: server?.terminate()
                case .tell(let text): Terminal.say(text)
                case .end: return
                }
            }
            var entries = [waking, watch.descriptor, server?.descriptor ?? -1, compiler?.descriptor ?? -1].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            entries.append(
                pollfd(fd: state.hasServer || state.failure == nil ? -1 : socket, events: Int16(POLLIN), revents: 0)
            )
            let count = unsafe poll(
                &entries,
                nfds_t(entries.count),
                watch.descriptor >= 0 ? -1 : FileWatch.lookMilliseconds
            )
            if count < 0, errno != EINTR { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            if entries[0].revents != 0, !isStopped {
                isStopped = true
                actions += state.handle(.stop)
            }
            if entries[2].revents != 0, let running = server, let status = try running.read(echo: true) {
                server = nil
                actions += state.handle(
                    .serverEnded(status: status, output: String(decoding: running.tail, as: UTF8.self))
                )
            }
            if entries[3].revents != 0, let running = compiler, let status = try running.read(echo: false) {
                compiler = nil
                actions += state.handle(
                    .buildEnded(status: status, output: String(decoding: running.tail, as: UTF8.self))
                )
            }
            if entries[4].revents != 0, let failure = state.failure { answer(failure) }
            if entries[1].revents != 0 || watch.descriptor < 0, let change = settle(watch, &tree) {
                actions += state.handle(.changed(change))
            }
        }
    }

    /// Waits until nothing changes any more.
    private func settle(_ watch: borrowing FileWatch, _ tree: inout SourceTree) -> SourceTree.Change? {
        var change: SourceTree.Change?
        while true {
            watch.drain()
            let now = SourceTree(root)
            watch.watch(now.folders)
            let found = now.change(since: tree)
            tree = now
            guard let found else { return change }
            change = change == .code ? .code : found
            var entry = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&entry, 1, Self.settlingMilliseconds)
        }
    }

    /// Tells one client what is wrong.
    private func answer(_ failure: String) {
        let client = accept(socket, nil, nil)
        guard client >= 0 else { return }
        defer { close(client) }
        _ = fcntl(client, F_SETFL, fcntl(client, F_GETFL) | O_NONBLOCK)
        var head: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        while head.count < 1 << 15, head.firstRange(of: end) == nil {
            var entry = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&entry, 1, Self.answerMilliseconds) > 0 else { return }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            head += buffer[..<count]
        }
        _ = StandardStreams.write(FailurePage.response(to: String(decoding: head, as: UTF8.self), failure), to: client)
        _ = shutdown(client, CInt(SHUT_WR))
        // What it still sends is read, so that it can read the answer.
        var entry = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
        if unsafe poll(&entry, 1, Self.answerMilliseconds) > 0 {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            _ = unsafe recv(client, &buffer, buffer.count, 0)
        }
    }

    /// What the compiler gets: no secret of the server's is in it that was not ours anyway.
    private static var plain: [String: String] { ProcessInfo.processInfo.environment }
}
