import Foundation
import SwiftletProcesses

/// A redis of its own on a port of its own, which can be ended and started again. It ends with this object.
package final class TestRedis: @unchecked Sendable {
    // Sendable because `program` is used under `lock` only.

    package static let program = "/usr/bin/redis-server"
    package static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    package let port: Int
    private let arguments: [String]
    private let lock = NSLock()
    private var program: ChildProgram?

    /// Returns when it answers. `arguments` are more of its own: `--requirepass`, …
    package static func start(_ arguments: [String] = [], isSecure: Bool = false) async throws -> TestRedis {
        guard let port = unassignedPort() else { throw Tool.Failure(description: "no port is free") }
        let redis = TestRedis(port, arguments, isSecure: isSecure)
        try await redis.startAgain()
        return redis
    }

    private init(_ port: Int, _ arguments: [String], isSecure: Bool) {
        self.port = port
        let ports = isSecure ? ["--port", "0", "--tls-port", "\(port)"] : ["--port", "\(port)"]
        self.arguments =
            ports + ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", "/tmp"] + arguments
    }

    /// Reaps it, too: the runner's own wait for its children would find this one for ever, and none behind it.
    deinit {
        program?.kill()
        _ = try? program?.wait()
    }

    package func startAgain() async throws {
        let started = try ChildProgram.start([Self.program] + arguments, ProcessInfo.processInfo.environment)
        lock.withLock { program = started }
        let isThere = try await eventually(within: .seconds(60)) { (try? SocketClient(port: port)) != nil }
        guard isThere else { throw Tool.Failure(description: "redis does not start") }
    }

    /// As a crash would.
    package func kill() async throws {
        let killed = lock.withLock {
            defer { program = nil }
            return program
        }
        killed?.kill()
        try await blocking { Result { _ = try killed?.wait() } }.get()
    }
}
